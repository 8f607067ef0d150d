/** Chance from a seed: sfc32, which repeats exactly and needs nothing of the platform. */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    this.#a = seed >>> 0
    this.#b = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
    this.#c = Math.imul(seed + 0x6d2b79f5, 0xc2b2ae35) >>> 0
    for (let i = 0; i < 15; i++) this.u32()
  }

  /** 32 random bits. */
  u32(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (this.#c << 21) | (this.#c >>> 11)
    this.#c = (this.#c + sum) | 0
    return sum >>> 0
  }

  /** From 0 up to and without 1. */
  unit(): number {
    return this.u32() / 2 ** 32
  }

  between(least: number, most: number): number {
    return least + this.unit() * (most - least)
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.unit() * (most - least + 1))
  }

  chance(likelihood: number): boolean {
    return this.unit() < likelihood
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.whole(0, from.length - 1)]
    if (picked === undefined) throw new Error('Nothing to pick from')
    return picked
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += this.u32().toString(16).padStart(8, '0')
    return text.slice(0, digits)
  }

  uuid(): string {
    const hex = this.hex(32)
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
}
