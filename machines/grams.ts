import type { Letters } from './spellings.ts'

/** Where a value, or parts of it, are in a text. */
export interface Range {
  start: number
  end: number
  /** Which of the values. */
  owner: number
  /** The letters of the longest whole value in it, 0 without one. */
  readonly whole: number
}

const BASE = 16_777_619
const NONE = -1

/** All parts of one length of some values, found in a text by a rolling hash: one pass, whatever their number. */
export class GramTable {
  readonly #chars: number
  /** `BASE` to the power of `chars`. */
  readonly #leaving: number
  /** The first entry of each bucket, and the one after each entry. */
  #heads = new Int32Array(1_024).fill(NONE)
  readonly #next: number[] = []
  readonly #hashes: number[] = []
  readonly #grams: string[] = []
  readonly #owners: number[] = []
  readonly #open: boolean[] = []
  /** Whole values, longest first. */
  readonly #wholes: { text: string; owner: number }[] = []

  constructor(chars: number) {
    this.#chars = chars
    let leaving = 1
    for (let count = 0; count < chars; count++) leaving = Math.imul(leaving, BASE)
    this.#leaving = leaving
  }

  /** `open`: texts that a part may be in without being taken out for itself. */
  add(letters: Letters, owner: number, open: readonly string[]): void {
    const text = letters.toString()
    if (this.#wholes.some((each) => each.text === text)) return
    const shorter = this.#wholes.findIndex((each) => each.text.length < text.length)
    this.#wholes.splice(shorter < 0 ? this.#wholes.length : shorter, 0, { text, owner })
    this.#roll(letters, (at, hash) => {
      const gram = text.slice(at, at + this.#chars)
      if (this.#entryOf(gram, hash) !== NONE) return
      this.#insert(gram, hash, owner, gram !== text && open.some((each) => each.includes(gram)))
    })
  }

  /** Adds what it finds. */
  search(letters: Letters, found: Range[]): void {
    const { starts, ends } = letters
    let first = NONE
    let last = NONE
    let owner = 0
    let isOpen = true
    const close = () => {
      if (first === NONE) return
      const text = letters.toString(first, last + 1)
      const whole = this.#wholes.find((each) => text.includes(each.text))
      if (whole || !isOpen)
        found.push({
          start: starts[first] as number,
          end: ends[last] as number,
          owner: whole?.owner ?? owner,
          whole: whole?.text.length ?? 0,
        })
      first = NONE
    }
    this.#roll(letters, (at, hash) => {
      const head = this.#heads[this.#bucketOf(hash)] as number
      if (head === NONE) return
      const entry = this.#entryIn(head, letters, at, hash)
      if (entry === NONE) return
      if (first !== NONE && at > last) close()
      if (first === NONE) {
        first = at
        owner = this.#owners[entry] as number
        isOpen = true
      }
      last = at + this.#chars - 1
      if (!this.#open[entry]) isOpen = false
    })
    close()
  }

  #roll({ codes, length }: Letters, each: (at: number, hash: number) => void): void {
    const chars = this.#chars
    let hash = 0
    for (let at = 0; at < length; at++) {
      hash = (Math.imul(hash, BASE) + (codes[at] as number) + 1) | 0
      if (at >= chars) hash = (hash - Math.imul((codes[at - chars] as number) + 1, this.#leaving)) | 0
      if (at >= chars - 1) each(at - chars + 1, hash)
    }
  }

  #bucketOf(hash: number): number {
    return (hash ^ (hash >>> 13)) & (this.#heads.length - 1)
  }

  #entryOf(gram: string, hash: number): number {
    let entry = this.#heads[this.#bucketOf(hash)] as number
    while (entry !== NONE && this.#grams[entry] !== gram) entry = this.#next[entry] as number
    return entry
  }

  #entryIn(head: number, { codes }: Letters, at: number, hash: number): number {
    for (let entry = head; entry !== NONE; entry = this.#next[entry] as number) {
      if (this.#hashes[entry] !== hash) continue
      const gram = this.#grams[entry] as string
      let same = 0
      while (same < gram.length && gram.charCodeAt(same) === codes[at + same]) same++
      if (same === gram.length) return entry
    }
    return NONE
  }

  #insert(gram: string, hash: number, owner: number, open: boolean): void {
    if (this.#grams.length * 2 > this.#heads.length) this.#grow()
    const bucket = this.#bucketOf(hash)
    this.#next.push(this.#heads[bucket] as number)
    this.#heads[bucket] = this.#grams.length
    this.#grams.push(gram)
    this.#hashes.push(hash)
    this.#owners.push(owner)
    this.#open.push(open)
  }

  #grow(): void {
    this.#heads = new Int32Array(this.#heads.length * 4).fill(NONE)
    this.#hashes.forEach((hash, entry) => {
      const bucket = this.#bucketOf(hash)
      this.#next[entry] = this.#heads[bucket] as number
      this.#heads[bucket] = entry
    })
  }
}
