import type { Ms } from '../../machines/records.ts'
import type { RunningTaskService } from '../create-task-service.ts'
import { MOVED_BROWSER_MS_MAX } from '../limits.ts'
import { steadyNow } from '../runtime/effects.ts'
import type { OwnedShard } from './ports.ts'

/** Where a session's browser is connected. */
export interface BoundSocket {
  readonly node: string
  readonly socketId: string
}

/** What runs of one shard that this node owns. */
export class ShardService {
  readonly owned: OwnedShard
  readonly running: RunningTaskService
  /** By a clock that nobody sets, in ms. */
  readonly takenAt: number
  /** Where the browsers of its sessions are connected, by session. */
  readonly sockets = new Map<string, BoundSocket>()
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Resolves when this node has given it up or lost it: what was asked of it is asked elsewhere. */
  readonly gone: Promise<void>
  /** When it began to take requests, by a clock that nobody sets. */
  #openedAt: Ms | null = null
  #isOpen = false
  #goes: () => void = () => {}

  constructor(owned: OwnedShard, takenAt: number, open: (service: ShardService) => RunningTaskService) {
    this.owned = owned
    this.takenAt = takenAt
    this.gone = new Promise((resolve) => {
      this.#goes = resolve
    })
    this.running = open(this)
  }

  /** Whether all that was kept is back, and it takes requests. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  opened(): void {
    this.#isOpen = true
    this.#openedAt = steadyNow(this.running.system.ports.clock)
  }

  bind(sessionId: string, socket: BoundSocket): void {
    this.sockets.set(sessionId, socket)
    for (const resolve of this.#waiting.get(sessionId) ?? []) resolve()
    this.#waiting.delete(sessionId)
  }

  /** [M16] Resolves when the browser of the session is connected: in the moment after a move it is on its way here. */
  async bound(sessionId: string): Promise<void> {
    const { clock } = this.running.system.ports
    const leftMs = this.#openedAt === null ? 0 : this.#openedAt + MOVED_BROWSER_MS_MAX - steadyNow(clock)
    if (leftMs <= 0 || this.sockets.has(sessionId)) return
    await new Promise<void>((resolve) => {
      this.#waiting.set(sessionId, [...(this.#waiting.get(sessionId) ?? []), resolve])
      clock.setTimeout(resolve, Math.min(leftMs, MOVED_BROWSER_MS_MAX))
    })
  }

  /** It takes no further request. */
  close(): void {
    this.#isOpen = false
  }

  /** Writes what is to be written, and stops every actor where it is. */
  async handOver(): Promise<void> {
    // What its actors are asked when they stop is not answered by that they are not there.
    await this.running.handOver(this.#goes)
  }

  /** Stops every actor where it is. */
  abandon(): void {
    this.#isOpen = false
    this.#goes()
    this.running.abandon()
  }
}
