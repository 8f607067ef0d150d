import type { Log, Model } from '../../actors/runtime/ports.ts'
import { openFetch } from '../../src/models/fetch.ts'
import { type ModelSettings, openModel } from '../../src/models/open.ts'
import type { Body, ModelEndpoint } from '../support/model-endpoint.ts'
import type { Wire } from '../support/model-endpoint-wires.ts'
import { IMAGE, KEY, quiet } from './conversation.ts'

/** Our own `fetch`, with which the provider's own address leads to the endpoint. */
const ours = openFetch()
/** What each kind of provider is expected to send. */
export interface Kind {
  readonly name: string
  /** The model, asking this endpoint. */
  readonly open: (endpoint: ModelEndpoint, log?: Log) => Model
  readonly model: string
  readonly wire: Wire['name']
  readonly key: readonly [header: string, value: string]
  readonly system: (body: Body) => unknown
  readonly maxTokens: (body: Body) => unknown
  /** What the request has where JSON is asked for. */
  readonly jsonMode: RegExp
  readonly tool: (body: Body) => unknown
  /** The whole conversation as it lies on the wire. */
  readonly conversation: (body: Body) => unknown
  readonly expected: unknown
}

const at =
  (provider: Exclude<ModelSettings['provider'], 'scripted'>, model: string | null) =>
  (to: ModelEndpoint, log: Log = quiet) =>
    openModel({ provider, model, baseUrl: to.baseUrl, apiKey: KEY }, log)

/** The conversation without the system prompt before it. */
const rest = (list: unknown) => (Array.isArray(list) ? list.slice(1) : list)
const IMAGE_URL = `data:image/jpeg;base64,${IMAGE}`
const chatCall = (id: string, name: string, input: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})
const CHAT = [
  { role: 'user', content: 'Open the shop.' },
  { role: 'assistant', content: 'I open it.', tool_calls: [chatCall('id-1', 'navigate', { url: 'http://shop' })] },
  { role: 'tool', tool_call_id: 'id-1', content: 'The shop' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [chatCall('id-2', 'computer', { action: 'screenshot' }), chatCall('id-3', 'find', { query: 'cart' })],
  },
  { role: 'tool', tool_call_id: 'id-2', content: 'A screenshot.' },
  { role: 'tool', tool_call_id: 'id-3', content: 'Error: no page' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'The image of the computer result id-2:' },
      { type: 'image_url', image_url: { url: IMAGE_URL } },
    ],
  },
]

