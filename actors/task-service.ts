import type { BrowserLocale } from '../machines/account-records.ts'
import type { AuditRef } from '../machines/audit-records.ts'
import type { Held } from '../machines/held.ts'
import type { InputAnswer, InputRequest } from '../machines/input-request.ts'
import type {
  Allowance,
  Door,
  Ms,
  PageEffect,
  SessionRecord,
  StepRecord,
  TaskRecord,
  TaskRequest,
} from '../machines/records.ts'
import type { SecretRecord } from '../machines/secrets.ts'
import type { PausedBy } from '../machines/task-types.ts'
import type { FailureCategory, RefusalCode } from '../machines/texts.ts'
import type { DeliveryRecord, EndpointRecord } from '../machines/webhook-records.ts'
import type { WorkspaceLimits } from '../machines/workspace-limits.ts'
import type { Grounding } from './conversation/grounding.ts'
import type { EventReader } from './events/event-reader.ts'
import type { Files } from './files.ts'
import type { ModelReply, ModelRequest, OutgoingFrame, TaskPage } from './runtime/ports.ts'

/**
 * The task service as the edge sees it: the only thing that http, relay, schedule and the command line call.
 * `actors/create-task-service.ts` makes it.
 */
export interface TaskService extends Deliveries, Files {
  /** [T7–T13] Checks 7 to 13 in their order, then the task is on its way: its record is kept before this resolves. */
  startTask(start: StartTask): Promise<StartAnswer>
  /** Begins to read what `startTask` reads of the workspace; where its actors are in this process. */
  readForStart?(workspaceId: string): StartReads
  /** Ends a running task and resolves after its final write. Another workspace's task is `not_found`. `by`: for its log. */
  cancelTask(workspaceId: string, taskId: string, by?: AuditRef): Promise<TaskView | 'not_found' | 'not_running'>

  /**
   * [I2] A paused task sends no further call and asks for no reply; it goes on where it was when nobody holds it any
   * more: neither a client nor the user in the browser. Its deadline stays. Resolves when that is kept.
   */
  pauseTask(
    workspaceId: string,
    taskId: string,
    paused: boolean,
    by?: PausedBy,
  ): Promise<TaskView | 'not_found' | 'not_running'>
  /** [I1] The model reads it before its next reply. Resolves when it is kept. */
  sendMessage(
    workspaceId: string,
    taskId: string,
    message: { readonly text: string; readonly interrupt: boolean },
  ): Promise<'sent' | 'not_found' | 'not_running'>
  /** [I4] Exactly one answer to a request is accepted. Resolves when it is kept. */
  answerInput(
    workspaceId: string,
    taskId: string,
    requestId: string,
    answer: InputAnswer,
  ): Promise<'accepted' | 'answered' | 'no_request' | 'not_found'>

  /** Live fields come from the running actor. Another workspace's task is `null`. */
  task(workspaceId: string, taskId: string): Promise<TaskView | null>
  tasks(page: TaskPage): Promise<TaskView[]>
  /** Removes a task that has ended, with all that belongs to it, once its webhook was called. */
  removeTask(workspaceId: string, taskId: string): Promise<'removed' | 'running' | 'not_found'>
  /** The log of events of each task. */
  readonly events: EventReader
  /** The turns of a finished task. */
  turns(taskId: string): Promise<Turn[]>
  /** [L34] Where pages showed the values of a finished task's output; `null` without one. */
  grounding(task: Pick<TaskView, 'id' | 'output'>): Promise<Grounding | null>
  steps(workspaceId: string, taskId: string): Promise<readonly StepRecord[] | null>
  screenshot(workspaceId: string, taskId: string, step: number): Promise<Uint8Array | null>

  /** Newest first; only those that `keyId` paired when it is given. */
  sessions(workspaceId: string, keyId: string | null): Promise<SessionView[]>
  /**
   * Its socket is closed at once, its pending calls fail, its token is dead. False when unknown, foreign, or not paired
   * by `keyId`.
   */
  removeSession(workspaceId: string, keyId: string | null, sessionId: string): Promise<boolean>

