import { stepsMax, warningOf } from './budget.ts'
import { relayNotConnected, TO_MODEL } from './failures.ts'
import { STEPS_NOTED_PERCENT } from './limits.ts'
import { isNoted } from './progress.ts'
import type { CallOutcome, Ms } from './records.ts'
import type { TaskContext, TaskEvent } from './task-types.ts'

/** [L8, L24–L26] What a task does with the result of a call, whether a browser gave it or the call was never sent. */

/** [L9, L22, L26] The note that the model reads after a result: that it makes no progress, or that few steps are left. */
function noteFor(context: TaskContext): string | null {
  const { progress, step, calls, warnedAt } = context
  const isLast = calls.length === 1
  const left = stepsMax(context) - step
  const isStepNoted = step === Math.ceil((stepsMax(context) * STEPS_NOTED_PERCENT) / 100) && left > 0
  const isCostNoted = step === warnedAt && warningOf(context)?.budget !== 'max_steps'
  const notes = [
    isNoted(progress) ? TO_MODEL.noProgress : '',
    isStepNoted && isLast ? TO_MODEL.stepsLeft(left) : '',
    isCostNoted && isLast ? TO_MODEL.budgetWarned : '',
  ]
  return notes.filter(Boolean).join('\n\n') || null
}

/** Takes the result of the current call, whatever its source. */
export const settled = <E extends { at: Ms }>(outcomeOf: (event: E, context: TaskContext) => CallOutcome) =>
  [
    { type: 'observe', params: ({ context, event }: { context: TaskContext; event: E }) => outcomeOf(event, context) },
    {
      type: 'recordResult',
      params: ({ context, event }: { context: TaskContext; event: E }) => ({
        context,
        outcome: outcomeOf(event, context),
        at: event.at,
        note: noteFor(context),
      }),
    },
    { type: 'nextCall', params: ({ event }: { event: E }) => event.at },
  ] as const

/** Takes the result of a call that is not sent. */
const unsent = (outcomeOf: (context: TaskContext) => CallOutcome) =>
  [
    { type: 'recordCall', params: ({ context }: { context: TaskContext }) => ({ context }) },
    {
      type: 'recordResult',
      params: ({ context }: { context: TaskContext }) => ({
        context,
        outcome: outcomeOf(context),
        at: context.at,
        note: noteFor(context),
      }),
    },
    { type: 'nextCall', params: ({ context }: { context: TaskContext }) => context.at },
  ] as const

const refusal = ({ calls: [call] }: TaskContext): CallOutcome => ({
  status: 'failed',
  category: 'internal',
  message: call?.refusal ?? '',
})
export const refused = [
  { type: 'observe', params: ({ context }: { context: TaskContext }) => refusal(context) },
  ...unsent(refusal),
] as const
export const misfitted = ['countMisfit', ...unsent(refusal)] as const
export const skipped = unsent(({ halted }) => ({ status: 'skipped', message: TO_MODEL.notRun[halted ?? 'failure'] }))
export const unreadFinish = [
  'haltForMessage',
  ...unsent(() => ({ status: 'skipped', message: TO_MODEL.notRun.message })),
] as const
export const checking = [
  'markChecked',
  ...unsent(() => ({ status: 'skipped', message: TO_MODEL.checkAnswer })),
] as const

export const answered = settled((event: Extract<TaskEvent, { type: 'call.settled' }>) => event.outcome)
export const unknown = settled((_: { at: Ms }) => ({ status: 'unknown' }))
export const missed = settled((_: { at: Ms }) => ({ status: 'failed', ...relayNotConnected }))
