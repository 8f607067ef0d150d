import { eventIdOf } from '../../../actors/events/event-id.ts'
import type { EventReader } from '../../../actors/events/event-reader.ts'
import type { LiveWords } from '../../../actors/events/live-words.ts'
import type { LogEvent } from '../../../machines/task-log.ts'

/** An event with the cursor that a reader has who has seen it. */
export interface FeedItem {
  readonly cursor: number
  readonly event: LogEvent
}

/** [V5] A log as it is read: one page after the other, and as it goes on. */
export interface Feed {
  /** What is kept behind the cursor, in order. */
  read(after: number, limit: number): Promise<readonly FeedItem[]>
  /** The cursor of who wants only what comes. */
  now(): Promise<number>
  /** The cursor of the oldest event, when some of those behind `after` are not kept any more; else `null`. */
  expired(after: number): Promise<number | null>
  /** Calls the viewer with each new item, or with `null` when there is more to read. Returns a function that unsubscribes it. */
  watch(viewer: (item: FeedItem | null) => void): () => void
  /** [V10] Calls the listener with the words of a task's replies while they arrive. */
  hear?(listener: (words: LiveWords) => void): () => void
  viewers(): number
  /** An item as its readers get it. */
  jsonOf(item: FeedItem): string
  /** Nothing will come any more. */
  isOver(): Promise<boolean>
  /** `task.ended` is its last event. */
  readonly endsWithTask: boolean
}

export function taskFeed(events: EventReader, taskId: string): Feed {
  const itemOf = (event: LogEvent): FeedItem => ({ cursor: event.seq, event })
  return {
    read: async (after, limit) => (await events.ofTask(taskId, after, limit)).map(({ event }) => itemOf(event)),
    now: () => events.lastOfTask(taskId),
    async expired(after) {
      const [next] = await events.ofTask(taskId, after, 1)
      return next && next.seq > after + 1 ? next.seq : null
    },
    watch: (viewer) => events.watch(taskId, (event) => viewer(event && itemOf(event))),
    hear: (listener) => events.hear(taskId, listener),
    viewers: () => events.viewers(taskId),
    jsonOf: ({ event }) => jsonOf(event),
    isOver: async () => !(await events.isRunning(taskId)),
    endsWithTask: true,
  }
}

/** A workspace has no first event: without a cursor, reading begins with the oldest event that is kept. */
export function workspaceFeed(events: EventReader, workspaceId: string): Feed {
  const read: Feed['read'] = async (after, limit) =>
    (await events.ofWorkspace(workspaceId, after, limit)).map(({ position, event }) => ({ cursor: position, event }))
  return {
    read,
    now: async () => events.lastPosition(workspaceId),
    async expired(after) {
      if (after === 0 || after >= (await events.expired(workspaceId))) return null
      const [oldest] = await read(0, 1)
      return oldest?.cursor ?? events.lastPosition(workspaceId)
    },
    watch: (viewer) => events.follow(workspaceId, () => viewer(null)),
    viewers: () => events.followers(workspaceId),
    // An event says its number in its task's log; here it says its place in this one, too.
    jsonOf: ({ cursor, event }) => `{"cursor":${cursor},${jsonOf(event).slice(1)}`,
    isOver: async () => false,
    endsWithTask: false,
  }
}

const jsons = new WeakMap<LogEvent | LiveWords, string>()

/** An event's JSON, serialised once for all of its readers. */
export function jsonOf(event: LogEvent | LiveWords): string {
  const made = jsons.get(event) ?? JSON.stringify('seq' in event ? { id: eventIdOf(event), ...event } : event)
  jsons.set(event, made)
  return made
}
