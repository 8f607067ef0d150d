import type { BrowserLocale } from './account-records.ts'
import type { AuditRef } from './audit-records.ts'
import type { FileInfo } from './file-records.ts'
import type { Held } from './held.ts'
import type { Inputs, Template } from './placeholders.ts'
import type { ProfileUse } from './profiles.ts'
import type { ActReport, Guard, RecipeRun, RecipeUse } from './recipe.ts'
import type { SecretRecord } from './secrets.ts'
import type { FailureCategory } from './texts.ts'
import type { Usage } from './usage.ts'

export type { ClaimRecord, KeyRecord, PairingRecord, Role, SessionRecord, WorkspaceRecord } from './account-records.ts'
export type { ScreenshotRecord } from './file-records.ts'
export type { JournalCall, JournalEntry } from './journal.ts'
export { NO_USAGE, type Usage, withUsage } from './usage.ts'

/** Times are integer milliseconds since the Unix epoch, ids are UUIDs, an absent optional field is `null`. */
export type Ms = number

export type TaskStatus = 'running' | 'complete' | 'error'
/** What ended a task. */
export const ENDED_BY = [
  'completed',
  'step_limit',
  'no_progress',
  /** The model said by `finish` that it did not succeed. */
  'gave_up',
  /** [Z14] The site asks to sign in: the sign-in of the task's profile has run out. */
  'signed_out',
  /** It answered in words and, asked for it, did not finish. */
  'no_finish',
  /** What the client allowed it to take is used up. */
  'budget',
  /** It gave no output that fits the schema. */
  'output_invalid',
  /** [J9] The page is not what its recipe expects, and it was to be played alone. */
  'recipe_deviated',
  'time_limit',
  /** It waited in the queue for as long as it may. */
  'queue_timeout',
  /** Its browser was removed, or its session expired, while it waited in the queue. */
  'browser_lost',
  'model_failure',
  'crash',
  'cancelled',
  'sweep',
  'restart',
  'shutdown',
] as const
export type EndedBy = (typeof ENDED_BY)[number]

/** [L46] How hard a model is to think. */
export const EFFORTS = ['low', 'medium', 'high'] as const
export type Effort = (typeof EFFORTS)[number]

/** How a task was started: by the API, by a browser, or by the schedule. */
export type Door = 'http' | 'relay' | 'internal'

/** [Z8] How the browser context of a task is, where it has one of its own. What is left out is as the browser has it. */
export interface ContextOptions {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly locale?: string
  readonly timeZone?: string
  readonly geolocation?: { readonly latitude: number; readonly longitude: number; readonly accuracy?: number }
  /** As in the Permissions API: `geolocation`, `notifications`, … */
  readonly permissions?: readonly string[]
  readonly touch?: boolean
}

/** [Z2, Z8] What a start asks of its browser. `pool: null`: the browser is named. */
export interface BrowserRequest {
  readonly pool: string | null
  readonly context?: ContextOptions
  /** [Z11] What signs the task in to sites. */
  readonly profile?: ProfileUse
}

