import {
  type Address,
  closingAddress,
  deliveryAddress,
  parseAddress,
  taskAddress,
  workspaceAddress,
} from '../../machines/addresses.ts'
import type { ClosingContext } from '../../machines/closing.ts'
import { TASK_STUCK_MS } from '../../machines/limits.ts'
import { NO_QUEUE } from '../../machines/queue.ts'
import type { ActorRow, Ending, Ms, TaskRecord } from '../../machines/records.ts'
import type { TaskContext } from '../../machines/task-types.ts'
import { isIdle, type Recovered, withRecovered } from '../../machines/workspace-checks.ts'
import type { WorkspaceContext } from '../../machines/workspace-types.ts'
import { restoreDelivery } from '../delivery.ts'
import { TASK_DEADLINE_MS } from '../limits.ts'
import { beginTask, closeOrphan, ensureWorkspace } from '../workspace.ts'
import type { ActorSystem } from './actor-system.ts'
import { INTERRUPTED, isDamage, setAside } from './damage.ts'
import { upgraded } from './row-versions.ts'
import { UNKNOWN_WORKSPACE } from './snapshot-writer.ts'
import { logEndOf, withCalls } from './task-row.ts'

interface Kept {
  readonly workspaces: Map<string, ActorRow>
  readonly tasks: Map<string, ActorRow>
  readonly closings: Map<string, ActorRow>
  readonly deliveries: Map<string, ActorRow>
}

export interface Recovery {
  readonly tasks: number
  readonly closings: number
  readonly closed: number
  /** Lets the tasks go on. To be called when all is back: what they wait for counts from now on, browsers may come soon. */
  readonly resume: () => void
}

/**
 * [T30, D7] Restores each actor from its row, in the state that it was saved in. A task that is older than 35 minutes, has no
 * row, or has one of an unknown version is ended as interrupted by a restart; nothing is dropped silently.
 */
export async function recover(system: ActorSystem): Promise<Recovery> {
  const at = system.ports.clock.now()
  const kept = await readRows(system)
  await system.events.start()
  const running = new Map<string, TaskRecord>()
  const lost = (id: string, error: Error) => setAside(system, `task ${id}`, error)
  for await (const record of system.ports.store.tasks.running(lost)) running.set(record.id, record)

  recoverWorkspaces(system, kept, running, at)
  for (const [taskId, row] of kept.closings) restoreClosing(system, taskId, row, running.get(taskId), at)
  for (const [id, row] of kept.deliveries) {
    const restored = await unlessDamaged(system, row.address, () => restoreDelivery(system, id, upgraded(row)))
    if (restored === DAMAGED) system.snapshotWriter.markDeleted(UNKNOWN_WORKSPACE, deliveryAddress(id))
  }
  let closed = 0
  const restored: (() => void)[] = []
  for (const [taskId, record] of running) {
    if (system.registry.has(closingAddress(taskId))) continue
    const row = kept.tasks.get(taskId)
    const resume = await unlessDamaged(system, taskAddress(taskId), () => restoreTask(system, record, row, at))
    if (resume === DAMAGED) closeOrphan(system, record, INTERRUPTED, at)
    if (typeof resume === 'function') restored.push(resume)
    else closed++
  }
  // Rows of tasks that were ended before their row was removed.
  for (const [taskId, row] of kept.tasks) {
    if (!running.has(taskId) || kept.closings.has(taskId))
      system.snapshotWriter.markDeleted(workspaceIn(row), taskAddress(taskId))
  }
  const resume = () => {
    for (const each of restored) each()
  }
  return { tasks: restored.length, closings: kept.closings.size, closed, resume }
}

/** Of a row that cannot be read: it is treated like one of an unknown version. */
const NO_VERSION = 0
const DAMAGED = Symbol('damaged')

/** [D23] What one row has is no reason not to start: it is set aside. A store that is away is one. */
async function unlessDamaged<T>(
  system: ActorSystem,
  what: string,
  restore: () => Promise<T> | T,
): Promise<T | typeof DAMAGED> {
  try {
    return await restore()
  } catch (error) {
    if (!isDamage(error)) throw error
    setAside(system, what, error)
    return DAMAGED
  }
}

