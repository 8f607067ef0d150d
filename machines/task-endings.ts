import { stepsMax } from './budget.ts'
import type { EffectCrashed } from './effects.ts'
import { MODEL_ATTEMPT_MS_MAX, OUTPUT_REPAIRS_MAX, SECOND_MS } from './limits.ts'
import { type Ending, type Ms, NO_USAGE } from './records.ts'
import type { End, ModelReply, TaskContext, TaskEvent } from './task-types.ts'
import { ANSWERS, REFUSALS } from './texts.ts'

/** The ways in which a task ends, and what its record then says. */

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
    ...(end.cancelledBy ? { cancelledBy: end.cancelledBy } : {}),
    ...ownDeadline(context),
    ...ownBrowser(context),
  }
}

/** The deadline of a task that has left the queue: its record has the latest that it could be. */
const ownDeadline = ({ queuedUntil, begun, deadlineAt }: Partial<TaskContext>) =>
  queuedUntil != null && begun && deadlineAt !== undefined ? { deadlineAt } : {}

/** The browser of a task of a pool: its record has the first one, or none. */
const ownBrowser = ({ pool, sessionId }: Partial<TaskContext>) =>
  pool != null && sessionId ? { browserSessionId: sessionId } : {}

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
    ...ownBrowser(last),
  }
}

/** What ends a task from outside, in whatever state it is. */
export type StopEvent =
  | Extract<
      TaskEvent,
      { type: 'task.cancel' | 'task.sweep' | 'task.shutdown' | 'deadline.reached' | 'queue.expired' | 'queue.closed' }
    >
  | EffectCrashed

const STOPS = {
  'task.cancel': { endedBy: 'cancelled', answer: ANSWERS.cancelled, failure: 'aborted' },
  'task.sweep': { endedBy: 'sweep', answer: ANSWERS.sweep, failure: 'timeout' },
  'task.shutdown': { endedBy: 'shutdown', answer: ANSWERS.shutdown, failure: 'aborted' },
  'deadline.reached': { endedBy: 'time_limit', answer: ANSWERS.timeLimit, failure: 'timeout' },
  /** [T59] The task expired in the queue. */
  'queue.expired': { endedBy: 'queue_timeout', answer: ANSWERS.queueTimeout, failure: 'timeout' },
} as const

export function stopEnd(event: StopEvent): End {
  const { type, at } = event
  if (type === 'effect.crashed') {
    return { endedBy: 'crash', answer: ANSWERS.crashed(event.message), failure: 'internal', at }
  }
  // [T59] Its browser was removed, or its session expired, before its turn came.
  if (type === 'queue.closed') {
    return { endedBy: 'browser_lost', answer: REFUSALS[event.code], failure: 'browser_disconnected', at }
  }
  return { ...STOPS[type], ...(type === 'task.cancel' ? { cancelledBy: event.by } : {}), at }
}

/** What ends a task when its model is asked. */
export type ModelGaveUp = Extract<
  TaskEvent,
  {
    type:
      | 'model.failedRetryably'
      | 'model.failed'
      | 'model.timedOut'
      | 'budget.spent'
      | 'journal.full'
      | 'recipe.deviated'
  }
>

/** The model failed for good or too often, or may not be asked any more. */
export function modelEnd(context: TaskContext, event: ModelGaveUp): End {
  const { type, at } = event
  if (type === 'budget.spent') return budgetEnd(context, at)
  // [L30] The log has no room for another step.
  if (type === 'journal.full') return { endedBy: 'step_limit', answer: ANSWERS.journalFull, failure: null, at }
  if (event.type === 'recipe.deviated')
    return { endedBy: 'recipe_deviated', answer: ANSWERS.recipeDeviated(event.deviation), failure: null, at }
  // The provider cannot give JSON for this schema: the answer is what there is.
  if (type === 'model.failed' && isOutputOnly(context)) return outputEnd(context, { text: '', at })
  const { message, rateLimited } = type === 'model.timedOut' ? LATE : event
  const answer = ANSWERS.modelFailed(message)
  return { endedBy: 'model_failure', answer, failure: rateLimited ? 'rate_limited' : 'llm_error', at }
}
const LATE = { message: `the model did not answer within ${MODEL_ATTEMPT_MS_MAX / SECOND_MS} s`, rateLimited: false }