export const KINDS: readonly Kind[] = [
  {
    name: 'anthropic',
    jsonMode: /"output_config":{"format":{"type":"json_schema"/,
    open: at('anthropic', null),
    model: 'claude-sonnet-5-5',
    wire: 'anthropic',
    key: ['x-api-key', KEY],
    system: (body) => body.system?.[0]?.text,
    maxTokens: (body) => body.max_tokens,
    tool: (body) => [body.tools?.[0]?.name, body.tools?.[0]?.description, body.tools?.[0]?.input_schema],
    conversation: (body) => body.messages,
    expected: [
      { role: 'user', content: [{ type: 'text', text: 'Open the shop.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I open it.' },
          { type: 'tool_use', id: 'id-1', name: 'navigate', input: { url: 'http://shop' } },
        ],
      },
      {
        role: 'user',
        content: [
          // Here the request before this one ended.
          { type: 'tool_result', tool_use_id: 'id-1', content: 'The shop', cache_control: { type: 'ephemeral' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'id-2', name: 'computer', input: { action: 'screenshot' } },
          { type: 'tool_use', id: 'id-3', name: 'find', input: { query: 'cart' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'id-2',
            content: [
              { type: 'text', text: 'A screenshot.' },
              { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: IMAGE } },
            ],
          },
          {
            type: 'tool_result',
            tool_use_id: 'id-3',
            content: 'Error: no page',
            is_error: true,
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ],
  },
  {
    name: 'openai at a base URL',
    jsonMode: /"response_format":{"type":"json_schema"/,
    open: at('openai', 'gpt-4.1'),
    model: 'gpt-4.1',
    wire: 'openai-chat',
    key: ['authorization', `Bearer ${KEY}`],
    system: (body) => body.messages?.[0]?.content,
    maxTokens: (body) => body.max_tokens,
    tool: (body) => [
      body.tools?.[0]?.function?.name,
      body.tools?.[0]?.function?.description,
      body.tools?.[0]?.function?.parameters,
    ],
    conversation: (body) => rest(body.messages),
    expected: CHAT,
  },
  {
    name: 'openai at its own address',
    jsonMode: /"format":{"type":"json_schema"/,
    open: (to) =>
      openModel({ provider: 'openai', model: null, baseUrl: null, apiKey: KEY }, quiet, {
        fetch: (input, init) => ours(String(input).replace('https://api.openai.com/v1', to.baseUrl), init),
      }),
    model: 'gpt-6-sol',
    wire: 'openai-responses',
    key: ['authorization', `Bearer ${KEY}`],
    system: (body) => body.input?.[0]?.content,
    maxTokens: (body) => body.max_output_tokens,
    tool: (body) => [body.tools?.[0]?.name, body.tools?.[0]?.description, body.tools?.[0]?.parameters],
    conversation: (body) => rest(body.input),
    expected: [
      { role: 'user', content: [{ type: 'input_text', text: 'Open the shop.' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'I open it.' }] },
      { type: 'function_call', call_id: 'id-1', name: 'navigate', arguments: '{"url":"http://shop"}' },
      { type: 'function_call_output', call_id: 'id-1', output: 'The shop' },
      { type: 'function_call', call_id: 'id-2', name: 'computer', arguments: '{"action":"screenshot"}' },
      { type: 'function_call', call_id: 'id-3', name: 'find', arguments: '{"query":"cart"}' },
      {
        type: 'function_call_output',
        call_id: 'id-2',
        output: [
          { type: 'input_text', text: 'A screenshot.' },
          { type: 'input_image', image_url: IMAGE_URL },
        ],
      },
      { type: 'function_call_output', call_id: 'id-3', output: 'Error: no page' },
    ],
  },
  {
    name: 'google',
    jsonMode: /"responseMimeType":"application\/json"/,
    open: at('google', null),
    model: 'gemini-3.5-flash',
    wire: 'google',
    key: ['x-goog-api-key', KEY],
    system: (body) => body.systemInstruction?.parts?.[0]?.text,
    maxTokens: (body) => body.generationConfig?.maxOutputTokens,
    tool: (body) => {
      const declared = body.tools?.[0]?.functionDeclarations?.[0]
      return [declared?.name, declared?.description, { ...declared?.parameters, additionalProperties: false }]
    },
    // Which signature stands in for a missing one is the SDK's affair.
    conversation: (body) =>
      JSON.parse(JSON.stringify(body.contents, (name, value) => (name === 'thoughtSignature' ? undefined : value))),
    expected: [
      { role: 'user', parts: [{ text: 'Open the shop.' }] },
      {
        role: 'model',
        parts: [
          { text: 'I open it.' },
          { functionCall: { id: 'id-1', name: 'navigate', args: { url: 'http://shop' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'id-1', name: 'navigate', response: { name: 'navigate', content: 'The shop' } } },
        ],
      },
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'id-2', name: 'computer', args: { action: 'screenshot' } } },
          { functionCall: { id: 'id-3', name: 'find', args: { query: 'cart' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'id-2',
              name: 'computer',
              response: { name: 'computer', content: 'A screenshot.' },
              parts: [{ inlineData: { mimeType: 'image/jpeg', data: IMAGE } }],
            },
          },
          { functionResponse: { id: 'id-3', name: 'find', response: { name: 'find', content: 'Error: no page' } } },
        ],
      },
    ],
  },
  {
    name: 'openai-compatible',
    jsonMode: /"response_format":{"type":"json_object"}/,
    open: at('openai-compatible', 'qwen3'),
    model: 'qwen3',
    wire: 'openai-chat',
    key: ['authorization', `Bearer ${KEY}`],
    system: (body) => body.messages?.[0]?.content,
    maxTokens: (body) => body.max_tokens,
    tool: (body) => [
      body.tools?.[0]?.function?.name,
      body.tools?.[0]?.function?.description,
      body.tools?.[0]?.function?.parameters,
    ],
    conversation: (body) => rest(body.messages),
    expected: CHAT,
  },
]
