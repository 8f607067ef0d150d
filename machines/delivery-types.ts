import type { EffectCrashed } from './effects.ts'
import type { Ms } from './records.ts'
import type { DeliveryAttempt, DeliveryStatus } from './webhook-records.ts'

export interface DeliveryInput {
  readonly deliveryId: string
  readonly endpointId: string
  readonly workspaceId: string
}

export interface DeliveryContext extends DeliveryInput {
  /** The attempts of this run of the schedule. */
  readonly count: number
  /** The last attempt, until it is written to the log; `null` if there is nothing to write. */
  readonly attempt: DeliveryAttempt | null
  readonly status: DeliveryStatus
  readonly nextAttemptAt: Ms | null
}

/** The result of one attempt. */
export interface Answered {
  readonly attempt: DeliveryAttempt
  /** What the receiver asked for by `Retry-After`. */
  readonly retryAfterMs: Ms | null
  /** A random number from 0 to 1, so that the attempts of many deliveries are spread over time. */
  readonly jitter: number
}

export type DeliveryEvent =
  /** The endpoint has answered, or could not be reached. */
  | ({ type: 'attempt.answered' } & Answered)
  /** Its endpoint is disabled. */
  | { type: 'delivery.skipped' }
  /** Its endpoint or its record was removed. */
  | { type: 'delivery.gone' }
  /** The attempt is in the log. */
  | { type: 'attempt.recorded' }
  /** The endpoint was disabled: by the attempt that was just recorded, or in the meantime. */
  | { type: 'endpoint.disabled' }
  /** The next attempt is due. */
  | { type: 'delivery.due'; at: Ms }
  /** A redelivery was requested: at once, and with the whole schedule again. */
  | { type: 'delivery.redeliver' }
  /** The store did not answer. */
  | { type: 'store.failed'; message: string }
  /** The pause is over. */
  | { type: 'pause.over'; at: Ms }
  | EffectCrashed
