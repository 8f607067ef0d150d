import type { Log, Message, ModelReply, ModelRequest, ToolSpec } from '../../actors/runtime/ports.ts'

export const KEY = 'test-key-0123456789'
export const IMAGE = Buffer.from('a picture').toString('base64')

export const TOOLS: readonly ToolSpec[] = [
  {
    name: 'navigate',
    description: 'Opens a page.',
    schema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'], additionalProperties: false },
  },
]

/** Two rounds of tools, the second with an image and a failed call. */
export const CONVERSATION: readonly Message[] = [
  { role: 'user', text: 'Open the shop.' },
  { role: 'assistant', text: 'I open it.', calls: [{ id: 'id-1', tool: 'navigate', input: { url: 'http://shop' } }] },
  { role: 'tool', results: [{ id: 'id-1', tool: 'navigate', text: 'The shop', failed: false, image: null }] },
  {
    role: 'assistant',
    text: '',
    calls: [
      { id: 'id-2', tool: 'computer', input: { action: 'screenshot' } },
      { id: 'id-3', tool: 'find', input: { query: 'cart' } },
    ],
  },
  {
    role: 'tool',
    results: [
      { id: 'id-2', tool: 'computer', text: 'A screenshot.', failed: false, image: IMAGE },
      { id: 'id-3', tool: 'find', text: 'Error: no page', failed: true, image: null },
    ],
  },
]

export const request = (change: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You drive a browser.',
  messages: CONVERSATION,
  tools: TOOLS,
  maxTokens: 777,
  ...change,
})

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }
/** A signal that never aborts. */
export const never = new AbortController().signal

/** The reply itself, where a failure is a failure of the test. */
export const replied = (reply: ModelReply) => {
  if (reply.kind !== 'reply') throw new Error(`failed: ${reply.message}`)
  return reply
}
