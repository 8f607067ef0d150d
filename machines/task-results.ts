import { approvalOf } from './approval.ts'
import { stepsMax, warningOf } from './budget.ts'
import { relayNotConnected, TO_MODEL } from './failures.ts'
import { expiryOf } from './input-request.ts'
import { FAILURES_NOTED, STEPS_NOTED_PERCENT } from './limits.ts'
import { isNoted } from './progress.ts'
import type { CallOutcome, CallResult, Ms } from './records.ts'
import type { TaskContext, TaskEvent } from './task-types.ts'

/** [L8, L24–L26] What a task does with the result of a call, whether a browser gave it or the call was never sent. */

/** [L9, L22, L26, L40] The note that the model reads after a result: that it makes no progress, or that few steps are left. */
function noteFor(context: TaskContext): string | null {
  const { progress, failures, step, calls, warnedAt } = context
  const isLast = calls.length === 1
  const left = stepsMax(context) - step
  const isStepNoted = step === Math.ceil((stepsMax(context) * STEPS_NOTED_PERCENT) / 100) && left > 0
  const isCostNoted = step === warnedAt && warningOf(context)?.budget !== 'max_steps'
  const notes = [
    isNoted(progress) ? TO_MODEL.noProgress : '',
    failures === FAILURES_NOTED ? TO_MODEL.failing : '',
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
    {
      type: 'observe',
      params: (given: { context: TaskContext; event: E }) => ({ outcome: resultOf(given), at: given.event.at }),
    },
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

/** Records a call that is not sent, and its result. */
const recorded = (outcomeOf: (context: TaskContext) => CallResult) =>
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
  ] as const

/** Takes the result of a call that is not sent. */
const unsent = (outcomeOf: (context: TaskContext) => CallResult) =>
  [...recorded(outcomeOf), { type: 'nextCall', params: ({ context }: { context: TaskContext }) => context.at }] as const

const refusal = ({ calls: [call] }: TaskContext): CallResult => ({
  status: 'failed',
  category: 'internal',
  message: call?.refusal ?? '',
})
export const refused = [
  {
    type: 'observe',
    params: ({ context }: { context: TaskContext }) => ({ outcome: refusal(context), at: context.at }),
  },
  ...unsent(refusal),
] as const
export const misfitted = ['countMisfit', ...unsent(refusal)] as const
export const skipped = unsent(({ halted }) => ({ status: 'skipped', message: TO_MODEL.notRun[halted ?? 'failure'] }))
export const unreadFinish = [
  'haltForMessage',
  ...unsent(() => ({ status: 'skipped', message: TO_MODEL.notRun.message })),
] as const
/** [L25] The model reads the check as the result of its `finish`; for everybody else it is an event of its own. */
export const checking = [
  'markChecked',
  {
    type: 'recordCheck',
    params: ({ context }: { context: TaskContext }) => ({ context, note: noteFor(context) }),
  },
  { type: 'nextCall', params: ({ context }: { context: TaskContext }) => context.at },
] as const
/** [L23] The result of a `finish` that counts. */
export const finishing = recorded((context) =>
  context.calls[0]?.refusal === null
    ? { status: 'done', output: TO_MODEL.ended, said: TO_MODEL.ended, screenshot: null }
    : refusal(context),
)

/** [I5] The browser holds what the call causes: the user is asked. A request that is held again says what has changed. */
export const holding = [
  {
    type: 'hold',
    params: ({ context, event }: { context: TaskContext; event: Settled }) => {
      const held = event.outcome.status === 'held' ? event.outcome.held : null
      const [call] = context.calls
      const approved = context.release?.action === 'accept' ? context.held : null
      const expiresAt = expiryOf(event.at, context.deadlineAt)
      return { held, request: call ? approvalOf(event.requestId, call, held, approved, expiresAt) : null }
    },
  },
] as const

type Settled = Extract<TaskEvent, { type: 'call.settled' }>
export const answered = settled((event: Settled) => event.outcome)
export const unknown = settled((_: { at: Ms }) => ({ status: 'unknown' }))
export const missed = settled((_: { at: Ms }) => ({ status: 'failed', ...relayNotConnected }))
