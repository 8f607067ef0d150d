import { HELD_NUMBERS_MAX } from '../../wire/limits.ts'

/**
 * Every number of a text, in its order: digits of any script, joined over what separates thousands and decimals in any
 * country (`1 000,00`, `1'000.00`, `١٬٠٠٠`). A space joins only before a group of three digits, and nothing joins over
 * the end of a line: the next line is another number. Of Chinese and Japanese the written numerals, too.
 */
const DIGIT = '[\\p{N}〇零一二三四五六七八九十百千万萬億亿壹贰叁肆伍陆柒捌玖拾佰仟]'
const SEPARATOR = "[.,'’‘`´·٫٬،_\\u200b\\u2060:/-]"
const SPACE = '[ \\u00a0\\u2007\\u2009\\u202f](?=\\p{Nd}{3}(?!\\p{Nd}))'
/** `.50` begins with its separator. */
const NUMBER = new RegExp(`[.,٫]?${DIGIT}(?:(?:${SEPARATOR}|${SPACE})?${DIGIT})*`, 'gu')
/** What only the time changes, such as a clock that counts down. In Sweden `49:50` may be a price. */
const TIME = /^\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2})?$/u
const NO_TIME = /:[6-9]/
const CURRENCY_BEFORE = /(?:\bkr|\bsek|\p{Sc})\.?[ \u00a0\u202f]?$/iu
const CURRENCY_AFTER = /^[ \u00a0\u202f]?(?:kr\b|sek\b|:-|\p{Sc})/iu
const SPACES = /[ \u00a0\u2007\u2009\u202f\u200b\u2060]/g

export const numbersIn = (text: string): string[] =>
  [...text.matchAll(NUMBER)].flatMap(({ 0: number, index }) =>
    isTime(
      number,
      text.slice(Math.max(0, index - 6), index),
      text.slice(index + number.length, index + number.length + 6),
    )
      ? []
      : [number.replaceAll(SPACES, ' ')],
  )

const isTime = (number: string, before: string, after: string): boolean =>
  TIME.test(number) && !NO_TIME.test(number) && !CURRENCY_BEFORE.test(before) && !CURRENCY_AFTER.test(after)

/** One SHA-256 over all that an approval holds for. */
export async function termsOf(...parts: readonly unknown[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(parts))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The numbers to show: when they are more than there is room for, those that were not among `before` come first. */
export function shownNumbers(numbers: readonly string[], before: readonly string[] = []): string[] {
  const known = new Set(before)
  const isNew = (number: string) => before.length > 0 && !known.has(number)
  return [...numbers.filter(isNew), ...numbers.filter((number) => !isNew(number))]
    .slice(0, HELD_NUMBERS_MAX)
    .map((n) => n.slice(0, 200))
}
