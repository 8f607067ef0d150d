import { type Fingerprints, foundBy } from './fingerprints.ts'
import { GramTable, type Range } from './grams.ts'
import { placeholderOf, placeholdersIn } from './secrets.ts'
import { base64Letters, foldedLetters, joinedLetters, type Letters, type Reading, readingsOf } from './spellings.ts'

/**
 * [X6] Takes values of secrets out of whatever a browser, a model or a person says: whole, and each part of PART_CHARS and
 * more, in every spelling. One pass over each reading of the text, whatever the number of secrets.
 */

/** A value, by the name of its secret. */
export interface NamedValue {
  readonly name: string
  readonly value: string
  /** What anybody may know: a part of the value that is a part of these is no secret, but for the whole value. */
  readonly open?: readonly string[]
}

/** What is left of a value is shorter than this. */
const PART_CHARS = 8
/** As long as these many bytes of a value in hexadecimal digits, and what is sure of them in base64. */
const PART_HEX_CHARS = 16
const PART_BASE64_CHARS = 10
/** Shorter than this, they are found by chance. */
const HEX_CHARS_MIN = 6
const BASE64_CHARS_MIN = 4
/** Shorter numbers are counts and coordinates. */
const NUMBER_CHARS_MIN = 4

export interface Redactor {
  text(text: string): string
  /** All strings of a plain value, keys included, and numbers that are a secret or have a part of one. */
  value<T>(value: T): T
}

/** [X6] A value that is found in too many words, such as `the` or a year: it is taken out as a whole word alone. */
export const isShortWord = (value: string): boolean => /^[\p{L}\p{N}]{1,5}$/u.test(value)

/** Takes nothing out. */
export const NOTHING_TO_REDACT: Redactor = { text: (text) => text, value: (value) => value }

/**
 * Replaces each of the values, in every spelling in which it may appear, by the placeholder of its secret. `earlier`: [X13]
 * of secrets whose values are not known any more: these are found whole.
 */
export function redactorOf(values: readonly NamedValue[], earlier: readonly Fingerprints[] = []): Redactor {
  if (values.length === 0 && earlier.length === 0) return NOTHING_TO_REDACT
  const names = [
    ...values.map(({ name }) => name),
    ...new Set(earlier.flatMap(({ prints }) => prints.map(({ name }) => name))),
  ]
  const tables = tablesOf(values)
  const words = values.flatMap((each, owner) => (isShortWord(each.value) ? [{ word: wordOf(each.value), owner }] : []))
  const literals = values.flatMap((each, owner) =>
    isShortWord(each.value) ? [] : literalsOf(each.value).map((text) => ({ text, owner })),
  )
  const rangesIn = (text: string): Range[] => {
    const found: Range[] = []
    for (const { text: literal, owner } of literals)
      for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1))
        found.push({ start: at, end: at + literal.length, owner, whole: literal.length })
    if (earlier.length > 0)
      for (const { name, length, ...range } of foundBy(earlier, text))
        found.push({ ...range, owner: names.lastIndexOf(name), whole: length })
    if (values.length === 0) return found
    for (const reading of readingsOf(text)) {
      for (const { word, owner } of words) found.push(...wordsIn(reading, word, owner))
      const folded = foldedLetters(reading)
      search(tables.folded, folded, found)
      if (tables.joined.size > 0) search(tables.joined, joinedLetters(folded), found)
      if (tables.base64.size > 0) search(tables.base64, base64Letters(reading), found)
    }
    return found
  }
  const text = (given: string) => {
    const found = rangesIn(given)
    return found.length === 0 ? given : replaced(given, found, names)
  }
  const walk = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given)
    if (typeof given === 'number') return number(given)
    if (Array.isArray(given)) return given.map(walk)
    if (typeof given !== 'object' || given === null) return given
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [text(key), walk(value)]))
  }
  const number = (given: number): unknown => {
    const shown = String(given)
    if (shown.length < NUMBER_CHARS_MIN) return given
    const isSecret = ({ start, end }: Range) => end - start >= Math.min(PART_CHARS, shown.length)
    return rangesIn(shown).some(isSecret) ? text(shown) : given
  }
  return { text, value: <T>(given: T) => walk(given) as T }
}

