import * as raw from './raw.ts'

/** What was seen of the document's nodes before, and what is known of them from outside. */

interface Seen {
  readonly key: number
  /** Of the last look that it was there at. */
  look: number
  text: string
}

const nodes = new WeakMap<Node, Seen>()
const frames = new WeakMap<Element, number>()
let nextKey = 1
let looks = 0
let suspects: readonly Element[] = []

/** The number of the frame that an element holds. */
export const nameFrame = (element: Element, number: number): void => {
  frames.set(element, number)
}
export const frameOf = (element: Element): number | undefined => frames.get(element)

export const setSuspects = (found: readonly Element[]): void => {
  suspects = found
}
/** Elements that may have a closed shadow root, once. */
export const takeSuspects = (): readonly Element[] => {
  const taken = suspects
  suspects = []
  return taken
}

/** What the last reading showed and found, until it is known whether the model sees it. */
let pending: Pending = { nodes: [], stubs: [], shown: new Map(), isPart: false }
/** What stood for all that is in it at the last look. */
let lastStubs = new WeakSet<Node>()
/** The lines that the last look showed, by their texts: what is drawn anew is not new. */
let lastTexts: ReadonlySet<string> = new Set()

interface Pending {
  readonly nodes: readonly Node[]
  readonly stubs: readonly Node[]
  readonly shown: ReadonlyMap<Node, string>
  /** Only a part of the document was read. */
  readonly isPart: boolean
}
export const setPending = (read: Pending): void => {
  pending = read
}

/** The model sees what was read last: what it has not seen before is marked as new from now on. */
export function look(): void {
  if (pending.isPart) {
    if (looks > 0) for (const node of pending.nodes) seenOf(node).look = looks
    return
  }
  looks += 1
  for (const node of pending.nodes) seenOf(node).look = looks
  for (const [node, text] of pending.shown) seenOf(node).text = text
  lastTexts = new Set(pending.shown.values())
  lastStubs = new WeakSet(pending.stubs)
  setPending({ nodes: [], stubs: [], shown: new Map(), isPart: false })
}

/** Whether the line came, or changed, since the last look. */
export function isNew(node: Node, text: string, isPart: boolean): boolean {
  if (looks === 0 || lastTexts.has(text)) return false
  const seen = seenOf(node)
  // By itself it is shown in another way, and options have lines that they had not.
  if (isPart) return seen.look === 0 && !(node instanceof HTMLOptionElement)
  // What stands in a list that was there is not new because it is read now.
  if (seen.look === 0) for (let at: Node | null = node; at; at = raw.parentNode(at)) if (lastStubs.has(at)) return false
  return seen.look !== looks || (seen.text !== '' && seen.text !== text)
}

export const keyOf = (node: Node): number => seenOf(node).key

function seenOf(node: Node): Seen {
  const known = nodes.get(node)
  if (known) return known
  const made = { key: nextKey++, look: 0, text: '' }
  nodes.set(node, made)
  return made
}
