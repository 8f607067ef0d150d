import type { CallOutcome, Ms, ToolCall } from './records.ts'

/** What a call is started with. */
export interface CallInput {
  readonly call: ToolCall
  readonly at: Ms
  /** After a restart the frame may have left already: the browser is asked before it is sent again. */
  readonly reopened: boolean
}

/** What a reconnected browser reports of the call, its answer, and the ways it ends without one. */
export type CallEvent =
  | { type: 'call.answered'; outcome: CallOutcome }
  | { type: 'call.neverSeen' }
  | { type: 'call.running' }
  | { type: 'call.finished' }
  | { type: 'call.forgotten' }
  | { type: 'call.abandoned' }
  | { type: 'session.disconnected' }
  | { type: 'calls.sweep'; at: Ms }
