import { stepsOf } from '../../../actors/step-records.ts'
import { taskAddress } from '../../../machines/addresses.ts'
import { currentRequest } from '../../../machines/agent-loop.ts'
import { journalOf } from '../../../machines/journal.ts'
import type { ActorRow, JournalEntry, StepRecord, TaskRecord, UsageRecord } from '../../../machines/records.ts'
import { type EventRecord, eventsIn, type LogEntry, type LogEvent } from '../../../machines/task-log.ts'
import type { TaskContext } from '../../../machines/task-types.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import { EVENTS_PER_TASK_MAX } from '../../../src/stores/limits.ts'
import { type AnyTable, keyOf, type TableSpec } from '../../../src/stores/port.ts'
import {
  ACTORS,
  CHANGES,
  type ChangeRow,
  ENDPOINTS,
  LEDGER,
  type LedgerRow,
  LOG,
  type LogRow,
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
  /** Requests whose result is in a log, that a reply in a log asked for, and that a log says were called. */
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

  log(taskId: string): LogEntry[] {
    return this.#logRows(taskId).flatMap(({ entries }) => entries)
  }

  journal(taskId: string): JournalEntry[] {
    return journalOf(this.log(taskId))
  }

  steps(taskId: string): StepRecord[] {
    return stepsOf(this.log(taskId))
  }

  events(taskId: string): LogEvent[] {
    return this.#logRows(taskId)
      .flatMap(eventsOf)
      .map(({ event }) => event)
  }

  eventOf(taskId: string, seq: number): LogEvent | undefined {
    return this.events(taskId).find((event) => event.seq === seq)
  }

  #logRows(taskId: string): LogRow[] {
    return this.rows.range(LOG, null, { of: [taskId] }) as unknown as LogRow[]
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
    for (const each of changes) if (each.table === LOG.name) this.#logChanged(each)
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
    const last = this.log(id).at(-1)
    if (last?.kind !== 'task.ended' || last.public.status !== status || last.public.ended_by !== endedBy)
      this.#options.broken(`the log of ${id}, which has ended, does not say so`)
  }

  #logChanged({ key, before, after }: Changed): void {
    const { broken, logged } = this.#options
    const [taskId = '', number] = key.split(':')
    const seq = Number(number)
    const next = this.#logRows(taskId).at(-1)?.seq ?? 0
    if (!after) {
      if (next <= seq + EVENTS_PER_TASK_MAX) broken(`entry ${seq} of ${taskId} is gone`)
      return
    }
    if (JSON.stringify(before) === JSON.stringify(after)) return
    const row = after as unknown as LogRow
    if (before) broken(`entry ${seq} of ${taskId} is replaced: ${kindsOf(before)} by ${kindsOf(after)}`)
    const [last] = this.rows.range(LOG, null, { of: [taskId], to: seq, down: true, limit: 1 }) as unknown as LogRow[]
    if ((last?.seq ?? 0) !== seq - row.entries.length) broken(`the log of ${taskId} has a gap before ${seq}`)
    if (last?.entries.at(-1)?.kind === 'task.ended')
      broken(`${taskId}, which is finished, says more: ${kindsOf(after)}`)
    for (const entry of journalOf(row.entries)) {
      if (entry.kind === 'result') this.resulted.add(entry.requestId)
      if (entry.kind === 'reply') for (const { requestId } of entry.calls) this.asked.add(requestId)
    }
    for (const record of eventsOf(row)) {
      if (record.event.type === 'tool.called') {
        const { call_id } = record.event
        if (this.called.has(call_id)) broken(`the log of ${taskId} has call ${call_id} twice`)
        this.called.add(call_id)
      }
      logged(record)
    }
  }
}

const eventsOf = ({ taskId, workspaceId, position, entries }: LogRow): EventRecord[] =>
  eventsIn({ taskId, workspaceId: workspaceId ?? '', position, entries })

const kindsOf = (row: object): string => (row as LogRow).entries.map(({ kind }) => kind).join(' ')
