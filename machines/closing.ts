import { assign, setup } from 'xstate'
import { workspaceAddress } from './addresses.ts'
import { type AlarmInput, type EffectCrashed, effect, post, provided } from './effects.ts'
import { FINAL_WRITE_ATTEMPTS_MAX, FINAL_WRITE_PAUSE_MS, STORE_RETRY_MS, TASK_STUCK_MS } from './limits.ts'
import type { Ending, Ms } from './records.ts'
import { ANSWERS } from './texts.ts'

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

/**
 * The only way a task ends: charge, record usage, write (twice, a second apart), announce.
 * Each state invokes its one effect, which is idempotent by the task's id: it is run again after a crash at any place.
 * What fails because the store is away is tried again until it is back; only the final write leaves the task `running`
 * meanwhile.
 */
export const closingMachine = setup({
  types: {
    context: {} as ClosingContext,
    events: {} as ClosingEvent,
    input: {} as ClosingInput,
  },
  actors: {
    alarm: effect<AlarmInput>(),
    /** Takes one credit for a completed task, once per task. */
    charge: effect<ClosingInput>(),
    /** Refunds the charge if the task turned out not to have completed. */
    refund: effect<{ taskId: string }>(),
    /** And waits for the step records that are still on their way. */
    recordUsage: effect<{ ending: Ending; workspaceId: string }>(),
    /** Compare-and-set on `running`. */
    write: effect<{ ending: Ending }>(),
    /** Posts the webhook, if the task has one. */
    callWebhook: effect<{ ending: Ending }>(),
  },
  actions: {
    post,
    /** The browser's last frame, and the count of endings. */
    announce: provided<{ ending: Ending }>('announce'),
    release: provided<{ taskId: string }>('release'),
    countAttempt: assign(({ context }) => ({ attempt: context.attempt + 1 })),
    startOver: assign({ attempt: 0 }),
    replaceEnding: assign(({ context }, at: Ms) => ({
      ending: {
        ...context.ending,
        status: 'error' as const,
        answer: ANSWERS.sweep,
        failure: 'timeout' as const,
        endedBy: 'sweep' as const,
        completedAt: at,
      },
    })),
  },
  guards: {
    /** The ending may be written once more. */
    attemptsLeft: ({ context }) => context.attempt + 1 < FINAL_WRITE_ATTEMPTS_MAX,
    /** It could not be written for longer than a task may take. */
    stuck: ({ context }, at: Ms) => at - context.ending.completedAt > TASK_STUCK_MS,
  },
}).createMachine({
  id: 'closing',
  context: ({ input }) => ({ ...input, attempt: 0 }),
  initial: 'settling',
  states: {
    settling: {
      description: 'does one after the other what an end needs',
      initial: 'charging',
      states: {
        charging: {
          description: 'takes the credit of a completed task',
          invoke: {
            src: 'charge',
            input: ({ context: { ending, workspaceId, billed } }) => ({ ending, workspaceId, billed }),
          },
          on: {
            'charge.done': {
              target: 'recordingUsage',
              actions: {
                type: 'post',
                params: ({ context }) => ({
                  to: workspaceAddress(context.workspaceId),
                  event: { type: 'task.charged', taskId: context.ending.taskId },
                }),
              },
            },
          },
        },
        recordingUsage: {
          description: 'writes what the task used',
          invoke: { src: 'recordUsage', input: ({ context: { ending, workspaceId } }) => ({ ending, workspaceId }) },
          on: { 'usage.recorded': 'writing' },
        },
        writing: {
          description: 'writes the ending',
          invoke: { src: 'write', input: ({ context: { ending } }) => ({ ending }) },
          on: {
            'write.done': {
              target: 'announcing',
              actions: [
                {
                  type: 'post',
                  params: ({ context }) => ({
                    to: workspaceAddress(context.workspaceId),
                    event: { type: 'task.written', taskId: context.ending.taskId },
                  }),
                },
                { type: 'announce', params: ({ context }) => ({ ending: context.ending }) },
              ],
            },
            'write.late': 'refunding',
            'store.failed': [
              { guard: 'attemptsLeft', target: 'pausing', actions: 'countAttempt' },
              { target: '#closing.finalWriteFailed', actions: 'startOver' },
            ],
          },
        },
        pausing: {
          description: 'waits before it writes again',
          invoke: { src: 'alarm', input: { event: 'pause.over', inMs: FINAL_WRITE_PAUSE_MS } },
          on: { 'pause.over': 'writing' },
        },
        /** The ending is visible to clients. A stop waits for the webhook; after a crash the webhook is called again. */
        announcing: {
          description: 'tells the browser and the webhook',
          tags: ['written'],
          invoke: { src: 'callWebhook', input: ({ context: { ending } }) => ({ ending }) },
          on: { 'webhook.done': '#closing.closed' },
        },
        /** Another ending was written first: the charge is refunded unless that ending completed the task, too. */
        refunding: {
          description: 'gives back the credit',
          invoke: { src: 'refund', input: ({ context }) => ({ taskId: context.ending.taskId }) },
          on: { 'refund.done': '#closing.closed' },
        },
        /** The task was swept before its ending could be written: it did not complete. */
        refundingSwept: {
          description: 'gives back the credit\nof a task that was swept',
          invoke: { src: 'refund', input: ({ context }) => ({ taskId: context.ending.taskId }) },
          on: { 'refund.done': 'writing' },
        },
        last: { type: 'history' },
      },
      on: { 'store.failed': 'waitingForStore', 'effect.crashed': 'waitingForStore' },
    },
    waitingForStore: {
      description: 'waits until the store is back',
      invoke: { src: 'alarm', input: { event: 'pause.over', inMs: STORE_RETRY_MS } },
      on: { 'pause.over': 'settling.last' },
    },
    /** Both final writes failed: the task says `running` until the store is back, or the sweep ends it. */
    finalWriteFailed: {
      description: 'waits until the ending can be written',
      invoke: { src: 'alarm', input: { event: 'pause.over', inMs: STORE_RETRY_MS } },
      on: {
        'pause.over': 'settling.writing',
        'tasks.sweep': {
          guard: { type: 'stuck', params: ({ event }) => event.at },
          target: 'settling.refundingSwept',
          actions: { type: 'replaceEnding', params: ({ event }) => event.at },
        },
      },
    },
    closed: {
      type: 'final',
      description: 'the task has ended',
      entry: { type: 'release', params: ({ context }) => ({ taskId: context.ending.taskId }) },
    },
  },
})
