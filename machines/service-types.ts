import type { Address } from './addresses.ts'
import type { ChildEvent, EffectCrashed } from './effects.ts'
import type { Ms } from './records.ts'

/** Recovery, stop, and what its children report. */
export type ServiceEvent =
  /** All saved actors are restored. */
  | { type: 'service.recovered'; at: Ms }
  /** The process was asked to stop. */
  | { type: 'service.stop'; at: Ms }
  /** Every running task has ended. */
  | { type: 'service.drained'; at: Ms }
  | ChildEvent
  | EffectCrashed

/** A workspace threw. */
export type ChildFailed = Extract<ChildEvent, { type: 'child.failed' }>

/** Why the service failed, and how often its children did. */
export interface ServiceContext {
  readonly failure: string | null
  /** When its children were restarted, per address, within RESTART_WINDOW_MS. */
  readonly restarts: Readonly<Record<string, readonly Ms[]>>
  /** Children that exceeded the restart limit. They still count what runs, and start nothing new. */
  readonly gaveUp: readonly Address[]
}