/**
 * The values of a task's secrets. Parts of them that are parts of an address of their domains, or of those that the task
 * is confined to, are known to all: a user name such as `ada@shop.example` leaves addresses of the shop readable.
 */
export function secretValues(
  secrets: readonly { readonly name: string; readonly domains: readonly string[] }[],
  values: Readonly<Record<string, string>>,
  allowedDomains: readonly string[] | null,
): NamedValue[] {
  const domains = [...secrets.flatMap((secret) => secret.domains), ...(allowedDomains ?? [])]
  const hosts = ['', ...new Set(domains.map((domain) => domain.replace(/^\*\./, '')))]
  const open = hosts.flatMap((host) =>
    ['http://', 'https://', 'https://www.'].map((start) => `${start}${host}${host && '/'}`),
  )
  return secrets.flatMap(({ name }) => {
    const value = values[name]
    return value === undefined ? [] : [{ name, value, open }]
  })
}

/** The parts of one length, by that length. */
type Tables = Map<number, GramTable>

/** A value where neither a letter nor a digit is beside it. */
const wordOf = (value: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])${value}(?![\\p{L}\\p{N}])`, 'giu')

/** What is beside a word is judged with its escapes read: in `pin%3D4711` that is `=`. */
const wordsIn = ({ text, ranges }: Reading, word: RegExp, owner: number): Range[] =>
  [...text.matchAll(word)].map(({ 0: { length }, index }) => ({
    start: ranges?.starts[index] ?? index,
    end: ranges?.ends[index + length - 1] ?? index + length,
    owner,
    whole: length,
  }))

function tablesOf(values: readonly NamedValue[]): { folded: Tables; joined: Tables; base64: Tables } {
  const tables = { folded: new Map(), joined: new Map(), base64: new Map() }
  values.forEach(({ value, open = [] }, owner) => {
    if (isShortWord(value)) return
    const known = open.flatMap((each) => [lettersOf(each), joinedLetters(lettersOf(each))]).map(String)
    const size = lettersOf(value).length
    for (const given of new Set([value, value.replace(/\s+/g, ' ').trim()])) {
      for (const reading of readingsOf(given).map(({ text }) => text)) {
        for (const spelling of [reading, [...reading].reverse().join('')]) {
          const folded = lettersOf(spelling)
          // What is short only when its escapes are read would be found everywhere.
          if (folded.length >= Math.min(PART_CHARS, size) || spelling === given)
            add(tables.folded, folded, PART_CHARS, owner, known)
          const joined = joinedLetters(folded)
          if (joined.length >= PART_CHARS) add(tables.joined, joined, PART_CHARS, owner, known)
        }
      }
    }
    for (const bytes of bytesOf(value)) {
      const hex = lettersOf([...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''))
      if (hex.length >= HEX_CHARS_MIN) add(tables.folded, hex, PART_HEX_CHARS, owner)
      if (hex.length >= PART_HEX_CHARS) add(tables.joined, hex, PART_HEX_CHARS, owner)
      for (const form of base64Of(bytes)) {
        const letters = base64Letters({ text: form, ranges: null })
        if (letters.length >= BASE64_CHARS_MIN) add(tables.base64, letters, PART_BASE64_CHARS, owner)
      }
    }
  })
  return tables
}

const lettersOf = (text: string): Letters => foldedLetters({ text, ranges: null } satisfies Reading)

function add(tables: Tables, letters: Letters, partChars: number, owner: number, open: readonly string[] = []): void {
  if (letters.length === 0) return
  const chars = Math.min(partChars, letters.length)
  const table = tables.get(chars) ?? new GramTable(chars)
  tables.set(chars, table)
  table.add(letters, owner, open)
}

function search(tables: Tables, letters: Letters, found: Range[]): void {
  for (const table of tables.values()) table.search(letters, found)
}

/**
 * Of a short value, which has to be found whole, the escaped forms themselves: what is beside it, or backslashes of its
 * own, may make its escapes read as something else.
 */
function literalsOf(value: string): string[] {
  if (value.length > PART_CHARS + 1) return []
  const url = urlOf(value)
  const uri = url.replace(/%(?:2[346BCF]|3[ABDF]|40)/g, decodeURIComponent)
  const escaped = (characters: RegExp) =>
    url.replace(characters, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
  // As forms write it, and with everything escaped that may be.
  const stricter = [escaped(/[!'()~]/g), escaped(/[!'()*~]/g)]
  const json = JSON.stringify(value).slice(1, -1)
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  const urls = [url, uri, ...stricter, ...stricter.map((each) => each.replaceAll('%20', '+'))]
  const lower = urls.map((given) => given.replace(/%../g, (each) => each.toLowerCase()))
  const points = (write: (code: number) => string) =>
    Array.from(value, (each) => write(each.codePointAt(0) as number)).join('')
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16).padStart(4, '0'))
  const scripts = [units, units.map((each) => each.toUpperCase())].map((each) =>
    each.map((hex) => `\\u${hex}`).join(''),
  )
  const entities = [points((code) => `&#${code};`), points((code) => `&#x${code.toString(16)};`)]
  const forms = [...urls, ...lower, json, ...scripts, html, html.replaceAll("'", '&#39;'), ...entities]
  return [...new Set(forms)].filter((form) => form !== value)
}