/** [L32] The repairs are used up: the model is asked once more, for the JSON alone. */
export const isOutputOnly = ({ wantsOutput, misfits }: TaskContext): boolean =>
  wantsOutput && misfits > OUTPUT_REPAIRS_MAX

/** How a reply ends its task that counts as its last one; the context has taken it. */
export function replyEnd(context: TaskContext, reply: ModelReply): End {
  const { text, at } = reply
  if (reply.type === 'model.answered' && isOutputOnly(context)) return outputEnd(context, reply)
  if (reply.lastCall) return lastCallEnd(context)
  // [L1] The model was reminded of `finish` and answered in words again.
  if (reply.hasFinish) return { endedBy: 'no_finish', answer: text || ANSWERS.noFinish, failure: null, at }
  return { endedBy: 'completed', answer: text || ANSWERS.noText, failure: null, at }
}

/** [L32] How a task ends that was asked for the JSON of its output alone. */
function outputEnd(
  { lastText }: TaskContext,
  { output = null, text, at }: { output?: string | null; text: string; at: Ms },
): End {
  if (output !== null) return { endedBy: 'completed', answer: lastText || ANSWERS.noText, output, failure: null, at }
  return { endedBy: 'output_invalid', answer: text || lastText || ANSWERS.noOutput, output: null, failure: null, at }
}

/**
 * [L2, L35] The model knew that this was its last reply: `finish` with success completes the task; anything else ends it
 * with what was found so far.
 */
function lastCallEnd(context: TaskContext): End {
  const { calls, at, lastText } = context
  const finish = calls[0]?.refusal === null ? finishEnd(context) : null
  if (finish?.endedBy === 'completed') return finish
  const by = lastCallBy(context)
  return {
    endedBy: by,
    answer: (finish?.answer ?? finishAnswer(context) ?? lastText) || OUT_OF[by],
    output: finish?.output ?? null,
    failure: by === 'time_limit' ? 'timeout' : null,
    at,
  }
}

const OUT_OF = { time_limit: ANSWERS.timeLimit, step_limit: ANSWERS.stepLimit, budget: ANSWERS.budget } as const

function lastCallBy({ endsSoon, step, budget }: TaskContext): keyof typeof OUT_OF {
  if (endsSoon) return 'time_limit'
  return budget.steps === null && step >= stepsMax({ budget }) ? 'step_limit' : 'budget'
}

/** [L35] The budget has no room for another model call: what was said last is what there is. */
const budgetEnd = ({ lastText }: TaskContext, at: Ms): End => ({
  endedBy: 'budget',
  answer: lastText || ANSWERS.budget,
  failure: null,
  at,
})

/** [L2] The last allowed step is done. */
export const stepLimitEnd = (context: TaskContext): End =>
  context.budget.steps === null
    ? { endedBy: 'step_limit', answer: context.lastText || ANSWERS.stepLimit, failure: null, at: context.at }
    : budgetEnd(context, context.at)

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

interface FinishInput {
  readonly success?: boolean
  readonly output?: unknown
  /** [Z14] Only of a task with a profile. */
  readonly signed_out?: boolean
}

/** [L23, Z14] What the model gave to `finish`, as the end of the task. */
export function finishEnd(context: TaskContext): End {
  const { success, output = null, signed_out } = (context.calls[0]?.input ?? {}) as FinishInput
  return {
    endedBy: success === true ? 'completed' : signed_out === true ? 'signed_out' : 'gave_up',
    answer: finishAnswer(context) ?? ANSWERS.noText,
    output: output === null ? null : JSON.stringify(output),
    failure: null,
    at: context.at,
  }
}