/** What a start asks for, after it was parsed. */
export interface TaskRequest {
  readonly task: string
  readonly url: string | null
  readonly context: string | null
  /** Empty while a task of a pool waits in the queue. */
  readonly browserSessionId: string
  /** [Z2, Z8] The pool that its browser is taken from, and how its context in there is. */
  readonly browser?: BrowserRequest | null
  readonly webhookUrl: string | null
  /** [J1] What was put into the places of its texts, and these as they were given; absent or `null`: they have no places. */
  readonly inputs?: Inputs | null
  readonly template?: Template
  /** [J5] Absent or `null`: it makes no recipe, and plays none. */
  readonly recipe?: RecipeUse | null
  readonly allowedDomains?: readonly string[] | null
  /** The client's own, to find the task by. */
  readonly metadata?: Readonly<Record<string, string>> | null
  /** [L31] JSON text of the schema that the task's output must fit, its references resolved. */
  readonly outputSchema?: string | null
  /** [L35, L36] `null`: the service's own model, no limits of its own. */
  readonly model?: string | null
  /** [L46] Absent or `null`: as the operator has set it. */
  readonly effort?: Effort | null
  readonly maxSteps?: number | null
  readonly maxTokens?: number | null
  readonly maxCostUsd?: number | null
  /** [I5] Absent or `null`: `never`. */
  readonly approvals?: 'never' | 'irreversible' | 'always' | null
  readonly asksUser?: boolean | null
  /** [I10] The ended task whose conversation this one continues. */
  readonly continuesTaskId?: string | null
  /** [T58] The task that was started again. */
  readonly rerunOf?: string
  /** [U1] Files that are given with the task, in the order of the request. They are kept before the task is. */
  readonly files?: readonly FileInfo[] | null
  /** [O7] The client's span, as its request named it. */
  readonly traceparent?: string
}

/** [I10] What the task before was held to holds for one that continues it, unless the request says otherwise. */
export const asBefore = (
  given: TaskRequest,
  { approvals, asksUser }: Pick<TaskRequest, 'approvals' | 'asksUser'>,
): TaskRequest => ({
  ...given,
  approvals: given.approvals ?? approvals ?? null,
  asksUser: given.asksUser ?? asksUser ?? null,
})

/** One task run. While it runs, `steps` and `usage` of the live actor are newer than those of the record. */
export interface TaskRecord extends TaskRequest {
  readonly id: string
  readonly workspaceId: string
  readonly apiKeyId: string
  readonly door: Door
  /** The relay request that created it, answered with `task_started` and `task_complete`. */
  readonly requestId: string | null
  readonly browserLocale?: BrowserLocale | null
  /**
   * [X1] Its secrets without their values, which `sealedSecrets` has until the task ends: JSON by name, sealed for its
   * id.
   */
  readonly secrets?: readonly SecretRecord[]
  readonly sealedSecrets?: string
  /**
   * [X13] What tasks that continue it know the secrets by that it typed, and the tasks before it: JSON of `Fingerprints`,
   * sealed for its id. It stays.
   */
  readonly fingerprints?: string
  readonly status: TaskStatus
  readonly answer: string | null
  /** JSON text. */
  readonly output?: string | null
  readonly steps: number
  readonly usage: Usage
  readonly failure: FailureCategory | null
  readonly endedBy: EndedBy | null
  readonly createdAt: Ms
  /** 30 minutes after its start. Of a task that waits in the queue: the latest that it can be. */
  readonly deadlineAt: Ms
  readonly completedAt: Ms | null
  /** [T59] It was queued: how, and until when. */
  readonly queued?: { readonly priority: number; readonly until: Ms }
  /** [T60] How long it waits for a browser that is away; absent: BROWSER_WAIT_MS. */
  readonly browserWaitMs?: number
  /** [J12] Of a task that has ended: what it played, or made. */
  readonly recipeRun?: RecipeRun
}

/** How a task ends: all that its final write stores. A task is ended at most once. */
export interface Ending {
  readonly taskId: string
  readonly status: 'complete' | 'error'
  readonly answer: string
  /** JSON text of what fits the task's `outputSchema`, or `null`. */
  readonly output?: string | null
  readonly failure: FailureCategory | null
  readonly endedBy: EndedBy
  readonly steps: number
  readonly usage: Usage
  /** The model that was asked, as usage is recorded; `null` when none was. */
  readonly model: string | null
  readonly completedAt: Ms
  /** Of a task that was queued: it was not known before it began. */
  readonly deadlineAt?: Ms
  /** [Z2] Of a task of a pool: the browser that it was in last. */
  readonly browserSessionId?: string
  /** [J12] */
  readonly recipeRun?: RecipeRun
  /** [V13] Of a task that was cancelled: only its log has it. */
  readonly cancelledBy?: AuditRef
}

