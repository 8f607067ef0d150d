import { keyOf, type PausedRequest } from './paused.ts'

/** Of one task; the oldest are forgotten. */
const REQUESTS_MAX = 200
const CHARS_MAX = 20_000
/** A page that asks again and again does so at equal intervals, give or take this part. */
const JITTER = 0.2

/**
 * [I19] What the pages of one task send by themselves. Only a request that is equal in method, address, headers and every
 * byte of its body is the same again: what a request does may stand in any of them.
 */
export class Repeats {
  /** When each was sent last, and when before that. */
  readonly #sent = new Map<string, readonly number[]>()
  readonly #now: () => number

  /** @param now milliseconds of a clock that only moves forward */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A page has sent it by itself. */
  note(request: PausedRequest): void {
    const key = keyToRepeat(request)
    if (key === null) return
    const times = this.#sent.get(key) ?? []
    this.#sent.delete(key)
    this.#sent.set(key, [...times.slice(-1), this.#now()])
    for (const oldest of this.#sent.keys()) {
      if (this.#sent.size <= REQUESTS_MAX) return
      this.#sent.delete(oldest)
    }
  }

  has(request: PausedRequest): boolean {
    const key = keyToRepeat(request)
    return key !== null && this.#sent.has(key)
  }

  /** It was sent at least twice, and its next time is now. */
  isDue(request: PausedRequest): boolean {
    const [before, last] = this.#sent.get(keyToRepeat(request) ?? '') ?? []
    if (before === undefined || last === undefined) return false
    const interval = last - before
    return Math.abs(this.#now() - last - interval) <= interval * JITTER
  }
}

/** `null` for what is not compared: what is no data, has a body that is not known, or is long. */
function keyToRepeat(request: PausedRequest): string | null {
  const key = request.type === 'XHR' || request.type === 'Fetch' ? keyOf(request) : null
  return key === null || key.length > CHARS_MAX ? null : key
}
