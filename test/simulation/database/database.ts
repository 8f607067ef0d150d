import { StoreUnwritable } from '../../../src/stores/errors.ts'
import type { Settings } from '../../../src/stores/port.ts'
import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Life } from '../outside/life.ts'
import type { Random } from '../random.ts'
import { SimulatedDriver } from './driver.ts'
import type { Fenced, Row, Rows } from './rows.ts'

/** `slow`: all takes its time. `failing`: some is refused, or made without a word. `down`: nothing is reached. */
export type StoreMood = 'well' | 'slow' | 'failing' | 'down'

/** What becomes of what is under way. */
export type Fate = 'none' | 'gone' | 'held' | 'limbo' | 'unheard'

/** When something may happen to a process: before what it asked for is carried out, or before its answer is there. */
export type AtDatabase = 'before' | 'after'

/** How one life of a process reaches the database. */
export interface DatabaseLink {
  readonly life: Life
  /** Cut off: nothing passes in either direction. */
  storeCut: boolean
}

/** What a process asks of the database. */
export interface Asked<T> {
  readonly label: string
  /** What it writes; nothing of a read. */
  readonly writes: readonly string[]
  readonly run: () => T
  /** What is struck before and after it. */
  readonly struckAt?: (moment: AtDatabase, answer: T | null) => readonly string[]
  /** A process asks for it again and again: it is not struck, and does not come late. */
  readonly isRenewal?: boolean
}

export interface DatabaseOptions<Link extends DatabaseLink> {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly rows: Rows
  readonly strike: (link: Link, moment: AtDatabase, what: readonly string[]) => Fate
}

/** How late something may come to the database that was given up. */
const LATE_MS_MAX = 20_000
/** An answer on its way to a process that stands still. */
const HELD_UP_MS = 1_000
/** Reads after which the world may be another one by the time that their answers are there. */
const STRUCK_READS = ['actors', 'tasks', 'log', 'ledger', 'claims']

/**
 * A database that processes share. What they ask takes its time there and back; it may come late, be refused, or be carried
 * out without a word. A process that dies leaves behind what was under way: made, not made, or made later.
 */
export class SimulatedDatabase<Link extends DatabaseLink = DatabaseLink> {
  mood: StoreMood = 'well'
  /** Until when a sender may wait for an answer that does not come. */
  owesUntil = 0
  readonly #options: DatabaseOptions<Link>
  readonly #settings = new Map<string, string>()
  /** What comes when somebody has just taken something over. */
  #late: (() => void)[] = []

  constructor(options: DatabaseOptions<Link>) {
    this.#options = options
  }

  driver(link: Link): SimulatedDriver {
    return new SimulatedDriver(this.#options.rows, {
      read: (label, table, run) =>
        this.ask(link, {
          ...{ label, writes: [], run },
          struckAt: (moment, answer) =>
            moment === 'after' && STRUCK_READS.includes(shortly(table)) ? [isToCall(answer) ? 'webhook' : 'read'] : [],
        }),
      write: (label, tables, run) => this.ask(link, { label, writes: tables.map(shortly), run }),
    })
  }

  async raise(link: Link, fence: Fenced): Promise<void> {
    const run = () => this.#options.rows.raise(fence)
    await this.ask(link, { label: `raise ${fence.ids[0]}`, writes: ['fences'], run })
  }

  settings(link: Link): Settings {
    const kept = this.#settings
    const ask = <T>(label: string, run: () => T) => this.ask(link, { label, writes: [], run })
    return {
      get: (name) => ask(`setting ${name}`, () => kept.get(name) ?? null),
      propose: (name, value) =>
        ask(`setting ${name}`, () => kept.set(name, kept.get(name) ?? value).get(name) as string),
      put: (name, value) => ask(`setting ${name}`, () => void kept.set(name, value)),
    }
  }

  /** Somebody has taken something over: what its former owner gave up comes now. */
  takenOver(): void {
    for (const run of this.#late.splice(0)) this.#later(run, this.#options.random.pick([5, 40, 400, 2_000]))
  }

  ask<T>(link: Link, { label, writes, run, isRenewal = false, struckAt = () => writes }: Asked<T>): Promise<T> {
    const { scheduler, random, strike } = this.#options
    const { life } = link
    const struck = (moment: AtDatabase, answer: T | null): Fate => {
      const what = struckAt(moment, answer)
      return what.length > 0 ? strike(link, moment, what) : 'none'
    }
    return new Promise((resolve, reject) => {
      const giveUp = (why: string) => {
        const ms = this.#patience()
        this.owesUntil = Math.max(this.owesUntil, scheduler.time + ms)
        scheduler.after(ms, life, `store ${label} ${why}`, () => reject(new StoreUnwritable('The store is away')))
      }
      const late = (likelihood: number) => {
        if (writes.length === 0 || isRenewal || !random.chance(likelihood)) return
        if (random.chance(0.5)) this.#late.push(run)
        else this.#later(run, random.pick([20, 1_200, 3_000, LATE_MS_MAX]))
      }
      const done = (made: () => T, ms: number) =>
        scheduler.after(ms, life, `store ${label} done`, () => {
          if (link.storeCut) giveUp('lost')
          else new Promise<T>((take) => take(made())).then(resolve, reject)
        })
      const answer = () => {
        const made = attempted(run)
        const after = struck('after', made.answer)
        if (after === 'unheard') giveUp('unheard')
        // It is read after all else that has come to the process while it stood still.
        else if (after !== 'gone') done(made.get, after === 'held' && isRenewal ? HELD_UP_MS : this.#latency())
      }
      const carryOut = (fate: Fate): void => {
        if (!life.alive) {
          if (random.chance(0.5)) attempted(run)
          else late(0.6)
        } else if (this.mood === 'down' || link.storeCut) {
          giveUp('refused')
          late(0.4)
        } else if (fate === 'gone') late(0.5)
        else if (fate === 'held') scheduler.after(0, life, `store ${label} held`, () => carryOut('none'))
        else if (fate === 'limbo') {
          giveUp('in limbo')
          late(1)
        } else if (this.mood === 'failing' && random.chance(0.3)) {
          if (random.chance(0.4)) attempted(run)
          else late(0.3)
          giveUp('failed')
        } else answer()
      }
      scheduler.after(this.#latency(), THE_WORLD, `store ${label}`, () =>
        carryOut(life.alive ? struck('before', null) : 'none'),
      )
    })
  }

  #later(run: () => unknown, msMax: number): void {
    const { scheduler, random } = this.#options
    scheduler.after(random.between(0, msMax), THE_WORLD, 'late', () => void attempted(run))
  }

  #latency(): number {
    const { random } = this.#options
    return this.mood === 'slow' ? random.between(25, 2_000) : random.between(0.1, 3)
  }

  /** How long a driver tries before it gives up. */
  #patience(): number {
    const { random } = this.#options
    return random.chance(0.5) ? random.between(0.05, 1) : random.between(500, 3_500)
  }
}

/** Carries it out; what it throws is thrown to who asks for the answer. */
function attempted<T>(run: () => T): { readonly answer: T | null; readonly get: () => T } {
  try {
    const answer = run()
    return { answer, get: () => answer }
  } catch (error) {
    const get = () => {
      throw error
    }
    return { answer: null, get }
  }
}

const shortly = (table: string) => table.split('.')[0] ?? table

/** Whether a read found a task that has ended and has a webhook: it is called next, or a client asks. */
const isToCall = (answer: unknown): boolean =>
  [answer].flat().some((row) => {
    const { webhookUrl, status } = (row ?? {}) as Row
    return webhookUrl && status !== 'running'
  })
