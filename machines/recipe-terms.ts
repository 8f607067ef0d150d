import type { ExpectedTerms, Terms, Values } from './recipe.ts'
import { addressShape } from './recipe-shape.ts'
import { escaped, filledText, placesOf } from './recipe-text.ts'

/**
 * [J8] Whether what an act that cannot be undone shows now is what it showed the first time, beyond what other inputs
 * explain. Pure: the browser decides by it at the moment of the act.
 *
 * With the same inputs every number must be the same. With others a line may differ where it has a place for an input
 * that is another one now: for a number by the same factor, for a text that chooses (other goods) as the page has it; and a sum may
 * differ by just what those lines differ by. All else is another price.
 */
export function termsDiffer({ terms, before, now, choosing }: ExpectedTerms, found: Terms): string | null {
  const form = terms.form === null ? null : filledText(terms.form, now)
  if (form !== found.form) return `the form goes to ${found.form ?? 'nowhere'}, not to ${form ?? 'nowhere'}`
  return (
    fieldsDiffer(terms.fields, now, found.fields) ?? linesDiffer(terms.lines, { before, now, choosing }, found.lines)
  )
}

function fieldsDiffer(wanted: Terms['fields'], now: Values, found: Terms['fields']): string | null {
  const left = [...found]
  for (const { name, value } of wanted) {
    const expected = filledText(value, now)
    const at = left.findIndex((field) => field.name === name && (field.value === expected || isOpaque(field, expected)))
    if (at < 0) {
      const other = found.find((field) => field.name === name)
      return `the field ${name} has ${JSON.stringify(other?.value ?? null)}, not ${JSON.stringify(expected)}`
    }
    left.splice(at, 1)
  }
  const more = left.find((field) => field.value !== '' && !(field.hidden && namesToken(field.name)))
  return more ? `the field ${more.name} has ${JSON.stringify(more.value)}, and had nothing` : null
}

/** Tokens of a form are others each time; what was taken out as a secret is known to the browser alone. */
const isOpaque = ({ name, value, hidden }: Terms['fields'][number], expected: string): boolean =>
  expected.includes('{{secret:') || (hidden === true && namesToken(name) && isToken(value) && isToken(expected))
const isToken = (text: string): boolean => text === '' || (text.length >= 16 && !/\s/.test(text))
/** What else is hidden, such as an account, is a part of the order. */
const namesToken = (name: string): boolean =>
  /tok|csrf|xsrf|nonce|authen|verif|validat|captcha|session|state|secret|sig|hash|key|stamp|time|uuid|guid|(?:request|form|build)[-_.]?id/i.test(
    name,
  )

const SUMMANDS_MAX = 10
/** Sums of money are compared in cents. */
const cents = (number: number) => Math.round(number * 100)

function linesDiffer(
  wanted: Terms['lines'],
  { before, now, choosing }: Omit<ExpectedTerms, 'terms'>,
  found: Terms['lines'],
): string | null {
  const changed = new Set(Object.keys({ ...before, ...now }).filter((name) => before[name] !== now[name]))
  const left = [...found]
  const take = (line: string): boolean => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }
  const open = wanted.filter((line) => !take(filledText(line, now)))
  const names = (line: string) => placesOf(line).filter((name) => changed.has(name))
  // A number that only looks like an input's: it is as it was.
  const others = open.filter((line) => {
    const mayStay = names(line).length > 0 && !isAmount(filledText(line, before))
    return !(mayStay && take(filledText(line, before)))
  })
  const pairs = others.map((line) => {
    const shape = wordsOf(filledText(line, now))
    const at = left.findIndex((each) => wordsOf(each) === shape)
    return { line, was: filledText(line, before), is: at < 0 ? null : (left.splice(at, 1)[0] ?? null) }
  })
  const lost = pairs.find(({ is }) => is === null)
  if (lost) return `"${filledText(lost.line, now)}" is not there${left[0] === undefined ? '' : `, but "${left[0]}"`}`
  if (left.length > 0) return `"${left[0]}" was not there`
  const missing = unseen(wanted, changed, now, found)
  if (missing !== null) return missing
  const known: number[] = []
  const sums: { text: string; by: number[] }[] = []
  for (const { line, was, is } of pairs) {
    const numbers = compared(line, is ?? '', before, now)
    const by = numbers.map(({ was: one, is: number }) => cents(number) - cents(one))
    const own = names(line)
    const chosen = own.filter((name) => choosing.includes(name) && !isNumber(now[name]))
    if (own.length > 0 && (chosen.length > 0 || isInProportion(numbers, own, before, now))) known.push(...by)
    else sums.push({ text: `"${is}" in the place of "${was}"`, by })
  }
  const explained = sumsOf(known.filter((by) => by !== 0).slice(0, SUMMANDS_MAX))
  const wrong = sums.find(({ by }) => by.some((each) => each !== 0 && !explained.has(each)))
  return wrong ? wrong.text : null
}

