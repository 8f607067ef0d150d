import { sessionAddress } from '../machines/addresses.ts'
import type { SessionRecord } from '../machines/records.ts'
import { recordBrowser } from './events/task-events.ts'
import { UNCONFIRMED_REMOVALS_MAX } from './limits.ts'
import { sendTaskLeft } from './pools.ts'
import { closeQueue, wakeQueue } from './queue.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { ensureSession, revokeIfRemoved, sessionContext, updateSessionRecord } from './session.ts'
import type { ConnectedSocket, TaskService } from './task-service.ts'
import { ensureWorkspace } from './workspace.ts'

/** A browser has authenticated: binds its session to this socket, and replaces an older one. */
export function browserConnected(
  system: ActorSystem,
  record: SessionRecord,
  { socketId, protocol, calls, browserInstanceId, tools, tasks = [], locale }: ConnectedSocket,
): void {
  system.browserTools.set(record.id, tools)
  if (locale) system.browserLocales.set(record.id, locale)
  if (record.pool) system.poolSessions.add(record.id)
  ensureWorkspace(system, record.workspaceId)
  ensureSession(system, record.workspaceId, record.id)
  const reportedCalls = Object.fromEntries(calls.map(({ requestId, state }) => [requestId, state]))
  const at = system.ports.clock.now()
  system.heard.set(record.id, at)
  system.registry.post(sessionAddress(record.id), {
    type: 'socket.registered',
    socket: { socketId, protocol, browserInstanceId, reportedCalls, ...(record.pool ? { pool: record.pool } : {}) },
    expiresAt: record.expiresAt,
    at,
  })
  if (record.pool) endLeftTasks(system, record.id, tasks)
  recordBrowser(system, record.id, true, at)
  wakeQueue(system, record)
  updateSessionRecord(system, record.id, { connectedAt: at, lastHeartbeat: at })
  revokeIfRemoved(system, record.id)
}

/** [Z5] A browser of a pool closes the contexts of tasks that have ended, or moved to another browser, while it was away. */
function endLeftTasks(system: ActorSystem, sessionId: string, named: readonly string[]): void {
  const own = new Set(system.events.tasksOf(sessionId))
  for (const taskId of named) if (!own.has(taskId)) sendTaskLeft(system, sessionId, taskId)
}

/** A socket has closed. Ignored if a newer socket has replaced it. */
export function browserDisconnected(system: ActorSystem, sessionId: string, socketId: string): void {
  const at = system.ports.clock.now()
  const bound = sessionContext(system, sessionId)?.socket
  if (!bound || bound.socketId === socketId) recordBrowser(system, sessionId, false, at)
  system.registry.post(sessionAddress(sessionId), { type: 'socket.closed', socketId, at })
  const lastHeartbeat = system.heard.get(sessionId)
  if (lastHeartbeat !== undefined) updateSessionRecord(system, sessionId, { lastHeartbeat })
}

/**
 * [S11, S12] `TaskService.removeSession`. A removal that the store did not confirm may have happened: a retry finishes
 * it.
 */
export function sessionRemover(system: ActorSystem): TaskService['removeSession'] {
  const { registry, ports } = system
  const unconfirmed = new Map<string, SessionRecord>()
  return async (workspaceId, keyId, sessionId) => {
    const record = (await ports.store.sessions.get(sessionId)) ?? unconfirmed.get(sessionId)
    // [M4] A node that had owned the workspace removed it, and did not reach the browser.
    if (!record && sessionContext(system, sessionId)?.workspaceId === workspaceId) {
      registry.post(sessionAddress(sessionId), { type: 'session.revoke' })
      return keyId === null
    }
    if (!record || record.workspaceId !== workspaceId) return false
    if (keyId !== null && record.keyId !== keyId) return false
    const removed = await ports.store.sessions.remove(sessionId).catch((error: unknown) => {
      unconfirmed.set(sessionId, record)
      // Not every client asks again.
      for (const [oldest] of unconfirmed) if (unconfirmed.size > UNCONFIRMED_REMOVALS_MAX) unconfirmed.delete(oldest)
      throw error
    })
    registry.post(sessionAddress(sessionId), { type: 'session.revoke' })
    closeQueue(system, record)
    system.heard.delete(sessionId)
    return unconfirmed.delete(sessionId) || removed
  }
}
