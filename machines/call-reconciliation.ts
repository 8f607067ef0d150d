import { callAddress, taskAddress } from './addresses.ts'
import type { CallEvent } from './call-types.ts'
import type { Post } from './effects.ts'
import type { CallOutcome, Ms, ToolCall } from './records.ts'
import type { SessionContext, SessionEvent, SessionSocket } from './session-types.ts'

/** What a session knows of its calls, and which events it sends when its browser disconnects and reconnects. */

/** The memory behind a socket by its name; a browser that does not name it has one all the same. `null`: no socket. */
export const browserInstanceOf = (socket: SessionSocket | null): string | null =>
  socket === null ? null : (socket.browserInstanceId ?? '')

/** The event by which a call learns what the browser that came back remembers of it. */
function reconciliationEvent(socket: SessionSocket, requestId: string, memory: string | null): CallEvent {
  if (memory === null) return { type: 'call.neverSeen' }
  if (socket.protocol === 1) return { type: 'call.forgotten' }
  const state = socket.remembered[requestId]
  if (state === 'running') return { type: 'call.running' }
  if (state === 'done') return { type: 'call.finished' }
  // A memory that is not the one that was asked has nothing to say about what the other may have done.
  return { type: browserInstanceOf(socket) === memory ? 'call.neverSeen' : 'call.forgotten' }
}

/** The one call that was just reopened learns it from the browser that is here. */
export const remembered = ({ socket }: SessionContext, event: Extract<SessionEvent, { type: 'call.open' }>): Post[] =>
  socket === null
    ? []
    : [
        {
          to: callAddress(event.call.requestId),
          event: reconciliationEvent(socket, event.call.requestId, event.browserInstanceId),
        },
      ]

/** [D] Every pending call learns what the browser that came back remembers of it. */
export const reconciliationEvents = (context: SessionContext, socket: SessionSocket): Post[] =>
  Object.entries(context.calls).map(([requestId, { memory }]) => ({
    to: callAddress(requestId),
    event: reconciliationEvent(socket, requestId, memory),
  }))

export const disconnections = (context: SessionContext): Post[] =>
  Object.keys(context.calls).map((requestId) => ({
    to: callAddress(requestId),
    event: { type: 'session.disconnected' },
  }))

export const wakeUps = (context: SessionContext): Post[] =>
  context.waiting.map((taskId) => ({ to: taskAddress(taskId), event: { type: 'session.connected' } }))

/** Another browser is here than the one that the call was kept for: its task keeps it anew, for this one. */
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
