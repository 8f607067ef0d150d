import { taskAddress, workspaceAddress } from '../machines/addresses.ts'
import { positionOf, type QueuedStart } from '../machines/queue.ts'
import type { Ms, SessionRecord, TaskRecord } from '../machines/records.ts'
import type { TaskContext } from '../machines/task-types.ts'
import type { Queueing } from '../machines/workspace-types.ts'
import { TASK_DEADLINE_MS } from './limits.ts'
import { recordMove } from './pools.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { messageOf } from './runtime/effects.ts'
import { factsOf, workspaceContext } from './start-facts.ts'
import { announceStart } from './task-frames.ts'
import type { StartedTask, StartTask, TaskView } from './task-service.ts'

/** [T59, T60] How a start may wait in the queue; `null`: it is refused instead. */
export function queueingOf({ workspaceId, apiKeyId, request, waiting }: StartTask): Queueing | null {
  if (!waiting || (!waiting.onLimit && !waiting.onAway)) return null
  const { onLimit, onAway, priority } = waiting
  const { pool = null, profile } = request.browser ?? {}
  return {
    ...{ onLimit, onAway, priority, sessionId: request.browserSessionId, key: apiKeyId ?? workspaceId },
    ...(pool === null ? {} : { pool }),
    ...(profile ? { profile } : {}),
  }
}

/** Whether a task waits in its workspace's queue. */
export const isQueued = ({ registry }: ActorSystem, taskId: string): boolean =>
  registry.snapshot(taskAddress(taskId))?.value === 'queued'

/** [T59] A task begins in the queue. */
export function beginQueued(system: ActorSystem, { id, workspaceId, createdAt }: TaskRecord, until: Ms): void {
  system.queued.add(id)
  const position = positionIn(system, workspaceId, id)
  system.events.append(id, { type: 'task.queued', at: createdAt, position, expires_at: until })
}

/** What the checks of the next queued start need. */
export async function lookUpQueued(system: ActorSystem, taskId: string) {
  const record = await system.ports.store.tasks.get(taskId)
  const found = record && (await factsOf(system, record))
  // Checked last: the actor of a task whose record was just written starts after the event that its workspace is handling.
  if (!found || !isQueued(system, taskId)) return { type: 'queue.gone', taskId }
  return { type: 'queue.found', taskId, facts: found.facts, final: false, at: system.ports.clock.now() }
}

/** [T59] A queued task leaves the queue: its 30 minutes begin, and its browser is notified. */
export function startQueued(system: ActorSystem, taskId: string, at: Ms, sessionId?: string): void {
  system.queued.delete(taskId)
  system.registry.post(taskAddress(taskId), {
    type: 'task.start',
    deadlineAt: at + TASK_DEADLINE_MS,
    at,
    ...(sessionId === undefined ? {} : { sessionId }),
  })
  if (sessionId !== undefined) recordMove(system, taskId, sessionId)
  const announce = async () => {
    const record = await system.ports.store.tasks.get(taskId)
    if (record) announceStart(system, sessionId === undefined ? record : { ...record, browserSessionId: sessionId })
  }
  announce().catch((error: unknown) => {
    system.ports.log.warn({ taskId, err: messageOf(error) }, 'A start was not announced to its browser')
  })
}

/** [T59] The position of a queued task; `null` if it is not queued. Position 0: its workspace has not restored it yet. */
export function queueView(system: ActorSystem, { id, workspaceId }: TaskRecord): NonNullable<TaskView['queue']> | null {
  const task = system.registry.snapshot(taskAddress(id))
  if (task?.value !== 'queued') return null
  const { queuedUntil } = task.context as TaskContext
  return { position: positionIn(system, workspaceId, id), expiresAt: queuedUntil ?? 0 }
}

/** The record of a task that was just started, with its queue position if it was queued. */
export const withQueuePosition = (system: ActorSystem, record: TaskRecord): StartedTask =>
  record.queued ? { ...record, queue: queueView(system, record) } : record

function positionIn(system: ActorSystem, workspaceId: string, taskId: string): number {
  const workspace = workspaceContext(system, workspaceId)
  return workspace ? positionOf(workspace.queue, taskId) : 0
}

/** [T60] A browser has connected: the queued starts that wait for it may begin. */
export function wakeQueue(system: ActorSystem, session: SessionRecord): void {
  if (queuedOf(system, session).length === 0) return
  system.registry.post(workspaceAddress(session.workspaceId), { type: 'browser.connected', sessionId: session.id })
}

/** [T60] A browser was removed: the queued starts that name it have nothing to wait for. */
export function closeQueue(system: ActorSystem, session: SessionRecord): void {
  for (const { taskId } of queuedOf(system, session)) closeQueued(system, taskId, 'session_not_found')
}

function closeQueued({ registry, ports }: ActorSystem, taskId: string, code: 'session_not_found' | 'session_expired') {
  registry.post(taskAddress(taskId), { type: 'queue.closed', code, at: ports.clock.now() })
}

const queuedOf = (system: ActorSystem, { id, workspaceId }: SessionRecord): readonly QueuedStart[] =>
  workspaceContext(system, workspaceId)?.queue.starts.filter(({ sessionId }) => sessionId === id) ?? []

/** [T60] Of the sweep: whether a queued task was given up because its browser is gone, or its session has expired. */
export async function closeIfBrowserGone(
  system: ActorSystem,
  { id, browserSessionId, browser }: TaskRecord,
): Promise<boolean> {
  if (browser?.pool != null || !isQueued(system, id)) return false
  const { store, clock } = system.ports
  const session = await store.sessions.get(browserSessionId)
  if (session && session.expiresAt > clock.now()) return false
  closeQueued(system, id, session ? 'session_expired' : 'session_not_found')
  return true
}
