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

  /** Whether one more fits; it is counted when it does. What seems to come from the future (a clock set back) is not counted. */
  takes(name: string, now: number): boolean {
    const recent = (this.#times.get(name) ?? []).filter((at) => at <= now && now - at < this.#windowMs)
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
