/** Tool calls in words, for side panel, dashboard, replay and command line alike. */

const WORDS_CHARS_MAX = 60

const shortened = (text: unknown): string => {
  const words = String(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return words.length > WORDS_CHARS_MAX ? `${words.slice(0, WORDS_CHARS_MAX - 1)}…` : words
}

/** The name of the element that a ref stands for; `null` when it is not known. */
export type NameOf = (ref: string) => string | null
const NO_NAMES: NameOf = () => null

/** `button "Pay" [e3]`, and `e3: button "Pay"`. */
const NAMED = /"([^"\n]{1,80})" \[([a-z]*\d*e\d+)\]|^([a-z]*\d*e\d+): \w+ "([^"\n]{1,80})"/gm

/** What pages called their elements, by ref, as far as results tell it. */
export function namesIn(output: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const found = [...output.matchAll(NAMED)]
  if (found.length === 0) return before
  const names = new Map(before)
  for (const [, name, ref, otherRef, otherName] of found) names.set(ref ?? otherRef ?? '', name ?? otherName ?? '')
  return names
}

/** A tool call as a person would say it. */
export function wordsFor(tool: string | null, input: unknown, nameOf: NameOf = NO_NAMES): string {
  const given = (input ?? {}) as Record<string, unknown>
  const name = typeof given.ref === 'string' ? nameOf(given.ref) : null
  switch (tool) {
    case 'navigate':
      if (given.url === 'back' || given.url === 'forward') return `Goes ${given.url}`
      return `Opens ${shortened(given.url)}`
    case 'read_page':
      return 'Reads the page'
    case 'get_page_text':
      return 'Reads the text of the page'
    case 'find':
      return `Looks for ${shortened(given.query)}`
    case 'form_input':
      return `Fills in ${shortened(name ?? given.value)}`
    case 'javascript_tool':
      return 'Runs a script in the page'
    case 'tabs':
      return TABS[String(given.action)] ?? 'Looks at its tabs'
    case 'dialog':
      return 'Answers a dialog'
    case 'files':
      return 'Works with files'
    case 'note':
      return `Notes ${shortened(given.text)}`
    case 'extract':
      return `Takes from the page: ${shortened(given.what)}`
    case 'script':
      return 'Runs a script of steps'
    case 'ask_user':
      return 'Asks you'
    case 'finish':
      return 'Finishes'
    case 'computer': {
      const words = ACTIONS[String(given.action)]?.(given) ?? 'Acts on the page'
      return name === null || !ON_ELEMENTS.has(String(given.action)) ? words : `${words} ${shortened(name)}`
    }
    default:
      return shortened(tool) || 'Thinks'
  }
}

const TABS: Readonly<Record<string, string>> = {
  open: 'Opens a tab',
  switch: 'Switches to another tab',
  close: 'Closes a tab',
}

const ON_ELEMENTS = new Set(['left_click', 'right_click', 'double_click', 'triple_click'])

const ACTIONS: Readonly<Record<string, (given: Record<string, unknown>) => string>> = {
  left_click: () => 'Clicks',
  right_click: () => 'Right-clicks',
  double_click: () => 'Double-clicks',
  triple_click: () => 'Triple-clicks',
  hover: () => 'Hovers',
  left_click_drag: () => 'Drags',
  type: ({ text }) => `Types ${shortened(text)}`,
  key: ({ text }) => `Presses ${shortened(text)}`,
  scroll: () => 'Scrolls',
  scroll_to: () => 'Scrolls',
  wait: () => 'Waits',
  screenshot: () => 'Takes a screenshot',
  zoom: () => 'Zooms in',
}
