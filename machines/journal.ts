import type { Ms } from './records.ts'
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
  /** What the provider needs back unchanged: opaque here. */
  readonly replay?: { readonly model: string; readonly parts: readonly unknown[] }
  readonly at: Ms
}

/**
 * One entry of a task's conversation, in the order in which it happened (`seq` from 0).
 * The journal is append only: with the task's record it is all that the conversation is rebuilt from.
 */
export type JournalEntry =
  | ({
      readonly kind: 'reply'
      readonly step: number
      readonly calls: readonly JournalCall[]
    } & ReplyFields)
  /** [I1] A message of the user. The model reads it before its next reply. */
  | { readonly kind: 'message'; readonly text: string; readonly at: Ms }
  | {
      readonly kind: 'result'
      readonly step: number
      readonly requestId: string
      readonly tool: string
      /** What the model reads, at most OUTPUT_CHARS_MAX long. */
      readonly text: string
      readonly failed: boolean
      /** [L24] Why the later calls of the reply are not run; absent if they are. */
      readonly halts?: 'navigation' | 'dialog'
      /** The number of the screenshot within the task, or `null`. The image itself is in `screenshots`. */
      readonly screenshot: number | null
      /** [L38] The operator's notes on the site that the call led to. */
      readonly site?: { readonly domain: string; readonly text: string }
      /** The address of the page after the call, if the browser reported one. */
      readonly url?: string
      readonly durationMs: number
      readonly at: Ms
    }

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
}
