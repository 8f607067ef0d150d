import type { AuditPage, AuditRecord } from '../../machines/audit-records.ts'
import type { FileRecord } from '../../machines/file-records.ts'
import type { ProfileRecord } from '../../machines/profiles.ts'
import type { RecipeRecord } from '../../machines/recipe.ts'
import type {
  ActorRow,
  Allowance,
  ClaimRecord,
  EndedBy,
  Ending,
  KeyRecord,
  Ms,
  PairingRecord,
  ScreenshotRecord,
  SessionRecord,
  TaskRecord,
  TaskStatus,
  Usage,
  UsageRecord,
  WorkspaceRecord,
} from '../../machines/records.ts'
import type { EventRecord, LogEntry, LogRecord } from '../../machines/task-log.ts'
import type {
  DeliveryPatch,
  DeliveryRecord,
  DeliveryStatus,
  EndpointPatch,
  EndpointRecord,
} from '../../machines/webhook-records.ts'
import type { AllLimits, SetLimits } from '../../machines/workspace-limits.ts'
import type { Model, Toolbox } from '../conversation/model-port.ts'

export type * from '../conversation/model-port.ts'

/** One write of the durable core. */
export type Write =
  | { readonly kind: 'task.insert'; readonly record: TaskRecord }
  | { readonly kind: 'log.append'; readonly record: LogRecord }
  | { readonly kind: 'image.put'; readonly image: ScreenshotRecord }
  | { readonly kind: 'actor.put'; readonly row: ActorRow }
  | { readonly kind: 'actor.remove'; readonly address: string }

/** What a workspace may keep for a shorter time than its tasks: their screenshots, pictures and files; or their events. */
export type TaskPart = 'files' | 'events'

/**
 * The transitions of a task's actor, for replay; the outcome of its webhook; the link by which its result is shared; and the
 * request to its user that people were written to about.
 */
export type TraceKind = 'transitions' | 'webhook' | 'share' | 'mail'

/**
 * [V1] What clients read of the logs. Of a task at most EVENTS_PER_TASK_MAX are kept for them, the newest; all of them are
 * retired with it.
 */
interface EventStore {
  /** Those of a task with a greater `seq`, in its order. */
  ofTask(taskId: string, after: number, limit: number): Promise<EventRecord[]>
  /** The last ones of a task, in the order of `seq`. */
  newest(taskId: string, limit: number): Promise<EventRecord[]>
  /** Those of a workspace with a position after `after` and up to `to`, in the order of their positions. */
  ofWorkspace(workspaceId: string, after: number, to: number, limit: number): Promise<EventRecord[]>
  /** None that was ever kept is greater; 0 before the first. */
  lastPosition(): Promise<number>
  /** The greatest position of the workspace that was removed because of its age or number; 0 when none was. */
  expired(workspaceId: string): Promise<number>
}

/** Of a log: at least what the model replied in a step and what came of its calls, or all that has a number above `after`. */
export type LogPart = { readonly step: number } | { readonly after: number }

/**
 * What is kept. Promises, for every driver:
 * - a resolved write survives `kill -9` of this process and a loss of power at any later moment;
 * - every guarded write (`end`, `consume`, `charge`, `credit`, `record`) is atomic and idempotent by its own key,
 *   whatever other processes do on the same store;
 * - records are plain data; what is returned is never the stored object itself;
 * - a store that cannot write rejects, and nothing of the refused write is visible afterwards.
 */
export interface Store {
  readonly kind: 'mongodb' | 'file'
  /** Whether the store answers. Never rejects; at most PING_STORE_MS_MAX. */
  ping(): Promise<boolean>
  /** Closes the store, and releases its ownership if this process has it. */
  close(): Promise<void>
  /**
   * Calls the listener, at most once, when this process no longer owns the store that it opened as its owner (MongoDB:
   * another process took over its lease), also when that was before. From then on its writes are refused. The reason is
   * one sentence.
   */
  onLost(listener: (reason: string) => void): void

