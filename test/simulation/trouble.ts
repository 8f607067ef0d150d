import type { SimulatedDatabase } from './database/database.ts'
import { type Scheduler, THE_WORLD } from './engine/scheduler.ts'
import type { SimulatedBrowser } from './outside/browser.ts'
import type { SimulatedProcess } from './outside/process.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'

export interface TroubleOptions {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly random: Random
  readonly process: SimulatedProcess
  readonly database: SimulatedDatabase
  readonly browsers: readonly SimulatedBrowser[]
}

/** What goes wrong of itself: it begins at once and ends with `stop`, after which everything works. */
export class Trouble {
  isOn = true
  /** The sum of what the wall clock was set forward by. */
  jumpedMs = 0
  readonly #options: TroubleOptions

  constructor(options: TroubleOptions) {
    this.#options = options
    const { plan, process, browsers, scheduler, random } = options
    const often = (meanMs: number | null, label: string, happen: () => void) =>
      every({ scheduler, random, isOn: () => this.isOn }, meanMs, label, happen)
    often(plan.deathEveryMs, 'kill', () => process.die('it was killed'))
    often(plan.stopEveryMs, 'stop', () => process.stop())
    often(plan.secondStartEveryMs, 'second start', () => process.startSecond())
    often(plan.storeMoodEveryMs, 'store mood', () => this.#storeMood())
    often(plan.clockJumpEveryMs, 'clock jump', () => this.#clockJump())
    often(plan.browserTroubleEveryMs, 'browser trouble', () => disturb(random.pick(browsers), random))
  }

  stop(): void {
    const { database, browsers } = this.#options
    this.isOn = false
    database.mood = 'well'
    for (const browser of browsers) browser.wake()
  }

  #storeMood(): void {
    const { scheduler, random, database } = this.#options
    database.mood = random.pick(['slow', 'failing', 'down', 'down'])
    scheduler.trace.happened(`the store is ${database.mood}`)
    const ms = database.mood === 'down' ? random.pick([500, 5_000, 60_000]) : random.between(1_000, 30_000)
    scheduler.after(ms, THE_WORLD, 'the store is well', () => {
      database.mood = 'well'
    })
  }

  #clockJump(): void {
    const { process, random, scheduler } = this.#options
    const ms = random.pick([-90_000, -5_000, -300, 300, 5_000, 90_000, 600_000])
    process.skewMs += ms
    this.jumpedMs += Math.abs(ms)
    scheduler.trace.happened(`the clock jumps by ${ms}`)
  }
}

interface Repeating {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly isOn: () => boolean
}

/** Happens again and again while trouble is on, after a mean time; `null`: never. */
export function every(how: Repeating, meanMs: number | null, label: string, happen: () => void): void {
  if (meanMs === null) return
  const { scheduler, random, isOn } = how
  scheduler.after(random.between(0, 2 * meanMs), THE_WORLD, label, () => {
    if (!isOn()) return
    happen()
    every(how, meanMs, label, happen)
  })
}

export function disturb(browser: SimulatedBrowser, random: Random): void {
  const roll = random.unit()
  if (roll < 0.3) browser.drop('closed')
  else if (roll < 0.5) browser.drop('pulled')
  else if (roll < 0.7) browser.replace()
  else if (roll < 0.9) browser.sleep(random.pick([2_000, 10_000, 30_000, 90_000]))
  else browser.forget()
}