/** An input that is another one now must show in one of the lines in which it showed before. */
function unseen(
  wanted: Terms['lines'],
  changed: ReadonlySet<string>,
  now: Values,
  found: Terms['lines'],
): string | null {
  for (const name of changed) {
    const patterns = wanted.filter((line) => placesOf(line).includes(name)).map((line) => patternOf(line, name, now))
    if (patterns.length > 0 && !patterns.some((pattern) => found.some((line) => pattern.test(line))))
      return `${name} ${String(now[name])} is not shown`
  }
  return null
}

/** The line with this input as it is now, and with any other numbers. */
function patternOf(line: string, name: string, now: Values): RegExp {
  const parts = line.split(new RegExp(`(\\{\\{${name}(?::[^}]*)?\\}\\})`))
  const source = parts.map((part, at) => {
    const text = escaped(filledText(part, now))
    return at % 2 === 1 ? text : text.replaceAll(NUMBER, NUMBER.source)
  })
  return new RegExp(`^${source.join('')}$`, 'iu')
}

const NUMBER = /\p{N}+(?:[.,'’\u00a0\u202f]\p{N}+)*/gu
const numbersOf = (text: string): number[] => (text.match(NUMBER) ?? []).map(numberOf)
const wordsOf = (text: string): string => text.toLowerCase().replaceAll(NUMBER, '#')

/** 1,234.50 and 1.234,50 are one number; of 1.234 and 1,234 the separator is one of thousands. */
export function numberOf(number: string): number {
  const text = number.normalize('NFKC').replaceAll(/['’\s]/g, '')
  const decimal = /[.,](\d{1,2})$/.exec(text)
  const whole = (decimal ? text.slice(0, decimal.index) : text).replaceAll(/[.,]/g, '')
  return Number(decimal ? `${whole}.${decimal[1]}` : whole)
}

/** It has decimals or a currency: what is to be paid, and no count. */
const isAmount = (line: string): boolean => /\p{Sc}|\d[.,]\d{2}(?!\d)|\b(?:USD|EUR|GBP|CHF|JPY|Fr)\b/u.test(line)
const isNumber = (value: unknown): boolean => typeof value === 'number' || /^-?\d+(?:[.,]\d+)?$/.test(String(value))

interface Compared {
  readonly was: number
  readonly is: number
  /** It stands where an input does. */
  readonly own: boolean
}

/** The numbers of a line, each beside the one that it was; in the place of an input what it is now is right, and what it was. */
function compared(line: string, found: string, before: Values, now: Values): Compared[] {
  const old = numbersOfLine(line, before)
  const [ownBefore, others] = [old.filter(({ own }) => own), old.filter(({ own }) => !own)]
  const is = numbersOf(found)
  return numbersOfLine(line, now).map(({ number: expected, own }, at) => {
    const number = is[at] ?? 0
    const was = (own ? ownBefore : others).shift()?.number ?? 0
    return { is: number, was: own ? (number === was ? was : expected) : was, own }
  })
}

function numbersOfLine(line: string, values: Values): { number: number; own: boolean }[] {
  const places: { from: number; to: number }[] = []
  const text = filledText(line, values, (from, to) => places.push({ from, to }))
  return [...text.matchAll(NUMBER)].map(({ 0: number, index }) => ({
    number: numberOf(number),
    own: places.some(({ from, to }) => index >= from && index < to),
  }))
}

/** [J8] Three for two: what is to be paid for them is half as much again, and the price of one is the same. */
function isInProportion(numbers: readonly Compared[], names: readonly string[], before: Values, now: Values): boolean {
  const factors = names.map((name) => Number(now[name]) / Number(before[name]))
  return numbers.every(
    ({ was, is, own }) => is === was || (!own && factors.some((factor) => cents(was * factor) === cents(is))),
  )
}

/** Every sum of some of these. */
function sumsOf(parts: readonly number[]): ReadonlySet<number> {
  let sums = new Set([0])
  for (const part of parts) sums = new Set([...sums, ...[...sums].map((sum) => sum + part)])
  return sums
}

/** Where a form goes: method and address, without what its query says. */
export const formShape = (method: string, action: string): string => {
  const shape = addressShape(action)?.replace(/\?.*$/, '') ?? action
  return `${method.toUpperCase()} ${shape}`
}
