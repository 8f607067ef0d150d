import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'

/** How late a command may come to the database when its sender has given it up. */
const LATE_MS_MAX = 20_000

type Waiting = readonly [label: string, run: () => void]

/**
 * Commands that their senders gave up and that are carried out later all the same: in a moment, when its sender has tried
 * again; or when a shard has just been taken over, while its new owner reads and writes; or at any time.
 */
export class Limbo {
  readonly #scheduler: Scheduler
  readonly #random: Random
  #forRaise: Waiting[] = []
  #forOwner: Waiting[] = []

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler
    this.#random = random
  }

  add(label: string, run: () => void): void {
    const random = this.#random
    const roll = random.unit()
    if (roll < 0.25) this.#forRaise.push([label, run])
    else if (roll < 0.7) this.#forOwner.push([label, run])
    else this.#late(label, run, roll < 0.75 ? LATE_MS_MAX : random.pick([20, 1_200, 3_000]))
  }

  /** The epoch of a shard was raised: its new owner begins to read. */
  raised(): void {
    for (const [label, run] of this.#forRaise.splice(0)) this.#late(label, run, this.#random.pick([5, 40, 400]))
  }

  /** The new owner has stamped what is there, and begins to write. */
  owned(): void {
    for (const [label, run] of this.#forOwner.splice(0)) this.#late(label, run, this.#random.pick([3, 20, 200, 2_000]))
  }

  #late(label: string, run: () => void, msMax: number): void {
    this.#scheduler.after(this.#random.between(0, msMax), THE_WORLD, `late ${label}`, run)
  }
}