async function readRows(system: ActorSystem): Promise<Kept> {
  const kept: Kept = { workspaces: new Map(), tasks: new Map(), closings: new Map(), deliveries: new Map() }
  const keep = (row: ActorRow) => {
    const { actorKind, id } = parseAddress(row.address)
    if (actorKind === 'workspace') kept.workspaces.set(id, row)
    else if (actorKind === 'task') kept.tasks.set(id, row)
    else if (actorKind === 'closing') kept.closings.set(id, row)
    else if (actorKind === 'delivery') kept.deliveries.set(id, row)
  }
  const unreadable = (address: string, error: Error) => {
    setAside(system, address, error)
    keep({ address: address as Address, version: NO_VERSION, at: 0, snapshot: {} })
  }
  for await (const row of system.ports.store.actors(unreadable)) keep(row)
  return kept
}

/** Restores a workspace with its window; its slots are those of its restored tasks. An idle workspace is not restored. */
function recoverWorkspaces(system: ActorSystem, kept: Kept, running: Map<string, TaskRecord>, at: Ms): void {
  const byWorkspace = new Map<string, Recovered>()
  for (const record of [...running.values()].sort((a, b) => a.createdAt - b.createdAt)) {
    const { id, workspaceId, door } = record
    const own = byWorkspace.get(workspaceId) ?? { running: {}, starts: [], queued: [], places: {}, writers: {} }
    byWorkspace.set(workspaceId, own)
    const row = kept.closings.get(id) ?? kept.tasks.get(id)
    const startTime = startedAt(record, row)
    if (isQueuedRow(record, row)) own.queued.push(queuedStartOf(record))
    else if (startTime !== null) {
      own.running[id] = door === 'internal' ? 'free' : kept.closings.has(id) ? 'charging' : 'held'
      if (door !== 'internal') own.starts.push(startTime)
      const sessionId = record.browser?.pool == null ? '' : browserIn(record, row)
      if (sessionId !== '') own.places[id] = sessionId
      const { profile } = record.browser ?? {}
      if (profile?.save) own.writers[profile.id] = id
    }
  }
  const restore = (id: string, { startTimes = [], queue = NO_QUEUE }: Partial<WorkspaceContext>) => {
    const own = byWorkspace.get(id)
    if (!own && isIdle({ running: {}, startTimes, queue: NO_QUEUE }, at))
      system.snapshotWriter.markDeleted(id, workspaceAddress(id))
    else ensureWorkspace(system, id, withRecovered({ startTimes, queue }, own ?? NOTHING))
  }
  for (const id of new Set([...kept.workspaces.keys(), ...byWorkspace.keys()])) {
    try {
      restore(id, knownOf(kept.workspaces.get(id)))
    } catch (error) {
      setAside(system, workspaceAddress(id), error)
      restore(id, {})
    }
  }
}

const NOTHING: Recovered = { running: {}, starts: [], queued: [], places: {}, writers: {} }

const knownOf = (row: ActorRow | undefined): Partial<WorkspaceContext> =>
  (row && (upgraded(row) as { context?: Partial<WorkspaceContext> } | null | undefined)?.context) ?? {}

/**
 * A closing resumes in its saved state, even if its final write was made just before the crash: each of its effects is
 * idempotent, and an ending that was already written is not announced again.
 */
function restoreClosing(
  system: ActorSystem,
  taskId: string,
  row: ActorRow,
  record: TaskRecord | undefined,
  at: Ms,
): void {
  const address = closingAddress(taskId)
  const snapshot = upgraded(row)
  const context = (snapshot as { context?: Partial<ClosingContext> } | null | undefined)?.context
  if (context?.ending && context.workspaceId) {
    ensureWorkspace(system, context.workspaceId)
    const supervisor = workspaceAddress(context.workspaceId)
    system.registry.start(address, system.logic.closing, { snapshot, supervisor, persistent: true })
  } else if (record) closeOrphan(system, record, INTERRUPTED, at)
  else system.snapshotWriter.markDeleted(workspaceIn(row), address)
}

