import type { Spent } from './agent-loop.ts'
import type { AuditRef } from './audit-records.ts'
import type { Budget, Left } from './budget.ts'
import type { EffectCrashed } from './effects.ts'
import type { Held } from './held.ts'
import type { InputAction, InputRequest } from './input-request.ts'
import type { JournalCall, ReplyFields } from './journal.ts'
import type { Progress } from './progress.ts'
import type { Deviation } from './recipe.ts'
import type { CallOutcome, EndedBy, Ms, ToolCall, Usage } from './records.ts'
import type { FailureCategory, TO_MODEL } from './texts.ts'

/** What a task is started with. Its text is in its record, so that a snapshot stays small. */
export interface TaskInput {
  readonly taskId: string
  readonly workspaceId: string
  readonly sessionId: string
  /** The relay's request, when a side panel started it. */
  readonly requestId: string | null
  readonly deadlineAt: Ms
  /** Whether the model checks its answer before it counts. */
  readonly verify: boolean
  /** [L32] Whether the task has an `output_schema`. */
  readonly wantsOutput?: boolean
  /** [T59] When the task expires in the queue; absent or `null`: it begins at once. */
  readonly queuedUntil?: Ms | null
  /** [T60] How long it waits for a browser that is away. */
  readonly browserWaitMs?: number
  readonly budget?: Budget
  /** [L47] The address that is opened before the model is asked, and when it was asked for; absent: the model opens it. */
  readonly opens?: { readonly url: string; readonly at: Ms }
  /** [Z2] The pool whose browsers it runs in; absent or `null`: its browser was named. */
  readonly pool?: string | null
}

export type PausedBy = 'client' | 'browser'

/** What a running task remembers between events. */
export interface TaskContext extends TaskInput {
  readonly wantsOutput: boolean
  readonly queuedUntil: Ms | null
  readonly browserWaitMs: number
  /** The task holds a slot; false while it is queued. */
  readonly begun: boolean
  readonly budget: Budget
  readonly pool: string | null
  /** Of a task of a pool: the last address of its page. */
  readonly pageUrl: string | null
  /** [Z5] It has another browser, and its model has not read yet that its page is gone. */
  readonly pageLost: boolean
  /** The cost of the replies so far, as far as their prices are known. */
  readonly costUsd: number
  /** The step at which most of the budget was used. */
  readonly warnedAt: number | null
  /** [I2] Who has paused the task: a client, or the user in the browser. */
  readonly pausedBy: readonly PausedBy[]
  /** [I1] Messages of the user that the model has not read. */
  readonly unread: number
  /** [I4] What the user is asked. */
  readonly inputRequest: InputRequest | null
  /** The last requests that were answered. */
  readonly answered: readonly string[]
  /** [I5] What the browser holds of the current call; `null` beside a `release`: the call itself was asked for. */
  readonly held: Held | null
  /** [I7] The user has answered: the call that carries the answer out takes the place of the model's. */
  readonly release: { readonly requestId: string; readonly action: 'accept' | 'decline' } | null
  /** Something that the current call caused was not approved. */
  readonly notApproved: 'decline' | 'cancel' | null
  /** [I13] Shapes of requests that the user has approved for the rest of the task. */
  readonly allowedShapes: readonly string[]
  /** The steps for which the model has replied. */
  readonly step: number
  readonly usage: Usage
  readonly model: string | null
  /** The last text of the model, for an ending without an answer. */
  readonly lastText: string
  /** Attempts of the present model call that failed. */
  readonly attempt: number
  readonly retryAt: Ms
  /** The calls of this step that have not settled; the first is the current one. */
  readonly calls: readonly JournalCall[]
  /** The browser instance that the current call was or will be sent to. */
  readonly browserInstanceId: string | null
  /** The time of the last reply, call or result. */
  readonly at: Ms
  readonly progress: Progress
  /** [L40] How many calls have failed one after the other. */
  readonly failures: number
  /** Why the calls that are left of this step are not run. */
  readonly halted: keyof typeof TO_MODEL.notRun | null
  /** The model was asked to check its answer: the next `finish` counts. */
  readonly answerChecked: boolean
  /** How many outputs did not fit. With more than OUTPUT_REPAIRS_MAX the model is asked for the JSON alone. */
  readonly misfits: number
  /** The model answered without `finish`, and was reminded of it. */
  readonly reminded: boolean
  /** The model was offered `finish` for its last reply. */
  readonly hasFinish: boolean
  /** [L2] The last minute before the deadline has begun: the next reply is the last one. */
  readonly endsSoon: boolean
  readonly end: End | null
}

/** Why and when a task ends, before its record is written. */
export interface End {
  readonly endedBy: EndedBy
  readonly answer: string
  readonly output?: string | null
  readonly failure: FailureCategory | null
  readonly cancelledBy?: AuditRef | undefined
  readonly at: Ms
}