/** What is asked of a browser. `requestId` is its identity: a browser runs it at most once. */
export interface ToolCall {
  readonly requestId: string
  readonly taskId: string
  readonly sessionId: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** [I6] The model says that it cannot be undone. */
  readonly intent?: 'irreversible'
  /** [I13] Shapes of requests that its browser need not hold. */
  readonly allowedShapes?: readonly string[]
  /** [I5] For a browser that cannot hold: the user has approved the call itself. */
  readonly isApproved?: true
  /** [J7] Of a recipe's call: what the browser is to heed. */
  readonly guard?: Guard
  /** Of a `release`: the input of the call that is held, which may name secrets. */
  readonly heldInput?: Readonly<Record<string, unknown>>
}

/** What a protocol 2 browser reports of the page beside the tool's own sentences. */
export interface PageEffect {
  /** Text of the page: untrusted. */
  readonly content?: string
  /** Identifies the state of the page after the call: if it is the same as before, nothing changed. */
  readonly fingerprint?: string
  /** Something that the later calls of the same reply could not expect: they are not run. */
  readonly halts?: 'navigation' | 'dialog'
  /** The address of the page. */
  readonly url?: string
  /** [J2] What was acted on. */
  readonly act?: ActReport
}

/**
 * How a call was answered. [I5] `held`: what it causes waits for its approval; `null`: the call itself does, for a
 * browser that cannot hold.
 */
export type CallOutcome = CallResult | { readonly status: 'held'; readonly held: Held | null }

/** How a call ended. `unknown`: the browser may have run it, and cannot say. */
export type CallResult =
  | ({ readonly status: 'done'; readonly output: unknown; readonly screenshot: string | null } & PageEffect & {
        /** The tool's own sentences. With them, `content` is all that the page said; without, all of `output` is. */
        readonly said?: string
      })
  | ({
      readonly status: 'failed'
      readonly message: string
      readonly category: FailureCategory
      /** [L13] The message is what a browser of protocol 1 said: it may have words of a page. */
      readonly quotes?: true
    } & PageEffect)
  | { readonly status: 'unknown' }
  /** It was not sent, because of an earlier call of the same reply. */
  | { readonly status: 'skipped'; readonly message: string }

export const STEP_STATUSES = [
  'thinking',
  'tool_use',
  'tool_output',
  'screenshot',
  'tool_result',
  'complete',
  'error',
] as const

/** A step record as clients read it. */
export interface StepRecord {
  readonly step: number
  readonly status: (typeof STEP_STATUSES)[number]
  readonly toolName: string | null
  /** Which call of the step: the same in the task's turns and events. */
  readonly callId?: string
  readonly toolInput: Readonly<Record<string, unknown>> | null
  readonly output: string | null
  /** The number of the screenshot within the task. */
  readonly screenshot: number | null
  readonly durationMs: number | null
  /** Of `thinking`: which prompt the model was given. */
  readonly promptVersion?: number
  readonly createdAt: Ms
}

export interface UsageRecord extends Usage {
  /** The task's id, or the id of the relay's model request: recorded once, however often it is written. */
  readonly id: string
  readonly workspaceId: string
  readonly apiKeyId: string
  /** `null` for a relay's own model request. */
  readonly taskRunId: string | null
  readonly model: string
  /** How the task ended; absent for a relay's own model request, and in records of earlier versions. */
  readonly outcome?: 'complete' | 'error'
  readonly at: Ms
}

/** What a workspace may still start. `freeRemaining` is `null` when billing is not configured: tasks are free. */
export interface Allowance {
  readonly freeRemaining: number | null
  readonly creditBalance: number
}

/** The kept state of one actor. A row of an unknown version is closed with a clear answer, never dropped in silence. */
export interface ActorRow {
  readonly address: string
  readonly version: number
  readonly at: Ms
  readonly snapshot: unknown
}
