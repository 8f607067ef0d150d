import type { Ms } from './records.ts'
import type { Usage } from './usage.ts'

/**
 * One entry of a task's conversation, in the order in which it happened (`seq` from 0).
 * The journal is append only: with the task's record it is all that the conversation is rebuilt from.
 */
export type JournalEntry =
  | {
      readonly kind: 'reply'
      readonly step: number
      readonly text: string
      readonly calls: readonly JournalCall[]
      readonly usage: Usage
      readonly model: string
      readonly costUsd?: number
      readonly lastCall?: boolean
      /** The tools beside the seven that the model was offered, by the browser's announcement. */
      readonly announced?: readonly string[] | null
      /** How many of the user's messages the model had read. */
      readonly read?: number
      /** What the provider needs back unchanged: opaque here. */
      readonly replay?: { readonly model: string; readonly parts: readonly unknown[] }
      readonly at: Ms
    }
  /** [I1] What the user said meanwhile. The model reads it before its next reply. */
  | { readonly kind: 'message'; readonly text: string; readonly at: Ms }
  | {
      readonly kind: 'result'
      readonly step: number
      readonly requestId: string
      readonly tool: string
      /** What the model reads, at most OUTPUT_CHARS_MAX long. */
      readonly text: string
      readonly failed: boolean
      /** [L24] Why the calls behind it are not run, if they are not. */
      readonly halts?: 'navigation' | 'dialog'
      /** The number of the screenshot within the task, or `null`. The image itself is in `screenshots`. */
      readonly screenshot: number | null
      /** [L38] The operator's notes on the site that the task came to with it. */
      readonly site?: { readonly domain: string; readonly text: string }
      /** The address of the page after it, where the browser told one. */
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
  /** [I5] It needs an approval: why, and the id that those of the readings of its terms are made of. */
  readonly gate?: { readonly reason: string; readonly readId: string }
  /** [L32] It is refused because the output in it does not fit the schema. */
  readonly misfit?: boolean
}
