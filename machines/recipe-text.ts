import type { InputValue } from './placeholders.ts'
import type { Values } from './recipe.ts'

/** [J4] Values of inputs in the texts of a recipe: found in what was done, and put in again when it is done anew. */

/** A place for an input, with the form in which its value was written: `{{count}}`, `{{day:dmy.}}`. */
const PLACE = /\{\{([a-z0-9_]{1,40})(?::([a-zA-Z0-9./-]+))?\}\}/g

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/** How a value may be written; `null` for what is not a form of it. */
const FORMS: Readonly<Record<string, (value: InputValue) => string | null>> = {
  '': (value) => String(value),
  lower: (value) => (typeof value === 'string' ? value.toLowerCase() : null),
  slug: (value) =>
    typeof value === 'string'
      ? value
          .toLowerCase()
          .normalize('NFD')
          .replaceAll(/\p{M}/gu, '')
          .replaceAll(/[^a-z0-9]+/g, '-')
          .replaceAll(/^-|-$/g, '')
      : null,
  url: (value) => (typeof value === 'string' ? encodeURIComponent(value) : null),
  plus: (value) => (typeof value === 'string' ? encodeURIComponent(value).replaceAll('%20', '+') : null),
  en: (value) => grouped(value, ',', '.', null),
  en2: (value) => grouped(value, ',', '.', 2),
  de: (value) => grouped(value, '.', ',', null),
  de2: (value) => grouped(value, '.', ',', 2),
  fix2: (value) => grouped(value, '', '.', 2),
  'dmy.': (value) => dated(value, (y, m, d) => `${d}.${m}.${y}`),
  'dmy/': (value) => dated(value, (y, m, d) => `${d}/${m}/${y}`),
  'mdy/': (value) => dated(value, (y, m, d) => `${m}/${d}/${y}`),
  MDY: (value) => dated(value, (y, m, d) => `${MONTHS[Number(m) - 1]} ${Number(d)}, ${y}`),
  DMY: (value) => dated(value, (y, m, d) => `${Number(d)} ${MONTHS[Number(m) - 1]} ${y}`),
  hm: (value) => timed(value, (h, m) => `${String(h).padStart(2, '0')}:${m}`),
  hma: (value) => timed(value, (h, m) => `${h % 12 || 12}:${m} ${h < 12 ? 'AM' : 'PM'}`),
  Mdy: (value) => dated(value, (y, m, d) => `${MONTHS[Number(m) - 1]?.slice(0, 3)} ${Number(d)}, ${y}`),
}

function grouped(value: InputValue, thousands: string, decimal: string, digits: number | null): string | null {
  const number = typeof value === 'number' ? value : /^-?\d+(?:\.\d+)?$/.test(String(value)) ? Number(value) : null
  if (number === null) return null
  const [whole = '', rest = ''] = (digits === null ? String(number) : number.toFixed(digits)).split('.')
  const left = whole.replace(/\B(?=(\d{3})+(?!\d))/g, thousands)
  return rest === '' ? left : `${left}${decimal}${rest}`
}

function dated(value: InputValue, write: (y: string, m: string, d: string) => string): string | null {
  const [, y, m, d] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(String(value)) ?? []
  return y && m && d ? write(y, m, d) : null
}

/** A time of day, `2:05 PM` or `14:05`. */
function timed(value: InputValue, write: (hours: number, minutes: string) => string): string | null {
  const [, hours, minutes, half] = /^(\d{1,2}):(\d{2})(?: ?([ap])\.?m\.?)?$/i.exec(String(value)) ?? []
  if (!hours || !minutes) return null
  return write(half ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours), minutes)
}

interface Written {
  readonly text: string
  readonly place: string
  readonly name: string
}

/** Shorter texts than this stand in other words by chance: they count as a whole alone. */
const WORD_CHARS_MIN = 3

/** All that the values may be written as, the longest first. */
function writtenForms(values: Values): Written[] {
  const all = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'boolean'
      ? []
      : Object.entries(FORMS).flatMap(([form, write]): Written[] => {
          const text = write(value)
          return text === null || text === '' ? [] : [{ text, name, place: `{{${name}${form && `:${form}`}}}` }]
        }),
  )
  const first = all.filter(
    (one, at) => all.findIndex((other) => other.text === one.text && other.name === one.name) === at,
  )
  return first.sort((one, other) => other.text.length - one.text.length)
}

export interface Templater {
  /** The text with places instead of values; `about`: what it belongs to, by which one of two equal values is chosen. */
  text(text: string, about?: string): string
  /** A value that is typed or chosen: as a whole, or as a text. */
  value(value: unknown, about: string): unknown
  /** Every text in a value. */
  all<T>(value: T, about?: string): T
}

