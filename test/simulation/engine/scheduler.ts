import { Trace } from './trace.ts'

/** Who an event belongs to: when it is dead, its events do not happen. */
export interface Owner {
  alive: boolean
  /** What is due while it stands still, as by SIGSTOP: it happens when it goes on. */
  held?: Planned[] | null
}
/** What lives as long as the simulation: networks, stores, browsers, clients. */
export const THE_WORLD: Owner = { alive: true }

export interface Planned {
  due: number
  order: number
  readonly owner: Owner
  readonly label: string
  run: (() => void) | null
}

/** The platform's own, kept before a simulation takes it away from what it runs. */
const realImmediate = setImmediate

/**
 * Simulated time: everything that happens is an event here, one after the other. Between two events all promises that
 * can go on have gone on, so that what happens depends on the events and their order alone.
 */
export class Scheduler {
  /** Milliseconds since the epoch, with fractions: two events hardly ever share a moment. */
  time: number
  readonly trace: Trace
  /** Whose event happened last. */
  last: Owner = THE_WORLD
  #heap: Planned[] = []
  #orders = 0
  #steps = 0

  constructor(startAt: number, heard?: (line: string) => void) {
    this.time = startAt
    this.trace = new Trace(() => this.time, heard)
  }

  /** Events that have happened. */
  get steps(): number {
    return this.#steps
  }

  after(ms: number, owner: Owner, label: string, run: () => void): Planned {
    const planned = { due: this.time + Math.max(0, ms), order: this.#orders++, owner, label, run }
    this.#push(planned)
    return planned
  }

  cancel(planned: Planned): void {
    planned.run = null
  }

  /** Makes events happen until the condition holds after one of them, the time is reached, or nothing is left. */
  async run(until: number, after: () => boolean): Promise<void> {
    for (;;) {
      const next = this.#pop()
      if (!next) return
      if (next.due > until) {
        this.#push(next)
        this.time = until
        return
      }
      const { run } = next
      if (run === null || !next.owner.alive) continue
      if (next.owner.held) {
        next.owner.held.push(next)
        continue
      }
      this.time = next.due
      this.#steps++
      this.last = next.owner
      this.trace.happened(next.label)
      run()
      await settled()
      if (after()) return
    }
  }

  /** It goes on: what was due meanwhile happens now, in its order. */
  release(owner: Owner): void {
    const held = owner.held ?? []
    owner.held = null
    for (const planned of held) {
      planned.due = this.time
      planned.order = this.#orders++
      this.#push(planned)
    }
  }

  /** Forgets what the dead had planned. */
  bury(): void {
    const living = this.#heap.filter(({ owner, run }) => owner.alive && run !== null)
    this.#heap = []
    for (const planned of living) this.#push(planned)
  }

  #push(planned: Planned): void {
    const heap = this.#heap
    let at = heap.push(planned) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (!parent || before(parent, planned)) break
      heap[at] = parent
      at = above
    }
    heap[at] = planned
  }

  #pop(): Planned | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      let child = heap[below]
      if (!child) break
      const right = heap[below + 1]
      if (right && before(right, child)) {
        child = right
        below++
      }
      if (before(last, child)) break
      heap[at] = child
      at = below
    }
    heap[at] = last
    return first
  }
}

const before = (a: Planned, b: Planned): boolean => a.due < b.due || (a.due === b.due && a.order < b.order)

/** Resolves when every promise that can go on has gone on. */
export const settled = (): Promise<void> => new Promise((resolve) => realImmediate(resolve))
