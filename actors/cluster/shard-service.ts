import type { RunningTaskService } from '../create-task-service.ts'
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
  /** Where the browsers of its sessions are connected, by session. */
  readonly sockets = new Map<string, BoundSocket>()
  /** Resolves when this node has given it up or lost it: what was asked of it is asked elsewhere. */
  readonly gone: Promise<void>
  #isOpen = false
  #goes: () => void = () => {}

  constructor(owned: OwnedShard, open: (service: ShardService) => RunningTaskService) {
    this.owned = owned
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
