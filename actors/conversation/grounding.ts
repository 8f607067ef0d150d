import type { JournalEntry } from '../../machines/records.ts'
import { EXTRACT, SCRIPT } from '../../machines/served-calls.ts'
import { wholeAddress } from '../../machines/short-address.ts'
import { GROUNDED_CHARS_MAX, GROUNDED_VALUES_MAX } from '../limits.ts'
import { pageContentIn } from './page-content.ts'

/** [L34] Where the values of an output were seen on pages, and which were not. */
export interface Grounding {
  /** By JSON pointer into the output: the last step at which a page showed the value. */
  readonly sources: Readonly<Record<string, { readonly step: number }>>
  /** The pointers of the values that no page showed. */
  readonly ungrounded: readonly string[]
}

/** [L25] How many claims of an answer are looked for, and how many are named that no page makes. */
const CLAIMS_MAX = 60
export const UNSOURCED_NAMED_MAX = 8

/**
 * [L25] What an answer says that neither a page nor the words of the task do: figures, codes, addresses, quotations, and
 * names of several words. `own` is what the user and the model said. Other words are not looked for: an answer says in
 * its own what it read.
 */
export function unsourcedIn(answer: string, journal: readonly JournalEntry[], own: string): string[] {
  let claims = [...new Set(claimsIn(answer))].slice(0, CLAIMS_MAX)
  let chars = 0
  const strike = (text: string) => {
    const page = readable(text)
    claims = claims.filter((claim) => !isClaimOn(page, claim))
  }
  strike(own)
  for (const entry of journal.toReversed()) {
    if (claims.length === 0 || chars > GROUNDED_CHARS_MAX) break
    const said = entry.kind === 'result' ? readIn(entry) : ''
    chars += said.length
    if (said !== '') strike(said)
  }
  return claims
}

/** What a page said, with the addresses that it tells by its own. */
function readIn({ text, url = '' }: { readonly text: string; readonly url?: string }): string {
  const said = pageContentIn(text)
  const whole = [...said.matchAll(/ -> (\S+)$/gm)].flatMap(([, address = '']) => wholeAddress(address, url) ?? [])
  return [said, ...whole].join('\n')
}