  /**
   * Keeps all writes, or none: one transaction. Once it resolves they outlive the process, and a loss of power. Idempotent as
   * a whole.
   */
  commit(writes: readonly Write[]): Promise<void>
  /** The kept actors, in no order. [D23] `damaged` is told of rows that cannot be read: they are passed over. */
  actors(damaged?: (address: string, error: Error) => void): AsyncIterable<ActorRow>
  /** The log of a task in the order of `n`, or a part of it, which is found without reading all. */
  log(taskId: string, part?: LogPart): Promise<LogEntry[]>

  readonly tasks: {
    get(id: string): Promise<TaskRecord | null>
    /** Newest first (createdAt, then id, descending). */
    list(page: TaskPage): Promise<TaskRecord[]>
    /**
     * Compare-and-set on `running`: `already` when the task was ended before, and then nothing changed. What ends it
     * keeps its entry of the log, too.
     */
    end(ending: Ending, record?: LogRecord | null): Promise<'ended' | 'already' | 'missing'>
    /** Every task whose record says `running`. [D23] `damaged`, as for actors. */
    running(damaged?: (id: string, error: Error) => void): AsyncIterable<TaskRecord>
    /**
     * Removes up to `limit` tasks that ended before `before`, of one workspace or of all, with all that belongs to them;
     * resolves to how many. Who reads the events of a workspace on from before them is told that some are gone.
     */
    retire(before: Ms, limit: number, workspaceId?: string): Promise<number>
    /** Removes a task that has ended, with all that belongs to it; a running one stays. */
    remove(id: string): Promise<'removed' | 'running' | 'missing'>
    /**
     * [O13] Removes a part of up to `limit` tasks of a workspace that ended before `before` and still have it; resolves to
     * how many they were.
     */
    strip(workspaceId: string, what: TaskPart, before: Ms, limit: number): Promise<number>
  }

  readonly events: EventStore
  readonly files: FileStore

  /** A screenshot or picture by its number within its task. */
  image(taskId: string, number: number): Promise<Uint8Array | null>

  /** What is kept of a task beside its record, as JSON text: the newest of each kind, retired with the task. */
  readonly traces: {
    keep(taskId: string, kind: TraceKind, text: string): Promise<void>
    get(taskId: string, kind: TraceKind): Promise<string | null>
  }

  readonly sessions: {
    insert(record: SessionRecord): Promise<void>
    get(id: string): Promise<SessionRecord | null>
    byTokenHash(hash: string): Promise<SessionRecord | null>
    /** Newest first; only those that `keyId` paired when it is given. */
    list(workspaceId: string, keyId: string | null): Promise<SessionRecord[]>
    /** Changes what is named; a session that does not exist stays away. */
    update(
      id: string,
      patch: Partial<Pick<SessionRecord, 'connectedAt' | 'lastHeartbeat' | 'tabId' | 'windowId' | 'allowTasks'>>,
    ): Promise<void>
    remove(id: string): Promise<boolean>
    /** Removes those that expired before `before`: how many they were. */
    sweep(before: Ms): Promise<number>
  }

  readonly pairings: {
    insert(record: PairingRecord): Promise<void>
    get(tokenHash: string): Promise<PairingRecord | null>
    /** Removes and returns the record: exactly one of any number of callers gets it. The caller checks its expiry. */
    consume(tokenHash: string): Promise<PairingRecord | null>
    /** Forgets those that expired before `now`. */
    sweep(now: Ms): Promise<void>
  }

  readonly keys: {
    insert(record: KeyRecord): Promise<void>
    /** Sees a key that another process made or revoked within a second. */
    byHash(hash: string): Promise<KeyRecord | null>
    /** As it was found some time ago, without a look into the store; another process may have revoked it since. */
    lastFound?(hash: string): KeyRecord | undefined
    /** Oldest first. */
    list(workspaceId: string): Promise<KeyRecord[]>
    /** Returns those of the ids for which no key exists. */
    missing(ids: readonly string[]): Promise<string[]>
    touch(id: string, at: Ms): Promise<void>
    /** Removes a key of this workspace; false if there is none. */
    remove(workspaceId: string, id: string): Promise<boolean>
  }

  readonly claims: Claims

