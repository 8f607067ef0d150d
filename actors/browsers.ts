import { sessionAddress } from '../machines/addresses.ts'
import type { SessionRecord } from '../machines/records.ts'
import { recordBrowser } from './events/task-events.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { ensureSession, revokeIfRemoved, sessionContext, updateSessionRecord } from './session.ts'
import type { ConnectedSocket } from './task-service.ts'
import { ensureWorkspace } from './workspace.ts'

/** A browser has proven its token: its actor is bound to this socket, and an older socket is replaced. */
export function browserConnected(
  system: ActorSystem,
  record: SessionRecord,
  { socketId, protocol, calls, browserInstanceId, tools }: ConnectedSocket,
): void {
  system.browserTools.set(record.id, tools)
  ensureWorkspace(system, record.workspaceId)
  ensureSession(system, record.workspaceId, record.id)
  const remembered = Object.fromEntries(calls.map(({ requestId, state }) => [requestId, state]))
  const at = system.ports.clock.now()
  system.heard.set(record.id, at)
  system.registry.post(sessionAddress(record.id), {
    type: 'socket.registered',
    socket: { socketId, protocol, browserInstanceId, remembered },
    expiresAt: record.expiresAt,
    at,
  })
  recordBrowser(system, record.id, true, at)
  updateSessionRecord(system, record.id, { connectedAt: at, lastHeartbeat: at })
  revokeIfRemoved(system, record.id)
}

/** A socket has closed. One that a newer one has replaced is nobody's loss. */
export function browserDisconnected(system: ActorSystem, sessionId: string, socketId: string): void {
  const at = system.ports.clock.now()
  const bound = sessionContext(system, sessionId)?.socket
  if (!bound || bound.socketId === socketId) recordBrowser(system, sessionId, false, at)
  system.registry.post(sessionAddress(sessionId), { type: 'socket.closed', socketId, at })
  const lastHeartbeat = system.heard.get(sessionId)
  if (lastHeartbeat !== undefined) updateSessionRecord(system, sessionId, { lastHeartbeat })
}
