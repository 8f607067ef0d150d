import { truncate } from './dom.ts'
import { choiceItem, type Item, textOf } from './item.ts'
import { wordsOf } from './score.ts'
import type { Choice } from './states.ts'

const VALUE_CHARS_MAX = 300
const NAME_CHARS_MAX = 500
const TEXT_CHARS_MAX = 2_000
const URL_CHARS_MAX = 150
const STATE_CHARS_MAX = 200
const CHOICE_CHARS_MAX = 150
const CHOICES_SHOWN_MAX = 8

export interface LineOptions {
  /** `null` for none. */
  readonly ref: string | null
  /** Addresses there are shown without it. */
  readonly origin: string
  /** Everything that it holds, up to so many characters each; `null`: only the beginning of what is long. */
  readonly wholeMax: number | null
  /** It stands alone: what is inside makes its name where it has none. */
  readonly isAlone: boolean
}

/** An item in one line: role, name, reference, states, what it holds. */
export function lineOf(item: Item, { ref, origin, wholeMax, isAlone }: LineOptions): string {
  const isWhole = wholeMax !== null
  const shown = (text: string, max: number) => JSON.stringify(truncate(text, wholeMax ?? max))
  const nameMax = item.role === 'text' ? TEXT_CHARS_MAX : NAME_CHARS_MAX
  const parts = [item.role]
  const name = item.name || (isAlone ? textOf(item.children, 80) : '')
  if (name || /^(cell|gridcell|columnheader)$/.test(item.role)) parts.push(shown(name, nameMax))
  if (ref !== null) parts.push(`[${ref}]`)
  parts.push(...item.states.map((state) => truncate(state, STATE_CHARS_MAX)))
  if (item.value && item.value !== item.name) parts.push(`value=${shown(item.value, VALUE_CHARS_MAX)}`)
  if (item.description !== '' && !says(item.name, item.description))
    parts.push(`description=${shown(item.description, VALUE_CHARS_MAX)}`)
  if (item.placeholder && item.placeholder !== item.name && item.placeholder !== item.description) {
    parts.push(`placeholder=${shown(item.placeholder, VALUE_CHARS_MAX)}`)
  }
  // Of what is read by itself each option has a line.
  if (item.choices.length > 0 && !(isWhole && item.choices.length > CHOICES_SHOWN_MAX))
    parts.push(choices(item.choices))
  if (item.url) parts.push(`-> ${truncate(shortUrl(item.url, origin), wholeMax ?? URL_CHARS_MAX)}`)
  return parts.join(' ')
}

/** Whether a name says all that a description does. */
export function says(name: string, description: string): boolean {
  const words = wordsOf(description)
  return words.length > 0 ? ` ${wordsOf(name).join(' ')} `.includes(` ${words.join(' ')} `) : name.includes(description)
}

function choices(all: readonly Choice[]): string {
  const word = all[0]?.element.closest('datalist') ? 'suggestions' : 'options'
  const texts = all.slice(0, CHOICES_SHOWN_MAX).map(choiceText)
  const more = all.length - texts.length
  return `${word}: ${texts.join(' | ')}${more > 0 ? ` | … ${more} more` : ''}`
}

const choiceText = ({ label, isChosen, isDisabled }: Choice): string =>
  `${isChosen ? '*' : ''}${truncate(label, CHOICE_CHARS_MAX)}${isDisabled ? ' (disabled)' : ''}`

/** Whether not all of the text fits into its line. */
export const isTruncated = ({ role, name }: Item): boolean => role === 'text' && name.length > TEXT_CHARS_MAX

/** The options of what is read by itself, when they are too many for its line. */
export const choiceItems = ({ choices: all, inView }: Item): Item[] =>
  all.length <= CHOICES_SHOWN_MAX ? [] : all.map((choice) => choiceItem(choice.element, choiceText(choice), inView))

const shortUrl = (url: string, origin: string): string =>
  origin !== 'null' && url.startsWith(`${origin}/`) ? url.slice(origin.length) : url