  /** The ids of the models that a task may ask for, the usual one first. */
  models(): readonly string[]
  allowance(workspaceId: string): Promise<Allowance>
  /** [E27] What is left of the limits of starts. */
  limitsLeft(workspaceId: string): Promise<LimitsLeft>
  /**
   * [T23] The id that usage is recorded under if no key asked for it: that of the workspace's first key, or its own
   * without keys.
   */
  payingKey(workspaceId: string): Promise<string>
  /** Whether the actors do their work: false while they start or stop, and once a part gave up. */
  health(): Health
  /** What health reports. */
  counts(): { activeTasks: number; pendingToolCalls: number }

  /**
   * [R59] Clicks and keys of a person for the tab of a task that waits for them: it is paused, or has asked them to take over.
   */
  liveInput(
    workspaceId: string,
    taskId: string,
    events: readonly object[],
  ): Promise<'sent' | 'not_found' | 'not_running' | 'not_waiting' | 'not_possible'>
  /**
   * [Z12] Saves what the browser of an ended task held for its profile, encrypted. False when it is not its browser's to
   * save: by then, or at all.
   */
  saveProfile(workspaceId: string, taskId: string, sessionId: string, sealed: string): Promise<boolean>

  // From the relay
  /** A browser has proven its token: its actor is bound to this socket, and an older socket is replaced. */
  browserConnected(session: SessionRecord, socket: ConnectedSocket): void
  browserDisconnected(sessionId: string, socketId: string): void
  /** A result whose call is not pending is dropped and counted. */
  toolResult(sessionId: string, result: ToolResultIn): void
  /** [R54] What a task's tab showed after one of its calls: stored best effort, and announced by an event. */
  picture(sessionId: string, picture: PictureIn): void
  /** The request ids of the calls that wait for this session's browser. */
  pendingCalls(sessionId: string): readonly string[]
  /**
   * One request to the language model, outside of any task: its attempts with the waits between them, within the limit
   * that all requests share. Rejects when the signal aborts.
   */
  askModel(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>
  /** A frame arrived: the session is alive. */
  heard(sessionId: string, at: Ms): void
}

/** What clients do with deliveries. */
export interface Deliveries {
  /** Sends a test event to the endpoint, disabled or not. */
  testEndpoint(endpoint: EndpointRecord): Promise<DeliveryRecord>
  /** Sends a delivery again with its id, bytes and the whole schedule. False while its endpoint is disabled. */
  redeliver(delivery: DeliveryRecord): Promise<boolean>
  /** The position in the event log from which a new endpoint of a workspace is served. */
  eventPosition(workspaceId: string): Promise<number>
  /** A workspace has a new endpoint. */
  serveEndpoints(workspaceId: string): Promise<void>
}

export interface Health {
  readonly ok: boolean
  /** One sentence, `null` when all is well. Names no workspace. */
  readonly reason: string | null
}

export interface ConnectedSocket {
  readonly socketId: string
  readonly protocol: 1 | 2
  readonly calls: readonly { readonly requestId: string; readonly state: 'running' | 'done' }[]
  readonly browserInstanceId: string | null
  /** Tools that the browser announced in addition to the seven that all have; `null` for protocol 1. */
  readonly tools: readonly string[] | null
  /** [Z5] The tasks that the browser has not been told the end of. */
  readonly tasks?: readonly string[]
  readonly locale?: BrowserLocale | null
}

export interface ToolResultIn {
  readonly requestId: string
  /** `null` when it succeeded. */
  readonly error: string | null
  readonly output: unknown
  /** Base64 of a JPEG, without a `data:` prefix. */
  readonly screenshot: string | null
  readonly tab: {
    readonly tabId: number | null
    readonly windowId: number | null
    readonly browserSessionId: string | null
  } | null
  /** [R42] Of a protocol 2 browser, beside the output or the error. */
  readonly said?: string | null
  readonly page?: PageEffect
  /** [I5] In the place of all that: what the browser holds until the user approves it. */
  readonly held?: Held | null
}

export interface PictureIn {
  readonly taskId: string
  readonly requestId: string
  /** Base64. */
  readonly jpeg: string
}

export interface StartTask {
  readonly door: Door
  readonly workspaceId: string
  /** `null` for what no key of its own pays: the taskService finds the key that does. */
  readonly apiKeyId: string | null
  /** Relay starts: answered in every frame of the task. */
  readonly requestId: string | null
  readonly request: TaskRequest
  /** [X1] Its secrets without their values, and those sealed for `taskId`. */
  readonly secrets?: SealedSecrets
  /** [X13] */
  readonly fingerprints?: string
  /** The id of the task, chosen before, and of no other start; a new one when it is left out. */
  readonly taskId?: string
  /** [T59, T60] Whether it waits where it would be refused. */
  readonly waiting?: Waiting
  /** What was read for it before; read anew when it is left out, or old. */
  readonly reads?: StartReads
}

/** What the checks of a start need of its workspace, as it is in the store at `at` or later. */
export interface StartReads {
  readonly at: Ms
  /** Read before the allowance: if a slot is released in between, the allowance counts as stale. */
  readonly slotVersion: number
  readonly allowance: Promise<Allowance>
  readonly limits: Promise<WorkspaceLimits>
}

export interface SealedSecrets {
  readonly known: readonly SecretRecord[]
  /** JSON of the values by name. */
  readonly sealed: string
}

/** [T59, T60] What a start waits for, and for how long. */
export interface Waiting {
  /** For a slot and the rate. */
  readonly onLimit: boolean
  /** 1 to 5; lower first. */
  readonly priority: number
  readonly queueTtlMs: Ms
  /** For its browser, before it begins and while it runs. */
  readonly onAway: boolean
  readonly waitTtlMs: Ms
}

/** What is left of a workspace's limits. */
export interface LimitsLeft {
  /** Starts in the present minute, and when there are more. */
  readonly starts: number
  readonly resetMs: Ms
  readonly slots: number
  /** Of how many. */
  readonly startsPerMinute: number
  readonly runningTasks: number
}

export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
  /** With 402. */
  readonly allowance: Allowance | null
  /** With 429, whole seconds, at least 1. */
  readonly retryAfterSeconds: number | null
  /** [E23] It failed, and what it may have left under its id is not ended yet: no other id may be used for it. */
  readonly left?: true
}
/** The record of a task that was just started, with its place if it is queued. */
export type StartedTask = TaskRecord & Pick<TaskView, 'queue'>

