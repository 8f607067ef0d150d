import type { Changes, ShownHold } from './approval.ts'
import { INPUT_WAIT_MS, LAST_REPLY_MS } from './limits.ts'
import type { JournalCall, Ms } from './records.ts'

/** What a task waits for from its user. */

/** [I9] What a browser announces among its `tools` when its user can answer there what tasks ask. */
export const ANSWERS_INPUTS = 'inputs'

/** [R59] What a browser announces when people may click and type in its tabs over the live view. */
export const TAKES_LIVE_INPUT = 'live_input'

/** [I4] A question, an action to be approved, or something that only the user can do in the browser. */
export interface InputRequest {
  readonly id: string
  readonly kind: 'question' | 'approval' | 'takeover'
  readonly message: string
  /** JSON Schema of the answer to a question; `null`: any text. */
  readonly schema: Readonly<Record<string, unknown>> | null
  /** [I7] What is to be approved: the call, what its browser holds, and what of it has changed since an approval. */
  readonly call: {
    readonly tool: string
    readonly input: Readonly<Record<string, unknown>>
    /** `null`: the browser cannot hold, and the call itself is asked for. */
    readonly held: ShownHold | null
    readonly changed: Changes | null
  } | null
  readonly expiresAt: Ms
}

export type InputAction = 'accept' | 'decline' | 'cancel'
export interface InputAnswer {
  readonly action: InputAction
  readonly content: string | null
  /** [I13] The approval holds for all requests of this shape, for the rest of the task. */
  readonly forTask?: boolean
}

/** What is wrong with an answer, with its field named; `null`: nothing is. A question is accepted with an answer to it. */
export function wrongAnswer(
  { kind, schema, call }: Pick<InputRequest, 'kind' | 'schema' | 'call'>,
  { action, content, forTask = false }: InputAnswer,
): { readonly code: 'content_required' | 'content_invalid' | 'for_invalid'; readonly message: string } | null {
  if (forTask && (action !== 'accept' || !call?.held)) {
    return { code: 'for_invalid', message: 'for goes with the acceptance of what a browser holds' }
  }
  if (action !== 'accept' || kind !== 'question') return null
  if (content === null || !/\S/.test(content)) return { code: 'content_required', message: 'content is required' }
  const options = schema?.enum
  if (!Array.isArray(options) || options.includes(content)) return null
  return { code: 'content_invalid', message: `content must be one of: ${options.join(', ')}` }
}

/** [I4] Until when a user may answer: the last minute of the task is the model's, for its last reply (L2). */
export const expiryOf = (at: Ms, deadlineAt: Ms): Ms => Math.min(at + INPUT_WAIT_MS, deadlineAt - LAST_REPLY_MS)

/** What the model asks by `ask_user`. */
export function questionOf({ requestId, input }: JournalCall, expiresAt: Ms): InputRequest {
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
    expiresAt,
  }
}
