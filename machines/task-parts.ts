import { assign, setup } from 'xstate'
import { sessionAddress } from './addresses.ts'
import { type AlarmInput, effect, type Post, post, postAll } from './effects.ts'
import { ANSWERS, type FailureCategory, relayNotConnected, TO_MODEL } from './failures.ts'
import { fingerprint } from './fingerprint.ts'
import {
  MODEL_ATTEMPT_MS_MAX,
  MODEL_ATTEMPTS_MAX,
  SAME_CALL_REFUSED,
  SAME_CALL_WARNED,
  SECOND_MS,
  STEPS_MAX,
} from './limits.ts'
import {
  type CallOutcome,
  type EndedBy,
  type Ending,
  type JournalCall,
  type Ms,
  type ToolCall,
  withUsage,
} from './records.ts'
import type { End, ModelReply, TaskContext, TaskEvent, TaskInput } from './task-context.ts'

const nameOf = (call: JournalCall) => fingerprint(JSON.stringify([call.tool, call.input]))

/** Screenshots count by their size: two pictures of the same scene are not compared pixel by pixel. */
const nameOfResult = (outcome: CallOutcome) =>
  outcome.status === 'done'
    ? fingerprint(`done ${JSON.stringify(outcome.output)} ${outcome.screenshot?.length ?? 0}`)
    : fingerprint(JSON.stringify(outcome))

export const modelFailure = (event: { message: string; rateLimited: boolean; at: Ms }): End => ({
  endedBy: 'model_failure',
  answer: ANSWERS.modelFailed(event.message),
  failure: event.rateLimited ? 'rate_limited' : 'llm_error',
  at: event.at,
})

export const noAnswerInTime = (at: Ms) => ({
  message: `the model did not answer within ${MODEL_ATTEMPT_MS_MAX / SECOND_MS} s`,
  rateLimited: false,
  at,
})

/** Whatever is asked of the browser is not wanted any more. */
const abandonment = ({ sessionId, calls }: TaskContext): Post[] =>
  calls[0] ? [{ to: sessionAddress(sessionId), event: { type: 'call.abandon', requestId: calls[0].requestId } }] : []

export const task = setup({
  types: {
    context: {} as TaskContext,
    events: {} as TaskEvent,
    input: {} as TaskInput,
    output: {} as Ending,
    tags: {} as 'unkept',
  },
  actors: {
    alarm: effect<AlarmInput>(),
    /** After a restart: finds the result in the journal, or has the session ask its browser. */
    recall: effect<{ taskId: string; requestId: string }>(),
  },
  actions: {
    post,
    postAll,
    /** Asks the model for the reply of a step, or finds it in the journal. Answers within its limit. */
    ask: (_, _params: { taskId: string; sessionId: string; step: number; attempt: number; withinMs: number }) => {
      throw new Error('ask is provided by actors/task.ts')
    },
    /** Waits until the intent of the call at hand is kept: only then may its frame leave. */
    keep: (_, _params: { taskId: string; sessionId: string }) => {
      throw new Error('keep is provided by actors/task.ts')
    },
    /** Ends what `ask` or `keep` began. */
    endEffect: () => {
      throw new Error('endEffect is provided by actors/task.ts')
    },
    /** The reply that was just taken goes into the journal, with the request ids that its calls have whatever happens. */
    recordReply: (_, _params: { taskId: string; step: number; reply: ModelReply }) => {
      throw new Error('recordReply is provided by actors/task.ts')
    },
    openCall: (_, _params: { call: ToolCall; at: Ms; instance: string | null; workspaceId: string }) => {
      throw new Error('openCall is provided by actors/task.ts')
    },
    noteCall: (_, _params: { context: TaskContext }) => {
      throw new Error('noteCall is provided by actors/task.ts')
    },
    noteResult: (_, _params: { context: TaskContext; outcome: CallOutcome; at: Ms; note: string | null }) => {
      throw new Error('noteResult is provided by actors/task.ts')
    },
    // Every assign copies the context and the snapshot: what changes together is one.
    takeReply: assign(({ context }, reply: ModelReply) => ({
      step: context.step + 1,
      attempt: 0,
      calls: reply.type === 'model.called' ? reply.calls : [],
      at: reply.at,
      lastText: reply.text === '' ? context.lastText : reply.text,
      model: reply.model,
      usage: withUsage(context.usage, reply.usage),
    })),
    countAttempt: assign(({ context }, retryAt: Ms) => ({ attempt: context.attempt + 1, retryAt })),
    nextCall: assign(({ context }, at: Ms) => ({ calls: context.calls.slice(1), at })),
    markTime: assign((_, at: Ms) => ({ at })),
    rememberMemory: assign((_, instance: string | null) => ({ instance })),
    /** Counts how often the same call had the same result in a row. */
    compare: assign(({ context }, outcome: CallOutcome) => {
      if (!context.calls[0]) return {}
      const call = nameOf(context.calls[0])
      const result = nameOfResult(outcome)
      const same = context.repeat.call === call && context.repeat.result === result
      return { repeat: { call, result, count: same ? context.repeat.count + 1 : 1 } }
    }),
    end: assign((_, end: End) => ({ end })),
  },
  guards: {
    attemptsLeft: ({ context }) => context.attempt + 1 < MODEL_ATTEMPTS_MAX,
    noCallLeft: ({ context }) => context.calls.length === 0,
    noStepLeft: ({ context }) => context.calls.length === 0 && context.step >= STEPS_MAX,
    refused: ({ context }) => typeof context.calls[0]?.refusal === 'string',
    noProgress: ({ context }) =>
      context.calls[0] !== undefined &&
      context.repeat.count >= SAME_CALL_REFUSED - 1 &&
      context.repeat.call === nameOf(context.calls[0]),
    isCurrent: ({ context }, params: { requestId: string }) => context.calls[0]?.requestId === params.requestId,
    isItsSession: ({ context }, params: { sessionId: string }) => context.sessionId === params.sessionId,
    otherMemory: ({ context }, params: { instance: string | null }) => context.instance !== params.instance,
  },
})

