import type { Clock } from '../../actors/runtime/ports.ts'
import { SIGN_IN_CACHE_MAX, SIGN_IN_CACHE_MS } from './limits.ts'

/**
 * What was found for a session cookie, for a few seconds. `forget` drops all, and what is being looked up meanwhile is
 * not kept either: a sign-out is honoured by the next request.
 */
export class SessionCache<T> {
  readonly #found = new Map<string, { value: T; until: number }>()
  readonly #clock: Pick<Clock, 'now'>
  #generation = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Asks `look` unless it is known; `null` is not kept, so that a stranger's cookies cannot fill the memory. */
  async get(key: string, look: () => Promise<T | null>): Promise<T | null> {
    const known = this.#found.get(key)
    if (known && known.until > this.#clock.now()) return known.value
    this.#found.delete(key)
    const generation = this.#generation
    const value = await look()
    if (value !== null && generation === this.#generation) {
      if (this.#found.size >= SIGN_IN_CACHE_MAX) this.#found.clear()
      this.#found.set(key, { value, until: this.#clock.now() + SIGN_IN_CACHE_MS })
    }
    return value
  }

  forget(): void {
    this.#generation += 1
    this.#found.clear()
  }
}
