import { assign, setup } from 'xstate'
import { type AlarmInput, type EffectCrashed, effect } from './effects.ts'
import { HOUR_MS, MINUTE_MS, RETRY_AFTER_MS_MAX, SECOND_MS, STORE_RETRY_MS } from './limits.ts'
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

/** The pauses between the attempts of a delivery, each lengthened by up to a fifth. */
export const DELIVERY_PAUSES_MS: readonly Ms[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
]
const JITTER = 0.2

/** When the next attempt is due; `null`: that was the last one. */
export function nextAttemptAt(count: number, { attempt, retryAfterMs, jitter }: Answered): Ms | null {
  const pause = DELIVERY_PAUSES_MS[count]
  if (pause === undefined) return null
  const asked = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
  return attempt.at + attempt.durationMs + Math.round(Math.max(pause * (1 + jitter * JITTER), asked))
}

export const isAccepted = ({ status }: DeliveryAttempt): boolean => status !== null && status >= 200 && status < 300

/**
 * One event on its way to one endpoint: attempts with growing pauses until one is accepted, each written to the log
 * before the next. Its row and its alarm are kept, so that it goes on after a crash; an attempt whose answer was not
 * kept is made again: at least once.
 */
export const deliveryMachine = setup({
  types: {
    context: {} as DeliveryContext,
    events: {} as DeliveryEvent,
    input: {} as DeliveryInput,
  },
  actors: {
    alarm: effect<AlarmInput>(),
    /** One signed POST. */
    attempt: effect<DeliveryInput>(),
    /** Writes the attempt to the log, and what it says of the endpoint. */
    record: effect<DeliveryContext>(),
  },
  actions: {
    take: assign(({ context }, answered: Answered) => {
      const accepted = isAccepted(answered.attempt)
      const gone = answered.attempt.status === 410
      const next = accepted || gone ? null : nextAttemptAt(context.count, answered)
      const status = accepted ? ('delivered' as const) : next === null ? ('failed' as const) : ('pending' as const)
      return { attempt: answered.attempt, count: context.count + 1, nextAttemptAt: next, status }
    }),
    settle: assign((_, status: DeliveryStatus) => ({ status, nextAttemptAt: null })),
    forgetAttempt: assign({ attempt: null }),
    startOver: assign({ count: 0, status: 'pending', nextAttemptAt: null }),
  },
  guards: {
    /** No further attempt is made. */
    isOver: ({ context }) => context.nextAttemptAt === null,
  },
}).createMachine({
  id: 'delivery',
  context: ({ input }) => ({ ...input, count: 0, attempt: null, status: 'pending', nextAttemptAt: null }),
  initial: 'attempting',
  states: {
    attempting: {
      description: 'waits for the endpoint to answer',
      invoke: {
        src: 'attempt',
        input: ({ context: { deliveryId, endpointId, workspaceId } }) => ({ deliveryId, endpointId, workspaceId }),
      },
      on: {
        'attempt.answered': { target: 'recording', actions: { type: 'take', params: ({ event }) => event } },
        'delivery.skipped': { target: 'recording', actions: { type: 'settle', params: 'skipped' } },
        'delivery.gone': 'settled',
        'store.failed': 'waitingForStore',
        'effect.crashed': 'waitingForStore',
      },
    },
    recording: {
      description: 'writes the attempt to the log',
      invoke: { src: 'record', input: ({ context }) => context },
      on: {
        'attempt.recorded': [
          { guard: 'isOver', target: 'settled' },
          { target: 'waiting', actions: 'forgetAttempt' },
        ],
        'endpoint.disabled': 'settled',
        'delivery.gone': 'settled',
        'store.failed': 'recordingLater',
        'effect.crashed': 'recordingLater',
      },
    },
    waiting: {
      description: 'waits for the next attempt',
      invoke: {
        src: 'alarm',
        input: ({ context }) => ({ event: 'delivery.due', at: context.nextAttemptAt ?? 0 }),
      },
      on: {
        'delivery.due': 'attempting',
        'delivery.redeliver': { target: 'attempting', actions: 'startOver' },
      },
    },
    waitingForStore: {
      description: 'waits until the store is back',
      invoke: { src: 'alarm', input: { event: 'pause.over', inMs: STORE_RETRY_MS } },
      on: { 'pause.over': 'attempting' },
    },
    recordingLater: {
      description: 'waits before it writes the attempt again',
      invoke: { src: 'alarm', input: { event: 'pause.over', inMs: STORE_RETRY_MS } },
      on: { 'pause.over': 'recording' },
    },
    settled: { type: 'final', description: 'delivered, failed or skipped' },
  },
})
