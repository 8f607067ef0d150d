import type { AuditRef } from './audit-records.ts'
import type { JournalCall, ReplyFields, ResultFields } from './journal.ts'
import type { EndedBy, Ms } from './records.ts'
import type { FailureCategory } from './texts.ts'
import type { Usage } from './usage.ts'

/**
 * [V2] The vocabulary of the event log: what each type of event has beside `seq`, `type`, `at` and `task_id`. It is what
 * streams, pages and webhooks carry, so names are spelled as clients read them. Types and fields are only ever added.
 */
export interface LogVocabulary {
  'task.created': { readonly task: string; readonly url: string | null; readonly browser_session_id: string }
  'task.queued': { readonly position: number; readonly expires_at: Ms }
  /** `state`: as `GET /v1/tasks/:id` names it. */
  'task.state': { readonly state: string }
  'step.started': { readonly step: number }
  'model.replied': { readonly step: number; readonly text: string; readonly model: string; readonly usage: Usage }
  'tool.called': {
    readonly step: number
    readonly call_id: string
    readonly tool: string
    readonly input: Readonly<Record<string, unknown>>
    /** The call that asked for it, such as a `script`; absent: the model itself did. */
    readonly parent_call_id?: string
  }
  'tool.result': {
    readonly step: number
    readonly call_id: string
    readonly tool: string
    /** At most EVENT_OUTPUT_CHARS_MAX characters of it. */
    readonly output: string
    /** What the model reads of a call that failed. */
    readonly error?: string
    readonly duration_ms: number
    readonly has_screenshot: boolean
  }
  /** Before it counts, the model is asked to check the answer that it gave to `finish`. */
  'answer.checked': { readonly step: number; readonly answer: string }
  /** What the tab showed after a call; `picture` is its number. */
  'picture.taken': { readonly step: number; readonly call_id: string; readonly picture: number }
  'browser.connected': { readonly browser_session_id: string }
  'browser.away': { readonly browser_session_id: string }
  'input.requested': {
    readonly request_id: string
    readonly kind: string
    readonly message: string
    readonly expires_at: Ms
    readonly [more: string]: unknown
  }
  'input.answered': { readonly request_id: string; readonly action: string; readonly [more: string]: unknown }
  'message.received': { readonly text: string; readonly [more: string]: unknown }
  'file.downloaded': {
    readonly file_id: string
    readonly name: string
    readonly media_type: string
    /** In bytes. */
    readonly size: number
  }
  /** `budget`: which limit; `used` and `limit` in its unit. */
  'budget.warned': { readonly budget: string; readonly used: number; readonly limit: number }
  /** A recipe asks for its steps `recipe_step` and on; `step` is that of the task. */
  'recipe.step': {
    readonly step: number
    readonly recipe_step: number
    readonly recipe_steps: number
    readonly text: string
  }
  'recipe.deviated': { readonly recipe_step: number; readonly expected: string; readonly found: string }
  'recipe.made': { readonly recipe_id: string; readonly version: number; readonly unused_inputs: readonly string[] }
  'task.ended': {
    readonly status: 'complete' | 'error'
    readonly answer: string
    readonly output: unknown
    readonly success: boolean
    readonly failure: FailureCategory | null
    readonly ended_by: EndedBy
    /** [V13] Absent: it was not cancelled, or by a version that did not know by whom. */
    readonly cancelled_by?: AuditRef
    readonly usage: Usage
  }
}
export type LogType = keyof LogVocabulary

/** Every type of event, in the order of the documentation. */
export const LOG_TYPES = [
  'task.created',
  'task.queued',
  'task.state',
  'step.started',
  'model.replied',
  'tool.called',
  'tool.result',
  'answer.checked',
  'picture.taken',
  'browser.connected',
  'browser.away',
  'input.requested',
  'input.answered',
  'message.received',
  'file.downloaded',
  'budget.warned',
  'recipe.step',
  'recipe.deviated',
  'recipe.made',
  'task.ended',
] as const satisfies readonly LogType[]

/** What entries of a type have beside that, which only the service reads: it never leaves with an event. */
export interface PrivateVocabulary {
  'model.replied': Omit<ReplyFields, 'text' | 'model' | 'usage' | 'at'> & {
    readonly calls: readonly JournalCall[]
    /** Which prompt the model was given. */
    readonly promptVersion?: number
  }
  'tool.result': ResultFields & {
    /** The normalised output, where it is not what the model reads without the marks of a page. */
    readonly output?: string
  }
  /** The call by which the answer was given, and what the model reads of it. */
  'answer.checked': { readonly requestId: string; readonly tool: string; readonly text: string }
  'task.ended': { readonly steps: number }
}
type PrivateOf<T extends LogType> = T extends keyof PrivateVocabulary ? PrivateVocabulary[T] : never
/** What only the service reads of an entry. */
export type LogPrivate = PrivateVocabulary[keyof PrivateVocabulary]

/**
 * An entry of a task's log, which is all that is kept of what the task did: `n` counts 1, 2, 3 … within the task. Entries
 * that no event was made of at their time, by versions that had none, have a number below.
 */
export type LogEntry = {
  [T in LogType]: {
    readonly n: number
    readonly kind: T
    readonly at: Ms
    readonly public: LogVocabulary[T]
    readonly private?: PrivateOf<T>
  }
}[LogType]

/**
 * What one commit adds to the log of a task: its entries follow each other, there and in the log of the workspace.
 * `position` is that of the last one; `null`: clients do not read them, or not any more.
 */
export interface LogRecord {
  readonly taskId: string
  readonly workspaceId: string
  readonly position: number | null
  readonly entries: readonly LogEntry[]
}

/** An event as its source emits it, without a number: the task's log numbers it when it is written. */
export type NewLogEvent = { [T in LogType]: { readonly type: T; readonly at: Ms } & LogVocabulary[T] }[LogType]

/** An entry as clients read it. */
export type LogEvent = { [T in LogType]: LogHead<T> & LogVocabulary[T] }[LogType]

interface LogHead<T extends LogType> {
  readonly seq: number
  readonly type: T
  readonly at: Ms
  readonly task_id: string
}

/** An event with its position in the log of its workspace: these only grow, but have gaps. */
export interface EventRecord {
  readonly taskId: string
  readonly workspaceId: string
  readonly seq: number
  readonly position: number
  readonly event: LogEvent
}

/** The events that clients read of a record. */
export function eventsIn({ taskId, workspaceId, position, entries }: LogRecord): EventRecord[] {
  if (position === null) return []
  const first = position - entries.length + 1
  return entries.map(({ n, kind, at, public: said }, index) => {
    const event = { seq: n, type: kind, at, task_id: taskId, ...said } as LogEvent
    return { taskId, workspaceId, seq: n, position: first + index, event }
  })
}
