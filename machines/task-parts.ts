import { assign, setup } from 'xstate'
import { type BudgetWarning, settled as settledBudget, stepsMax } from './budget.ts'
import { type AlarmInput, effect, post, postAll } from './effects.ts'
import { type Held, RELEASE } from './held.ts'
import type { InputAction, InputRequest } from './input-request.ts'
import {
  ALLOWED_SHAPES_MAX,
  ANSWERED_INPUTS_MAX,
  FAILURES_MAX,
  FINISH_UNCHECKED_STEPS_MAX,
  MODEL_ATTEMPTS_MAX,
  OUTPUT_REPAIRS_MAX,
} from './limits.ts'
import { failuresWith, isRefused, withAction } from './progress.ts'
import type { CallOutcome, CallResult, Ending, Ms, ToolCall } from './records.ts'
import { finishAnswer } from './task-endings.ts'
import {
  type AskParams,
  currentRequest,
  type End,
  type ModelReply,
  NOT_HELD,
  type PausedBy,
  type RecordedAnswer,
  type TaskContext,
  type TaskEvent,
  type TaskInput,
} from './task-types.ts'
import { dependsOnPage } from './tool-kinds.ts'

/** The tool that the service carries out itself. */
const FINISH = 'finish'
/** [I4] Another one: it asks the user. */
const ASK_USER = 'ask_user'

/** [L32] The repairs are used up: the model is asked once more, for the JSON alone. */
export const isOutputOnly = ({ wantsOutput, misfits }: TaskContext): boolean =>
  wantsOutput && misfits > OUTPUT_REPAIRS_MAX

/** Of its last reply `finish` alone counts. */
function callsOf(reply: ModelReply): TaskContext['calls'] {
  if (reply.type === 'model.answered') return []
  return reply.lastCall ? reply.calls.filter(({ tool }) => tool === FINISH).slice(-1) : reply.calls
}

