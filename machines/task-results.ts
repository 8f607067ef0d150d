import { approvalOf } from './approval.ts'
import { stepsMax, warningOf } from './budget.ts'
import { relayNotConnected, TO_MODEL } from './failures.ts'
import { STEPS_NOTED_PERCENT } from './limits.ts'
import { isNoted } from './progress.ts'
import type { CallOutcome, CallResult, Ms } from './records.ts'
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
export const settled = <E extends { at: Ms }>(outcomeOf: (event: E, context: TaskContext) => CallOutcome) => {
  const resultOf = ({ context, event }: { context: TaskContext; event: E }) =>
    asApproved(context, outcomeOf(event, context))
  return [
    { type: 'observe', params: resultOf },
    {
      type: 'recordResult',
      params: (given: { context: TaskContext; event: E }) => ({
        context: given.context,
        outcome: resultOf(given),
        at: given.event.at,
        note: noteFor(given.context),
      }),
    },
    { type: 'nextCall', params: ({ event }: { event: E }) => event.at },
  ] as const
}

/** [I5] The model reads that something was not approved, whatever else came of the call. */
function asApproved({ notApproved }: TaskContext, outcome: CallOutcome): CallResult {
  // What is held never comes here: a task waits for its approval.
  const result: CallResult = outcome.status === 'held' ? { status: 'unknown' } : outcome
  if (notApproved === null) return result
  const content = result.status === 'done' || result.status === 'failed' ? result.content : undefined
  const message = TO_MODEL.notApproved[notApproved]
  return { status: 'failed', category: 'aborted', message, ...(content ? { content } : {}) }
}

/** Takes the result of a call that is not sent. */
const unsent = (outcomeOf: (context: TaskContext) => CallResult) =>
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

const refusal = ({ calls: [call] }: TaskContext): CallResult => ({
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

/** [I5] The browser holds what the call causes: the user is asked. A request that is held again says what has changed. */
export const holding = [
  {
    type: 'hold',
    params: ({ context, event }: { context: TaskContext; event: Settled }) => {
      const held = event.outcome.status === 'held' ? event.outcome.held : null
      const [call] = context.calls
      const approved = context.release?.action === 'accept' ? context.held : null
      return { held, request: call ? approvalOf(event.requestId, call, held, approved, event.at) : null }
    },
  },
] as const

type Settled = Extract<TaskEvent, { type: 'call.settled' }>
export const answered = settled((event: Settled) => event.outcome)
export const unknown = settled((_: { at: Ms }) => ({ status: 'unknown' }))
export const missed = settled((_: { at: Ms }) => ({ status: 'failed', ...relayNotConnected }))
