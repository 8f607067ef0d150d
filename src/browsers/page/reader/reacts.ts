import { hoverParents, isDelegated, reactionsOf } from './listeners.ts'

/** Of something with one meaning: so little is in it. */
const TEXT_MAX = 200
const CONTROLS_MAX = 2
/** A card that is meant to be clicked may hold more. */
const TARGETS_LOOKED_AT_MAX = 40
const CARD_TEXT_MAX = 600
const CARD_CONTROLS_MAX = 8
const INNER = 'a[href], button, input, select, textarea, [role=button], [role=link], [role=checkbox], [tabindex="0"]'
const ACTION_NAMES = /(^|[-_ ])(btn|button|clickable|toggle|close|dropdown-toggle)([-_ ]|$)/i
const ACTION_ATTRIBUTES = [
  'onclick',
  'jsaction',
  'ng-click',
  'data-action',
  'data-toggle',
  'data-bs-toggle',
  'data-href',
  'data-dismiss',
]

/** What a walk knows of the document as a whole. */
export interface Reactivity {
  readonly hoverParents: ReadonlySet<Element>
  readonly isDelegated: boolean
}
export const reactivity = (): Reactivity => ({ hoverParents: hoverParents(), isDelegated: isDelegated() })

export type Reaction = 'click' | 'hover' | 'drag' | null

/**
 * What an element without a role of its own is good for. `isPointer`: the mouse pointer says that it can be clicked, and
 * nothing around it has taken that for itself. `isDelegate`: a container around it listens for clicks on what is in it.
 */
export function reactionOf(element: Element, known: Reactivity, isPointer: boolean, isDelegate: boolean): Reaction {
  const reacts = reactionsOf(element)
  const isSmall = () => isOneThing(element, TEXT_MAX, CONTROLS_MAX)
  if (reacts && (reacts.click || reacts.double || reacts.menu)) {
    if (isPointer ? isOneThing(element, CARD_TEXT_MAX, CARD_CONTROLS_MAX) : isSmall() && !holdsTargets(element))
      return 'click'
  }
  const isMeant =
    isPointer ||
    (isDelegate && element.firstChild !== null && !holdsTargets(element)) ||
    (element.hasAttributes() && ACTION_ATTRIBUTES.some((name) => element.hasAttribute(name))) ||
    (known.isDelegated && isNamedLikeControl(element))
  if (isMeant && isSmall()) return 'click'
  if (element.getAttribute('draggable') === 'true' || reacts?.drag) return 'drag'
  if (known.hoverParents.has(element) || (reacts?.hover && isSmall())) return 'hover'
  return null
}

/** Whether it listens on behalf of what is in it: items, or what looks like controls. */
function holdsTargets(element: Element): boolean {
  if (element.querySelectorAll('li, tr, option, [role=option], [role=row], [role=listitem]').length > 1) return true
  const inner = [...element.querySelectorAll('*')].slice(0, TARGETS_LOOKED_AT_MAX)
  return inner.some((each) => isNamedLikeControl(each) || getComputedStyle(each).cursor === 'pointer')
}

/** Whether an element listens for clicks on the many things in it. */
export function delegates(element: Element): boolean {
  if (element === document.body || element === document.documentElement || !reactionsOf(element)?.click) return false
  return /^(ul|ol|dl|table|tbody|tr|svg|map|menu)$/.test(element.localName) || isShorterThan(element, 2_000)
}

const isNamedLikeControl = (element: Element): boolean => ACTION_NAMES.test(element.getAttribute('class') ?? '')

const isOneThing = (element: Element, chars: number, controls: number): boolean =>
  isShorterThan(element, chars) && element.querySelectorAll(INNER).length <= controls

/** Looks no further than it must: containers may be large. */
function isShorterThan(element: Element, max: number): boolean {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let chars = 0
  for (let steps = 0; walker.nextNode(); steps += 1) {
    const parent = walker.currentNode.parentElement
    if (parent && /^(script|style|template|noscript)$/.test(parent.localName)) continue
    chars += ((walker.currentNode as Text).data.trim() || '').length
    if (chars > max || steps > max) return false
  }
  return true
}
