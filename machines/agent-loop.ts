import { sessionAddress } from './addresses.ts'
import { approvalOf, releaseOf } from './approval.ts'
import { type BudgetWarning, NO_BUDGET, settled as settledBudget, stepsMax, warningOf } from './budget.ts'
import type { Post } from './effects.ts'
import { openingCall } from './first-navigate.ts'
import { RELEASE } from './held.ts'
import { expiryOf, type InputAction, type InputRequest, questionOf } from './input-request.ts'
import { ANSWERED_INPUTS_MAX, BROWSER_WAIT_MS, FAILURES_MAX, FINISH_UNCHECKED_STEPS_MAX } from './limits.ts'
import { dependsOnPage, failuresWith, isRefused, NO_ACTIONS, noteFor, withAction } from './progress.ts'
import {
  type CallOutcome,
  type CallResult,
  type JournalCall,
  type Ms,
  NO_USAGE,
  type ToolCall,
  type Usage,
  withUsage,
} from './records.ts'
import { isServed, SCRIPT } from './served-calls.ts'
import {
  finishAnswer,
  finishEnd,
  isOutputOnly,
  noProgressEnd,
  onlyFailsEnd,
  replyEnd,
  stepLimitEnd,
} from './task-endings.ts'
import type { End, ModelReply, RecordedAnswer, TaskContext, TaskInput } from './task-types.ts'
import { TO_MODEL } from './texts.ts'

/** What a task decides: its new context, and the effects that go with it. Every decision is pure. */
export interface Decision {
  readonly context: TaskContext
  readonly effects: readonly DecisionEffect[]
}
export type DecisionEffect =
  | { readonly type: 'recordReply'; readonly params: ReplyRecord }
  | { readonly type: 'recordCall'; readonly params: { readonly context: TaskContext } }
  | { readonly type: 'recordResult'; readonly params: ResultRecord }
  | { readonly type: 'recordCheck'; readonly params: CheckRecord }
  | { readonly type: 'recordAnswer'; readonly params: RecordedAnswer }
  | { readonly type: 'postAll'; readonly params: readonly Post[] }

export interface ReplyRecord {
  readonly taskId: string
  readonly step: number
  readonly reply: ModelReply
  readonly warning: BudgetWarning | null
}
/** `note`: what the model reads after the result. */
export interface ResultRecord {
  readonly context: TaskContext
  readonly outcome: CallResult
  readonly at: Ms
  readonly note: string | null
}
export type CheckRecord = Pick<ResultRecord, 'context' | 'note'>

/** The tools that this machine carries out itself; [I4] `ask_user` asks the user. */
export const FINISH = 'finish'
const ASK_USER = 'ask_user'

const changed = (context: TaskContext, change: Partial<TaskContext>): Decision => ({
  context: { ...context, ...change },
  effects: [],
})

const unchanged = (context: TaskContext): Decision => ({ context, effects: [] })

/** The decision, and then what follows from it. */
function andThen({ context, effects }: Decision, decide: (context: TaskContext) => Decision): Decision {
  const then = decide(context)
  return { context: then.context, effects: [...effects, ...then.effects] }
}

/**
 * What comes next: an end, a question to the user, the next call of the reply, or the next step. Calls that are not sent
 * get their results here. A paused task goes on when it is resumed.
 */
export function next(context: TaskContext): Decision {
  const { calls, step, inputRequest, pausedBy, release, failures, unread } = context
  const [call] = calls
  if (context.end || inputRequest) return unchanged(context)
  if (!call && step >= stepsMax(context)) return changed(context, { end: stepLimitEnd(context) })
  if (failures >= FAILURES_MAX) return changed(context, { end: onlyFailsEnd(context) })
  // [I7] The user's answer is carried out before anything else.
  if (pausedBy.length > 0 || release) return unchanged(context)
  if (!call) return unread === 0 ? unchanged(context) : changed(context, { unread: 0 })
  const unsent = withoutSending(context, call)
  if (unsent) return andThen(unsent, next)
  // [L41] It is logged when it begins: with calls of its own it comes here again after each of them.
  if (isServed(call)) return unchanged(context)
  const effects = [{ type: 'recordCall' as const, params: { context } }]
  if (call.tool !== ASK_USER) return { context, effects }
  const request = questionOf(call, expiryOf(context.at, context.deadlineAt))
  return { context: { ...context, inputRequest: request }, effects }
}

