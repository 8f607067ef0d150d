import { callAddress, sessionAddress, workspaceAddress } from '../machines/addresses.ts'
import { type SessionContext, sessionMachine } from '../machines/session.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { messageOf, posting } from './runtime/effects.ts'

/** Close code and reason of a socket, by why it is closed. */
export const CLOSES = {
  replaced: [4409, 'Replaced by a newer connection'],
  revoked: [4403, 'Session removed'],
  expired: [4401, 'Session expired'],
} as const

/** Runs the session of a paired browser. Its calls are actors of their own, supervised by it. */
export const sessionActor = (system: ActorSystem) =>
  sessionMachine.provide({
    actions: {
      ...posting(system),
      startCall: (_, { call, at, reopened }) =>
        system.registry.start(callAddress(call.requestId), system.logic.call, {
          input: { call, at, reopened },
          supervisor: sessionAddress(call.sessionId),
        }),
      closeSocket: ({ context }, { why, socketId }) => {
        const [code, reason] = CLOSES[why]
        if (socketId !== undefined) system.ports.outbox.close(context.sessionId, socketId, code, reason)
      },
      release: ({ context }) => {
        system.heard.delete(context.sessionId)
        system.tabs.delete(context.sessionId)
        system.browserTools.delete(context.sessionId)
        system.browserLocales.delete(context.sessionId)
        if (system.poolSessions.delete(context.sessionId)) forgetSession(system, context.sessionId)
      },
    },
  })

/** Starts the session's actor if it is not running. Nothing has to be read: what is durable of a session is its record. */
export function ensureSession(system: ActorSystem, workspaceId: string, sessionId: string): void {
  const address = sessionAddress(sessionId)
  if (system.registry.has(address)) return
  system.registry.start(address, system.logic.session, {
    input: { sessionId, workspaceId },
    supervisor: workspaceAddress(workspaceId),
  })
}

/** The context of a session's actor; `undefined` if it is not running. */
export const sessionContext = (system: Pick<ActorSystem, 'registry'>, sessionId: string): SessionContext | undefined =>
  system.registry.snapshot(sessionAddress(sessionId))?.context as SessionContext | undefined

/** [Z1] A browser of a pool that has been away for long does not come back: it is killed and started at will. */
function forgetSession({ ports }: ActorSystem, sessionId: string): void {
  ports.store.sessions.remove(sessionId).catch((error: unknown) => {
    ports.log.warn({ sessionId, err: messageOf(error) }, 'The record of a browser of a pool was not removed')
  })
}

/** Changes the record of a session, best effort: the state that matters is in its actor. */
export function updateSessionRecord(
  system: ActorSystem,
  sessionId: string,
  patch: Parameters<ActorSystem['ports']['store']['sessions']['update']>[1],
): void {
  system.ports.store.sessions.update(sessionId, patch).catch((error: unknown) => {
    system.ports.log.warn({ sessionId, err: messageOf(error) }, 'The record of a session was not changed')
  })
}

/**
 * Closes a session that was removed while its browser was registering: the removal found no actor to notify. Later
 * removals find this one.
 */
export function revokeIfRemoved(system: ActorSystem, sessionId: string): void {
  const look = async () => {
    const record = await system.ports.store.sessions.get(sessionId)
    if (!record) system.registry.post(sessionAddress(sessionId), { type: 'session.revoke' })
  }
  look().catch((error: unknown) => {
    system.ports.log.warn({ sessionId, err: messageOf(error) }, 'It is not known whether a session was removed')
  })
}