/** Puts places into what was done with these inputs. */
export function templaterOf(values: Values): Templater {
  const forms = writtenForms(values)
  const take = (found: readonly Written[], about: string): Written | undefined =>
    found.find(({ name }) => isAbout(name, about)) ?? found[0]
  const text = (given: string, about = ''): string => {
    const whole = take(
      forms.filter((form) => form.text === given),
      about,
    )
    if (whole) return whole.place
    let parts: (string | Written)[] = [given]
    for (const written of [...new Set(forms.map((form) => form.text))]) {
      if (written.length < WORD_CHARS_MIN && !/^\d+$/.test(written)) continue
      const form = take(
        forms.filter((each) => each.text === written),
        about,
      )
      if (form) parts = parts.flatMap((part) => (typeof part === 'string' ? between(part, form) : [part]))
    }
    return parts.map((part) => (typeof part === 'string' ? part : part.place)).join('')
  }
  const all = <T>(value: T, about = ''): T => mapTexts(value, (each) => text(each, about)) as T
  return {
    text,
    all,
    value(value, about) {
      if (typeof value === 'string') return text(value, about)
      const named = Object.entries(values).filter(([, own]) => own === value || String(own) === String(value))
      // Any box is checked or not: a choice is an input's only when it is called like it.
      const [name] = named.find(([own]) => isAbout(own, about)) ?? (typeof value === 'boolean' ? [] : (named[0] ?? []))
      return name === undefined ? value : `{{${name}}}`
    },
  }
}

function between(text: string, form: Written): (string | Written)[] {
  const parts = text.split(byItself(form.text))
  return parts.flatMap((part, at) => (at === 0 ? [part] : [form, part]))
}

/** A text as a part of a pattern. */
export const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Where a value stands by itself: not in a word, nor in a longer number. */
function byItself(value: string): RegExp {
  const isNumber = /^\p{N}/u.test(value)
  const before = isNumber ? '(?<![\\p{L}\\p{N}])(?<!\\p{N}[.,:/-])' : '(?<![\\p{L}\\p{N}])'
  const after = /\p{N}$/u.test(value) ? '(?![\\p{L}\\p{N}])(?![.,:/-]\\p{N})' : '(?![\\p{L}\\p{N}])'
  return new RegExp(`${before}${escaped(value)}${after}`, 'u')
}

/** Whether the value stands by itself in the text, as it is written. */
export const isSaid = (value: string, text: string): boolean => byItself(value).test(text)

/** Whether the name of an input has a word of what it would stand in. */
const isAbout = (name: string, about: string): boolean => {
  const words = about.toLowerCase()
  return name.split('_').some((word) => word.length >= WORD_CHARS_MIN && words.includes(word))
}

/** The text with today's values in its places. `filled` is called for each, with where its value stands in the result. */
export function filledText(text: string, values: Values, filled?: (from: number, to: number) => void): string {
  let longer = 0
  return text.replace(PLACE, (place, name: string, form = '', at: number) => {
    const value = values[name]
    const written = value === undefined ? place : (FORMS[form]?.(value) ?? String(value))
    filled?.(at + longer, at + longer + written.length)
    longer += written.length - place.length
    return written
  })
}

/**
 * The value with today's inputs in the places of its texts. A `value` that is one place alone is the input's value itself:
 * a number, true or false.
 */
export const filledAll = <T>(value: T, values: Values): T =>
  mapTexts(value, (text, key) => {
    const [, name, form] = (key === 'value' && WHOLE_PLACE.exec(text)) || []
    const own = name === undefined || form !== undefined ? undefined : values[name]
    return own === undefined ? filledText(text, values) : own
  }) as T
const WHOLE_PLACE = new RegExp(`^${PLACE.source}$`)

/** [J3] Today's values in the places of these texts. Beside a text of an input a number is one by chance, as one in brackets is. */
export function valuesIn(texts: readonly (string | undefined)[], values: Values): string[] {
  const places = texts.flatMap((text = '') => text.replaceAll(/[([]\{\{[^}]*\}\}[)\]]/g, '').match(PLACE) ?? [])
  const all = [...new Set(places.map((place) => filledText(place, values)))]
  const words = all.filter((value) => /\p{L}/u.test(value))
  return words.length > 0 ? words : all
}

/** The names of the inputs that a value has places of. */
export const placesOf = (value: unknown): string[] => [
  ...new Set([...(JSON.stringify(value) ?? '').matchAll(PLACE)].map(([, name = '']) => name)),
]

function mapTexts(value: unknown, change: (text: string, key: string) => unknown, key = ''): unknown {
  if (typeof value === 'string') return change(value, key)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, change, name)]))
}
