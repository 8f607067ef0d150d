/** A clock that stands still until its next timer is asked to fire. */
export class StepClock {
  private at: number
  private ids = 0
  private readonly timers = new Map<number, { due: number; fire: () => void }>()

  constructor(at: number) {
    this.at = at
  }

  now(): number {
    return this.at
  }

  setTimeout(fire: () => void, ms: number): number {
    this.ids += 1
    this.timers.set(this.ids, { due: this.at + ms, fire })
    return this.ids
  }

  clearTimeout(id: unknown): void {
    this.timers.delete(id as number)
  }

  pending(): number {
    return this.timers.size
  }

  /** Moves the time to the next timer that is due, and fires that one: of several at one moment the one set first. */
  fireNext(): void {
    const [next] = [...this.timers].sort(([idA, a], [idB, b]) => a.due - b.due || idA - idB)
    if (!next) throw new Error('No timer is set')
    const [id, { due, fire }] = next
    this.timers.delete(id)
    this.at = due
    fire()
  }
}
