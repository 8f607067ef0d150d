import type { EventRecord } from '../../machines/task-log.ts'
import { joined } from '../events/joined.ts'
import { NEWS_EVERY_MS, VIEWERS_LOOK_EVERY_MS } from '../limits.ts'
import type { Clock } from '../runtime/ports.ts'
import type { Messages } from './messages.ts'

type Item = readonly [workspaceId: string, taskId: string]

/** [M6] That there is more to read of a log: told to viewers at every node, who read the log itself. Some news may be lost. */
export class News {
  readonly #clock: Clock
  readonly #messages: Messages
  readonly #byTask = new Map<string, Set<() => void>>()
  readonly #byWorkspace = new Map<string, Set<() => void>>()
  #waiting = new Map<string, Item>()
  #timer: unknown = null
  #looking: unknown = null

  constructor(clock: Clock, messages: Messages) {
    this.#clock = clock
    this.#messages = messages
  }

  serve(): void {
    this.#messages.serve('news', (items: readonly Item[]) => this.#tell(items))
    const again = () => {
      this.#looking = this.#clock.setTimeout(() => {
        this.moved()
        again()
      }, VIEWERS_LOOK_EVERY_MS)
    }
    again()
  }

  /** An event was kept here. */
  kept({ workspaceId, taskId }: EventRecord): void {
    this.#waiting.set(taskId, [workspaceId, taskId])
    this.#timer ??= this.#clock.setTimeout(() => {
      const items = [...this.#waiting.values()]
      this.#waiting = new Map()
      this.#timer = null
      // It comes back to this node, too.
      if (this.#messages.connected) this.#messages.tell('news', items)
      else this.#tell(items)
    }, NEWS_EVERY_MS)
  }

  /** There may be more to read of anything. */
  moved(): void {
    for (const viewers of [...this.#byTask.values(), ...this.#byWorkspace.values()])
      for (const tell of [...viewers]) tell()
  }

  // Wrapped, because the same function may watch twice.
  watchTask = (taskId: string, viewer: () => void) => joined(this.#byTask, taskId, () => viewer())
  watchWorkspace = (workspaceId: string, viewer: () => void) => joined(this.#byWorkspace, workspaceId, () => viewer())
  ofTask = (taskId: string) => this.#byTask.get(taskId)?.size ?? 0
  ofWorkspace = (workspaceId: string) => this.#byWorkspace.get(workspaceId)?.size ?? 0

  stop(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#clock.clearTimeout(this.#looking)
  }

  #tell(items: readonly Item[]): void {
    for (const [workspaceId, taskId] of items) {
      for (const tell of [...(this.#byTask.get(taskId) ?? [])]) tell()
      for (const tell of [...(this.#byWorkspace.get(workspaceId) ?? [])]) tell()
    }
  }
}