/** The types, effects, actions and guards of a task's machine. */
export const task = setup({
  types: {
    context: {} as TaskContext,
    events: {} as TaskEvent,
    input: {} as TaskInput,
    output: {} as Ending,
    tags: {} as 'transient',
  },
  actors: {
    alarm: effect<AlarmInput>(),
    /** After a restart: finds the result in the journal, or has the session ask its browser. */
    reconcile: effect<{ taskId: string; requestId: string }>(),
    /** The end of the time for an answer. */
    inputExpiry: effect<{ taskId: string; at: Ms }>(),
  },
  actions: {
    post,
    postAll,
    /** Asks the model for the reply of a step, or takes it from the journal. Sends its event within the time limit. */
    ask: (_, _params: AskParams) => {
      throw new Error('ask is provided by actors/task.ts')
    },
    /** Waits until the intent of the current call is durable. Its frame must not be sent before. */
    keep: (_, _params: { taskId: string; sessionId: string }) => {
      throw new Error('keep is provided by actors/task.ts')
    },
    /** Ends what `ask` or `keep` began. */
    endEffect: () => {
      throw new Error('endEffect is provided by actors/task.ts')
    },
    /** Writes the reply to the journal, with the final request ids of its calls. */
    recordReply: (_, _params: { taskId: string; step: number; reply: ModelReply; warning: BudgetWarning | null }) => {
      throw new Error('recordReply is provided by actors/task.ts')
    },
    openCall: (_, _params: { call: ToolCall; at: Ms; browserInstanceId: string | null; workspaceId: string }) => {
      throw new Error('openCall is provided by actors/task.ts')
    },
    recordCall: (_, _params: { context: TaskContext }) => {
      throw new Error('recordCall is provided by actors/task.ts')
    },
    /** Gives the model the check of its answer as the result of its `finish`. */
    recordCheck: (_, _params: { context: TaskContext; note: string | null }) => {
      throw new Error('recordCheck is provided by actors/task.ts')
    },
    recordResult: (_, _params: { context: TaskContext; outcome: CallResult; at: Ms; note: string | null }) => {
      throw new Error('recordResult is provided by actors/task.ts')
    },
    /** Writes the question to the event log, and sends it to the browser. */
    recordInput: (_, _params: { context: TaskContext }) => {
      throw new Error('recordInput is provided by actors/task.ts')
    },
    recordAnswer: (_, _params: RecordedAnswer) => {
      throw new Error('recordAnswer is provided by actors/task.ts')
    },
    // Every assign copies the context and the snapshot: what changes together is one.
    takeReply: assign(({ context }, reply: ModelReply) => ({
      ...settledBudget(context, reply),
      attempt: 0,
      halted: null,
      calls: callsOf(reply),
      hasFinish: reply.hasFinish ?? false,
      at: reply.at,
      lastText: reply.text === '' || isOutputOnly(context) ? context.lastText : reply.text,
      model: reply.model,
    })),
    countAttempt: assign(({ context }, retryAt: Ms) => ({ attempt: context.attempt + 1, retryAt })),
    nextCall: assign(({ context }, at: Ms) => ({ calls: context.calls.slice(1), ...NOT_HELD, at })),
    /** The result was durable before a crash: what it says about the calls after it still counts. */
    recoverCall: assign(({ context }, { halted, at }: { halted: TaskContext['halted']; at: Ms }) => ({
      calls: context.calls.slice(1),
      ...NOT_HELD,
      halted: context.halted ?? halted,
      at,
    })),
    markTime: assign((_, at: Ms) => ({ at })),
    setBrowserInstance: assign((_, browserInstanceId: string | null) => ({ browserInstanceId })),
    /** Records what a call did to the page, and whether the calls after it may still run. */
    observe: assign(({ context }, { outcome, at }: { outcome: CallResult; at: Ms }) => {
      if (!context.calls[0]) return {}
      const halts = outcome.status === 'done' ? outcome.halts : 'failure'
      return {
        progress: withAction(context.progress, context.calls[0], outcome, at),
        failures: failuresWith(context.failures, context.calls[0], outcome),
        halted: halts ?? context.halted,
      }
    }),
    /** Keeps the answer that came with it: the next output may fit and come without one. */
    countMisfit: assign(({ context }) => ({
      misfits: context.misfits + 1,
      halted: 'finish' as const,
      lastText: finishAnswer(context) ?? context.lastText,
    })),
    remind: assign({ reminded: true }),
    /** [L2] What is left of the step is not run: there is time for one more reply. */
    hurry: assign(({ context }) => ({
      endsSoon: true,
      halted: context.hasFinish && context.calls.length > 0 ? ('deadline' as const) : context.halted,
    })),
    pause: assign(({ context }, by: PausedBy) => ({ pausedBy: [...new Set([...context.pausedBy, by])] })),
    resume: assign(({ context }, by: PausedBy) => ({ pausedBy: context.pausedBy.filter((other) => other !== by) })),
    /** [I1] Unread, until the model is asked again. With `interrupt` what is left of the step is not run. */
    countMessage: assign(({ context }, { interrupt }: { interrupt: boolean }) => ({
      unread: context.unread + 1,
      halted: interrupt && context.calls.length > 0 ? ('message' as const) : context.halted,
    })),
    markRead: assign(({ context }) => (context.unread === 0 ? {} : { unread: 0 })),
    haltForMessage: assign({ halted: 'message' as const }),
    request: assign((_, inputRequest: InputRequest | null) => ({ inputRequest })),
    forgetRequest: assign(({ context }) => ({ inputRequest: null, answered: withAnswered(context) })),
    /** [I5] The user is asked; what an earlier answer let go of is done. */
    hold: assign((_, { held, request }: { held: Held | null; request: InputRequest | null }) => ({
      held,
      inputRequest: request,
      release: null,
    })),
    /** [I7] The frame has not left: its intent names no browser yet. */
    release: assign(({ context }, { releaseId, action, forTask, at }: ReleaseParams) => ({
      release: { requestId: releaseId, action: action === 'accept' ? ('accept' as const) : ('decline' as const) },
      notApproved: action === 'accept' ? context.notApproved : action,
      allowedShapes:
        forTask && action === 'accept' && context.held
          ? withShape(context.allowedShapes, context.held.shape)
          : context.allowedShapes,
      browserInstanceId: null,
      at,
    })),
    markChecked: assign({ answerChecked: true, halted: 'finish' }),
    /** [T59] The task leaves the queue. */
    begin: assign((_, deadlineAt: Ms) => ({ deadlineAt, begun: true })),
    end: assign((_, end: End) => ({ end })),
  },
  guards: {
    isQueued: ({ context }) => !context.begun,
    attemptsLeft: ({ context }) => context.attempt + 1 < MODEL_ATTEMPTS_MAX,
    noCallLeft: ({ context }) => context.calls.length === 0,
    noStepLeft: ({ context }) => context.calls.length === 0 && context.step >= stepsMax(context),
    isLastCall: (_, { lastCall }: ModelReply) => lastCall === true,
    refused: ({ context }) => typeof context.calls[0]?.refusal === 'string',
    hasFinish: (_, { hasFinish }: ModelReply) => hasFinish === true,
    mustBeReminded: ({ context }, { hasFinish }: ModelReply) => hasFinish === true && !context.reminded,
    /** After a restart the last minute begins again: its reply is asked for already. */
    mayHurry: ({ context }) => context.hasFinish && !context.endsSoon,
    isOutputOnly: ({ context }) => isOutputOnly(context),
    misfits: ({ context }) => context.calls[0]?.misfit === true,
    noProgress: ({ context: { calls, progress, at } }) => calls[0] !== undefined && isRefused(progress, calls[0], at),
    onlyFails: ({ context }) => context.failures >= FAILURES_MAX,
    /** What another page makes void is only what was meant for the one before it. */
    halted: ({ context: { halted, calls } }) =>
      halted !== null && !(halted === 'navigation' && calls[0] !== undefined && !dependsOnPage(calls[0])),
    finishes: ({ context }) => context.calls[0]?.tool === FINISH,
    /**
     * An answer counts at once when it says that it failed, when little was done, or when there is no step left to
     * check it.
     */
    mustBeChecked: ({ context: { calls, verify, answerChecked, step, budget, endsSoon } }) =>
      calls[0]?.tool === FINISH &&
      verify &&
      !answerChecked &&
      calls[0].input.success === true &&
      step > FINISH_UNCHECKED_STEPS_MAX &&
      step < stepsMax({ budget }) &&
      !endsSoon,
    asksUser: ({ context }) => context.calls[0]?.tool === ASK_USER,
    releases: ({ context }) => context.release !== null,
    isHolding: ({ context }) => context.inputRequest?.kind === 'approval' && context.held !== null,
    isPaused: ({ context }) => context.pausedBy.length > 0,
    notPaused: ({ context }) => context.pausedBy.length === 0,
    hasUnread: ({ context }) => context.unread > 0,
    finishesUnread: ({ context }) => context.calls[0]?.tool === FINISH && context.unread > 0,
    isInterrupt: (_, params: { interrupt: boolean }) => params.interrupt,
    answersRequest: ({ context }, params: { requestId: string }) => context.inputRequest?.id === params.requestId,
    /** A call that its browser cannot hold has not left: without an approval nothing is to be dropped. */
    answersHold: ({ context: { inputRequest, held } }, params: { requestId: string; action: InputAction }) =>
      inputRequest?.kind === 'approval' &&
      inputRequest.id === params.requestId &&
      (held !== null || params.action === 'accept'),
    isHeld: ({ context }, { requestId, outcome }: { requestId: string; outcome: CallOutcome }) =>
      currentRequest(context) === requestId && outcome.status === 'held',
    isCurrent: ({ context }, params: { requestId: string }) => currentRequest(context) === params.requestId,
    isItsSession: ({ context }, params: { sessionId: string }) => context.sessionId === params.sessionId,
    isOtherBrowser: ({ context }, params: { browserInstanceId: string | null }) =>
      context.browserInstanceId !== params.browserInstanceId,
  },
})

type ReleaseParams = { releaseId: string; action: InputAction; forTask: boolean; at: Ms }

/** The current call, as the browser gets it. */
export function toolCall({ calls: [call], taskId, sessionId, held, release, allowedShapes }: TaskContext): ToolCall {
  if (!call) throw new Error(`Task ${taskId} acts without a call`)
  const of = { taskId, sessionId, ...(allowedShapes.length > 0 ? { allowedShapes } : {}) }
  const { requestId, tool, input, intent } = call
  const asked = { ...of, tool, input, ...(intent ? { intent } : {}) }
  if (!release) return { ...asked, requestId }
  if (!held) return { ...asked, requestId: release.requestId, isApproved: true }
  const { id, terms } = held
  return {
    ...of,
    requestId: release.requestId,
    tool: RELEASE,
    input: { held: id, action: release.action, terms },
    heldInput: input,
  }
}

const withAnswered = ({ answered, inputRequest }: TaskContext) =>
  inputRequest ? [...answered, inputRequest.id].slice(-ANSWERED_INPUTS_MAX) : answered

const withShape = (shapes: readonly string[], shape: string): readonly string[] =>
  shapes.includes(shape) ? shapes : [...shapes, shape].slice(-ALLOWED_SHAPES_MAX)
