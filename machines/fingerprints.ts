import { foldedLetters, joinedLetters, type Letters, readingsOf } from './spellings.ts'

/**
 * [X13] What stays of the secrets of an ended task, so that a task that continues it can take them out of what pages show:
 * two salted hashes of each value, 52 bits together, from which no value of any length can be worked out again. They are
 * stored encrypted all the same: short values could be guessed.
 */

/** The hashes of one value, as it is and reversed. */
interface Fingerprint {
  readonly name: string
  /** How many letters were hashed: those of `joinedLetters`. */
  readonly length: number
  readonly hashes: readonly [number, number]
}

/** Of all secrets of one task. */
export interface Fingerprints {
  /** Two numbers from 1,000 to `SALT_MAX`, made by chance for each task. */
  readonly salt: readonly [number, number]
  readonly prints: readonly Fingerprint[]
}

/** Where a value is in a text. */
export interface Found {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly length: number
}

/** A prime: the product of two numbers below it is exact. */
const MODULUS = 67_108_859
export const SALT_MAX = MODULUS - 1
/** Shorter values are found as whole words alone: otherwise they are found by chance. */
const WORD_CHARS_MAX = 5

export function fingerprintsOf(
  values: readonly { readonly name: string; readonly value: string }[],
  salt: readonly [number, number],
): Fingerprints {
  const prints = values.flatMap(({ name, value }) =>
    [...new Set([value, [...value].reverse().join('')])].flatMap((spelling) => {
      const letters = lettersOf(spelling)
      if (letters.length === 0) return []
      const hashes = salt.map((base) => [...hashesIn(letters, base, letters.length)][0]?.[1] ?? 0)
      return [{ name, length: letters.length, hashes: hashes as unknown as readonly [number, number] }]
    }),
  )
  return { salt, prints }
}

/** Every place of a text that has one of the values, whole, in any spelling that `readingsOf` reads. */
export function foundBy(known: readonly Fingerprints[], text: string): Found[] {
  const found: Found[] = []
  for (const reading of readingsOf(text)) {
    const letters = joinedLetters(foldedLetters(reading))
    for (const { salt, prints } of known)
      for (const length of new Set(prints.map((print) => print.length))) {
        const ofLength = prints.filter((print) => print.length === length)
        for (const [at, first] of hashesIn(letters, salt[0], length)) {
          const candidates = ofLength.filter(({ hashes }) => hashes[0] === first)
          if (candidates.length === 0) continue
          const second = [...hashesIn(letters, salt[1], length, at)][0]?.[1]
          const print = candidates.find(({ hashes }) => hashes[1] === second)
          const start = letters.starts[at] as number
          const end = letters.ends[at + length - 1] as number
          if (print && (length > WORD_CHARS_MAX || isWord(text, start, end)))
            found.push({ name: print.name, start, end, length })
        }
      }
  }
  return found
}

const lettersOf = (text: string): Letters => joinedLetters(foldedLetters({ text, ranges: null }))

/** The hash of each part of this length, by where it begins; with `only`, of the one that begins there. */
function* hashesIn({ codes, length: all }: Letters, base: number, length: number, only?: number) {
  let leaving = 1
  for (let count = 0; count < length; count++) leaving = (leaving * base) % MODULUS
  let hash = 0
  const end = only === undefined ? all : only + length
  for (let at = only ?? 0; at < end; at++) {
    hash = (hash * base + (codes[at] as number) + 1) % MODULUS
    const begin = at - length + 1
    if (only === undefined && begin > 0)
      hash = (hash + MODULUS - ((((codes[begin - 1] as number) + 1) * leaving) % MODULUS)) % MODULUS
    if (begin >= (only ?? 0)) yield [begin, hash] as const
  }
}

/** Neither a letter nor a digit is beside it. */
export const isWord = (text: string, start: number, end: number): boolean =>
  !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start)) && !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2))
