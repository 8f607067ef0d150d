import type { Ms } from './records.ts'
import type { LogType } from './task-log.ts'

/** The types of events that an endpoint can ask for: those of a task's log without what each step consists of. */
export const WEBHOOK_TYPES = [
  'task.created',
  'task.queued',
  'browser.connected',
  'browser.away',
  'input.requested',
  'input.answered',
  'message.received',
  'file.downloaded',
  'budget.warned',
  'task.ended',
] as const satisfies readonly LogType[]

/** A URL of a workspace that receives events. */
export interface EndpointRecord {
  readonly id: string
  readonly workspaceId: string
  readonly url: string
  /** Empty: all. */
  readonly types: readonly string[]
  readonly description: string | null
  /** Nothing is sent; new events are recorded as skipped. */
  readonly disabled: boolean
  /** Why the service disabled it; `null`: it did not. */
  readonly disabledReason: 'gone' | 'failing' | null
  readonly disabledAt: Ms | null
  /** The first attempt that failed since the last one that succeeded. */
  readonly failingSince: Ms | null
  /** The signing secrets, encrypted. The first is the current one; a former one is valid until `until`. */
  readonly secrets: readonly EndpointSecret[]
  /** The position in its workspace's event log up to which it was served. */
  readonly position: number
  readonly createdAt: Ms
}

export interface EndpointSecret {
  readonly sealed: string
  readonly until: Ms | null
}

/** What can change of an endpoint. */
export type EndpointPatch = Partial<Omit<EndpointRecord, 'id' | 'workspaceId' | 'createdAt'>>

/** `skipped`: its endpoint was disabled. All but `pending` ones can be sent again. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'skipped'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** One event on its way to one endpoint: the log that clients read. */
export interface DeliveryRecord {
  readonly id: string
  readonly endpointId: string
  readonly workspaceId: string
  /** The id of the event, by which receivers recognise it: the same in every attempt, at every endpoint. */
  readonly messageId: string
  readonly type: string
  readonly taskId: string | null
  /** The bytes that are signed and sent. */
  readonly body: string
  readonly status: DeliveryStatus
  /** Oldest first, at most DELIVERY_ATTEMPTS_KEPT. */
  readonly attempts: readonly DeliveryAttempt[]
  readonly nextAttemptAt: Ms | null
  readonly createdAt: Ms
}

export interface DeliveryAttempt {
  readonly at: Ms
  readonly durationMs: Ms
  /** `null`: no answer came. */
  readonly status: number | null
  /** Why no answer came: `timeout`, `ECONNREFUSED`, … */
  readonly reason: string | null
  /** The first of what was answered. */
  readonly answer: string
}

/** What can change of a delivery. */
export type DeliveryPatch = Partial<Pick<DeliveryRecord, 'status' | 'attempts' | 'nextAttemptAt'>>
