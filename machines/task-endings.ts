import { sessionAddress } from './addresses.ts'
import { stepsMax } from './budget.ts'
import type { Post } from './effects.ts'
import { ANSWERS, type FailureCategory, REFUSALS } from './failures.ts'
import { MODEL_ATTEMPT_MS_MAX, SECOND_MS } from './limits.ts'
import { type EndedBy, type Ending, type Ms, NO_USAGE } from './records.ts'
import { currentRequest, type End, type TaskContext } from './task-types.ts'

/** The ending of a task, from its context. */
export function endingOf(context: TaskContext, end: End): Ending {
  const { taskId, step, usage, model } = context
  return {
    taskId,
    status: end.endedBy === 'completed' ? 'complete' : 'error',
    answer: end.answer,
    output: end.output ?? null,
    failure: end.failure,
    endedBy: end.endedBy,
    steps: step,
    usage,
    model,
    completedAt: end.at,
    ...ownDeadline(context),
  }
}

/** The deadline of a task that has left the queue: its record has the latest that it could be. */
const ownDeadline = ({ queuedUntil, begun, deadlineAt }: Partial<TaskContext>) =>
  queuedUntil != null && begun && deadlineAt !== undefined ? { deadlineAt } : {}

/** [T59] The task expired in the queue. */
export const queueTimeoutEnd = (at: Ms): End => ({
  endedBy: 'queue_timeout',
  answer: ANSWERS.queueTimeout,
  failure: 'timeout',
  at,
})

/** [T59] Its browser was removed, or its session expired, before its turn came. */
export const browserLostEnd = ({ code, at }: { code: 'session_not_found' | 'session_expired'; at: Ms }): End => ({
  endedBy: 'browser_lost',
  answer: REFUSALS[code],
  failure: 'browser_disconnected',
  at,
})

/** The model failed for good, or too often. */
export const modelFailure = (event: { message: string; rateLimited: boolean; at: Ms }): End => ({
  endedBy: 'model_failure',
  answer: ANSWERS.modelFailed(event.message),
  failure: event.rateLimited ? 'rate_limited' : 'llm_error',
  at: event.at,
})

/** The failure of a model call that ran out of time. */
export const noAnswerInTime = (at: Ms) => ({
  message: `the model did not answer within ${MODEL_ATTEMPT_MS_MAX / SECOND_MS} s`,
  rateLimited: false,
  at,
})

/** [T27] How a task ends whose actor failed, with what can be saved of its context. */
export function crashEnding(taskId: string, message: string, context: unknown, at: Ms): Ending {
  const last = (context ?? {}) as Partial<TaskContext>
  return {
    taskId,
    status: 'error',
    answer: ANSWERS.crashed(message),
    failure: 'internal',
    endedBy: 'crash',
    steps: last.step ?? 0,
    usage: last.usage ?? NO_USAGE,
    model: last.model ?? null,
    completedAt: at,
    ...ownDeadline(last),
  }
}

/** [L30] The journal has no room for another step. */
export const journalFullEnd = (at: Ms): End => ({
  endedBy: 'step_limit',
  answer: ANSWERS.journalFull,
  failure: null,
  at,
})

/** [L2] The last allowed step is done. */
export const stepLimitEnd = (context: TaskContext): End =>
  context.budget.steps === null
    ? {
        endedBy: 'step_limit',
        answer: context.lastText === '' ? ANSWERS.stepLimit : context.lastText,
        failure: null,
        at: context.at,
      }
    : budgetEnd(context, context.at)

/** [L1] The model was reminded of `finish` and answered in words again. */
export const noFinishEnd = ({ text, at }: { text: string; at: Ms }): End => ({
  endedBy: 'no_finish',
  answer: text === '' ? ANSWERS.noFinish : text,
  failure: null,
  at,
})

/** [L35] The budget has no room for another model call: what was said last is what there is. */
export const budgetEnd = ({ lastText }: Pick<TaskContext, 'lastText'>, at: Ms): End => ({
  endedBy: 'budget',
  answer: lastText === '' ? ANSWERS.budget : lastText,
  failure: null,
  at,
})

