import type { Effort } from '../../machines/records.ts'

export type { Effort }

/** The language model and the tools that it is offered, as the agent loop sees them. */

/**
 * One message of a conversation, in no provider's format. Objects are never changed once made: an adapter may cache by
 * identity.
 */
export type Message =
  | {
      readonly role: 'user'
      readonly text: string
      /** [L47] The result that the text tells: of the call by which the service opened the address of the task. */
      readonly opened?: MessageResult
    }
  | {
      readonly role: 'assistant'
      readonly text: string
      readonly calls: readonly MessageCall[]
      readonly replay?: Replay
    }
  | { readonly role: 'tool'; readonly results: readonly MessageResult[] }
/**
 * What a provider needs to get back unchanged with its next request: thinking blocks, thought signatures, encrypted
 * reasoning. Opaque plain data for all but the adapter that made it; another model is not sent it.
 */
export interface Replay {
  readonly model: string
  readonly parts: readonly unknown[]
}
export interface MessageCall {
  readonly id: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}
export interface MessageResult {
  readonly id: string
  readonly tool: string
  readonly text: string
  readonly failed: boolean
  /** A JPEG in base64. */
  readonly image: string | null
}

/** [L31] JSON Schema 2020-12 of a task's output, without references; it was checked when the task was started. */
export type OutputSchema = Readonly<Record<string, unknown>>

/** A browser tool as it is described to a model. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input, draft 7. */
  readonly schema: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSpec[]
  readonly maxTokens: number
  /** One of the model's `choices`; left out: the model itself. */
  readonly model?: string | null
  /** The reply is to be JSON that fits this schema, and nothing else: the provider's own JSON mode. */
  readonly json?: OutputSchema
  /** [L49] The one of the tools that the reply has to call, where the provider can be told so. */
  readonly mustCall?: string
  /** [L46] How hard the model is to think; left out: as the operator has set it, or as the provider does by itself. */
  readonly effort?: Effort | null
  /** The step of a task that it is for. */
  readonly task?: { readonly id: string; readonly step: number }
  /** [O7] Names the span of this call to the provider. */
  readonly traceparent?: string
}

export type ModelReply =
  | {
      readonly kind: 'reply'
      readonly text: string
      /** In the order in which they are to be executed. `input` is what the model gave, not yet checked. */
      readonly calls: readonly { readonly tool: string; readonly input: unknown }[]
      /** Of the whole request, cached tokens included. */
      readonly inputTokens: number
      readonly outputTokens: number
      /** Of the input: what the provider read from its prompt cache, and what it wrote to it. */
      readonly cachedTokens?: number
      readonly cacheWriteTokens?: number
      readonly model: string
      readonly replay?: Replay
    }
  | {
      readonly kind: 'failed'
      readonly message: string
      /**
       * What the caller can do about it: a reply that was cut off or withheld is asked for again, shorter; a request
       * that is too long is shortened.
       */
      readonly reason?: 'cut_off' | 'withheld' | 'too_long'
      /** 429: the category is `rate_limited`. */
      readonly rateLimited: boolean
      /** 429, 5xx or a network error: another attempt may succeed. */
      readonly retryable: boolean
      /** [L20] How long the endpoint asked to wait. */
      readonly retryAfterMs: number | null
      /** [L19] The window of the model as its endpoint told it when it refused a request as too long. */
      readonly contextTokens?: number
    }

export interface TokenCounts {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the input. */
  readonly cachedTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
}

/** A language model. */
export interface Model {
  /** The model's id, as usage is recorded. */
  readonly id: string
  readonly provider: string
  /** False: there is no language model, and every start is refused. Not given: true. */
  readonly configured?: boolean
  /** How many tokens a request and its reply may have together; CONTEXT_TOKENS_DEFAULT when it is not known. */
  readonly contextTokens?: number
  /** [L36] By id: the other models of the same provider that a task may ask for. */
  readonly choices?: ReadonlyMap<string, Model>
  /** [L45] `LLM_SMALL_MODEL`: reads what is beside the conversation of a task. */
  readonly small?: Model
  /** What tokens of a model cost, its cached ones at their own price; `null` when its price is not known. */
  costUsd?(model: string, tokens: TokenCounts): number | null
  /** [L48] What was learnt of how its endpoint is to be asked, in words. */
  lessons?(): readonly string[]
  /**
   * One attempt. Resolves to a reply or to a failure as a value; rejects only when `signal` aborts, or for a bug.
   * The caller limits its time and retries it. [L37] While a reply is streamed, `hear` is called with its text so far, which
   * starts again from the beginning if the reply does.
   */
  ask(request: ModelRequest, signal: AbortSignal, hear?: (textSoFar: string) => void): Promise<ModelReply>
}

/**
 * [I4, I5] What a task's model is offered for its user: `ask_user`, and the argument `intent` of what may need an
 * approval.
 */
export interface Asks {
  readonly asksUser: boolean
  readonly approves: boolean
  /** [Z14] It may say that it is signed out: its profile signs it in, and it has no secrets to do so itself. */
  readonly hasSignIn?: boolean
}

/** What is wrong with an output; `null`: it fits its schema. */
export interface CheckedOutput {
  readonly misfit: string | null
}

/** The browser tools as the agent loop knows them. */
export interface Toolbox {
  /**
   * What a task's model is offered, by the tools that its browser announced beside the seven; `null`: a protocol 1
   * browser, which has the seven alone. With `output`, every model is offered a `finish` that takes an output of that
   * schema. The same list for the same tools and schema, so that an adapter may cache it by identity.
   */
  specs(announced: readonly string[] | null, output?: OutputSchema | null, asks?: Asks): readonly ToolSpec[]
  /**
   * The input as it goes to the browser, or why it does not: an unknown tool, the field that is wrong, or (`misfit`) an
   * output that does not fit the schema. `output`: of a task with a schema, what `misfit` found.
   */
  check(
    tool: string,
    input: unknown,
    output?: CheckedOutput | null,
    asksUser?: boolean,
  ): { ok: true; input: Record<string, unknown> } | { ok: false; message: string; misfit?: boolean }
  /** [L32] What is wrong with an output of a task; `null` when it fits the schema. Its patterns do not hold up anything else. */
  misfit(taskId: string, schema: OutputSchema, output: unknown): Promise<string | null>
}
