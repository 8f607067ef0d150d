/**
 * Whether a field holds what was asked for, though it may write it in another way: `4242 4242` of `42424242`, `12,50 €` of
 * `12.5`. Numbers are the same only as numbers: their sign and their decimal mark count. Pure.
 */

/** All of it; something that the field has made of it, as `+7 (916) 123` of `916123`; or something else. */
export type Sameness = 'same' | 'made of it' | 'other'

/** @param isWhole it may not have added anything of its own before or after */
export function samenessOf(text: string, held: string, isWhole = false): Sameness {
  if (spaced(text) === spaced(held)) return 'same'
  const wanted = numberIn(text)
  const found = numberIn(held)
  if (wanted && found) return numberSameness(wanted, found)
  if (isScript(text) && isScript(held)) return Number(text) === Number(held) ? 'same' : 'other'
  // More than digits cannot be looked for in what is no number: `-5` in `+7 (916) 5`.
  if (wanted && (wanted.sign !== '' || wanted.marks > 0)) return 'other'
  const [own, other] = [bare(text), bare(held)]
  if (own === '') return 'other'
  if (own === other) return 'same'
  return !isWhole && (other.startsWith(own) || other.endsWith(own)) ? 'made of it' : 'other'
}

export const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A number as programs write it, `1e3` too. */
const isScript = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))

/** A decimal mark between two numbers, as in `10.00 to 12.50`; those of dates and of grouped digits are none. */
const DECIMAL = /(?<![\d.,])(\d+)[.,](\d+)(?![.,]?\d)/g
/** A minus that stands before a number, not between two. */
const MINUS = /(?<![\p{L}\p{N}]\s?)[-−](?=\d)/gu
const KEPT = '\ue000'

/** Letters and digits alone, with the signs and the decimal marks of numbers. */
const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(DECIMAL, `$1${KEPT}$2`)
    .replace(MINUS, `${KEPT}${KEPT}`)
    .replace(/[^\p{L}\p{N}\ue000]/gu, '')

/** A text that is one number, perhaps with a unit; `B12` is none. */
interface Numeral {
  /** In brackets a number may be a negative one, or not. */
  readonly sign: '' | '+' | '-' | '()'
  readonly unit: string
  /** What it may be with its last mark as the decimal one, in one spelling: `1234.5`; `null` where it can be none. */
  readonly decimal: string | null
  readonly decimalMark: string
  /** What it may be with all of its marks between groups of digits. */
  readonly integer: string | null
  /** How many marks there are between its digits. */
  readonly marks: number
  readonly hasLeadingZero: boolean
}

const BIDI = /[\u200e\u200f\u061c\u2066-\u2069]/g
const SPACES = /[\s\u00a0\u2007\u2009\u202f]+/g
/** Digits of other scripts, each with its zero. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10]
const MARK = "[.,'’_ ٫٬]"
const NUMERAL = new RegExp(
  `^(?<before>(?:[\\p{L}\\p{Sc}%٪°.\\s]*[\\p{Sc}%٪°.\\s])?)(?<sign>[-+]?)(?<after>[\\p{L}\\p{Sc}%٪°\\s]*?)(?<core>[.,٫]?\\d(?:\\d|${MARK}(?=\\d))*[.,]?)(?<unit>[\\p{L}\\p{Sc}%٪°.\\s]*?)(?<end>-?)$`,
  'u',
)

function numberIn(text: string): Numeral | null {
  const plain = text
    .replace(BIDI, '')
    .replace(SPACES, ' ')
    .replace(/[−–﹣－]/g, '-')
    .replace(/\p{Nd}/gu, asciiDigit)
    .trim()
  const inner = /^\((.*)\)$/.exec(plain)?.[1]
  const found = NUMERAL.exec(inner ?? plain)?.groups
  if (!found) return null
  const { before = '', after = '', core = '', unit = '' } = found
  const isMinus = found.sign === '-' || found.end === '-'
  const sign = inner !== undefined ? '()' : isMinus ? '-' : found.sign === '+' ? '+' : ''
  const readings = readingsOf(core.replace(/[.,]$/, ''))
  return readings && { sign, unit: `${before}${after}${unit}`.toLowerCase().replace(/[^\p{L}]/gu, ''), ...readings }
}

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  const zero = ZEROS.find((first) => code >= first && code < first + 10)
  return zero === undefined ? digit : String(code - zero)
}

/** Both meanings that digits with marks between them may have. */
function readingsOf(core: string): Omit<Numeral, 'sign' | 'unit'> | null {
  const marks = core.match(/\D/g) ?? []
  const groups = core.split(/\D/)
  const last = marks.at(-1) ?? ''
  const isOnlyOnce = marks.filter((mark) => mark === last).length === 1
  const canBeDecimal = /^[.,٫]$/.test(last) && isOnlyOnce && areGroups(groups.slice(0, -1), marks.slice(0, -1))
  const canBeInteger = marks.length === 0 || (last !== '٫' && areGroups(groups, marks))
  const whole = groups.slice(0, -1).join('')
  const decimal = canBeDecimal ? spelt(whole, groups.at(-1) ?? '') : null
  const integer = canBeInteger ? spelt(groups.join(''), '') : null
  if (decimal === null && integer === null) return null
  return { decimal, decimalMark: last, integer, marks: marks.length, hasLeadingZero: /^0\d/.test(core) }
}

/** Whether these are groups of digits as languages make them: of three, or in India of two before the last. */
function areGroups(groups: readonly string[], marks: readonly string[]): boolean {
  if (groups.length < 2) return true
  const [first = '', ...others] = groups
  const end = others.at(-1) ?? ''
  return (
    new Set(marks).size === 1 &&
    /^[1-9]\d{0,2}$/.test(first) &&
    end.length === 3 &&
    others.slice(0, -1).every((group) => group.length === 3 || group.length === 2)
  )
}

const spelt = (whole: string, part: string): string => {
  const [left, right] = [whole.replace(/^0+/, '') || '0', part.replace(/0+$/, '')]
  return right === '' ? left : `${left}.${right}`
}

function numberSameness(wanted: Numeral, found: Numeral): Sameness {
  if (wanted.sign === '()' || found.sign === '()') return 'other'
  if (!isSameAmount(wanted, found) || isNegative(wanted) !== isNegative(found)) return 'other'
  // What may be a code or a telephone number has lost a part.
  const hasLost =
    (wanted.hasLeadingZero && !found.hasLeadingZero) ||
    (wanted.sign === '+' && found.sign !== '+') ||
    wanted.unit !== found.unit
  return hasLost ? 'made of it' : 'same'
}

const isZero = ({ decimal, integer }: Numeral): boolean => (decimal ?? integer) === '0'
const isNegative = (numeral: Numeral): boolean => numeral.sign === '-' && !isZero(numeral)

/** Whether there is no way in which they are different numbers; a field groups digits, and does not add three decimals. */
function isSameAmount(wanted: Numeral, found: Numeral): boolean {
  const isClear = wanted.decimal === null || wanted.integer === null
  if (!isClear) return false
  const amount = wanted.decimal ?? wanted.integer
  if (found.decimal === null || found.integer === null) return amount === (found.decimal ?? found.integer)
  if (amount === found.integer) return true
  return amount === found.decimal && wanted.decimal !== null && wanted.decimalMark === found.decimalMark
}