  readonly workspaces: WorkspaceStore

  readonly limits: LimitStore

  readonly recipes: RecipeStore
  readonly profiles: ProfileStore

  readonly audit: AuditStore

  readonly usage: {
    /** Once per id. */
    record(record: UsageRecord): Promise<void>
    /**
     * Sums by UTC day (ms of its midnight) and model since `since`, and by what `by` names. `tasks` counts the records
     * with a taskRunId.
     */
    totals(workspaceId: string, since: Ms, by?: readonly UsageDimension[]): Promise<UsageTotal[]>
    /**
     * Puts sums by day, model, key and outcome in place of records of no task from before `before`, at most `limit` at once; resolves
     * to how many. A task's are retired with it.
     */
    retire(before: Ms, limit: number): Promise<number>
  }

  /** Credits and the monthly free tier of a workspace. `month` is `YYYY-MM`, UTC. */
  readonly ledger: {
    get(workspaceId: string, month: string): Promise<{ freeUsed: number; credits: number }>
    /** Charges a completed task, once per task id: a free one while fewer than `freePerMonth` are used, else a credit. */
    charge(charge: {
      taskId: string
      workspaceId: string
      month: string
      freePerMonth: number
    }): Promise<'free' | 'credit' | 'already' | 'uncovered'>
    /** Refunds what `charge` took for this task, once per task id. Does nothing if `charge` took nothing. */
    refund(taskId: string): Promise<void>
    /** Adds credits, once per event id. */
    credit(event: { eventId: string; workspaceId: string; credits: number }): Promise<'applied' | 'already'>
    /** Forgets the ids of events that were applied before `before`, at most `limit`; resolves to how many. */
    retire(before: Ms, limit: number): Promise<number>
  }

  readonly endpoints: EndpointStore
  readonly deliveries: DeliveryStore

  /** Settings that the service makes for itself, such as a sign-in secret. The first writer wins; resolves to its value. */
  setting(name: string, propose: () => string): Promise<string>
}

/**
 * What every call of a store rejects with that it cannot reach, or that keeps nothing now. The message says why, in one
 * sentence.
 */
export class StoreUnwritable extends Error {
  override readonly name = 'StoreUnwritable'
}

/** [D23] The log of a task that has ended; nothing of one that is damaged. */
export const readableLog = ({ log }: Pick<Store, 'log'>, taskId: string, part?: LogPart): Promise<LogEntry[]> =>
  log(taskId, part).catch((error: unknown) => {
    if (error instanceof StoreDamaged) return []
    throw error
  })

/** A row is not what was written there: the file was changed by something else, or its disk is failing. */
export class StoreDamaged extends StoreUnwritable {
  constructor(table: string, key: string) {
    super(`The store is damaged: ${table} ${key} is not what was written. Restore a backup`)
  }
}

export interface TaskPage {
  readonly workspaceId: string
  readonly status: TaskStatus | null
  readonly browserSessionId: string | null
  /** The last record of the previous page: what follows is older, or as old with a smaller id. */
  readonly after: { readonly createdAt: Ms; readonly id: string } | null
  readonly limit: number
  readonly filter?: TaskFilter
}

/** Further conditions; all that are given must hold. */
export interface TaskFilter {
  readonly endedBy?: EndedBy | undefined
  /** Created later than this, and earlier than that. */
  readonly createdAfter?: Ms | undefined
  readonly createdBefore?: Ms | undefined
  /** Metadata keys with the values that they must have. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** The task or its answer contains it; upper and lower case are the same. */
  readonly text?: string | undefined
}

/** [O9] The limits that operators have set for workspaces. */
export interface LimitStore {
  /** Empty: none are set. */
  get(workspaceId: string): Promise<SetLimits>
  /** Replaces the limits that the operator has set; the owners' own stay unless some are given. */
  put(workspaceId: string, limits: SetLimits): Promise<void>
  /** Replaces the owners' own limits. */
  putOwn(workspaceId: string, own: Partial<AllLimits>): Promise<void>
  /** The limits of every workspace that has any. */
  all(): AsyncIterable<{ readonly workspaceId: string; readonly limits: SetLimits }>
}