export type StartAnswer =
  | { readonly ok: true; readonly task: StartedTask }
  | { readonly ok: false; readonly refusal: Refusal }

export interface TaskView extends TaskRecord {
  /**
   * The state of its machine: `thinking`, `acting`, `waitingForBrowser`, …; `paused` while its user has taken over; of a
   * finished task `closed`.
   */
  readonly state: string
  /** [T59] Of a task that waits in the queue; position 1 is next. */
  readonly queue?: { readonly position: number; readonly expiresAt: Ms } | null
  /** [I4] What its user is asked. */
  readonly inputRequest?: InputRequest | null
  /** [I2] Who has paused it; absent if it is not paused. */
  readonly pausedBy?: readonly PausedBy[]
  /** [V9] The number of its last event, while it runs. */
  readonly seq?: number
  /** [E23] What a start that failed has left: it is being ended, and was not started. */
  readonly isLeft?: true
  readonly failure: FailureCategory | null
}

export interface Turn {
  readonly step: number
  readonly tools: readonly { call_id: string; name: string; input: unknown; result: string; durationMs: number }[]
  readonly ai_response: string
}

export interface SessionView extends SessionRecord {
  readonly status: 'connected' | 'disconnected'
  /** The state of its actor; of a session without one `waiting`, `disconnected` or `expired`. */
  readonly state: string
}

export type { OutgoingFrame }
