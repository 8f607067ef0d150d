import type { Clock } from '../../actors/runtime/ports.ts'

/** A clock that the test turns: timers fire in the order of their time, each at its own. */
export class HandClock implements Clock {
  private at: number
  private moved = 0
  private ids = 0
  private readonly timers = new Map<number, { due: number; fire: () => void }>()

  constructor(at: number) {
    this.at = at
  }

  now(): number {
    return this.at + this.moved
  }

  monotonic(): number {
    return this.at
  }

  /** Sets the time of the day; timers go on as they were. */
  move(ms: number): void {
    this.moved += ms
  }

  setTimeout(fire: () => void, ms: number): number {
    this.ids += 1
    this.timers.set(this.ids, { due: this.at + Math.max(0, ms), fire })
    return this.ids
  }

  clearTimeout(id: unknown): void {
    this.timers.delete(id as number)
  }

  pending(): number {
    return this.timers.size
  }

  /** Turns the clock on, firing what is due on the way. */
  turn(ms: number): void {
    const end = this.at + ms
    for (;;) {
      const [next] = [...this.timers]
        .filter(([, { due }]) => due <= end)
        .sort(([idA, a], [idB, b]) => a.due - b.due || idA - idB)
      if (!next) break
      const [id, { due, fire }] = next
      this.timers.delete(id)
      this.at = Math.max(this.at, due)
      fire()
    }
    this.at = end
  }
}
