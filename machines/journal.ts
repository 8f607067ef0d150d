import type { ActReport, Deviation, Guard } from './recipe.ts'
import type { Ms } from './records.ts'
import type { LogEntry } from './task-log.ts'
import type { Usage } from './usage.ts'

/** What is kept of a reply of the model, with or without calls. */
export interface ReplyFields {
  readonly text: string
  readonly usage: Usage
  readonly model: string
  /** Absent: its price is not known. */
  readonly costUsd?: number
  /** The model was told that this is its last reply. */
  readonly lastCall?: boolean
  /** [L1] The model was offered `finish`: words alone do not end its task. */
  readonly hasFinish?: boolean
  /** The tools beside the seven that the model was offered, by the browser's announcement. */
  readonly announced?: readonly string[] | null
  /** How many of the user's messages the model had read. */
  readonly read?: number
  /** [J6] It was not the model's: a recipe's, from this step on, counted from 0, of so many. */
  readonly played?: { readonly from: number; readonly of: number }
  /** What the provider needs back unchanged: opaque here. */
  readonly replay?: { readonly model: string; readonly parts: readonly unknown[] }
  readonly at: Ms
}

/** What is kept of the result of a call beside what clients read of it. */
export interface ResultFields {
  /** What the model reads, at most OUTPUT_CHARS_MAX long. */
  readonly text: string
  /** [L24] Why the later calls of the reply are not run; absent if they are. */
  readonly halts?: 'navigation' | 'dialog'
  /** The number of the screenshot within the task, or `null`. The image itself is in `screenshots`. */
  readonly screenshot: number | null
  /** [L38] The operator's notes on the site that the call led to. */
  readonly site?: { readonly domain: string; readonly text: string }
  /** The address of the page after the call, if the browser reported one. */
  readonly url?: string
  /** [J2] Of a task that makes or plays a recipe: what was acted on, and the state of the page afterwards. */
  readonly act?: ActReport
  readonly state?: string
}

/**
 * One entry of a task's conversation, in the order in which it happened. It is read from the task's log; with the task's
 * record these are all that the conversation is rebuilt from.
 */
export type JournalEntry =
  | ({
      readonly kind: 'reply'
      readonly step: number
      readonly calls: readonly JournalCall[]
    } & ReplyFields)
  /** [I1] A message of the user. The model reads it before its next reply. */
  | { readonly kind: 'message'; readonly text: string; readonly at: Ms }
  /** [L41] A call that another call asked for. The model's own calls are in its replies. */
  | {
      readonly kind: 'nested'
      readonly requestId: string
      readonly parent: string
      readonly tool: string
      readonly input: Readonly<Record<string, unknown>>
      readonly at: Ms
    }
  /** [J9] The recipe and the page differed: from here on the model works. */
  | ({ readonly kind: 'deviation'; readonly at: Ms } & Deviation)
  | ({
      readonly kind: 'result'
      readonly step: number
      readonly requestId: string
      readonly tool: string
      readonly failed: boolean
      readonly durationMs: number
      readonly at: Ms
    } & ResultFields)

export interface JournalCall {
  readonly requestId: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /** Why the call is not sent to the browser: an unknown tool, or the field that is wrong. */
  readonly refusal: string | null
  /** [I6] The model says that it cannot be undone. */
  readonly intent?: 'irreversible'
  /** [L32] It is refused because the output in it does not fit the schema. */
  readonly misfit?: boolean
  /** [L41] The request id of the call that asked for it: one that the service carries out, such as `script`. */
  readonly parent?: string
  /** [L25] Of a `finish` with success: what its answer says and no page did. */
  readonly unsourced?: readonly string[]
  /** [J7] Of a recipe's: what the browser is to heed. */
  readonly guard?: Guard
}

/** The conversation that a log has. */
export const journalOf = (log: readonly LogEntry[]): JournalEntry[] =>
  log.flatMap((entry) => journalEntryOf(entry) ?? [])

function journalEntryOf(entry: LogEntry): JournalEntry | null {
  const { at } = entry
  if (entry.kind === 'message.received') return { kind: 'message', text: entry.public.text, at }
  if (entry.kind === 'recipe.deviated') {
    const { recipe_step: step, expected, found } = entry.public
    return { kind: 'deviation', step, expected, found, at }
  }
  if (entry.kind === 'model.replied' && entry.private) {
    const { step, text, usage, model } = entry.public
    const { promptVersion, ...reply } = entry.private
    return { kind: 'reply', step, text, usage, model, ...reply, at }
  }
  if (entry.kind === 'tool.called') {
    const { call_id: requestId, parent_call_id: parent, tool, input } = entry.public
    return parent === undefined ? null : { kind: 'nested', requestId, parent, tool, input, at }
  }
  if (entry.kind === 'tool.result' && entry.private) {
    const { step, call_id: requestId, tool, error, duration_ms: durationMs } = entry.public
    const { output, ...result } = entry.private
    return { kind: 'result', step, requestId, tool, failed: error !== undefined, ...result, durationMs, at }
  }
  if (entry.kind === 'answer.checked' && entry.private) {
    const { step } = entry.public
    return { kind: 'result', step, ...entry.private, failed: false, screenshot: null, durationMs: 0, at }
  }
  return null
}
