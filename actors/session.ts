import { callAddress, sessionAddress, workspaceAddress } from '../machines/addresses.ts'
import { outputTooDeep } from '../machines/failures.ts'
import { TOOL_OUTPUT_DEPTH_MAX } from '../machines/limits.ts'
import type { CallOutcome } from '../machines/records.ts'
import { type SessionContext, sessionMachine } from '../machines/session.ts'
import { isDeeperThan } from './conversation/checked-calls.ts'
import type { Conversation } from './conversation/conversation.ts'
import { outputText } from './conversation/prompt.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { messageOf, posting } from './runtime/effects.ts'
import { redactedOutcome } from './secrets.ts'
import type { ToolResultIn } from './task-service.ts'

/** Close code and reason of a socket, by why it is closed. */
const CLOSES = {
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

/** [R33] Frames about a task are sent to a browser that started it from its panel, and to every protocol 2 browser. */
export const receivesTaskFrames = (system: ActorSystem, sessionId: string, requestId: string | null): boolean =>
  requestId !== null || sessionContext(system, sessionId)?.socket?.protocol === 2

/** [R16, R17] Passes a result to its call, if that is pending in this session; else the result is dropped and counted. */
export function takeResult(system: ActorSystem, sessionId: string, result: ToolResultIn): void {
  const { registry, vitals } = system
  const { requestId, error, output, screenshot, tab } = result
  const address = callAddress(requestId)
  const session = sessionContext(system, sessionId)
  const call = registry.has(address) ? session?.calls[requestId] : undefined
  if (!call) {
    vitals.send({ type: 'resultDropped' })
    return
  }
  if (tab && tab.browserSessionId === sessionId) keepTab(system, sessionId, tab)
  const tells = session?.socket?.protocol === 2
  const page = (tells && result.page) || {}
  const said = tells && typeof result.said === 'string' ? { said: result.said } : {}
  const outcome: CallOutcome =
    tells && result.held
      ? { status: 'held', held: result.held }
      : error === null
        ? isDeeperThan(output, TOOL_OUTPUT_DEPTH_MAX)
          ? { status: 'failed', ...outputTooDeep }
          : { status: 'done', output, screenshot, ...said, ...page }
        : { status: 'failed', category: 'internal', message: error, ...(tells ? {} : { quotes: true }), ...page }
  const { taskId } = call
  const conversation = system.conversations.of(taskId)
  const settle = (of: Conversation) =>
    void registry.post(address, {
      type: 'call.answered',
      outcome: asRead(redactedOutcome(system, taskId, of, outcome)),
    })
  if (conversation instanceof Promise) conversation.then(settle, () => {})
  else settle(conversation)
}

/** Cuts an output to what the model may read: processing all of 16 MB would block the event loop. */
const asRead = (outcome: CallOutcome): CallOutcome =>
  outcome.status === 'done' ? { ...outcome, output: outputText(outcome.output) } : outcome

/** [R16] Stores the tab that a result came from with the session, if it changed. Best effort. */
function keepTab(
  system: ActorSystem,
  sessionId: string,
  { tabId, windowId }: { tabId: number | null; windowId: number | null },
): void {
  const known = system.tabs.get(sessionId)
  if (known && known.tabId === tabId && known.windowId === windowId) return
  system.tabs.set(sessionId, { tabId, windowId })
  updateSessionRecord(system, sessionId, { tabId, windowId })
}

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