/** In UTF-8 and, as `btoa` of a page takes it, in Latin-1; escaped as JSON and as URLs before, too. */
function bytesOf(value: string): Uint8Array[] {
  const json = JSON.stringify(value).slice(1, -1)
  const url = urlOf(value)
  const texts = [...new Set([value, json, url])].map((text) => new TextEncoder().encode(text))
  const isLatin = [...value].every((character) => character.charCodeAt(0) < 256)
  const isAscii = [...value].every((character) => character.charCodeAt(0) < 128)
  return isLatin && !isAscii ? [...texts, Uint8Array.from(value, (each) => each.charCodeAt(0))] : texts
}

/** Half of a character of two code units cannot be written in a URL. */
const urlOf = (value: string): string => (/\p{Cs}/u.test(value) ? value : encodeURIComponent(value))

/** What is sure to be in base64 of any text that the bytes are in, wherever they begin in it. */
const base64Of = (bytes: Uint8Array): string[] =>
  [0, 1, 2].map((before) => {
    const text = btoa(Array.from([...new Uint8Array(before), ...bytes], (byte) => String.fromCharCode(byte)).join(''))
    // Characters that the neighbours have a part in are left out.
    return text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6))
  })

/** Placeholders that are in the text already stay, whatever their names. */
function replaced(text: string, found: readonly Range[], names: readonly string[]): string {
  const placeholders = placeholdersIn(text, names)
  let result = ''
  let from = 0
  for (const { start, end, owner } of merged(found)) {
    let at = start
    for (const placeholder of placeholders) {
      if (placeholder.end <= at || placeholder.start >= end) continue
      if (placeholder.start > at) put(at, placeholder.start, owner)
      at = placeholder.end
    }
    if (at < end) put(at, end, owner)
  }
  return result + text.slice(from)

  function put(start: number, end: number, owner: number): void {
    result += text.slice(from, start) + placeholderOf(names[owner] ?? '')
    from = end
  }
}

/** Ranges that overlap become one, of the secret that has most of it. */
function merged(found: readonly Range[]): Range[] {
  const ordered = [...found].sort((one, other) => one.start - other.start || other.end - one.end)
  const ranges: (Range & { whole: number })[] = []
  for (const { start, end, owner, whole } of ordered) {
    const last = ranges.at(-1)
    if (!last || start >= last.end) {
      ranges.push({ start, end, owner, whole })
      continue
    }
    last.end = Math.max(last.end, end)
    if (whole > last.whole) {
      last.whole = whole
      last.owner = owner
    }
  }
  return ranges
}
