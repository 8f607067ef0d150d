import type { CallOutcome, Ms, ToolCall } from './records.ts'

/** What a call is started with. */
export interface CallInput {
  readonly call: ToolCall
  readonly at: Ms
  /** After a restart the frame may have left already: the browser is asked before it is sent again. */
  readonly reopened: boolean
}

/** What a browser that came back says of a call, and what else may happen to it. */
export type CallEvent =
  | { type: 'call.answered'; outcome: CallOutcome }
  | { type: 'call.neverSeen' }
  | { type: 'call.running' }
  | { type: 'call.finished' }
  | { type: 'call.forgotten' }
  | { type: 'call.abandoned' }
  | { type: 'session.disconnected' }
  | { type: 'calls.sweep'; at: Ms }
