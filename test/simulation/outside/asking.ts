import type { Store } from '../../../actors/runtime/ports.ts'
import type { StartAnswer, StartTask, TaskService } from '../../../actors/task-service.ts'
import type { Kept } from '../database/kept.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import type { Watch } from '../watch.ts'
import type { SimulatedBrowser } from './browser.ts'
import type { Life } from './life.ts'

/** A process that a client reaches. */
export interface Reached {
  readonly life: Life
  readonly taskService: TaskService
  readonly store: Pick<Store, 'ledger'>
  /** Whether it takes requests. */
  readonly listening: boolean
  readonly now: () => number
  /** Who decides on starts of a workspace now: what it refused it counts, as long as it is there. */
  readonly decider?: (workspaceId: string) => string | null
  /** Starts once what is sent again under a key; left out where clients do not. */
  readonly startOnce?: (key: string, start: StartTask) => Promise<StartAnswer>
}

export interface ClientsOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  /** One of the processes that run, if any does. */
  readonly reach: () => Reached | null
  readonly kept: Kept
  readonly watch: Watch
  /** The sessions of every workspace. */
  readonly browsers: ReadonlyMap<string, readonly SimulatedBrowser[]>
  readonly pauseMs: number
  readonly queueing: number
  readonly asking: number
}

/** Requests of clients, and the answers that they wait for. */
export class Asking {
  /** Answers that a living process owes. */
  readonly owed = new Set<{ readonly what: string; readonly since: number; readonly life: { alive: boolean } }>()
  readonly #options: Pick<ClientsOptions, 'scheduler' | 'watch'>

  constructor(options: Pick<ClientsOptions, 'scheduler' | 'watch'>) {
    this.#options = options
  }

  /** A question to the process; its answer, if it lives to give one. */
  request<T>(
    what: string,
    { life, listening }: Reached,
    ask: () => Promise<T>,
    answered: (answer: T) => void,
    failed = () => {},
  ): void {
    const { scheduler, watch } = this.#options
    if (!listening) {
      failed()
      return
    }
    const owed = { what, since: scheduler.time, life }
    this.owed.add(owed)
    const done = () => this.owed.delete(owed)
    ask().then(
      (answer) => {
        done()
        if (life.alive) answered(answer)
      },
      (error) => {
        done()
        scheduler.trace.happened(`client: ${what} failed: ${error}`)
        const isAway = String(error).includes('store') || ['OwnerAway', 'StoreUnwritable'].includes(error?.name ?? '')
        if (!isAway) watch.broken(`${what} failed: ${error?.stack}`)
        else if (life.alive) failed()
      },
    )
  }
}