/** What became of the current call. */
export interface Settlement {
  readonly outcome: CallOutcome
  readonly at: Ms
  /** What the service itself spent on it. */
  readonly spent?: Spent
}

/** What a model cost that was asked beside the conversation. */
export interface Spent {
  readonly usage: Usage
  readonly costUsd: number
}

/** What becomes of a call that is not sent; `null`: it is sent, or the user is asked. */
function withoutSending(context: TaskContext, call: JournalCall): Decision | null {
  const { halted, progress, at, unread } = context
  // [L24] After a failed call, and after what the model could not know of, the rest of its step is not run. What another
  // page makes void is only what was meant for the one before it.
  if (halted !== null && !(halted === 'navigation' && !dependsOnPage(call))) {
    // [L41] It may have done something already: its result says what.
    if (call.tool === SCRIPT) return null
    return unsent(context, { status: 'skipped', message: TO_MODEL.notRun[halted] })
  }
  if (!call.parent && isRefused(progress, call, at)) return changed(context, { end: noProgressEnd(context) })
  if (call.misfit) {
    // Keeps the answer that came with it: the next output may fit and come without one.
    const lastText = finishAnswer(context) ?? context.lastText
    return unsent({ ...context, misfits: context.misfits + 1, halted: 'finish', lastText }, refusalOf(call))
  }
  // A call that is wrong in itself is not sent: the model reads why.
  if (call.refusal !== null) return unsent(withOutcome(context, refusalOf(call), at), refusalOf(call))
  // [Z5] It was meant for a page that is gone.
  if (context.pageLost && call.tool !== FINISH && call.tool !== ASK_USER) {
    const lost: CallResult = {
      status: 'failed',
      category: 'browser_disconnected',
      message: TO_MODEL.pageLost(context.pageUrl),
    }
    return unsent({ ...withOutcome(context, lost, at), pageLost: false, pageUrl: null }, lost)
  }
  if (call.tool !== FINISH) return null
  // [L23, L25] The service's own tool: the answer is checked by the model once, then it ends the task.
  if (mustBeChecked(context, call)) {
    const checked = { ...context, answerChecked: true, halted: 'finish' as const }
    const record = { context: checked, note: noteFor(checked) }
    return { context: withoutCall(checked, at), effects: [{ type: 'recordCheck', params: record }] }
  }
  if (unread > 0) {
    return unsent({ ...context, halted: 'message' }, { status: 'skipped', message: TO_MODEL.notRun.message })
  }
  return finished(context, finishEnd(context))
}

const refusalOf = ({ refusal }: JournalCall): CallResult => ({
  status: 'failed',
  category: 'internal',
  message: refusal ?? '',
})

/**
 * [L25] An answer counts at once when all that it claims was seen, when it says that it failed, when little was done, or
 * when there is no step left to check it.
 */
const mustBeChecked = (
  { verify, answerChecked, step, budget, endsSoon }: TaskContext,
  { input, unsourced = [] }: JournalCall,
) =>
  verify &&
  !answerChecked &&
  input.success === true &&
  unsourced.length > 0 &&
  step > FINISH_UNCHECKED_STEPS_MAX &&
  step < stepsMax({ budget }) &&
  !endsSoon

/** The current call is not sent: it is recorded with its result, and the next one becomes the current one. */
function unsent(context: TaskContext, outcome: CallResult): Decision {
  const { effects } = recorded(context, outcome)
  return { context: withoutCall(context, context.at), effects }
}

function recorded(context: TaskContext, outcome: CallResult): Decision {
  const result = { context, outcome, at: context.at, note: noteFor(context) }
  const effects = [
    { type: 'recordCall' as const, params: { context } },
    { type: 'recordResult' as const, params: result },
  ]
  return { context, effects }
}

/** [L23] The current `finish` counts. */
function finished(context: TaskContext, end: End): Decision {
  const [call] = context.calls
  if (!call) return changed(context, { end })
  const done: CallResult = { status: 'done', output: TO_MODEL.ended, said: TO_MODEL.ended, screenshot: null }
  return andThen(recorded(context, call.refusal === null ? done : refusalOf(call)), () => changed(context, { end }))
}

const withoutCall = (context: TaskContext, at: Ms): TaskContext => ({
  ...context,
  calls: context.calls.slice(1),
  ...NOT_HELD,
  at,
})