/** Replies of the model, results of calls, alarms, and orders from outside. */
export type TaskEvent =
  /** The model asked for tool calls. */
  | ({ type: 'model.requestedTools'; calls: readonly JournalCall[] } & ReplyFields)
  /** The model answered: the loop is complete. */
  | ({
      type: 'model.answered'
      /** Where the JSON alone was asked for: its text, or `null` when it does not fit. */
      output?: string | null
    } & ReplyFields)
  /** An attempt failed and another may succeed. */
  | { type: 'model.failedRetryably'; message: string; rateLimited: boolean; retryAt: Ms; at: Ms }
  /** The model failed for good. */
  | { type: 'model.failed'; message: string; rateLimited: boolean; at: Ms }
  /** The model did not reply within the limit of an attempt. */
  | { type: 'model.timedOut'; at: Ms }
  /** The budget has no room for another model call. */
  | { type: 'budget.spent'; at: Ms }
  /** The journal has no room for another step. */
  | { type: 'journal.full'; at: Ms }
  /** [J9] Its recipe cannot go on, and it may not ask a model. */
  | { type: 'recipe.deviated'; deviation: Deviation; at: Ms }
  /** The pause before the next attempt is over. */
  | { type: 'retry.due'; at: Ms }
  /** What is about to be done is durable: the call may be sent. */
  | { type: 'intent.kept'; browserInstanceId: string | null; at: Ms }
  /** The browser or the service has answered, or it is known that none will. */
  | { type: 'call.settled'; requestId: string; outcome: CallOutcome; spent?: Spent; at: Ms }
  /** [L41] The current call, which the service carries out, asks for this one first. */
  | { type: 'call.nested'; requestId: string; call: JournalCall; at: Ms }
  /** Its result was in the journal already. */
  | { type: 'call.recovered'; requestId: string; halted: TaskContext['halted']; at: Ms }
  /** Its kept intent names no browser: its frame has not left. */
  | { type: 'call.neverSent'; requestId: string }
  /** The browser is not connected: the call was not sent. */
  | { type: 'session.away'; requestId: string }
  /** The browser has connected. */
  | { type: 'session.connected' }
  /** The actor of the browser failed: what it was doing is not known. */
  | { type: 'session.lost'; sessionId: string; at: Ms }
  /** The browser did not come back in time. */
  | { type: 'browserWait.timedOut'; at: Ms }
  /** [T59] It leaves the queue: its 30 minutes begin. */
  | { type: 'task.start'; deadlineAt: Ms; at: Ms; sessionId?: string | undefined }
  /** [Z5] It has a place in this browser of its pool. */
  | { type: 'place.given'; sessionId: string }
  /** It waited in the queue for as long as it may. */
  | { type: 'queue.expired'; at: Ms }
  /** Its browser will not come any more. */
  | { type: 'queue.closed'; code: 'session_not_found' | 'session_expired'; at: Ms }
  /** A client, or the user in the browser, pauses it. */
  | { type: 'task.pause'; by: PausedBy; at: Ms }
  /** The client or the user that paused it resumes it. */
  | { type: 'task.continue'; by: PausedBy; at: Ms }
  /** [I1] The user has sent a message. `interrupt`: what the model is asked now, and what it asked for, counts no more. */
  | { type: 'message.received'; interrupt: boolean; at: Ms }
  | InputAnswered
  /** Nobody answered in time. */
  | { type: 'input.expired'; releaseId: string; at: Ms }
  /** The last minute of its time has begun. */
  | { type: 'deadline.near'; at: Ms }
  /** Its time is over. */
  | { type: 'deadline.reached'; at: Ms }
  /** The service has started again, and the task goes on from what was kept. */
  | { type: 'task.resumed'; at: Ms }
  /** A key, a person or a browser's user stops it. */
  | { type: 'task.cancel'; by?: AuditRef | undefined; at: Ms }
  /** It ran for longer than any task may: something is wrong with it. */
  | { type: 'task.sweep'; at: Ms }
  /** The service stops and ends its tasks. */
  | { type: 'task.shutdown'; at: Ms }
  | EffectCrashed

/** [I4] The user has answered what the task asks. */
export interface InputAnswered {
  readonly type: 'input.answered'
  readonly requestId: string
  readonly action: InputAction
  readonly content: string | null
  readonly forTask: boolean
  /** The request id of the call that lets go of what is held, or drops it. */
  readonly releaseId: string
  readonly at: Ms
}

/** An answer as the event log has it. */
export interface RecordedAnswer {
  readonly context: TaskContext
  readonly action: InputAction
  readonly by: 'user' | 'timeout'
  readonly forTask: boolean
  readonly at: Ms
}

/** A reply of the model, with or without tool calls. */
export type ModelReply = Extract<TaskEvent, { type: 'model.requestedTools' | 'model.answered' }>

/** What the session is asked for: to have its browser carry out the current call. */
export interface OpenCall {
  readonly call: ToolCall
  readonly at: Ms
  readonly browserInstanceId: string | null
  readonly workspaceId: string
}

/** What one attempt at the reply of a step needs to know. */
export interface AskParams {
  readonly taskId: string
  readonly sessionId: string
  readonly step: number
  readonly attempt: number
  /** The JSON of the output is all that is asked for. */
  readonly outputOnly: boolean
  readonly left: Left
  readonly withinMs: Ms
}
