import { assign, setup } from 'xstate'
import { admissionAddress, workspaceAddress } from './addresses.ts'
import type { AdmissionEvent, AdmissionInput, AdmissionOutput, AdmissionRefusal } from './admission-types.ts'
import { type EffectCrashed, effect, post } from './effects.ts'
import { REFUSALS } from './failures.ts'
import { ALLOWANCE_READS_MAX, ALLOWANCE_WAIT_MS } from './limits.ts'
import type { Ms } from './records.ts'

/** [D22, E6] It could not be decided. */
const undecided = ({ event }: { event: EffectCrashed }): AdmissionRefusal => {
  const code = event.storeAway ? 'store_away' : 'internal'
  return { code, message: REFUSALS[code], allowance: null, retryAfterSeconds: null }
}

/**
 * One request to start a task: reads what the checks need, lets the workspace make all checks in one event, and writes the
 * record. A start is granted only when its record is durable; a refused one never holds a slot.
 */
export const admissionMachine = setup({
  types: {
    context: {} as AdmissionInput & {
      readonly reads: number
      /** When the checks were made: the start time that counts, and the creation time of the record. */
      readonly decidedAt: Ms
      /** What it waits for in the workspace's queue, if it was not granted a slot. */
      readonly queued: 'limit' | 'browser' | null
      readonly refusal: AdmissionRefusal | null
    },
    events: {} as AdmissionEvent,
    input: {} as AdmissionInput,
    output: {} as AdmissionOutput,
  },
  actors: {
    /** Reads allowance and session. */
    lookUp: effect<{ admissionId: string }>(),
    /** Makes the record and the task's first row durable. */
    keepRecord: effect<{ admissionId: string; decidedAt: Ms; queued: 'limit' | 'browser' | null }>(),
  },
  actions: {
    post,
    countRead: assign(({ context }) => ({ reads: context.reads + 1 })),
    markQueued: assign((_, queued: 'limit' | 'browser') => ({ queued })),
    markTime: assign((_, at: Ms) => ({ decidedAt: at })),
    refuse: assign((_, refusal: AdmissionRefusal) => ({ refusal })),
  },
  guards: { mayReadAgain: ({ context }) => context.reads < ALLOWANCE_READS_MAX },
  delays: { charge: ALLOWANCE_WAIT_MS },
}).createMachine({
  id: 'admission',
  context: ({ input }) => ({ ...input, reads: 0, decidedAt: 0, queued: null, refusal: null }),
  initial: 'lookingUp',
  states: {
    lookingUp: {
      entry: 'countRead',
      invoke: { src: 'lookUp', input: ({ context: { admissionId } }) => ({ admissionId }) },
      on: {
        'facts.found': {
          target: 'deciding',
          actions: [
            { type: 'markTime', params: ({ event }) => event.at },
            {
              type: 'post',
              params: ({ context, event }) => ({
                to: workspaceAddress(context.workspaceId),
                event: {
                  type: `admission.${context.door}`,
                  admission: admissionAddress(context.admissionId),
                  taskId: context.taskId,
                  ...(context.queueing ? { queueing: context.queueing } : {}),
                  facts: event.facts,
                  final: context.reads >= ALLOWANCE_READS_MAX,
                  at: event.at,
                },
              }),
            },
          ],
        },
        'effect.crashed': { target: 'refused', actions: { type: 'refuse', params: undecided } },
      },
    },
    /** The workspace makes the checks in their order, in one event. */
    deciding: {
      on: {
        'admission.granted': 'persisting',
        // [T59] Its task is started as well, in the state `queued`.
        'admission.queued': {
          target: 'persisting',
          actions: { type: 'markQueued', params: ({ event }) => event.waitsFor },
        },
        'admission.refused': {
          target: 'refused',
          actions: { type: 'refuse', params: ({ event }) => event.refusal },
        },
        'admission.stale': { guard: 'mayReadAgain', target: 'waitingForCharge' },
      },
    },
    /** A task of this workspace is being charged: the remaining allowance is known shortly. */
    waitingForCharge: { after: { charge: 'lookingUp' } },
    persisting: {
      invoke: {
        src: 'keepRecord',
        input: ({ context: { admissionId, decidedAt, queued } }) => ({ admissionId, decidedAt, queued }),
      },
      on: {
        'record.kept': {
          target: 'granted',
          actions: {
            type: 'post',
            params: ({ context }) => ({
              to: workspaceAddress(context.workspaceId),
              event: { type: 'task.begin', taskId: context.taskId },
            }),
          },
        },
        'effect.crashed': {
          target: 'refused',
          actions: [
            { type: 'refuse', params: undecided },
            {
              type: 'post',
              params: ({ context, event }) => ({
                to: workspaceAddress(context.workspaceId),
                event: {
                  type: 'start.failed',
                  taskId: context.taskId,
                  sessionId: context.sessionId,
                  message: event.message,
                  at: event.at,
                },
              }),
            },
          ],
        },
      },
    },
    granted: { type: 'final' },
    refused: { type: 'final' },
  },
  output: ({ context }) => (context.refusal ? { granted: false, refusal: context.refusal } : { granted: true }),
})
