import { collapse, truncate } from './dom.ts'
import * as raw from './raw.ts'
import type { Choice } from './states.ts'

/** What becomes a line: an element with a role, or a run of text. */
export interface Item {
  /** The element, or the first text of a run. */
  readonly node: Node
  /** That a reference to it means. */
  readonly element: Element
  readonly role: string
  readonly name: string
  readonly value: string
  readonly description: string
  readonly placeholder: string
  readonly states: readonly string[]
  readonly url: string
  /** Can be clicked, filled in, hovered or dragged. */
  readonly actionable: boolean
  readonly choices: readonly Choice[]
  readonly inView: boolean
  readonly children: readonly Item[]
}

/** The text inside, in reading order. */
export function textOf(items: readonly Item[], max = 2_000): string {
  const parts: string[] = []
  let chars = 0
  const walk = (item: Item) => {
    if (chars > max) return
    if (item.role === 'text' || item.children.length === 0 || item.role === 'row') {
      const said = item.name || item.value
      if (said) parts.push(said)
      chars += said.length
    } else for (const child of item.children) walk(child)
  }
  for (const item of items) walk(item)
  return collapse(parts.join(' '))
}

/** How an element is called in sentences: `button "Buy"`. */
export function labelOf(item: Item): string {
  const name = item.name || truncate(textOf(item.children, 60), 60) || item.description
  return name ? `${item.role} ${JSON.stringify(truncate(name, 60))}` : item.role
}

/** Gathers the items of a container; texts that follow each other in a line become one. */
export class Collector {
  readonly items: Item[] = []
  #run = ''
  #isKept = false
  #first: { node: Text | Element; element: Element; inView: boolean } | null = null

  /** A piece of a line of text; `isKept` when its white space stays. */
  text(data: string, isKept: boolean, node: Text | Element, element: Element, inView: boolean): void {
    this.#run += isKept ? data : data.replace(/[ \t\n\r\f\u200b\u2060\ufeff\u00ad]+/g, ' ')
    if (isKept) this.#isKept = true
    if (!this.#first && data.trim() !== '') this.#first = { node, element, inView }
  }

  lineBreak(): void {
    if (this.#first) this.#run += '\n'
  }

  /** What follows stands by itself. */
  end(): void {
    const run = this.#run
    const first = this.#first
    const text = this.#isKept
      ? run.trimEnd().replace(/^\s*\n/, '')
      : run
          .replace(/ {2,}/g, ' ')
          .replace(/ ?\n ?/g, '\n')
          .trim()
    this.#run = ''
    this.#first = null
    this.#isKept = false
    if (first && text) this.items.push({ ...EMPTY, ...first, role: 'text', name: text })
  }

  add(item: Item): void {
    this.end()
    this.items.push(item)
  }
}

const EMPTY = {
  value: '',
  description: '',
  placeholder: '',
  states: [],
  url: '',
  actionable: false,
  choices: [],
  children: [],
}

/** An option of a native select, which has no line otherwise. */
export const choiceItem = (element: Element, name: string, inView: boolean): Item => ({
  ...EMPTY,
  node: element,
  element,
  role: 'option',
  name,
  inView,
})

/** Without the texts that only label the control beside them. */
export const withoutLabels = (items: readonly Item[]): Item[] =>
  items.filter((item, at) => {
    if (!/^(text|columnheader|rowheader|cell)$/.test(item.role) || item.actionable || item.children.length > 0)
      return true
    const isLabel = (other: Item | undefined) =>
      other?.actionable && other.role !== 'link' && other.role !== 'clickable' && other.name === collapse(item.name)
    return !isLabel(items[at - 1]) && !isLabel(items[at + 1])
  })

/** Every item, outer before inner. */
export function* everyItem(items: readonly Item[]): Generator<Item> {
  for (const item of items) {
    yield item
    yield* everyItem(item.children)
  }
}

/** What its legend or caption says is its name. */
export const withoutTitle = (element: Element, children: Item[]): Item[] =>
  /^(fieldset|figure|table)$/.test(raw.localName(element))
    ? children.filter(
        ({ role, element: own }) => role !== 'text' || !/^(legend|figcaption|caption)$/.test(raw.localName(own)),
      )
    : children
