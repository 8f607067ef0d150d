/**
 * Counts what happened in a sliding window, by name. Names without anything in their window are forgotten.
 */
export class Windows {
  readonly #times = new Map<string, number[]>()
  readonly #windowMs: number
  readonly #max: number

  constructor(windowMs: number, max: number) {
    this.#windowMs = windowMs
    this.#max = max
  }

  /**
   * Whether one more fits; it is counted when it does. Moments may come out of order: requests of one moment wait for
   * different things before they are counted. What is a window or more ahead is of a clock that was set back, and is not.
   */
  takes(name: string, now: number): boolean {
    const recent = (this.#times.get(name) ?? []).filter((at) => Math.abs(now - at) < this.#windowMs)
    if (recent.length >= this.#max) return false
    for (const [other, times] of this.#times) {
      if (now - (times.at(-1) ?? 0) < this.#windowMs) break
      this.#times.delete(other)
    }
    // To the end of the map: those that were quiet longest come first.
    this.#times.delete(name)
    this.#times.set(name, [...recent, now])
    return true
  }
}