/** [O11] The audit log. */
export interface AuditStore {
  /** Once for each id, so that a batch may be written again. */
  append(records: readonly AuditRecord[]): Promise<void>
  /** Newest first (at, then id, descending). */
  list(page: AuditPage): Promise<AuditRecord[]>
  /** Removes records of before `before`, of one workspace or of all, at most `limit`; resolves to how many. */
  retire(before: Ms, limit: number, workspaceId?: string): Promise<number>
}

/** What is kept of requests with an Idempotency-Key. */
export interface Claims {
  get(id: string): Promise<ClaimRecord | null>
  /** Of any number of callers exactly one inserts; false for the others. */
  insert(claim: ClaimRecord): Promise<boolean>
  /** Replaces the claim if `holder` still holds it, or removes it (`null`); false when another holds it. */
  replace(id: string, holder: string, next: ClaimRecord | null): Promise<boolean>
  /** Forgets those that expired before `now`. */
  sweep(now: Ms): Promise<void>
}

/** [J5] Recipes. */
export interface RecipeStore {
  get(id: string): Promise<RecipeRecord | null>
  /** That of a template in a workspace. */
  ofTemplate(workspaceId: string, templateHash: string): Promise<RecipeRecord | null>
  /** Newest first (createdAt, then id, descending). */
  list(page: RecipePage): Promise<RecipeRecord[]>
  /**
   * Replaces what is kept of a template by what `decide` makes of it, `null` where nothing is: nobody changes it meanwhile, so
   * `decide` may be asked again. It must not throw; what gives `null` changes nothing. Resolves to what is kept then.
   */
  change(
    workspaceId: string,
    templateHash: string,
    decide: (now: RecipeRecord | null) => RecipeRecord | null,
  ): Promise<RecipeRecord | null>
  /** Removes a recipe of this workspace; false if there is none. */
  remove(workspaceId: string, id: string): Promise<boolean>
}
/** [Z10] Profiles. Their values are kept apart from their records, encrypted. */
export interface ProfileStore {
  get(id: string): Promise<ProfileRecord | null>
  byName(workspaceId: string, name: string): Promise<ProfileRecord | null>
  /** Newest first. */
  list(workspaceId: string): Promise<ProfileRecord[]>
  /** False when the workspace has one of this name. */
  insert(record: ProfileRecord): Promise<boolean>
  /** Removes a profile of this workspace with its values; false if there is none. */
  remove(workspaceId: string, id: string): Promise<boolean>
  /** `null`: nothing was saved yet. */
  values(id: string): Promise<string | null>
  /** Replaces the values; false if there is no such profile any more, or it was saved at `since` or later. */
  save(id: string, sealed: string, at: Ms, since?: Ms | null): Promise<boolean>
}
export interface RecipePage {
  readonly workspaceId: string
  readonly after: { readonly createdAt: Ms; readonly id: string } | null
  readonly limit: number
}

/** Workspaces with their members. */
export interface WorkspaceStore {
  /** Inserts unless the id exists; resolves to the record that is kept. */
  insert(record: WorkspaceRecord): Promise<WorkspaceRecord>
  get(id: string): Promise<WorkspaceRecord | null>
  byName(name: string): Promise<WorkspaceRecord | null>
  ofMember(userId: string): Promise<WorkspaceRecord[]>
  /**
   * Replaces a record by what `decide` makes of it: nobody changes it meanwhile, so `decide` may be asked again. `null`
   * when there is no such workspace, or `decide` gives `null`. It must not throw.
   */
  update(id: string, decide: (now: WorkspaceRecord) => WorkspaceRecord | null): Promise<WorkspaceRecord | null>
  list(): Promise<WorkspaceRecord[]>
}

/** The webhook endpoints of workspaces: few each. */
export interface EndpointStore {
  insert(record: EndpointRecord): Promise<void>
  get(id: string): Promise<EndpointRecord | null>
  /** Those of all workspaces, in no order. */
  all(): AsyncIterable<EndpointRecord>
  /** Oldest first. */
  list(workspaceId: string): Promise<EndpointRecord[]>
  /** Changes what is named; resolves to the record as it is then, `null` when there is none. */
  update(id: string, patch: EndpointPatch): Promise<EndpointRecord | null>
  /** Of this workspace only; false when there is none. */
  remove(workspaceId: string, id: string): Promise<boolean>
}