/**
 * [L2, L35] The model knew that this was its last reply: `finish` with success completes the task; anything else ends it
 * with what was found so far.
 */
export function lastCallEnd(context: TaskContext): End {
  const { calls, at } = context
  const [finish] = calls
  const given = finish?.refusal === null ? finishEnd(context) : null
  if (given?.endedBy === 'completed') return given
  const found = given ?? { answer: finishAnswer(context) ?? context.lastText, output: null }
  const by = lastCallBy(context)
  return {
    ...found,
    answer: found.answer || OUT_OF[by],
    endedBy: by,
    failure: by === 'time_limit' ? 'timeout' : null,
    at,
  }
}

const OUT_OF = { time_limit: ANSWERS.timeLimit, step_limit: ANSWERS.stepLimit, budget: ANSWERS.budget } as const

function lastCallBy({ endsSoon, step, budget }: TaskContext): keyof typeof OUT_OF {
  if (endsSoon) return 'time_limit'
  return budget.steps === null && step >= stepsMax({ budget }) ? 'step_limit' : 'budget'
}

/** The model answered in plain text. */
export const completedEnd = ({ text, at }: { text: string; at: Ms }): End => ({
  endedBy: 'completed',
  answer: text === '' ? ANSWERS.noText : text,
  failure: null,
  at,
})

/** [L10, L22] The last actions changed nothing. */
export const noProgressEnd = ({ at }: TaskContext): End => ({
  endedBy: 'no_progress',
  answer: ANSWERS.noProgress,
  failure: null,
  at,
})

/** [L40] One call after the other has failed. */
export const onlyFailsEnd = (context: TaskContext): End => ({ ...noProgressEnd(context), answer: ANSWERS.onlyFails })

/** The answer in the current `finish` call. */
export const finishAnswer = ({ calls: [call] }: TaskContext): string | null => {
  const answer = call?.input.answer
  return typeof answer === 'string' && answer !== '' ? answer : null
}

/** [L23] What the model gave to `finish`, as the end of the task. */
export function finishEnd(context: TaskContext): End {
  const { success, output = null } = (context.calls[0]?.input ?? {}) as { success?: boolean; output?: unknown }
  return {
    endedBy: success === true ? 'completed' : 'gave_up',
    answer: finishAnswer(context) ?? ANSWERS.noText,
    output: output === null ? null : JSON.stringify(output),
    failure: null,
    at: context.at,
  }
}

/** [L32] How a task ends that was asked for the JSON of its output alone. */
export function outputEnd(
  { lastText }: TaskContext,
  { output = null, text, at }: { output?: string | null; text: string; at: Ms },
): End {
  if (output !== null) return { ...completedEnd({ text: lastText, at }), output }
  return { endedBy: 'output_invalid', answer: text || lastText || ANSWERS.noOutput, output: null, failure: null, at }
}

/** [T49] Abandons whatever is asked of the browser. */
const abandonment = (context: TaskContext): Post[] => {
  const requestId = currentRequest(context)
  return requestId ? [{ to: sessionAddress(context.sessionId), event: { type: 'call.abandon', requestId } }] : []
}

/** The actions that end a task from outside, in whatever state it is. */
const ended = <E extends { at: Ms }>(endOf: (event: E) => End) =>
  [
    { type: 'postAll', params: ({ context }: { context: TaskContext }) => abandonment(context) },
    { type: 'end', params: ({ event }: { event: E }) => endOf(event) },
  ] as const

const endedBy = (by: EndedBy, answer: string, failure: FailureCategory) =>
  ended(({ at }: { at: Ms }) => ({ endedBy: by, answer, failure, at }))

export const cancelled = endedBy('cancelled', ANSWERS.cancelled, 'aborted')
export const outOfTime = endedBy('time_limit', ANSWERS.timeLimit, 'timeout')
export const swept = endedBy('sweep', ANSWERS.sweep, 'timeout')
export const shutDown = endedBy('shutdown', ANSWERS.shutdown, 'aborted')
export const crashed = ended(({ message, at }: { message: string; at: Ms }) => ({
  endedBy: 'crash',
  answer: ANSWERS.crashed(message),
  failure: 'internal',
  at,
}))
