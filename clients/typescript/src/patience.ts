/** How long to go on trying. */
export interface PatienceOptions {
  /** Further attempts while the service has never answered. */
  readonly retriesMax: number
  /** Once it has: for how long without progress, in ms; 0 when only `retriesMax` counts. */
  readonly retryForMs?: number
  /** Called with true when the connection is lost, with false when it is back. */
  readonly onAway?: ((isAway: boolean) => void) | undefined
  /** Between 0 and 1; for tests. */
  readonly random?: () => number
  readonly now?: () => number
}

const FIRST_DELAY_MS = 1_000
const DELAY_MS_MAX = 8_000
/** A service that asks for more patience than this gets none: its answer is the answer. */
const RETRY_AFTER_MS_MAX = 120_000
const RETRY_AFTER_JITTER_MS = 250

/**
 * The one answer to "try again, and when?", for requests, waiting and streams. It is `new` until the service has
 * answered, then `connected`, and `away` from a failure to the next progress. `new` ends after `retriesMax` failures in a
 * row, `away` when `retryForMs` have passed since the first one.
 */
export class Patience {
  readonly #options: Required<Omit<PatienceOptions, 'onAway'>>
  readonly #onAway: (isAway: boolean) => void
  #hasConnected = false
  #isAway = false
  #failures = 0
  #failingSince = 0

  constructor({ onAway = () => {}, ...options }: PatienceOptions) {
    this.#options = { retryForMs: 0, random: Math.random, now: () => performance.now(), ...options }
    this.#onAway = onAway
  }

  /** The service has answered, which is not yet progress: it may answer and hang up for ever. */
  connected(): void {
    this.#hasConnected = true
    this.#setAway(false)
  }

  /** What was asked for has come: failures before it count no more. */
  progressed(): void {
    this.connected()
    this.#failures = 0
  }

  /** The time until the next attempt, in ms; `null`: it is time to give up. `retryAfterMs` is what the service asked for. */
  failed(retryAfterMs: number | null = null): number | null {
    const { retriesMax, retryForMs, random, now } = this.#options
    if (this.#failures === 0) this.#failingSince = now()
    const attempt = this.#failures++
    const isPersistent = this.#hasConnected && retryForMs > 0
    if (isPersistent) this.#setAway(true)
    if (isPersistent ? now() - this.#failingSince >= retryForMs : attempt >= retriesMax) return null
    if (retryAfterMs === null) {
      const delay = Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10))
      return (delay * (1 + random())) / 2
    }
    return retryAfterMs > RETRY_AFTER_MS_MAX ? null : retryAfterMs + random() * RETRY_AFTER_JITTER_MS
  }

  #setAway(isAway: boolean): void {
    if (this.#isAway !== isAway) this.#onAway(isAway)
    this.#isAway = isAway
  }
}

/** `Retry-After` in ms from now on, which may be seconds or a date; `null` without one. */
export function retryAfterMsOf(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  if (Number.isNaN(at)) return null
  // By the clock of the service, where it tells it: this one may be wrong.
  const now = Date.parse(headers.get('date') ?? '')
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now))
}
