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
  readonly instance: string | null
  readonly remembered: Readonly<Record<string, Remembered>>
}

export interface SessionContext extends SessionInput {
  /** When the token of the socket that is bound ends. */
  readonly expiresAt: Ms
  readonly socket: SessionSocket | null
  /** The memory that was asked to run calls, kept over a disconnect. */
  readonly lastInstance: string | null
  /** When the socket that is bound now was bound. */
  readonly boundAt: Ms
  /** Pending calls by request id, and the task that waits for each. */
  readonly calls: Readonly<Record<string, string>>
  /** Tasks that wait for the browser to come back. */
  readonly waiting: readonly string[]
}

export type SessionEvent =
  | { type: 'socket.registered'; socket: SessionSocket; expiresAt: Ms; at: Ms }
  | { type: 'socket.closed'; socketId: string; at: Ms }
  | { type: 'call.open'; call: ToolCall; at: Ms; reopened: boolean; instance: string | null }
  | { type: 'call.abandon'; requestId: string }
  | { type: 'relay.result'; requestId: string; outcome: CallOutcome }
  | { type: 'session.revoke' }
  | ChildEvent

/** The event by which a call learns what the browser that came back remembers of it. */
export function recollection(socket: SessionSocket, requestId: string, lastInstance: string | null): CallEvent {
  if (socket.protocol === 1) return { type: 'call.forgotten' }
  const state = socket.remembered[requestId]
  if (state === 'running') return { type: 'call.running' }
  if (state === 'done') return { type: 'call.finished' }
  // A memory that is not the one that was asked has nothing to say about what the other may have done.
  const sameMemory = lastInstance === null || socket.instance === lastInstance
  return { type: sameMemory ? 'call.neverSeen' : 'call.forgotten' }
}

/** [D] Every pending call learns what the browser that came back remembers of it. */
export const recollections = (context: SessionContext, socket: SessionSocket): Post[] =>
  Object.keys(context.calls).map((requestId) => ({
    to: callAddress(requestId),
    event: recollection(socket, requestId, context.lastInstance),
  }))

export const disconnections = (context: SessionContext): Post[] =>
  Object.keys(context.calls).map((requestId) => ({
    to: callAddress(requestId),
    event: { type: 'session.disconnected' },
  }))

export const wakeUps = (context: SessionContext): Post[] =>
  context.waiting.map((taskId) => ({ to: taskAddress(taskId), event: { type: 'session.connected' } }))

/** A call ended: its task hears of it, if it still waits. */
export function settlement(context: SessionContext, requestId: string, outcome: CallOutcome, at: Ms): Post[] {
  const taskId = context.calls[requestId]
  if (taskId === undefined) return []
  return [{ to: taskAddress(taskId), event: { type: 'call.settled', requestId, outcome, at } }]
}
