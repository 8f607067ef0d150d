import * as raw from './raw.ts'
/** Which elements react, and to what: the tools tell, because scripts cannot see the listeners of others. */

export interface Reacts {
  readonly click: boolean
  readonly double: boolean
  readonly menu: boolean
  readonly hover: boolean
  readonly drag: boolean
  readonly drop: boolean
  /** It is a framework's root, which listens for everything that may happen in it. */
  readonly isRoot: boolean
}

const known = new Map<number, WeakRef<Node>>()
const reacting = new WeakMap<Node, Reacts>()
let hoverRules: { count: number; selectors: string[] } = { count: -1, selectors: [] }

/** What listens now where it did not, or to something else: by the protocol's number of each node. */
export function listen(
  changes: readonly (readonly [id: number, types: readonly string[]])[],
  nodes: readonly Node[],
): void {
  let next = 0
  for (const [id, types] of changes) {
    const node = known.get(id)?.deref() ?? nodes[next++]
    if (!node) continue
    known.set(id, new WeakRef(node))
    const any = (words: RegExp) => types.some((type) => words.test(type))
    const isRoot = any(/^drop$/) && any(/^contextmenu$/) && any(/^dblclick$/)
    reacting.set(node, {
      click: any(/^(click|auxclick|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend)$/),
      double: any(/^dblclick$/),
      menu: any(/^contextmenu$/),
      hover: any(/^(mouse|pointer)(enter|over)$/),
      drag: any(/^dragstart$/) && !isRoot,
      drop: any(/^drop$/) && !isRoot,
      isRoot,
    })
  }
}

export const reactionsOf = (node: Node): Reacts | null => reacting.get(node) ?? null

/** Whether anything listens for clicks so high up that it may mean any element. */
export const isDelegated = (): boolean =>
  [document, raw.page('documentElement'), raw.page('body'), ...(raw.page('body')?.children ?? [])].some(
    (node) => node && reacting.get(node)?.click,
  )

/** Elements that a style sheet treats as parents of what opens on hover, as far as its rules can be read. */
export function hoverParents(): ReadonlySet<Element> {
  const found = new Set<Element>()
  for (const selector of hoverSelectors()) {
    try {
      for (const element of raw.page('querySelectorAll')(selector)) found.add(element)
    } catch {
      // A selector that means something only within its rule.
    }
    if (found.size > PARENTS_MAX) break
  }
  return found
}

const SELECTORS_MAX = 100
const RULES_MAX = 20_000
const PARENTS_MAX = 2_000

function hoverSelectors(): readonly string[] {
  const rules: CSSRule[] = []
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    try {
      rules.push(...sheet.cssRules)
    } catch {
      // A sheet of another site cannot be read.
    }
  }
  const count = rules.length
  if (count === hoverRules.count) return hoverRules.selectors
  const selectors = new Set<string>()
  for (let at = 0; at < rules.length && at < RULES_MAX; at += 1) {
    const rule = rules[at]
    if (rule instanceof CSSGroupingRule) rules.push(...rule.cssRules)
    if (!(rule instanceof CSSStyleRule) || !rule.selectorText.includes(':hover')) continue
    const { style } = rule
    if (!style.display && !style.visibility && !style.opacity && !style.maxHeight && !style.height && !style.transform)
      continue
    for (const selector of rule.selectorText.split(',')) {
      const [, before, inner] = /^(.*?):hover\S*(\s*[\s>+~]\s*\S.*)$/.exec(selector.trim()) ?? []
      // `span:hover .anchor` is about the spans alone that have such an anchor.
      const opens = inner?.replaceAll(/::?(?:before|after)\b|:hover\b/g, '').trim()
      if (before && opens && selectors.size < SELECTORS_MAX) selectors.add(`${before.trim()}:has(${opens})`)
    }
  }
  hoverRules = { count, selectors: [...selectors] }
  return hoverRules.selectors
}