const QUOTED = /["“„«»]([^"“”„«»\n]{2,200})["”“»«]/g
const ADDRESS = /https?:\/\/[^\s<>"')\]]+|[\w.+-]+@[\w-]+\.[\w.-]+/g
/** A word with a digit in it, and a number with the signs that belong to it; what numbers the lines of a list is none. */
const FIGURE = /(?<=^|[\s([>:=$€£¥])[^\s()[\]<>=]*\d[^\s()[\]<>=]*/gm
const NUMBERING = /^\s*(?:\d{1,3}[.)]|[-*•])\s+/gm
/** Capitalised words one after the other, but for one that only begins a sentence. */
const NAME = /(?<![.!?:]\s|^\s*)\b\p{Lu}[\p{L}\p{N}’'-]+(?:\s\p{Lu}[\p{L}\p{N}’'-]+)+/gmu

function claimsIn(answer: string): string[] {
  const text = answer.replaceAll(NUMBERING, ' ')
  const quoted = [...text.matchAll(QUOTED)].map(([, inside = '']) => inside)
  const addresses = text.match(ADDRESS) ?? []
  const rest = text.replaceAll(QUOTED, ' ').replaceAll(ADDRESS, ' ')
  const figures = (rest.match(FIGURE) ?? []).map((word) => word.replace(/^[^\p{L}\p{N}+−-]+|[^\p{L}\p{N}%]+$/gu, ''))
  return [...quoted, ...addresses.map((each) => each.replace(/[.,;:]+$/, '')), ...figures, ...(rest.match(NAME) ?? [])]
    .map((claim) => claim.trim())
    .filter((claim) => claim !== '')
}

/** A number may be written in another way, and a code be a part of what a page says without spaces. */
function isClaimOn(page: Readable, claim: string): boolean {
  if (isTextOn(page, claim)) return true
  if (/^https?:/i.test(claim)) return isPathOn(page, claim)
  const numbers = numbersIn(claim)
  const isNumber = !/\p{L}/u.test(claim) && numbers.size > 0
  return isNumber && [...numbers].some((number) => page.numbers.has(number))
}

/** A shorter text is found anywhere. */
const STRING_CHARS_MIN = 3

/**
 * [L34] Looks for each number, and each string of three characters or more, in what the pages said: case, white space and
 * punctuation do not count, nor how a number is written (1,234.5 or 1.234,50). What the model or a tool said is no
 * source. At most the first GROUNDED_VALUES_MAX values are looked for, in the last GROUNDED_CHARS_MAX characters.
 */
export function groundingOf(output: unknown, journal: readonly JournalEntry[]): Grounding {
  const values = [...leavesOf(output, '')].slice(0, GROUNDED_VALUES_MAX)
  const steps = new Map<string, number>()
  let chars = 0
  for (const entry of journal.toReversed()) {
    if (entry.kind !== 'result' || isMade(entry) || steps.size === values.length || chars > GROUNDED_CHARS_MAX) continue
    const said = readIn(entry)
    if (said === '') continue
    chars += said.length
    const page = readable(said)
    for (const { pointer, value } of values) {
      if (!steps.has(pointer) && isOn(page, value)) steps.set(pointer, entry.step)
    }
  }
  const found = values.filter(({ pointer }) => steps.has(pointer))
  return {
    sources: Object.fromEntries(found.map(({ pointer }) => [pointer, { step: steps.get(pointer) ?? 0 }])),
    ungrounded: values.filter(({ pointer }) => !steps.has(pointer)).map(({ pointer }) => pointer),
  }
}

/** [L43] What a script returns, or a model has extracted, may be made up; what they have read is in the results of their calls. */
const isMade = ({ tool }: { readonly tool: string }): boolean => tool === SCRIPT || tool === EXTRACT

function* leavesOf(value: unknown, pointer: string): Generator<{ pointer: string; value: string | number }> {
  if (typeof value === 'number') yield { pointer, value }
  else if (typeof value === 'string') {
    if (value.trim().length >= STRING_CHARS_MIN) yield { pointer, value }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      yield* leavesOf(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    }
  }
}

interface Readable {
  /** Words with one space between them, and around them. */
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly numbers: ReadonlySet<number>
}

function readable(said: string): Readable {
  // Refs are the tree's, and stand between words that stand together on the page.
  const text = plain(said.replaceAll(/\[ref=[^\]]*\]/g, ' '))
  return { text, words: new Set(text.split(' ')), numbers: numbersIn(said) }
}

/** Words with one space between them, and around them, in one case. */
const plain = (text: string): string =>
  ` ${text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

/** Scripts that have no spaces between their words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

function isOn(page: Readable, value: string | number): boolean {
  if (typeof value === 'number') return page.numbers.has(value)
  return isTextOn(page, value) || (/^https?:\/\//i.test(value) && isPathOn(page, value))
}

function isTextOn({ text, words }: Readable, value: string): boolean {
  const wanted = plain(value)
  if (wanted.trim() === '') return false
  if (UNSPACED.test(wanted)) return text.includes(wanted.trim())
  return (
    wanted
      .trim()
      .split(' ')
      .every((word) => words.has(word)) && text.includes(wanted)
  )
}

/** Pages link to their own site without naming it. */
function isPathOn(page: Readable, value: string): boolean {
  if (!URL.canParse(value)) return false
  const { pathname, search } = new URL(value)
  return `${pathname}${search}`.length > STRING_CHARS_MIN && isTextOn(page, `${pathname}${search}`)
}

/** Digits that belong to no word, with separators of thousands and decimals of any kind. */
const NUMBER =
  /(?<![\p{L}\p{N}_])([-−]?)(\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\3\d{3})*(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\p{N}_])/gu

/** What each number of a text may mean: 1,234 is read as 1234 and as 1.234. */
function numbersIn(text: string): Set<number> {
  const found = new Set<number>()
  for (const [, sign, digits = ''] of text.matchAll(NUMBER)) {
    for (const value of readings(digits)) {
      found.add(value)
      // A hyphen may be a minus, or lead from one number to the next.
      if (sign !== '') found.add(-value)
    }
  }
  return found
}

function readings(digits: string): number[] {
  const decimal = /^(.*)[.,](\d+)$/.exec(digits)
  const whole = (text: string) => text.replaceAll(/\D/g, '')
  const asDecimal = decimal ? [Number(`${whole(decimal[1] ?? '')}.${decimal[2]}`)] : []
  const isGrouped = /^\d{1,3}([.,'’\u00a0\u202f ])\d{3}(?:\1\d{3})*$/.test(digits)
  return isGrouped || !decimal ? [...asDecimal, Number(whole(digits))] : asDecimal
}
