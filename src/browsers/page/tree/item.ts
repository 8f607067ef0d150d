/** One line of the page as it is read: an element with a role, or a piece of text. */
export interface Item {
  readonly role: string
  readonly name: string
  /** What a control holds. */
  readonly value: string
  readonly description: string
  /** The hint in an empty field. */
  readonly placeholder: string
  /** In the words that are shown: `checked`, `disabled`, `level=2`. */
  readonly states: readonly string[]
  /** Of a link, as it is shown. */
  readonly url: string
  /** `null` for text, which is no element. */
  readonly backendNodeId: number | null
  /** Can be clicked or filled in. */
  readonly actionable: boolean
  /** Of a native select: its options, the chosen ones starred. */
  readonly options: readonly string[]
  readonly children: readonly Item[]
}

export const squash = (text: string): string => text.replace(/[\s\u200b\ufeff]+/g, ' ').trim()

/** Cut to `max` characters, visibly. */
export const clip = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)

/** The text inside, in reading order. */
export function textOf(items: readonly Item[]): string {
  const parts: string[] = []
  const walk = (item: Item) => {
    if (item.role === 'text' || (item.children.length === 0 && item.name)) parts.push(item.name)
    else for (const child of item.children) walk(child)
  }
  for (const item of items) walk(item)
  return squash(parts.join(' '))
}

/** How an element is called in sentences: `button "Buy"`. */
export function labelOf(item: Item): string {
  const name = item.name || clip(textOf(item.children), 60) || item.description
  return name ? `${item.role} ${JSON.stringify(clip(name, 60))}` : item.role
}

/** Every item, outer before inner. */
export function* everyItem(items: readonly Item[]): Generator<Item> {
  for (const item of items) {
    yield item
    yield* everyItem(item.children)
  }
}
