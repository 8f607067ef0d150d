import type { Clock } from '../../actors/runtime/ports.ts'

export type TickClock = Required<Pick<Clock, 'monotonic' | 'setTimeout' | 'clearTimeout'>>

/** How often the time is counted, and the most that one count adds. */
const TICK_MS = 50
const TICK_MS_MAX = 100

/**
 * [T66] Milliseconds that are counted by a timer of the waiting thread, at most 100 for each tick. A process that was stopped
 * for a minute, or whose event loop was, counts one tick: what it waits for stood still, too.
 */
export class CountedTime {
  readonly #clock: TickClock
  readonly #onTick: (ms: number) => void
  #ms = 0
  #at: number | null = null
  #timer: unknown

  /** @param onTick is told the time so far, while it is counted. */
  constructor(clock: TickClock, onTick: (ms: number) => void) {
    this.#clock = clock
    this.#onTick = onTick
  }

  get ms(): number {
    return this.#at === null ? this.#ms : this.#ms + Math.min(this.#clock.monotonic() - this.#at, TICK_MS_MAX)
  }

  start(): void {
    if (this.#at !== null) return
    this.#at = this.#clock.monotonic()
    this.#timer = this.#clock.setTimeout(() => {
      this.stop()
      this.start()
      this.#onTick(this.#ms)
    }, TICK_MS)
  }

  stop(): void {
    this.#ms = this.ms
    this.#at = null
    this.#clock.clearTimeout(this.#timer)
  }
}
