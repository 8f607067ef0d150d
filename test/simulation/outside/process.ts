import { createTaskService, type RunningTaskService } from '../../../actors/create-task-service.ts'
import type { Model, Outbox, Store, Toolbox, Webhook } from '../../../actors/runtime/ports.ts'
import type { TaskService } from '../../../actors/task-service.ts'
import { serviceAddress } from '../../../machines/addresses.ts'
import { MINUTE_MS, STOP_MS_MAX } from '../../../machines/limits.ts'
import { openRelay, type Relay } from '../../../src/relay/relay.ts'
import { fenceOf, STORE_FENCE } from '../../../src/stores/mongodb/fencing.ts'
import { rulesOver } from '../../../src/stores/rules/store.ts'
import type { SimulatedDatabase } from '../database/database.ts'
import type { Rows } from '../database/rows.ts'
import { type Owner, type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import { clockOf, type Life, logOf } from './life.ts'

/** Tasks whose deadline passed meanwhile come back, and are not too old to. */
const LONG_OUTAGE_MS = [30.5 * MINUTE_MS, 34 * MINUTE_MS] as const

/** A process that runs: the real taskService and the real relay, over simulated ports. */
export interface Running {
  readonly life: Life
  readonly actors: RunningTaskService
  readonly taskService: TaskService
  readonly relay: Relay
  readonly store: Store
}

export interface ProcessOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly database: SimulatedDatabase
  readonly rows: Rows
  readonly model: (owner: Owner) => Model
  readonly tools: Toolbox
  readonly webhook: (life: Life) => Webhook
  readonly billing: { readonly freePerMonth: number } | null
  /** What is sent to browsers is seen here first. */
  readonly watchOutbox: (outbox: Outbox) => Outbox
  readonly watchLog: (level: 'warn' | 'error', fields: object, message: string) => void
}

/**
 * The service's process: it is started, dies at any moment or is stopped in order, and is started again. `running` is
 * what lives now; it takes requests while `listening`.
 */
export class SimulatedProcess {
  running: Running | null = null
  /** What the wall clock is off, from jumps. */
  skewMs = 0
  starts = 0
  /** For how long nothing ran, in all. */
  downMs = 0
  /** When what runs now began to take requests. */
  listeningSince = 0
  #listening = false
  #stopping = false
  #holder: Life | null = null
  #epoch = 0
  readonly #options: ProcessOptions

  constructor(options: ProcessOptions) {
    this.#options = options
  }

  get listening(): boolean {
    return this.#listening && !this.#stopping
  }

  start(): void {
    const life: Life = { alive: true, number: ++this.starts, mourners: new Set() }
    this.#options.scheduler.trace.happened(`the process starts, ${life.number}`)
    if (!this.#take(life)) throw new Error('The store is in use, and its owner is dead')
    this.running = this.#begin(life)
  }

  /** As by a second `npm start` on the same store, which ends a while later: the store refuses it, and nothing happens. */
  startSecond(): void {
    const { scheduler, random } = this.#options
    if (!this.running) return
    const life: Life = { alive: true, number: ++this.starts, mourners: new Set() }
    const granted = this.#take(life)
    scheduler.trace.happened(
      `a second process starts, ${life.number}: ${granted ? 'it owns the store, too' : 'refused'}`,
    )
    if (!granted) return
    this.#begin(life)
    scheduler.after(random.between(5_000, 30_000), THE_WORLD, 'the second process ends', () => this.#bury(life))
  }

  /** The lease of the store: one process has it, until it is dead. What its former holder still writes is refused. */
  #take(life: Life): boolean {
    if (this.#holder?.alive) return false
    this.#holder = life
    this.#options.rows.raise({ ...fenceOf(STORE_FENCE), epoch: ++this.#epoch })
    return true
  }

  #open(life: Life): Store {
    const { database } = this.#options
    const link = { life, storeCut: false }
    const fence = { ...fenceOf(STORE_FENCE), epoch: this.#epoch, lost() {}, isLost: () => false }
    return {
      ...rulesOver(database.driver(link).under(fence), database.settings(link)),
      ...{ kind: 'file', ping: async () => database.mood !== 'down', close: async () => {}, onLost() {} },
    }
  }

  /** Builds all of a process, and starts it. */
  #begin(life: Life): Running {
    const { scheduler, random, model, tools, webhook, billing, watchOutbox, watchLog } = this.#options
    const clock = clockOf(scheduler, life, () => this.skewMs)
    const ids = { uuid: () => random.uuid() }
    const log = logOf(scheduler, life, watchLog)
    const store = this.#open(life)
    const ofLife = model(life)
    const relay = openRelay({ store, clock, ids, log })
    const actors = createTaskService(
      {
        store,
        model: ofLife,
        tools,
        outbox: watchOutbox(relay.outbox),
        webhook: webhook(life),
        clock,
        ids,
        log,
        billing,
      },
      {
        retentionDays: 30,
        soon: (work) => void scheduler.after(random.between(0, 0.05), life, 'soon', work),
      },
    )
    relay.attach(actors.taskService)
    actors.begin()
    return { life, actors, taskService: actors.taskService, relay, store }
  }

  /** Looked at after every event: has what was kept come back, or could it not be read? */
  look(): void {
    if (!this.running || this.#listening || this.#stopping) return
    const state = this.running.actors.system.registry.snapshot(serviceAddress)
    if (state?.value === 'running') {
      this.#options.scheduler.trace.happened('the process listens')
      this.#listening = true
      this.listeningSince = this.#options.scheduler.time
    } else if (state === undefined) this.die('it could not start')
  }

  /** As by `kill -9`: nothing of it happens any more. It is started again after a while. */
  die(why: string): void {
    const { scheduler, random } = this.#options
    if (!this.running) return
    const { life } = this.running
    scheduler.trace.happened(`the process dies: ${why}`)
    this.running = null
    this.#listening = false
    this.#stopping = false
    this.#bury(life)
    const [least, most] = random.chance(0.8) ? [100, 5_000] : random.chance(0.9) ? [5_000, MINUTE_MS] : LONG_OUTAGE_MS
    const pause = random.between(least, most)
    this.downMs += pause
    scheduler.after(pause, THE_WORLD, 'start', () => this.start())
  }

  #bury(life: Life): void {
    const { scheduler } = this.#options
    life.alive = false
    for (const hear of life.mourners) hear()
    scheduler.bury()
  }

  /** As by SIGTERM: no new requests, the endings of what runs, the sockets, and gone within 10 s. */
  stop(): void {
    const { running } = this
    if (!running || !this.listening) return
    const { scheduler } = this.#options
    scheduler.trace.happened('the process is stopped')
    this.#stopping = true
    const { life } = running
    void running.actors.stop().then(() => {
      running.relay.close()
      if (this.running === running) this.die('it was stopped')
    })
    scheduler.after(STOP_MS_MAX, life, 'stop', () => {
      if (this.running === running) this.die('it did not stop in time')
    })
  }
}
