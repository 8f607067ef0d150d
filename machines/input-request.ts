import { INPUT_WAIT_MS, TERMS_AMOUNTS_MAX } from './limits.ts'
import type { CallOutcome, JournalCall, Ms } from './records.ts'

/** What a task waits for from its user, and the words of a page that an approval holds for. */

/** [I9] What a browser announces among its `tools` when its user can answer there what tasks ask. */
export const ANSWERS_INPUTS = 'inputs'

/** [I4] A question, an action to be approved, or something that only the user can do in the browser. */
export interface InputRequest {
  readonly id: string
  readonly kind: 'question' | 'approval' | 'takeover'
  readonly message: string
  /** JSON Schema of the answer to a question; `null`: any text. */
  readonly schema: Readonly<Record<string, unknown>> | null
  /** The action to be approved, and what the page said of it. */
  readonly call: {
    readonly tool: string
    readonly input: Readonly<Record<string, unknown>>
    readonly terms: readonly string[]
  } | null
  readonly expiresAt: Ms
}

export type InputAction = 'accept' | 'decline' | 'cancel'
export interface InputAnswer {
  readonly action: InputAction
  readonly content: string | null
}

/** What is wrong with an answer, with its field named; `null`: nothing is. A question is accepted with an answer to it. */
export function wrongAnswer(
  { kind, schema }: Pick<InputRequest, 'kind' | 'schema'>,
  { action, content }: InputAnswer,
): { readonly code: 'content_required' | 'content_invalid'; readonly message: string } | null {
  if (action !== 'accept' || kind !== 'question') return null
  if (content === null || !/\S/.test(content)) return { code: 'content_required', message: 'content is required' }
  const options = schema?.enum
  if (!Array.isArray(options) || options.includes(content)) return null
  return { code: 'content_invalid', message: `content must be one of: ${options.join(', ')}` }
}

/** [I7] An approval: of this call, under these terms, and of nothing else. */
export interface Approved {
  readonly requestId: string
  readonly terms: readonly string[]
}

/** What the model asks by `ask_user`. */
export function questionOf({ requestId, input }: JournalCall, at: Ms): InputRequest {
  const { question, options, takeover } = input as {
    question?: string
    options?: readonly string[]
    takeover?: boolean
  }
  return {
    id: requestId,
    kind: takeover === true ? 'takeover' : 'question',
    message: question ?? '',
    schema: options && options.length > 0 ? { type: 'string', enum: options } : null,
    call: null,
    expiresAt: at + INPUT_WAIT_MS,
  }
}

/** A call that waits for its approval. Each request has its own id: an answer to an earlier one does not count. */
export const approvalOf = (id: string, call: JournalCall, terms: readonly string[], at: Ms): InputRequest => ({
  id,
  kind: 'approval',
  message: call.gate?.reason ?? '',
  schema: null,
  call: { tool: call.tool, input: call.input, terms },
  expiresAt: at + INPUT_WAIT_MS,
})

/** An amount of money, with its currency before or after it. */
const AMOUNT =
  /(?:[€$£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD)\b)\s?\d(?:[\d.,]*\d)?|\d(?:[\d.,]*\d)?\s?(?:[€$£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD)\b)/g

/**
 * [I7] The terms of an action: where the page is, and every amount of money that it shows, in order. They are read
 * before the approval is asked for and once more before the action: when they differ, it is asked for again.
 */
export function termsOf(outcome: CallOutcome): readonly string[] {
  if (outcome.status !== 'done') return []
  const page = outcome.content ?? outcome.output
  const text = typeof page === 'string' ? page : JSON.stringify(page ?? '')
  const [head = ''] = /^.*(?:https?:\/\/|about:)\S*.*$/m.exec(text.slice(0, 5_000)) ?? []
  const amounts = (text.match(AMOUNT) ?? []).map((amount) => amount.replaceAll(/[\s\u00a0]+/g, ' ').trim())
  return [head.trim().slice(0, 500), ...amounts.slice(0, TERMS_AMOUNTS_MAX)]
}

/** Whether an approval holds for what the page says now. */
export const holds = (approved: Approved | null, requestId: string, terms: readonly string[]): boolean =>
  approved !== null &&
  approved.requestId === requestId &&
  approved.terms.length === terms.length &&
  approved.terms.every((term, n) => term === terms[n])

/**
 * The id of the n-th reading of the terms of a call. A browser answers a repeated id with what it remembers: each has
 * its own.
 */
export const readIdOf = ({ gate }: JournalCall, reads: number): string =>
  gate ? `${gate.readId.slice(0, -3)}${(reads % 4096).toString(16).padStart(3, '0')}` : ''
