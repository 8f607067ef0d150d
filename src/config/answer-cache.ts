import { LRUCache } from 'lru-cache'

/** How long answers are remembered, and how many. */
export interface AnswerCacheOptions {
  readonly ttlMs: number
  readonly entriesMax: number
  /** Milliseconds of any clock that does not go back. */
  readonly now: () => number
}

/**
 * Remembers answers for a short time, so that a question that every request asks is not put to the store each time.
 * An answer's age counts from when it was asked for. `null` (nothing was found) is not remembered: unknown keys cannot
 * fill the memory, and what is created next is found at once.
 */
export class AnswerCache<T extends object> {
  readonly #answers: LRUCache<string, T>
  readonly #now: () => number
  #generation = 0

  constructor({ ttlMs, entriesMax, now }: AnswerCacheOptions) {
    this.#now = now
    this.#answers = new LRUCache({ max: entriesMax, ttl: ttlMs, ttlResolution: 0, perf: { now } })
  }

  /** The remembered answer, or what `ask` finds. */
  async get(key: string, ask: () => Promise<T | null>): Promise<T | null> {
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const [start, generation] = [this.#now(), this.#generation]
    const answer = await ask()
    // Asked before `forget`: it may be what was just removed.
    if (answer !== null && generation === this.#generation) this.#answers.set(key, answer, { start })
    return answer
  }

  /** The last answer, however old; `undefined` when it is not known any more. */
  peek(key: string): T | undefined {
    return this.#answers.peek(key, { allowStale: true })
  }

  /** Drops all answers, and those that are still being looked up will not be remembered. */
  forget(): void {
    this.#generation++
    this.#answers.clear()
  }
}
