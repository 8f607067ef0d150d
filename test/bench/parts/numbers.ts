/** The value below which this share (0 to 1) of the sorted values lies; 0 of none. */
export function quantile(sorted: Float64Array | readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** Several rounds of one figure. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Median and extremes of the rounds of a figure. */
export function spread(rounds: readonly number[]): Spread {
  const sorted = [...rounds].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
  return { median, min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 }
}

/** p50, p99, the largest, and how many there were. */
export interface Times {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly count: number
}

/** Many durations in little memory, in ms. Beyond its size every later one is dropped. */
export class Samples {
  readonly #values: Float64Array
  #count = 0
  constructor(size = 500_000) {
    this.#values = new Float64Array(size)
  }
  add(ms: number): void {
    if (this.#count < this.#values.length) this.#values[this.#count++] = ms
  }
  times(): Times {
    const sorted = this.#values.slice(0, this.#count).sort()
    return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: sorted.at(-1) ?? 0, count: this.#count }
  }
  clear(): void {
    this.#count = 0
  }
}
