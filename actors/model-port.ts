/** The language model and the tools that it is told of, as the agent loop knows them. */

/** One message of a conversation, in no provider's format. Objects are never changed once made: an adapter may cache by identity. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly MessageCall[] }
  | { readonly role: 'tool'; readonly results: readonly MessageResult[] }
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

/** A browser tool as a model is told of it. */
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
}

export type ModelReply =
  | {
      readonly kind: 'reply'
      readonly text: string
      /** In the order in which they are to be executed. `input` is what the model gave, not yet checked. */
      readonly calls: readonly { readonly tool: string; readonly input: unknown }[]
      readonly inputTokens: number
      readonly outputTokens: number
      readonly model: string
    }
  | {
      readonly kind: 'failed'
      readonly message: string
      /** 429: the category is `rate_limited`. */
      readonly rateLimited: boolean
      /** 429, 5xx or a network error: another attempt may succeed. */
      readonly retryable: boolean
      /** What `Retry-After` asked for. */
      readonly retryAfterMs: number | null
    }

/** A language model. */
export interface Model {
  /** The model's id, as usage is recorded. */
  readonly id: string
  readonly provider: string
  /**
   * One attempt. Resolves to a reply or to a failure as a value; rejects only when `signal` aborts, or for a bug.
   * The caller limits its time and repeats it.
   */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>
}

/** The browser tools as the agent loop knows them. */
export interface Toolbox {
  readonly specs: readonly ToolSpec[]
  /** The input as it goes to the browser, or why it does not: an unknown tool, or the field that is wrong. */
  check(tool: string, input: unknown): { ok: true; input: Record<string, unknown> } | { ok: false; message: string }
}