/** What the current call did to the page, and whether the calls after it may still run. */
function withOutcome(context: TaskContext, outcome: CallResult, at: Ms): TaskContext {
  const [call] = context.calls
  if (!call) return context
  // [L41] The call that asked for it goes on by itself, but not after what its user refused, or what nobody knows of.
  if (call.parent) return isFinal(outcome) ? { ...context, halted: 'failure' } : context
  const halts = outcome.status === 'done' ? outcome.halts : 'failure'
  return {
    ...context,
    progress: withAction(context.progress, call, outcome, at),
    failures: failuresWith(context.failures, call, outcome),
    halted: halts ?? context.halted,
    ...(context.pool !== null && 'url' in outcome && outcome.url ? { pageUrl: outcome.url } : {}),
  }
}

const isFinal = (outcome: CallResult): boolean =>
  outcome.status === 'unknown' || (outcome.status === 'failed' && outcome.category === 'aborted')

/** What the model said counts, and goes into the log: both or neither. [L1] It may end the task. */
export function replied(before: TaskContext, reply: ModelReply): Decision {
  const context: TaskContext = {
    ...before,
    ...settledBudget(before, reply),
    attempt: 0,
    halted: null,
    calls: callsOf(reply),
    hasFinish: reply.hasFinish ?? false,
    at: reply.at,
    lastText: reply.text === '' || isOutputOnly(before) ? before.lastText : reply.text,
    model: reply.model,
  }
  const { taskId, step, warnedAt, unread, reminded } = context
  const record = { taskId, step, reply, warning: warnedAt === step ? warningOf(context) : null }
  const taken: Decision = { context, effects: [{ type: 'recordReply', params: record }] }
  const isAnswer = reply.type === 'model.answered'
  // [I1] The user has said something meanwhile: the model reads it first.
  if (isAnswer ? unread > 0 : !reply.lastCall) return taken
  // [L1] Where there is `finish`, words end nothing: the model is reminded of it once.
  if (isAnswer && !isOutputOnly(context) && !reply.lastCall && reply.hasFinish && !reminded) {
    return andThen(taken, () => changed(context, { reminded: true }))
  }
  return andThen(taken, () => finished(context, replyEnd(context, reply)))
}

/** Of its last reply `finish` alone counts. */
function callsOf(reply: ModelReply): TaskContext['calls'] {
  if (reply.type === 'model.answered') return []
  return reply.lastCall ? reply.calls.filter(({ tool }) => tool === FINISH).slice(-1) : reply.calls
}

/**
 * [L8, L24–L26] The current call is settled, whether a browser answered it or it was never sent. [I5] The browser may hold
 * what it causes: then the user is asked. A request that is held again says what has changed.
 */
export function settled(before: TaskContext, { outcome, at, spent }: Settlement): Decision {
  const context = spent ? withSpent(before, spent) : before
  const [call] = context.calls
  if (outcome.status === 'held') {
    const { held } = outcome
    const approved = context.release?.action === 'accept' ? context.held : null
    const id = currentRequest(context) ?? ''
    const inputRequest = call ? approvalOf(id, call, held, approved, expiryOf(at, context.deadlineAt)) : null
    return changed(context, { held, inputRequest, release: null })
  }
  const result = asApproved(context, outcome)
  const after = withOutcome(context, result, at)
  const record = { context: after, outcome: result, at, note: noteFor(after) }
  return { context: withoutCall(after, at), effects: [{ type: 'recordResult', params: record }] }
}

const withSpent = (context: TaskContext, { usage, costUsd }: Spent): TaskContext => ({
  ...context,
  usage: withUsage(context.usage, usage),
  costUsd: context.costUsd + costUsd,
})

/** [I5] The model reads that something was not approved, whatever else came of the call. */
function asApproved({ notApproved }: TaskContext, result: CallResult): CallResult {
  if (notApproved === null) return result
  const content = result.status === 'done' || result.status === 'failed' ? result.content : undefined
  const message = TO_MODEL.notApproved[notApproved]
  return { status: 'failed', category: 'aborted', message, ...(content ? { content } : {}) }
}

/** An answer to what the user is asked; `releaseId`: the request id of the call that carries it out. */
export interface Answer {
  readonly action: InputAction
  readonly content: string | null
  readonly forTask: boolean
  readonly releaseId: string
  readonly by: RecordedAnswer['by']
  readonly at: Ms
}