export interface DeliveryPage {
  readonly endpointId: string
  readonly status: DeliveryStatus | null
  /** Of this task's events only. */
  readonly taskId?: string
  /** The last record of the page before: what follows is older, or as old with a smaller id. */
  readonly after: { readonly createdAt: Ms; readonly id: string } | null
  readonly limit: number
}

/** Events on their way to endpoints, and what became of them. */
export interface DeliveryStore {
  /** Inserts unless the endpoint has a delivery of this message; resolves to the record that is kept. */
  add(record: DeliveryRecord): Promise<DeliveryRecord>
  get(id: string): Promise<DeliveryRecord | null>
  /** Changes what is named; a delivery that does not exist stays away. */
  update(id: string, patch: DeliveryPatch): Promise<void>
  /** Newest first (createdAt, then id, descending). */
  list(page: DeliveryPage): Promise<DeliveryRecord[]>
  /** Removes those created before `before`, at most `limit`; resolves to how many. */
  retire(before: Ms, limit: number): Promise<number>
}

/** What usage can be told apart by, beside its day and model. */
export type UsageDimension = 'key' | 'outcome'
/** `null`: not known, as in records of earlier versions. */
export interface UsageParts {
  readonly keyId?: string | null
  readonly outcome?: 'complete' | 'error' | null
}

export interface UsageTotal extends Usage, UsageParts {
  readonly day: Ms
  readonly model: string
  readonly tasks: number
}

/** Time, as an object. XState's clock with the wall time beside it. */
export interface Clock {
  now(): Ms
  /** Milliseconds that no setting of the clock moves: what rates and silences are measured by. Absent: `now`. */
  monotonic?(): Ms
  setTimeout(fn: () => void, ms: number): unknown
  clearTimeout(id: unknown): void
}

export interface Ids {
  /** A random UUID. */
  uuid(): string
}

/** Structured logging: fields first, then one sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Frames to a paired browser. Never throws: a frame to a closed socket is dropped (false), and the session is notified
 * of the close.
 */
export interface Outbox {
  /** `isWanted`: asked again before a frame leaves that had to wait. */
  send(sessionId: string, frame: OutgoingFrame, isWanted?: () => boolean): boolean
  /** Closes one socket of the session if it is still open; `null`: whichever is bound. */
  close(sessionId: string, socketId: string | null, code: number, reason: string): void
}
/** A frame to a browser; `targetSessionId` is added by the relay. */
export interface OutgoingFrame {
  readonly type: string
  readonly [field: string]: unknown
}

/** The result of an attempt at a delivery. */
export interface WebhookAnswer {
  /** `null`: no answer came. */
  readonly status: number | null
  /** Why none came, in a word. */
  readonly reason: string | null
  /** The first of the answer's text. */
  readonly answer: string
  /** What `Retry-After` asks for. */
  readonly retryAfterMs: Ms | null
  /** From when its turn came. */
  readonly durationMs: Ms
}

export interface Webhook {
  /** One POST, WEBHOOK_TIMEOUT_MS, no retry. Never rejects: a failure is logged. */
  post(url: string, body: object): Promise<void>
  /** One signed attempt by Standard Webhooks 1.0, WEBHOOK_TIMEOUT_MS. Never rejects. */
  deliver(
    endpoint: Pick<EndpointRecord, 'id' | 'workspaceId' | 'url' | 'secrets'>,
    message: { readonly id: string; readonly body: string; readonly taskId?: string | null },
  ): Promise<WebhookAnswer>
}

