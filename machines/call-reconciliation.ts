import { callAddress, taskAddress } from './addresses.ts'
import type { CallEvent } from './call.ts'
import type { ChildEvent, Post } from './effects.ts'
import type { CallOutcome, Ms, ToolCall } from './records.ts'

/** What a session knows of its calls, and what it tells whom when its browser goes and comes back. */

export interface SessionInput {
  readonly sessionId: string
  readonly workspaceId: string
}

/** What a browser said of a call that it remembers. */
export type Remembered = 'running' | 'done'

export interface SessionSocket {
  readonly socketId: string
  readonly protocol: 1 | 2
  /** Names the browser's memory of calls; another one means that what it remembered is lost. */
  readonly browserInstanceId: string | null
  readonly remembered: Readonly<Record<string, Remembered>>
}

export interface PendingCall {
  /** The task that waits for it. */
  readonly taskId: string
  /** The memory that it was or may have been sent to; `null`: no browser was there, it was never sent. */
  readonly memory: string | null
}

/** The memory behind a socket by its name; a browser that does not name it has one all the same. `null`: no socket. */
export const browserInstanceOf = (socket: SessionSocket | null): string | null =>
  socket === null ? null : (socket.browserInstanceId ?? '')

export interface SessionContext extends SessionInput {
  /** When the token of the socket that is bound ends. */
  readonly expiresAt: Ms
  readonly socket: SessionSocket | null
  /** When the socket that is bound now was bound. */
  readonly boundAt: Ms
  /** Pending calls by request id. */
  readonly calls: Readonly<Record<string, PendingCall>>
  /** Tasks that wait for the browser to come back. */
  readonly waiting: readonly string[]
}

export type SessionEvent =
  | { type: 'socket.registered'; socket: SessionSocket; expiresAt: Ms; at: Ms }
  | { type: 'socket.closed'; socketId: string; at: Ms }
  | { type: 'call.open'; call: ToolCall; at: Ms; reopened: boolean; browserInstanceId: string | null }
  | { type: 'call.abandon'; requestId: string }
  | { type: 'session.revoke' }
  | ChildEvent

/** The event by which a call learns what the browser that came back remembers of it. */
export function reconciliationEvent(socket: SessionSocket, requestId: string, memory: string | null): CallEvent {
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

/** A call ended: its task hears of it, if it still waits. */
export function settlement(context: SessionContext, requestId: string, outcome: CallOutcome, at: Ms): Post[] {
  const call = context.calls[requestId]
  if (call === undefined) return []
  return [{ to: taskAddress(call.taskId), event: { type: 'call.settled', requestId, outcome, at } }]
}