/** No answer came in time. */
export const NO_ANSWER = { action: 'cancel', content: null, forTask: false, by: 'timeout' } as const

/** [I4, I7] The user has answered, or has not in time. What is held is let go or dropped by a call of its own. */
export function answered(context: TaskContext, answer: Answer): Decision {
  const { inputRequest, held } = context
  const { action, by, forTask, at } = answer
  const logged: Decision = {
    context,
    effects: [{ type: 'recordAnswer', params: { context, action, by, forTask, at } }],
  }
  // A call that its browser cannot hold has not left: without an approval nothing is to be dropped.
  const isReleased = inputRequest?.kind === 'approval' && (held !== null || action === 'accept')
  const done = andThen(logged, () =>
    isReleased
      ? changed(context, releaseOf(context, answer))
      : settled(context, { outcome: resultOf(inputRequest, answer), at }),
  )
  const ids = inputRequest ? [...context.answered, inputRequest.id].slice(-ANSWERED_INPUTS_MAX) : context.answered
  return { ...done, context: { ...done.context, inputRequest: null, answered: ids } }
}

/** What the model reads when the user has answered, or has not. */
function resultOf(request: InputRequest | null, { action, content }: Answer): CallResult {
  if (request?.kind === 'approval') {
    const message = TO_MODEL.notApproved[action === 'decline' ? action : 'cancel']
    return { status: 'failed', category: 'aborted', message }
  }
  const accepted = request?.kind === 'takeover' ? TO_MODEL.tookOver : TO_MODEL.answered(content ?? '')
  const said = action === 'accept' ? accepted : TO_MODEL.notAnswered[action]
  // In the service's own words, none of them from a page.
  return { status: 'done', output: said, said, screenshot: null }
}

/** [T49] Ended from outside, in whatever state it is: what is asked of the browser is abandoned. */
export function stopped(context: TaskContext, end: End): Decision {
  const requestId = currentRequest(context)
  const posts: Post[] = requestId
    ? [{ to: sessionAddress(context.sessionId), event: { type: 'call.abandon', requestId } }]
    : []
  return { context: { ...context, end }, effects: [{ type: 'postAll', params: posts }] }
}

/** Nothing of the current call is held. */
export const NOT_HELD = { held: null, release: null, notApproved: null } as const

/** The context of a task that has not begun. */
export const newTask = ({
  queuedUntil = null,
  browserWaitMs = BROWSER_WAIT_MS,
  opens,
  ...input
}: TaskInput): TaskContext => ({
  ...input,
  wantsOutput: input.wantsOutput ?? false,
  queuedUntil,
  browserWaitMs,
  begun: queuedUntil === null,
  budget: input.budget ?? NO_BUDGET,
  pool: input.pool ?? null,
  pageUrl: null,
  pageLost: false,
  costUsd: 0,
  warnedAt: null,
  pausedBy: [],
  unread: 0,
  inputRequest: null,
  answered: [],
  ...NOT_HELD,
  allowedShapes: [],
  step: 0,
  usage: NO_USAGE,
  model: null,
  lastText: '',
  attempt: 0,
  retryAt: 0,
  calls: opens === undefined ? [] : [openingCall(input.taskId, opens.url)],
  browserInstanceId: null,
  at: opens?.at ?? 0,
  progress: NO_ACTIONS,
  failures: 0,
  halted: null,
  answerChecked: false,
  misfits: 0,
  reminded: false,
  hasFinish: false,
  endsSoon: false,
  end: null,
})

/** The request id of the call that is under way: the model's, or the one that carries the user's answer out. */
export const currentRequest = ({ calls: [call], release }: TaskContext): string | undefined =>
  release?.requestId ?? call?.requestId

/** The current call, as the browser gets it. */
export function toolCall({ calls: [call], taskId, sessionId, held, release, allowedShapes }: TaskContext): ToolCall {
  if (!call) throw new Error(`Task ${taskId} acts without a call`)
  const of = { taskId, sessionId, ...(allowedShapes.length > 0 ? { allowedShapes } : {}) }
  const { requestId, tool, input, intent, guard } = call
  const asked = { ...of, tool, input, ...(intent ? { intent } : {}), ...(guard ? { guard } : {}) }
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
