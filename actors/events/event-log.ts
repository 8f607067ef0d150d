import type { TaskRecord } from '../../machines/records.ts'
import {
  type EventRecord,
  eventsIn,
  type LogEntry,
  type LogEvent,
  type LogPrivate,
  type LogRecord,
  type NewLogEvent,
} from '../../machines/task-log.ts'
import type { Ports, Write } from '../runtime/ports.ts'
import type { Append } from '../runtime/snapshot-writer.ts'
import { joined } from './joined.ts'
import { EVENT_TASK_CHARS_MAX, EVENTS_RESUMED } from './limits.ts'
import { LiveReplies } from './live-words.ts'

/**
 * [V1] The log of every task. To add an entry, call `system.events.append(taskId, event, private)` in an action of the
 * transition that it tells of; `event` is a plain value of `NewLogEvent` (machines/task-log.ts), which clients read, and
 * `private` what the service alone reads of it. It joins the write batch that the transition's row is in: what one batch
 * has of a task is one record, numbered when that batch is written, and kept and shown to viewers when, and only when, the
 * commit has succeeded. A task that is not running says no more: the append is dropped. What must be written by a commit of
 * one's own (the start, the ending) takes `prepare`, puts its `write()` into that commit, and then calls `settled(true)`,
 * or `settled(false)` when the commit failed.
 */
export class EventLog {
  /** [V10] The words of replies before they are durable. */
  readonly live: LiveReplies
  readonly #ports: Pick<Ports, 'store' | 'clock' | 'log'>
  readonly #enqueue: (append: Append) => void
  readonly #tasks = new Map<string, TaskLog>()
  /** What waits for the next batch, of each task that has something. */
  readonly #open = new Map<string, Said[]>()
  readonly #bySession = new Map<string, Set<string>>()
  readonly #viewers = new Map<string, Set<(event: LogEvent) => void>>()
  readonly #followers = new Map<string, Set<() => void>>()
  readonly #listeners = new Set<(record: EventRecord) => void>()
  /** Of each workspace that has any: the first positions of records that are neither durable nor dropped, ascending. */
  readonly #pending = new Map<string, Set<number>>()
  #position = 0

  constructor(ports: Pick<Ports, 'store' | 'clock' | 'log'>, enqueue: (append: Append) => void) {
    this.live = new LiveReplies(ports.clock)
    this.#ports = ports
    this.#enqueue = enqueue
  }

  /** Reads where the log ended. Before anything is appended. */
  async start(): Promise<void> {
    this.#position = await this.#ports.store.events.lastPosition()
  }

  /**
   * Opens the log of a new task. Returns its first event, for the commit that inserts the task's record. Until that has succeeded
   * nothing follows it: events of its browser are left out, because they could become durable before it.
   */
  begin(record: TaskRecord): Append {
    this.#tasks.set(record.id, newLog(record))
    const created = this.prepare(record.id, createdEvent(record)) as Append
    const settled = (kept: boolean) => {
      created.settled(kept)
      if (kept) this.#joinSession(record)
    }
    return { ...created, settled }
  }

