import { callAddress, taskAddress } from './addresses.ts'
import type { CallEvent } from './call-types.ts'
import type { Post } from './effects.ts'
import type { CallOutcome, Ms, ToolCall } from './records.ts'
import type { SessionContext, SessionEvent, SessionSocket } from './session-types.ts'

/** [D8, D9, R41] The events that a session sends to its calls and tasks when its browser disconnects or reconnects. */

/** The id of the browser instance behind a socket; empty if the browser did not send one, `null` without a socket. */
export const browserInstanceOf = (socket: SessionSocket | null): string | null =>
  socket === null ? null : (socket.browserInstanceId ?? '')

/** The event that tells a call what the reconnected browser reported of it. */
function reconciliationEvent(socket: SessionSocket, requestId: string, askedInstanceId: string | null): CallEvent {
  if (askedInstanceId === null) return { type: 'call.neverSeen' }
  if (socket.protocol === 1) return { type: 'call.forgotten' }
  const state = socket.reportedCalls[requestId]
  if (state === 'running') return { type: 'call.running' }
  if (state === 'done') return { type: 'call.finished' }
  // Another browser instance than the one that was asked cannot know what that one did.
  return { type: browserInstanceOf(socket) === askedInstanceId ? 'call.neverSeen' : 'call.forgotten' }
}

/** Tells a call that was just reopened what the connected browser reported of it. */
export const reconciliationOf = (
  { socket }: SessionContext,
  event: Extract<SessionEvent, { type: 'call.open' }>,
): Post[] =>
  socket === null
    ? []
    : [
        {
          to: callAddress(event.call.requestId),
          event: reconciliationEvent(socket, event.call.requestId, event.browserInstanceId),
        },
      ]

/** [D8] Tells every pending call what the reconnected browser reported of it. */
export const reconciliationEvents = (context: SessionContext, socket: SessionSocket): Post[] =>
  Object.entries(context.calls).map(([requestId, { browserInstanceId }]) => ({
    to: callAddress(requestId),
    event: reconciliationEvent(socket, requestId, browserInstanceId),
  }))

export const disconnections = (context: SessionContext): Post[] =>
  Object.keys(context.calls).map((requestId) => ({
    to: callAddress(requestId),
    event: { type: 'session.disconnected' },
  }))

export const wakeUps = (context: SessionContext): Post[] =>
  context.waiting.map((taskId) => ({ to: taskAddress(taskId), event: { type: 'session.connected' } }))

/** The connected browser is not the one that the intent was persisted for: the task persists it again, for this one. */
export const otherBrowser = ({ taskId, requestId }: ToolCall): Post[] => [
  { to: taskAddress(taskId), event: { type: 'session.away', requestId } },
  { to: taskAddress(taskId), event: { type: 'session.connected' } },
]

/** Tells the task that a call ended, if it still waits for it. */
export function settlement(context: SessionContext, requestId: string, outcome: CallOutcome, at: Ms): Post[] {
  const call = context.calls[requestId]
  if (call === undefined) return []
  return [{ to: taskAddress(call.taskId), event: { type: 'call.settled', requestId, outcome, at } }]
}
