import type { Clock } from '../../../actors/runtime/ports.ts'
import type { Later } from '../../../actors/runtime/snapshot-writer.ts'
import type { Ms } from '../../../machines/records.ts'

/** Lets everything happen that needs no timer: promises, and what was put off until soon. */
export async function settled(rounds = 30): Promise<void> {
  for (let i = 0; i < rounds; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** What is put off for a moment is done while things settle, though the clock stands still. */
export const inAMoment: Later = (work) => {
  const soon = setImmediate(work)
  return () => clearImmediate(soon)
}

/** A wall clock that stands still until it is moved. */
export class SceneClock implements Clock {
  #now: Ms
  #ids = 0
  readonly #timers = new Map<number, { due: Ms; fire: () => void }>()

  constructor(now: Ms) {
    this.#now = now
  }

  now(): Ms {
    return this.#now
  }

  setTimeout(fire: () => void, ms: number): number {
    this.#timers.set(++this.#ids, { due: this.#now + Math.max(0, ms), fire })
    return this.#ids
  }

  clearTimeout(id: unknown): void {
    this.#timers.delete(id as number)
  }

  get pending(): number {
    return this.#timers.size
  }

  /** Moves the time on; every timer on the way fires at its moment, and what follows from it happens before the next. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    await settled()
    for (let next = this.#next(); next && next.due <= until; next = this.#next()) {
      this.#timers.delete(next.id)
      this.#now = Math.max(this.#now, next.due)
      next.fire()
      await settled()
    }
    this.#now = until
  }

  /** The wall clock is set, and no timer notices. */
  jump(ms: number): void {
    this.#now += ms
  }

  #next() {
    let first: { id: number; due: Ms; fire: () => void } | undefined
    // Of those that are due at one moment, the one that was set first.
    for (const [id, timer] of this.#timers) if (!first || timer.due < first.due) first = { id, ...timer }
    return first
  }
}
