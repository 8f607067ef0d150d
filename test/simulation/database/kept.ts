import { taskAddress } from '../../../machines/addresses.ts'
import type { ActorRow, JournalEntry, StepRecord, TaskRecord, UsageRecord } from '../../../machines/records.ts'
import type { EventRecord, LogEvent } from '../../../machines/task-log.ts'
import { currentRequest, type TaskContext } from '../../../machines/task-types.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import { EVENTS_PER_TASK_MAX } from '../../../src/stores/limits.ts'
import { type AnyTable, keyOf, type TableSpec } from '../../../src/stores/port.ts'
import {
  ACTORS,
  CHANGES,
  type ChangeRow,
  ENDPOINTS,
  EVENTS,
  type EventKept,
  JOURNAL,
  LEDGER,
  type LedgerRow,
  STEPS,
  TASKS,
  USAGE,
} from '../../../src/stores/tables.ts'
import { type Release, releaseOf } from '../outside/holding.ts'
import { type Changed, type Fenced, type Row, Rows } from './rows.ts'

export interface KeptOptions {
  readonly broken: (how: string) => void
  /** A start is kept. */
  readonly granted?: (record: TaskRecord) => void
  /** An event is kept, once all of its commit is. */
  readonly logged: (record: EventRecord) => void
  /** Rows are changed by a transaction. */
  readonly changed?: (changes: readonly Changed[], by: Fenced | null) => void
}

/**
 * What is kept, as checks and clients read it: it outlives every process. `broken` hears of each change that breaks the word
 * of the service.
 */
export class Kept {
  readonly rows = new Rows((changes, by) => this.#changed(changes, by))
  readonly tasks = new Map<string, TaskRecord>()
  /** Requests whose result is in a journal, that a reply in a journal asked for, and that the log says were called. */
  readonly resulted = new Set<string>()
  readonly asked = new Set<string>()
  readonly called = new Set<string>()
  readonly #options: KeptOptions

  constructor(options: KeptOptions) {
    this.#options = options
  }

  /** Puts rows there before anything begins. */
  put<R extends object>(spec: TableSpec<R>, ...rows: R[]): void {
    const writes = rows.map((row) => ({ spec, key: keyOf(spec, row), how: 'put' as const, row: row as Row }))
    this.rows.commit(writes, this.rows.now, null)
  }

  running(): TaskRecord[] {
    return [...this.tasks.values()].filter(({ status }) => status === 'running')
  }

  get usage(): ReadonlyMap<string, UsageRecord> {
    return this.#byId(USAGE)
  }

  get charges(): ReadonlyMap<string, ChangeRow> {
    const changes = [...this.#byId<ChangeRow>(CHANGES)]
    return new Map(changes.flatMap(([id, row]) => (id.startsWith('task:') ? [[id.slice('task:'.length), row]] : [])))
  }

  get credits(): ReadonlyMap<string, number> {
    return new Map(this.#ledger().map(({ workspaceId, credits }) => [workspaceId, credits]))
  }

  get freeUsed(): ReadonlyMap<string, number> {
    return new Map(
      this.#ledger().flatMap(({ workspaceId, free }) =>
        Object.entries(free).map(([month, used]) => [`${workspaceId} ${month}`, used] as const),
      ),
    )
  }

  get endpoints(): ReadonlyMap<string, EndpointRecord> {
    return this.#byId(ENDPOINTS)
  }

  /** The call that the kept row of a task says it is at. */
  intent(taskId: string): string | undefined {
    const context = this.#context(taskId)
    return context && currentRequest(context)
  }

  /** The call that carries a user's answer out, with the request that was answered. */
  release(taskId: string): Release | null {
    return releaseOf(this.#context(taskId))
  }

  actors(): ActorRow[] {
    return this.rows.all(ACTORS) as unknown as ActorRow[]
  }

  journal(taskId: string): JournalEntry[] {
    return this.#recordsOf(JOURNAL, taskId)
  }

  steps(taskId: string): StepRecord[] {
    return this.#recordsOf(STEPS, taskId)
  }

  events(taskId: string): LogEvent[] {
    return this.#recordsOf(EVENTS, taskId)
  }

  eventOf(taskId: string, seq: number): LogEvent | undefined {
    return this.rows.get(EVENTS, [taskId, seq])?.record as LogEvent | undefined
  }

  #recordsOf<Record>(spec: AnyTable, taskId: string): Record[] {
    return this.rows.range(spec, null, { of: [taskId] }).map(({ record }) => record as Record)
  }

  #byId<T>(spec: AnyTable): Map<string, T> {
    return new Map(this.rows.all(spec).map((row) => [String(row.id), row as T]))
  }

  #ledger(): LedgerRow[] {
    return this.rows.all(LEDGER) as unknown as LedgerRow[]
  }

