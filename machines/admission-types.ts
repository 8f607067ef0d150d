import type { EffectCrashed } from './effects.ts'
import type { RefusalCode } from './failures.ts'
import type { Allowance, Door, Ms } from './records.ts'
import type { Queueing } from './workspace-types.ts'

/** One request to start a task. Its text stays in `actors/admission.ts`; the workspace decides checks 7 to 13. */
export interface AdmissionInput {
  readonly admissionId: string
  readonly workspaceId: string
  readonly taskId: string
  readonly sessionId: string
  readonly door: Door
  /** What it waits for instead of being refused. */
  readonly queueing?: Queueing | null
}

/** [T7–T13] What the checks need to know. */
export interface Facts {
  readonly allowance: Allowance
  /** The workspace's slotVersion when the allowance was read. */
  readonly slotVersion: number
  readonly session: 'missing' | { readonly own: boolean; readonly connected: boolean; readonly expiresAt: Ms }
}

/** Why a start is refused, with what the answer needs. */
export interface AdmissionRefusal {
  readonly code: RefusalCode
  readonly message: string
  readonly allowance: Allowance | null
  readonly retryAfterSeconds: number | null
}

/** The decision. */
export type AdmissionOutput =
  | { readonly granted: true }
  | { readonly granted: false; readonly refusal: AdmissionRefusal }

/** The facts for the checks, and the decision of the workspace. */
export type AdmissionEvent =
  | { type: 'facts.found'; facts: Facts; at: Ms }
  /** The allowance may have changed since it was read. */
  | { type: 'admission.stale' }
  | { type: 'admission.refused'; refusal: AdmissionRefusal }
  | { type: 'admission.granted' }
  /** It waits in the workspace's queue. */
  | { type: 'admission.queued'; waitsFor: 'limit' | 'browser' }
  | { type: 'record.kept' }
  | EffectCrashed
