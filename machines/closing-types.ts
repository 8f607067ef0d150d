import type { EffectCrashed } from './effects.ts'
import type { Ending, Ms } from './records.ts'

/** What is needed to close a task. */
export interface ClosingInput {
  readonly ending: Ending
  readonly workspaceId: string
  /** Whether a completed task costs a place (not an internal one). */
  readonly billed: boolean
}

/** With the number of final writes that failed. */
export interface ClosingContext extends ClosingInput {
  readonly attempt: number
}

/** The results of its effects, its alarms and the sweep. */
export type ClosingEvent =
  /** The credit is taken, or none was due. */
  | { type: 'charge.done' }
  /** What the task used is written. */
  | { type: 'usage.recorded' }
  /** The record has this ending: written now, or by an earlier attempt whose answer was lost. */
  | { type: 'write.done' }
  /** It has another ending, or was never kept: a finished task never changes again. */
  | { type: 'write.late' }
  /** The credit is given back, or none was taken. */
  | { type: 'refund.done' }
  /** The webhook of the task was called, or it has none. */
  | { type: 'webhook.done' }
  /** The store did not answer. */
  | { type: 'store.failed'; message: string }
  /** The pause is over. */
  | { type: 'pause.over'; at: Ms }
  /** Tasks that ran too long are ended. */
  | { type: 'tasks.sweep'; at: Ms }
  | EffectCrashed
