/** The answers of the four model APIs, as their documentation shows them. */
import { anthropicEvents, chatEvents, googleEvents, responsesEvents } from './model-endpoint-streams.ts'

export interface Call {
  readonly tool: string
  /** An object, or the text of one: models do not always write JSON. */
  readonly input: object | string
}
export interface Reply {
  readonly text: string
  readonly calls: readonly Call[]
  readonly stop: 'length' | 'refusal' | null
}
export interface Wire {
  readonly name: 'anthropic' | 'openai-chat' | 'openai-responses' | 'google'
  readonly path: RegExp
  reply(reply: Reply, body: { model: string }): object
  /** A whole answer as server-sent events: its texts and inputs come in two pieces each. */
  stream(answer: object): string[]
  error(status: number, message: string): object
}

/** What every reply says that it used. */
export const TOKENS = { input: 120, output: 34 }

const id = (prefix: string, number: number) => `${prefix}_${String(number).padStart(6, '0')}`
const text = (input: object | string) => (typeof input === 'string' ? input : JSON.stringify(input))

const anthropic: Wire = {
  name: 'anthropic',
  path: /^\/v1\/messages$/,
  reply({ text, calls, stop }, { model }) {
    return {
      id: 'msg_01',
      type: 'message',
      role: 'assistant',
      model,
      content: [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map(({ tool, input }, at) => ({ type: 'tool_use', id: id('toolu', at), name: tool, input })),
      ],
      stop_reason: stop === 'length' ? 'max_tokens' : (stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn')),
      stop_sequence: null,
      usage: { input_tokens: TOKENS.input, output_tokens: TOKENS.output },
    }
  },
  stream: anthropicEvents,
  error: (status, message) => ({
    type: 'error',
    error: { type: status === 529 ? 'overloaded_error' : 'api_error', message },
  }),
}

const toolCalls = (calls: readonly Call[]) =>
  calls.map(({ tool, input }, at) => ({
    id: id('call', at),
    type: 'function',
    function: { name: tool, arguments: text(input) },
  }))

const chat: Wire = {
  name: 'openai-chat',
  path: /^\/v1\/chat\/completions$/,
  reply({ text, calls, stop }, { model }) {
    const filtered = stop === 'refusal' ? 'content_filter' : stop
    return {
      id: 'chatcmpl-01',
      object: 'chat.completion',
      created: 1_700_000_000,
      model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: text === '' ? null : text,
            ...(calls.length > 0 ? { tool_calls: toolCalls(calls) } : {}),
          },
          finish_reason: filtered ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
        },
      ],
      usage: {
        prompt_tokens: TOKENS.input,
        completion_tokens: TOKENS.output,
        total_tokens: TOKENS.input + TOKENS.output,
      },
    }
  },
  stream: chatEvents,
  error: (_, message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
}

const responses: Wire = {
  name: 'openai-responses',
  path: /^\/v1\/responses$/,
  reply({ text: said, calls, stop }, { model }) {
    return {
      id: 'resp_01',
      object: 'response',
      created_at: 1_700_000_000,
      model,
      status: stop ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: stop ? { reason: stop === 'length' ? 'max_output_tokens' : 'content_filter' } : null,
      output: [
        ...(said === ''
          ? []
          : [
              {
                type: 'message',
                id: 'msg_01',
                role: 'assistant',
                status: 'completed',
                content: [{ type: 'output_text', text: said, annotations: [] }],
              },
            ]),
        ...calls.map(({ tool, input }, at) => ({
          type: 'function_call',
          id: id('fc', at),
          call_id: id('call', at),
          name: tool,
          arguments: text(input),
          status: 'completed',
        })),
      ],
      usage: { input_tokens: TOKENS.input, output_tokens: TOKENS.output },
    }
  },
  stream: responsesEvents,
  error: chat.error,
}

const google: Wire = {
  name: 'google',
  path: /^\/v1\/models\/[^/:]+:(generateContent|streamGenerateContent\b.*)$/,
  reply({ text, calls, stop }) {
    const parts = [
      ...(text === '' ? [] : [{ text }]),
      ...calls.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } })),
    ]
    const finishReason = stop === 'length' ? 'MAX_TOKENS' : stop === 'refusal' ? 'SAFETY' : 'STOP'
    return {
      candidates: [{ ...(parts.length > 0 ? { content: { role: 'model', parts } } : {}), finishReason, index: 0 }],
      usageMetadata: {
        promptTokenCount: TOKENS.input,
        candidatesTokenCount: TOKENS.output,
        totalTokenCount: TOKENS.input + TOKENS.output,
      },
    }
  },
  stream: googleEvents,
  error: (status, message) => ({ error: { code: status, message, status: 'UNKNOWN' } }),
}

export const WIRES: readonly Wire[] = [anthropic, chat, responses, google]
