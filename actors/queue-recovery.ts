import { TASK_STUCK_MS } from '../machines/limits.ts'
import type { ActorRow, Ending, Ms, TaskRecord } from '../machines/records.ts'
import type { TaskContext } from '../machines/task-types.ts'
import { TASK_DEADLINE_MS } from './limits.ts'
import { upgraded } from './runtime/row-versions.ts'

/** What the rows of queued tasks say after a restart. */

interface Snapshot {
  readonly value?: unknown
  readonly context?: Partial<TaskContext> & { readonly ending?: Ending }
}
const snapshotOf = (row: ActorRow): Snapshot => (upgraded(row) ?? {}) as Snapshot

/** [T59] Whether the row is that of a task that still waits in the queue. */
export const isQueuedRow = (record: TaskRecord, row: ActorRow | undefined): boolean =>
  record.queued !== undefined && row !== undefined && (row.snapshot === null || snapshotOf(row).value === 'queued')

/**
 * When a task began: its start time in its workspace's window. `null` when it was ended in the queue: it never held a
 * slot.
 */
export function startedAt(record: TaskRecord, row: ActorRow | undefined): Ms | null {
  if (!record.queued || !row) return record.createdAt
  const { context = {} } = snapshotOf(row)
  const deadlineAt = context.ending ? context.ending.deadlineAt : context.deadlineAt
  return deadlineAt === undefined ? null : deadlineAt - TASK_DEADLINE_MS
}

/** [T29] Whether a task has run for longer than any may. */
export const isOverdue = (record: TaskRecord, snapshot: unknown, at: Ms): boolean =>
  at - ((snapshot as Snapshot | null)?.context?.deadlineAt ?? record.deadlineAt) > TASK_STUCK_MS - TASK_DEADLINE_MS

/** A task that is still queued, as its workspace's queue has it. */
export const queuedStartOf = ({ id, apiKeyId, browserSessionId, queued }: TaskRecord) => ({
  taskId: id,
  sessionId: browserSessionId,
  key: apiKeyId,
  priority: queued?.priority ?? 3,
})