/** What lets the task go on; `null`: it was ended. */
async function restoreTask(
  system: ActorSystem,
  record: TaskRecord,
  row: ActorRow | undefined,
  at: Ms,
): Promise<(() => void) | null> {
  await system.events.restore(record, logEndOf(row))
  const kept = row && upgraded(row)
  const snapshot = kept && (await withCalls(system, kept))
  if (snapshot === undefined || isOverdue(record, snapshot, at)) {
    closeOrphan(system, record, INTERRUPTED, at)
    return null
  }
  return () => resumeTask(system, record, row, snapshot)
}

function resumeTask(system: ActorSystem, record: TaskRecord, row: ActorRow | undefined, snapshot: unknown): void {
  const { registry, events, queued, ports } = system
  const { id, workspaceId } = record
  // It was swept meanwhile.
  if (registry.has(closingAddress(id))) return
  const isQueued = isQueuedRow(record, row)
  if (snapshot === null) beginTask(system, record)
  else {
    if (isQueued) queued.add(id)
    else if (record.browser?.pool != null) events.moveTo(id, browserIn(record, row))
    registry.start(taskAddress(id), system.logic.task, {
      snapshot,
      supervisor: workspaceAddress(workspaceId),
      persistent: true,
      resume: { type: 'task.resumed', at: ports.clock.now() },
    })
  }
  if (isQueued) registry.post(workspaceAddress(workspaceId), { type: 'queue.ready', taskId: id })
}

interface Snapshot {
  readonly value?: unknown
  readonly context?: Partial<TaskContext> & { readonly ending?: Ending }
}
const snapshotOf = (row: ActorRow): Snapshot => {
  const { context, ...snapshot } = (upgraded(row) ?? {}) as Snapshot
  return typeof context === 'object' && context !== null ? { ...snapshot, context } : snapshot
}
const workspaceIn = (row: ActorRow): string => snapshotOf(row).context?.workspaceId ?? UNKNOWN_WORKSPACE

/** [T59] Whether the row is that of a task that still waits in the queue. */
const isQueuedRow = (record: TaskRecord, row: ActorRow | undefined): boolean =>
  record.queued !== undefined && row !== undefined && (row.snapshot === null || snapshotOf(row).value === 'queued')

/**
 * When a task began: its start time in its workspace's window. `null` when it was ended in the queue: it never held a
 * slot.
 */
function startedAt(record: TaskRecord, row: ActorRow | undefined): Ms | null {
  if (!record.queued || !row) return record.createdAt
  const { context = {} } = snapshotOf(row)
  const deadlineAt = context.ending ? context.ending.deadlineAt : context.deadlineAt
  return deadlineAt === undefined ? null : deadlineAt - TASK_DEADLINE_MS
}

/** [Z2] The browser in which a task of a pool has its place. */
function browserIn(record: TaskRecord, row: ActorRow | undefined): string {
  const { context = {} } = row ? snapshotOf(row) : {}
  return context.ending?.browserSessionId ?? context.sessionId ?? record.browserSessionId
}

/** [T29] Whether a task has run for longer than any may. */
export const isOverdue = (record: TaskRecord, snapshot: unknown, at: Ms): boolean =>
  at - ((snapshot as Snapshot | null)?.context?.deadlineAt ?? record.deadlineAt) > TASK_STUCK_MS - TASK_DEADLINE_MS

/** A task that is still queued, as its workspace's queue has it. */
const queuedStartOf = ({ id, apiKeyId, browserSessionId, browser, queued }: TaskRecord) => ({
  ...(browser?.pool == null ? {} : { pool: browser.pool }),
  ...(browser?.profile ? { profile: browser.profile } : {}),
  taskId: id,
  sessionId: browserSessionId,
  key: apiKeyId,
  priority: queued?.priority ?? 3,
})