/** Everything that the actors reach the system through. */
export interface Ports {
  readonly store: Store
  readonly model: Model
  readonly tools: Toolbox
  /** [L41] Left out: no script can be run. */
  readonly scripts?: Scripts
  readonly outbox: Outbox
  readonly webhook: Webhook
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** `null`: billing is not configured, tasks are free. */
  readonly billing: { readonly freePerMonth: number } | null
  /** [L38] Left out: there are none. */
  readonly siteNotes?: SiteNotes
  /** `null` or left out: there is no key for them, and no task can have any. */
  readonly secrets?: Secrets | null
  /** [Z4] Left out: this service runs no browsers of its own. */
  readonly ownPool?: OwnPool | null
  /** [O7] The `traceparent` for the frame of a tool call; left out: nothing is traced. */
  readonly traces?: { call(taskId: string, callId: string): string | null }
}

/** [L41] A script of a model, and what its calls have answered so far. */
export interface ScriptRun {
  /** Its request id. */
  readonly id: string
  readonly taskId: string
  /** Who computes. */
  readonly workspaceId: string
  readonly code: string
  readonly answers: readonly ScriptAnswer[]
}
/** What a call of a script was, and what came of it. */
export interface ScriptAnswer {
  readonly tool: string
  readonly action: unknown
  readonly failed: boolean
  /** The tool's own words, or why it failed. */
  readonly said: string
  /** What the page said. */
  readonly content: string
}
/** What a script asks for next, or how it ended; with what it has logged so far, and the line that it is at. */
export type ScriptStep = { readonly log: string; readonly line: number | null } & (
  | { readonly kind: 'call'; readonly tool: string; readonly input: unknown }
  /** What it returned, as text. */
  | { readonly kind: 'returned'; readonly value: string }
  | { readonly kind: 'failed'; readonly message: string }
)

/**
 * [L41] Scripts of models, run where they can do nothing but ask for calls. A script has no clock, no chance and no
 * memory of its own: its next step follows from its code and the answers alone, so that it can be run again from its
 * beginning, in another process, to where it was.
 */
export interface Scripts {
  /** Never rejects: a script that loops, allocates without end or breaks what runs it has failed. */
  next(run: ScriptRun): Promise<ScriptStep>
  /** The script of a task, if it has one, is not asked any more, or not soon: it needs no memory. */
  forget(taskId: string): void
}

/** [Z4] Browsers that this service starts by itself when a task needs one. */
export interface OwnPool {
  readonly name: string
  /** Resolves when a browser of the workspace runs and is connected, or when none came in time. Never rejects. */
  need(workspaceId: string): Promise<void>
}

/** [L38] What the operator has written down about the site of an address, for the model to read; `null` for nothing. */
export type SiteNotes = (url: string) => { readonly domain: string; readonly text: string } | null

export type { Allowance }

/** [U8] What files of one workspace, or of one task, take together. */
export interface FilesTaken {
  readonly files: number
  readonly bytes: number
}

/** [U7, U8] Files of tasks, and files that were uploaded for tasks to come. Those of a task are retired with it. */
export interface FileStore {
  /**
   * Keeps a file whole, or nothing of it: false when there is one of this id. What belongs to no task then is removed
   * after `until`.
   */
  put(record: FileRecord, bytes: Uint8Array, until: Ms): Promise<boolean>
  get(id: string): Promise<FileRecord | null>
  /** Its bytes. */
  read(id: string): Promise<Uint8Array | null>
  /** Those of a task, the oldest first. */
  ofTask(taskId: string): Promise<FileRecord[]>
  takenBy(workspaceId: string): Promise<FilesTaken>
  /** Extends the life of a file that was used. */
  touch(id: string, until: Ms): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  /** Removes expired files whose task does not exist, at most `limit`; resolves to how many it has checked. */
  sweep(now: Ms, limit: number): Promise<number>
}

/** [X1] Values that come and are kept only encrypted, and one-time codes by RFC 6238. */
export interface Secrets {
  /**
   * `owner` names what the text belongs to: it opens for no other.
   * @throws Error when it was sealed with another key or for another owner, or was changed
   */
  open(sealed: string, owner: string): string
  /** The code of a moment, and when the next one takes its place. `totp` is base32 or an `otpauth://` address. */
  code(totp: string, at: Ms): { readonly code: string; readonly endsAt: Ms }
}
