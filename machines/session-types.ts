import type { ChildEvent } from './effects.ts'
import type { Ms, ToolCall } from './records.ts'

/** A session: one paired browser of one workspace. */
export interface SessionInput {
  readonly sessionId: string
  readonly workspaceId: string
}

/** The state of a call that a browser reported when it registered. */
export type ReportedState = 'running' | 'done'

/** The open socket of a browser, with what it said when it registered. */
export interface SessionSocket {
  readonly socketId: string
  readonly protocol: 1 | 2
  /** Identifies the run of the browser that remembers its calls; another id means that it has forgotten them. */
  readonly browserInstanceId: string | null
  readonly reportedCalls: Readonly<Record<string, ReportedState>>
}

/** A call that has not settled yet. */
export interface PendingCall {
  /** The task that waits for it. */
  readonly taskId: string
  /** The browser instance that it was or may have been sent to; `null`: no browser was connected, it was never sent. */
  readonly browserInstanceId: string | null
}

export interface SessionContext extends SessionInput {
  /** When the token of the bound socket expires. */
  readonly expiresAt: Ms
  readonly socket: SessionSocket | null
  /** When the current socket was bound. */
  readonly boundAt: Ms
  /** Pending calls by request id. */
  readonly calls: Readonly<Record<string, PendingCall>>
  /** Tasks that wait for the browser to come back. */
  readonly waiting: readonly string[]
}

/** Its sockets, its calls, the end of its pairing. */
export type SessionEvent =
  | { type: 'socket.registered'; socket: SessionSocket; expiresAt: Ms; at: Ms }
  | { type: 'socket.closed'; socketId: string; at: Ms }
  | { type: 'call.open'; call: ToolCall; at: Ms; reopened: boolean; browserInstanceId: string | null }
  | { type: 'call.abandon'; requestId: string }
  | { type: 'session.revoke' }
  | ChildEvent
