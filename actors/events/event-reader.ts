import type { EventRecord, LogEvent } from '../../machines/task-log.ts'
import type { Store } from '../runtime/ports.ts'
import type { EventLog } from './event-log.ts'
import type { LiveWords } from './live-words.ts'

/** The event log as the edge reads it. What it gives is kept. Whose a task or a workspace is, is the caller's to check. */
export interface EventReader {
  /** Those of a task with a greater number, in their order. */
  ofTask(taskId: string, after: number, limit: number): Promise<readonly EventRecord[]>
  /** The number of a task's last event; 0 before the first. */
  lastOfTask(taskId: string): Promise<number>
  /** Whether something may still be appended to the log of a task. */
  isRunning(taskId: string): boolean | Promise<boolean>
  /** Those of all tasks of a workspace with a greater position, in their order. */
  ofWorkspace(workspaceId: string, after: number, limit: number): Promise<readonly EventRecord[]>
  /** The position that all events up to now are at or before. */
  lastPosition(workspaceId: string): number | Promise<number>
  /** Events of the workspace up to this position were removed because of their age or number. */
  expired(workspaceId: string): Promise<number>
  /**
   * Calls the viewer with each event of a task as soon as it is durable; with `null` when there is more to read. Returns
   * a function that unsubscribes it.
   */
  watch(taskId: string, viewer: (event: LogEvent | null) => void): () => void
  /** [V10] Calls the listener with the words of a task's replies while they arrive. Returns a function that unsubscribes it. */
  hear(taskId: string, listener: (words: LiveWords) => void): () => void
  /** How many watch a task. */
  viewers(taskId: string): number
  /** Calls the follower when a workspace has new events to read. Returns a function that unsubscribes it. */
  follow(workspaceId: string, follower: () => void): () => void
  followers(workspaceId: string): number
}

export function eventReader(log: EventLog, store: Pick<Store, 'events'>): EventReader {
  return {
    ofTask: (taskId, after, limit) => store.events.ofTask(taskId, after, limit),
    // As the store has it: its ending is in it before the commit is known here to have succeeded.
    lastOfTask: async (taskId) => (await store.events.newest(taskId, 1)).at(-1)?.seq ?? 0,
    isRunning: (taskId) => log.keptTo(taskId) !== undefined,
    ofWorkspace: (workspaceId, after, limit) =>
      store.events.ofWorkspace(workspaceId, after, log.horizon(workspaceId), limit),
    lastPosition: (workspaceId) => log.horizon(workspaceId),
    expired: (workspaceId) => store.events.expired(workspaceId),
    watch: (taskId, viewer) => log.watch(taskId, viewer),
    hear: (taskId, listener) => log.live.listen(taskId, listener),
    viewers: (taskId) => log.viewers(taskId),
    follow: (workspaceId, follower) => log.follow(workspaceId, follower),
    followers: (workspaceId) => log.followers(workspaceId),
  }
}