/** What the model said counts, and is kept: both or neither. */
export const replied = [
  { type: 'takeReply', params: ({ event }: { event: ModelReply }) => event },
  {
    type: 'recordReply',
    params: ({ context, event }: { context: TaskContext; event: ModelReply }) => ({
      taskId: context.taskId,
      step: context.step,
      reply: event,
    }),
  },
] as const

const noteFor = ({ repeat }: TaskContext) => (repeat.count === SAME_CALL_WARNED ? TO_MODEL.noProgress : null)

/** The call at hand as it goes to the browser. */
export function toolCall({ calls: [call], taskId, sessionId }: TaskContext): ToolCall {
  if (!call) throw new Error(`Task ${taskId} acts without a call`)
  return { requestId: call.requestId, taskId, sessionId, tool: call.tool, input: call.input }
}

/** What happens when the call at hand has a result, wherever it came from. */
const settled = <E extends { at: Ms }>(outcomeOf: (event: E) => CallOutcome) =>
  [
    { type: 'compare', params: ({ event }: { event: E }) => outcomeOf(event) },
    {
      type: 'noteResult',
      params: ({ context, event }: { context: TaskContext; event: E }) => ({
        context,
        outcome: outcomeOf(event),
        at: event.at,
        note: noteFor(context),
      }),
    },
    { type: 'nextCall', params: ({ event }: { event: E }) => event.at },
  ] as const

/** A refused call has its result at once. */
const refusal = ({ calls: [call] }: TaskContext): CallOutcome => ({
  status: 'failed',
  category: 'internal',
  message: call?.refusal ?? '',
})
export const refused = [
  { type: 'compare', params: ({ context }: { context: TaskContext }) => refusal(context) },
  {
    type: 'noteResult',
    params: ({ context }: { context: TaskContext }) => ({
      context,
      outcome: refusal(context),
      at: context.at,
      note: noteFor(context),
    }),
  },
  { type: 'nextCall', params: ({ context }: { context: TaskContext }) => context.at },
] as const

/** What happens when a task is ended from outside, whatever it was doing. */
const ended = <E extends { at: Ms }>(endOf: (event: E) => End) =>
  [
    { type: 'postAll', params: ({ context }: { context: TaskContext }) => abandonment(context) },
    { type: 'end', params: ({ event }: { event: E }) => endOf(event) },
  ] as const

export const answered = settled((event: Extract<TaskEvent, { type: 'call.settled' }>) => event.outcome)
export const unknown = settled((_: { at: Ms }) => ({ status: 'unknown' }))
export const missed = settled((_: { at: Ms }) => ({ status: 'failed', ...relayNotConnected }))

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
