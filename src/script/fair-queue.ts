import { MINUTE_MS } from '../../machines/limits.ts'
import { systemClock } from '../config/clock.ts'
import { CountedTime, type TickClock } from './counted-time.ts'

/** What one computes before another who has had less goes on. */
const SLICE_MS = 50
/** Use is added up by parts of the window in which it counts. */
const WINDOW_MS = MINUTE_MS
const PART_MS = 1_000

/** Work that can stand still. */
export interface Pausable {
  /** Resolves once it stands still; never when it is over before. */
  pause(): Promise<void>
  /** Lets it go on, and takes back a pause that has not begun. */
  resume(): void
}

interface Entry {
  readonly key: string
  readonly pausable: Pausable | null
  /** Begins it, or lets it go on. */
  go: () => void
  isPausing: boolean
}

/**
 * [T67] What tenants have computed beside the event loop: one at a time, first whoever has used least within the last
 * minute. Who computes is paused as soon as somebody waits who has used less by a slice; work that cannot pause is begun
 * in that order. Use is counted in ticks (`CountedTime`).
 */
export class FairQueue {
  readonly #clock: TickClock
  readonly #used = new Map<string, { part: number; ms: number }[]>()
  #waiting: Entry[] = []
  #running: Entry | null = null
  #time: CountedTime
  /** Of the time of whoever computes now, what was charged. */
  #charged = 0
  #slices = 0

  constructor(clock: TickClock = systemClock) {
    this.#clock = clock
    this.#time = new CountedTime(clock, () => this.#turn())
  }

  /** How often somebody began, or went on. */
  get slices(): number {
    return this.#slices
  }

  /** Does the work when its turn comes. @param key who it is charged to. */
  run<T>(key: string, work: () => Promise<T>, pausable: Pausable | null = null): Promise<T> {
    return new Promise((resolve, reject) => {
      const entry: Entry = {
        key,
        pausable,
        isPausing: false,
        go: () => {
          entry.go = () => pausable?.resume()
          work()
            .finally(() => this.#over(entry))
            .then(resolve, reject)
        },
      }
      this.#waiting.push(entry)
      this.#turn()
    })
  }

  /** Milliseconds that somebody has used within the last minute. */
  usedBy(key: string): number {
    const oldest = this.#part() - WINDOW_MS / PART_MS
    const parts = (this.#used.get(key) ?? []).filter(({ part }) => part > oldest)
    if (parts.length === 0) this.#used.delete(key)
    else this.#used.set(key, parts)
    return parts.reduce((sum, { ms }) => sum + ms, 0)
  }

  #part(): number {
    return Math.floor(this.#clock.monotonic() / PART_MS)
  }

  #charge(key: string): void {
    const ms = this.#time.ms - this.#charged
    this.#charged = this.#time.ms
    const parts = this.#used.get(key) ?? []
    const [part, last] = [this.#part(), parts.at(-1)]
    if (last?.part === part) last.ms += ms
    else parts.push({ part, ms })
    this.#used.set(key, parts)
  }

  #turn(): void {
    const running = this.#running
    if (running) {
      this.#charge(running.key)
      this.#yieldIfDue(running)
      return
    }
    const [first] = this.#waiting
    if (!first) {
      for (const key of this.#used.keys()) this.usedBy(key)
      return
    }
    const next = this.#waiting.reduce(
      (one, other) => (this.usedBy(other.key) < this.usedBy(one.key) ? other : one),
      first,
    )
    this.#waiting = this.#waiting.filter((each) => each !== next)
    this.#running = next
    this.#slices++
    this.#time.start()
    next.go()
  }

  #yieldIfDue(running: Entry): void {
    const { pausable, key } = running
    if (!pausable || running.isPausing) return
    const used = this.usedBy(key)
    if (!this.#waiting.some((each) => this.usedBy(each.key) + SLICE_MS <= used)) return
    running.isPausing = true
    void pausable.pause().then(() => {
      // It was over in that very moment.
      if (this.#running !== running) return
      running.isPausing = false
      // Before others of the same key: one of them at most stands still half way.
      this.#waiting.unshift(running)
      this.#leave(running)
    })
  }

  /** Its work is done, or was ended while it stood still. */
  #over(entry: Entry): void {
    entry.pausable?.resume()
    this.#waiting = this.#waiting.filter((each) => each !== entry)
    if (this.#running === entry) this.#leave(entry)
  }

  #leave(entry: Entry): void {
    this.#charge(entry.key)
    this.#time.stop()
    this.#running = null
    this.#turn()
  }
}
