import { truncate } from './dom.ts'
import { type Item, textOf } from './item.ts'
import type { Choice } from './states.ts'

const VALUE_CHARS_MAX = 300
const NAME_CHARS_MAX = 500
const URL_CHARS_MAX = 150
const CHOICES_SHOWN_MAX = 30

export interface LineOptions {
  /** `null` for none. */
  readonly ref: string | null
  /** Addresses there are shown without it. */
  readonly origin: string
  /** Everything that it holds, however long. */
  readonly isWhole: boolean
  /** It stands alone: what is inside makes its name where it has none. */
  readonly isAlone: boolean
}

/** An item in one line: role, name, reference, states, what it holds. */
export function lineOf(item: Item, { ref, origin, isWhole, isAlone }: LineOptions): string {
  const shown = (text: string, max: number) => JSON.stringify(isWhole ? text : truncate(text, max))
  const parts = [item.role]
  const name = item.name || (isAlone ? textOf(item.children, 80) : '')
  if (name || /^(cell|gridcell|columnheader)$/.test(item.role)) parts.push(shown(name, NAME_CHARS_MAX))
  if (ref !== null) parts.push(`[${ref}]`)
  if (item.states.length > 0) parts.push(item.states.join(' '))
  if (item.value && item.value !== item.name) parts.push(`value=${shown(item.value, VALUE_CHARS_MAX)}`)
  if (item.description && item.description !== item.name)
    parts.push(`description=${shown(item.description, VALUE_CHARS_MAX)}`)
  if (item.placeholder && item.placeholder !== item.name && item.placeholder !== item.description) {
    parts.push(`placeholder=${shown(item.placeholder, VALUE_CHARS_MAX)}`)
  }
  if (item.choices.length > 0) parts.push(choices(item.choices, item.role, isWhole))
  if (item.url) parts.push(`-> ${truncate(shortUrl(item.url, origin), URL_CHARS_MAX)}`)
  return parts.join(' ')
}

function choices(all: readonly Choice[], role: string, isWhole: boolean): string {
  const word =
    all.some(({ isChosen }) => isChosen) || role === 'listbox' || role === 'combobox' ? 'options' : 'suggestions'
  const texts = all.map(
    ({ label, isChosen, isDisabled }) => `${isChosen ? '*' : ''}${label}${isDisabled ? ' (disabled)' : ''}`,
  )
  const max = isWhole ? texts.length : CHOICES_SHOWN_MAX
  const more = texts.length - max
  return `${word}: ${texts.slice(0, max).join(' | ')}${more > 0 ? ` | … ${more} more` : ''}`
}

const shortUrl = (url: string, origin: string): string =>
  origin !== 'null' && url.startsWith(`${origin}/`) ? url.slice(origin.length) : url
