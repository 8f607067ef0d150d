import { isShortWord, redactorOf } from '../../machines/redaction.ts'

/** Values, the spellings in which pages and models write them, and what may stand around them: by chance, from a seed. */

export type Random = () => number
export function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
const below = (random: Random, limit: number) => Math.floor(random() * limit)
const pick = <T>(random: Random, from: ArrayLike<T>): T => from[below(random, from.length)] as T
const some = (random: Random, from: ArrayLike<string>, count: number) =>
  Array.from({ length: count }, () => pick(random, from)).join('')

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const SPECIAL = '/+=!\'()*:@#&"<> %\\?;,.~^`{}[]|$_-'
const OTHER = [...'äöüßéñçøÅÆ中文かなПриветαβς€£', 'e\u0301', '😀', '\t', '\u00a0']
const ALPHABETS: readonly ArrayLike<string>[] = [
  PLAIN,
  '0123456789',
  PLAIN + SPECIAL,
  [...PLAIN, ...SPECIAL, ...OTHER],
  OTHER,
  SPECIAL,
]
const NOISE = [...PLAIN, ...SPECIAL, ...OTHER, '%4', '%C3', '\\u00', '&#', '&amp', '\\', 'QUJD', '\n']

export const aValue = (random: Random, charsMin = 3): string => {
  const chars = random() < 0.3 ? charsMin + below(random, 7) : charsMin + 5 + below(random, random() < 0.9 ? 40 : 400)
  const value = some(random, pick(random, ALPHABETS), chars)
  // A value of white space alone, or nearly so, is everywhere; a short word is taken out as a word alone.
  const isOdd = value.replace(/\s+/g, ' ').trim().length < charsMin || isShortWord(value)
  return isOdd ? aValue(random, charsMin) : value
}

const hex = (bytes: Buffer) => bytes.toString('hex')
const units = (text: string, write: (code: number) => string) =>
  Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('')
const points = (text: string, write: (code: number) => string) =>
  [...text].map((each) => write(each.codePointAt(0) as number)).join('')
const hex4 = (code: number) => code.toString(16).padStart(4, '0')
const strict = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*~]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
const html = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
/** What is sure of a text within base64 of a longer one. */
const within64 = (text: string, before: number) => {
  const bytes = Buffer.from(text)
  const all = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return all.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6))
}

/** Each writes a part as it writes the whole. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  nfc: (text) => text.normalize('NFC'),
  nfd: (text) => text.normalize('NFD'),
  nfkc: (text) => text.normalize('NFKC'),
  url: encodeURIComponent,
  uri: encodeURI,
  strict,
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'lower url': (text) => strict(text).replace(/%../g, (each) => each.toLowerCase()),
  'every byte of a url': (text) => hex(Buffer.from(text)).replace(/../g, '%$&'),
  'url twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  html,
  'html twice': (text) => html(html(text)),
  'decimal html': (text) => points(text, (code) => `&#${code};`),
  'hex html': (text) => points(text, (code) => `&#x${code.toString(16)};`),
  json: (text) => JSON.stringify(text).slice(1, -1),
  'json in json': (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
  'ascii json': (text) => units(text, (code) => `\\u${hex4(code)}`),
  'json in html': (text) => html(JSON.stringify(text).slice(1, -1)),
  'url in html': (text) => html(encodeURI(text)),
  hex: (text) => hex(Buffer.from(text)),
  'upper hex': (text) => hex(Buffer.from(text)).toUpperCase(),
  base64: (text) => within64(text, 0),
  'base64 one later': (text) => within64(text, 1),
  'base64 two later': (text) => within64(text, 2),
  base64url: (text) => within64(text, 0).replaceAll('+', '-').replaceAll('/', '_'),
}
const WHOLES: Readonly<Record<string, (text: string) => string>> = {
  reversed: (text) => [...text].reverse().join(''),
  'reversed url': (text) => encodeURIComponent([...text].reverse().join('')),
  'reversed html': (text) => html([...text].reverse().join('')),
  'base64 in lines': (text) => Buffer.from(text).toString('base64').replace(/.{19}/g, '$&\r\n'),
  'base64 of more': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'base64 of url': (text) => Buffer.from(encodeURIComponent(text)).toString('base64'),
  grouped: (text) => (/^\w+$/.test(text) && text.length >= 8 ? text.replace(/.{4}/g, '$& ') : text),
  hyphened: (text) => (/^\w+$/.test(text) && text.length >= 8 ? text.replace(/.{4}/g, '$&-') : text),
}
export const ALL_SPELLINGS = [...Object.entries(SPELLINGS), ...Object.entries(WHOLES)]

const wellFormed = (text: string) => !/\p{Cs}/u.test(text)

/** What nobody may read: each part of 8, or all of a shorter value, in each spelling. */
export function leakOf(value: string, output: string): string | null {
  const characters = [...value]
  const size = Math.min(8, characters.length)
  for (let at = 0; at + size <= characters.length; at++) {
    const part = characters.slice(at, at + size).join('')
    const isShort = part.trim().replace(/\s+/g, ' ').length < size
    for (const [name, write] of Object.entries(SPELLINGS)) {
      if (!wellFormed(part) || (isShort && name !== 'plain')) continue
      const form = write(part)
      // Short forms are found by chance.
      if (size < 8 && (name.includes('base64') || name.includes('hex')) && form.length < 6) continue
      if (output.includes(form)) return `${name}: ${form}`
    }
  }
  return null
}

export interface Case {
  readonly seed: number
  readonly value: string
  readonly spelling: string
  readonly text: string
}

export function aCase(seed: number): Case {
  const random = randomOf(seed)
  const value = aValue(random)
  const [spelling, write] = pick(random, ALL_SPELLINGS)
  const characters = [...value]
  // A page may split it, and what shows it may cut it.
  const size = random() < 0.7 || characters.length <= 9 ? characters.length : 9 + below(random, characters.length - 9)
  const from = below(random, characters.length - size + 1)
  const part = characters.slice(from, from + size).join('')
  const around = () => some(random, NOISE, below(random, 20))
  const text = around() + write(wellFormed(part) ? part : value) + around() + (random() < 0.2 ? write(value) : '')
  const cut = random()
  const shown =
    cut < 0.6
      ? text
      : cut < 0.8
        ? text.slice(0, below(random, text.length + 1))
        : text.slice(below(random, text.length + 1))
  return { seed, value, spelling, text: shown }
}

/** Throws at the first case that leaks. */
export function checkCases(from: number, count: number): void {
  for (let seed = from; seed < from + count; seed++) {
    const { value, spelling, text } = aCase(seed)
    const redactor = redactorOf([{ name: 's', value }])
    const output = redactor.text(text)
    const leak = leakOf(value, output.replaceAll('{{secret:s}}', '\u0001'))
    if (leak !== null)
      throw new Error(`Case ${seed} (${spelling}) leaks ${leak}\n${JSON.stringify({ value, text, output }, null, 1)}`)
    if (redactor.text(output) !== output) throw new Error(`Case ${seed}: what was redacted changes again`)
  }
}