  #context(taskId: string): TaskContext | undefined {
    return (this.rows.get(ACTORS, [taskAddress(taskId)])?.snapshot as { context: TaskContext } | null | undefined)
      ?.context
  }

  #changed(changes: readonly Changed[], by: Fenced | null): void {
    for (const each of changes) if (each.table === TASKS.name) this.#taskChanged(each)
    for (const each of changes) if (each.table === JOURNAL.name) this.#journalChanged(each)
    for (const each of changes) if (each.table === EVENTS.name) this.#eventChanged(each)
    this.#options.changed?.(changes, by)
  }

  #taskChanged({ key: id, before, after }: Changed): void {
    const { broken, granted } = this.#options
    const was = before as TaskRecord | null
    if (!after) {
      broken(`${id} is gone`)
      return
    }
    const task = after as unknown as TaskRecord
    this.tasks.set(id, task)
    if (!was) {
      granted?.(task)
      return
    }
    if (was.status === 'running' && task.status !== 'running') this.#checkLog(task)
    if (was.status !== 'running' && JSON.stringify(was) !== JSON.stringify(task))
      broken(`${id} was finished and changed: ${JSON.stringify(was)} → ${JSON.stringify(task)}`)
  }

  /** [V] A task and the last word of its log end in one commit. */
  #checkLog({ id, status, endedBy }: TaskRecord): void {
    const log = this.events(id)
    const last = log.at(-1)
    if (last?.type !== 'task.ended' || last.status !== status || last.ended_by !== endedBy)
      this.#options.broken(`the log of ${id}, which has ended, does not say so`)
  }

  #journalChanged({ key, before, after }: Changed): void {
    const [taskId = '', seq] = key.split(':')
    const { broken } = this.#options
    if (JSON.stringify(before) === JSON.stringify(after)) return
    if (before) broken(`entry ${seq} of the journal of ${taskId} is replaced`)
    if (!after) return
    if (Number(seq) > 0 && !this.rows.get(JOURNAL, [taskId, Number(seq) - 1]))
      broken(`the journal of ${taskId} has a gap before ${seq}`)
    if ((this.tasks.get(taskId)?.status ?? 'running') !== 'running')
      broken(`the turns of ${taskId}, which is finished, change`)
    const entry = after.record as JournalEntry
    if (entry.kind === 'result') this.resulted.add(entry.requestId)
    if (entry.kind === 'reply') for (const { requestId } of entry.calls) this.asked.add(requestId)
  }

  #eventChanged({ key, before, after }: Changed): void {
    const { broken, logged } = this.#options
    const [taskId = '', number] = key.split(':')
    const seq = Number(number)
    if (!after) {
      if (!this.rows.get(EVENTS, [taskId, seq + EVENTS_PER_TASK_MAX])) broken(`event ${seq} of ${taskId} is gone`)
      return
    }
    const { workspaceId, position, record: event } = after as unknown as EventKept
    if (JSON.stringify(before) === JSON.stringify(after)) return
    if (before) broken(`event ${seq} of ${taskId} is replaced by ${event.type}`)
    const [last] = this.rows.range(EVENTS, null, { of: [taskId], to: seq, down: true, limit: 1 })
    if ((last ? last.seq : 0) !== seq - 1) broken(`the log of ${taskId} has a gap before ${seq}`)
    if ((last as EventKept | undefined)?.record.type === 'task.ended') broken(`${taskId} says more after its end`)
    if (event.type === 'tool.called') this.called.add(event.call_id)
    logged({ taskId, workspaceId, seq, position, event })
  }
}