  /**
   * A task of an earlier process: its log goes on where it ended, which its row says, or else its last events. One from
   * before there were logs begins now.
   */
  async restore(record: TaskRecord, end?: LogEnd): Promise<void> {
    const log = newLog(record)
    if (end) {
      const { seq, ...last } = end
      Object.assign(log.last, last)
      log.kept = seq
    } else {
      const kept = await this.#ports.store.events.newest(record.id, EVENTS_RESUMED)
      for (const { event } of kept) note(log.last, event)
      log.kept = kept.at(-1)?.seq ?? 0
      log.ended = kept.at(-1)?.event.type === 'task.ended'
      log.closed = log.ended
    }
    if (this.#tasks.has(record.id)) return
    log.seq = log.kept
    this.#tasks.set(record.id, log)
    this.#joinSession(record)
    if (log.kept === 0) this.append(record.id, createdEvent(record))
  }

  /** Where the log of a running task ends, for the row that is in the commit of its last entry. */
  end(taskId: string): LogEnd | undefined {
    const log = this.#tasks.get(taskId)
    return log && { seq: log.seq, ...log.last }
  }

  /** Appends an entry, in the commit of the transition that calls this. */
  append(taskId: string, event: NewLogEvent, kept?: LogPrivate): void {
    const log = this.#tasks.get(taskId)
    if (!log || log.closed) return
    note(log.last, event)
    const open = this.#open.get(taskId)
    if (open) open.push([event, kept])
    else {
      const said: Said[] = [[event, kept]]
      this.#open.set(taskId, said)
      this.#enqueue(this.#appended(taskId, log, said))
    }
  }

  /**
   * An entry for a commit of one's own, and one that comes before it; `null` when nothing is known of the task, or its
   * ending is in the log.
   */
  prepare(taskId: string, event: NewLogEvent, kept?: LogPrivate, before: NewLogEvent | null = null): Append | null {
    const log = this.#tasks.get(taskId)
    if (!log || log.ended) return null
    note(log.last, event)
    return this.#appended(taskId, log, [...(before ? [[before, undefined] as const] : []), [event, kept]])
  }

  /** What the log of a task last said of its state, step, call and browser. */
  lastLogged(taskId: string): LastLogged | undefined {
    return this.#tasks.get(taskId)?.last
  }

  /** The task goes on in another browser. The one that it leaves; `null` when it is in this one already, or is not running. */
  moveTo(taskId: string, sessionId: string): string | null {
    const log = this.#tasks.get(taskId)
    if (!log || log.sessionId === sessionId) return null
    const { sessionId: left } = log
    this.#leaveSession(taskId, log)
    log.sessionId = sessionId
    this.#joinSession({ id: taskId, browserSessionId: sessionId })
    return left
  }

  /** The running tasks of a browser session. */
  tasksOf(sessionId: string): Iterable<string> {
    return this.#bySession.get(sessionId) ?? []
  }

  /** The task is ending: only its ending may follow. */
  close(taskId: string): void {
    const log = this.#tasks.get(taskId)
    if (log) log.closed = true
  }

  /** The task has ended, and nothing of it is written any more. */
  forget(taskId: string): void {
    const log = this.#tasks.get(taskId)
    if (!log) return
    this.#tasks.delete(taskId)
    this.#leaveSession(taskId, log)
  }

  /** The last number that is kept of a running task; `undefined` for one that has ended, of which all is kept. */
  keptTo(taskId: string): number | undefined {
    return this.#tasks.get(taskId)?.kept
  }

  /** The log of a workspace is read up to this position: after it, its events may still be written out of order. */
  horizon(workspaceId: string): number {
    const [first] = this.#pending.get(workspaceId) ?? []
    return first === undefined ? this.#position : first - 1
  }

  /** Calls the viewer with each event of a task as soon as it is durable. Returns a function that unsubscribes it. */
  watch(taskId: string, viewer: (event: LogEvent) => void): () => void {
    return joined(this.#viewers, taskId, viewer)
  }

  /** How many watch a task. */
  viewers(taskId: string): number {
    return this.#viewers.get(taskId)?.size ?? 0
  }

  /** Calls the follower when a workspace has new events to read. Returns a function that unsubscribes it. */
  follow(workspaceId: string, follower: () => void): () => void {
    return joined(this.#followers, workspaceId, follower)
  }

  followers(workspaceId: string): number {
    return this.#followers.get(workspaceId)?.size ?? 0
  }

  /** Calls the listener with every event of every task as soon as it is durable; the events of one task in order. */
  listen(listener: (record: EventRecord) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #leaveSession(taskId: string, { sessionId }: TaskLog): void {
    const others = this.#bySession.get(sessionId)
    others?.delete(taskId)
    if (others?.size === 0) this.#bySession.delete(sessionId)
  }

  #joinSession({ id, browserSessionId }: Pick<TaskRecord, 'id' | 'browserSessionId'>): void {
    const others = this.#bySession.get(browserSessionId) ?? new Set()
    this.#bySession.set(browserSessionId, others.add(id))
  }

  #appended(taskId: string, log: TaskLog, said: readonly Said[]): Append {
    let record: Numbered | null = null
    return {
      workspaceId: log.workspaceId,
      taskId,
      write: (): Write => {
        // What comes from now on is for the next batch.
        if (record === null && this.#open.get(taskId) === said) this.#open.delete(taskId)
        // Numbered in the order of the commits: what was refused for good leaves no gap.
        record ??= this.#numbered(taskId, log, said)
        return { kind: 'log.append', record }
      },
      settled: (kept) => record && this.#settled(log, record, kept),
    }
  }

  #numbered(taskId: string, log: TaskLog, said: readonly Said[]): Numbered {
    const entries = said.map(([{ type: kind, at, ...event }, kept]) => {
      const entry = { n: ++log.seq, kind, at, public: event, ...(kept ? { private: kept } : {}) }
      return entry as LogEntry
    })
    // Grows with time, so that it says nothing of how much others do.
    const first = Math.max(this.#position + 1, this.#ports.clock.now() * POSITIONS_PER_MS)
    const pending = this.#pending.get(log.workspaceId) ?? new Set()
    this.#pending.set(log.workspaceId, pending.add(first))
    this.#position = first + entries.length - 1
    return { taskId, workspaceId: log.workspaceId, position: this.#position, entries }
  }

  #settled(log: TaskLog, record: Numbered, kept: boolean): void {
    const { taskId, workspaceId, position, entries } = record
    const pending = this.#pending.get(workspaceId)
    pending?.delete(position - entries.length + 1)
    if (pending?.size === 0) this.#pending.delete(workspaceId)
    const events = eventsIn(record)
    if (!kept) log.seq = Math.min(log.seq, (events[0]?.seq ?? 0) - 1)
    for (const event of kept ? events : []) {
      log.kept = event.seq
      for (const listener of this.#listeners) this.#tell(() => listener(event))
      for (const viewer of this.#viewers.get(taskId) ?? []) this.#tell(() => viewer(event.event))
    }
    // Also when it was refused: what came after it may be read now.
    for (const follower of this.#followers.get(workspaceId) ?? []) this.#tell(follower)
  }

  /** An event that is durable stays so, even if a listener fails. */
  #tell(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.#ports.log.error({ err: error }, 'An event was not told to one who listens')
    }
  }
}

const POSITIONS_PER_MS = 1_000

/** An event, and what is private of its entry. */
type Said = readonly [event: NewLogEvent, kept: LogPrivate | undefined]
type Numbered = LogRecord & { readonly position: number }

/** What the log last said of a task. */
export interface LastLogged {
  state: string | null
  step: number
  browserAway: boolean
  /** The ids of the last call, and of the one that asked for it. `null` also in a row of a version that did not keep them. */
  callId: string | null
  parentId: string | null
}

/** Where the log of a task ended, as the task's row keeps it. */
export interface LogEnd extends LastLogged {
  readonly seq: number
}

/** The log of a running task. */
interface TaskLog {
  readonly workspaceId: string
  sessionId: string
  readonly last: LastLogged
  /** The last number given, and the last one kept. */
  seq: number
  kept: number
  closed: boolean
  /** Its last entry is the ending, of a process before this one. */
  ended: boolean
}

const newLog = ({ workspaceId, browserSessionId }: TaskRecord): TaskLog => ({
  workspaceId,
  sessionId: browserSessionId,
  last: { state: null, step: 0, browserAway: false, callId: null, parentId: null },
  seq: 0,
  kept: 0,
  closed: false,
  ended: false,
})

function note(last: LastLogged, event: NewLogEvent): void {
  if (event.type === 'task.state') last.state = event.state
  else if (event.type === 'step.started') last.step = event.step
  else if (event.type === 'tool.called') {
    last.callId = event.call_id
    last.parentId = event.parent_call_id ?? null
  } else if (event.type === 'browser.away') last.browserAway = true
  else if (event.type === 'browser.connected') last.browserAway = false
}

const createdEvent = ({ task, url, browserSessionId, createdAt }: TaskRecord): NewLogEvent => ({
  type: 'task.created',
  at: createdAt,
  task: task.slice(0, EVENT_TASK_CHARS_MAX),
  url,
  browser_session_id: browserSessionId,
})
