import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Log, Message, ModelReply, ModelRequest, ToolSpec } from '../../actors/ports.ts'
import { openFetch } from '../../src/models/fetch.ts'
import { type ModelSettings, openModel } from '../../src/models/open.ts'
import { type ModelEndpoint, openModelEndpoint } from '../support/model-endpoint.ts'
import { TOKENS, type Wire } from '../support/model-endpoint-wires.ts'

const KEY = 'test-key-0123456789'
const IMAGE = Buffer.from('a picture').toString('base64')

const TOOLS: readonly ToolSpec[] = [
  {
    name: 'navigate',
    description: 'Opens a page.',
    schema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'], additionalProperties: false },
  },
]

/** Two rounds of tools, the second with an image and a failed call. */
const CONVERSATION: readonly Message[] = [
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

const request = (change: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You drive a browser.',
  messages: CONVERSATION,
  tools: TOOLS,
  maxTokens: 777,
  ...change,
})

const ours = openFetch()
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }
const never = new AbortController().signal

/** What each kind of provider is expected to send. */
interface Kind {
  readonly name: string
  readonly settings: (endpoint: ModelEndpoint) => { settings: ModelSettings; fetch?: typeof fetch }
  readonly model: string
  readonly wire: Wire['name']
  readonly key: readonly [header: string, value: string]
  // biome-ignore lint/suspicious/noExplicitAny: bodies of four formats
  readonly system: (body: any) => unknown
  // biome-ignore lint/suspicious/noExplicitAny: bodies of four formats
  readonly maxTokens: (body: any) => unknown
  // biome-ignore lint/suspicious/noExplicitAny: bodies of four formats
  readonly tool: (body: any) => unknown
  /** The whole conversation as it lies on the wire. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of four formats
  readonly conversation: (body: any) => unknown
  readonly expected: unknown
}

const at = (provider: Exclude<ModelSettings['provider'], 'scripted'>, model: string | null) => (to: ModelEndpoint) => ({
  settings: { provider, model, baseUrl: to.baseUrl, apiKey: KEY },
})
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

const KINDS: readonly Kind[] = [
  {
    name: 'anthropic',
    settings: at('anthropic', null),
    model: 'claude-sonnet-5-5',
    wire: 'anthropic',
    key: ['x-api-key', KEY],
    system: (body) => body.system[0].text,
    maxTokens: (body) => body.max_tokens,
    tool: (body) => [body.tools[0].name, body.tools[0].description, body.tools[0].input_schema],
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
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'id-1', content: 'The shop' }] },
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
    settings: at('openai', 'gpt-4.1'),
    model: 'gpt-4.1',
    wire: 'openai-chat',
    key: ['authorization', `Bearer ${KEY}`],
    system: (body) => body.messages[0].content,
    maxTokens: (body) => body.max_tokens,
    tool: (body) => [
      body.tools[0].function.name,
      body.tools[0].function.description,
      body.tools[0].function.parameters,
    ],
    conversation: (body) => body.messages.slice(1),
    expected: CHAT,
  },
  {
    name: 'openai at its own address',
    settings: (to) => ({
      settings: { provider: 'openai', model: null, baseUrl: null, apiKey: KEY },
      fetch: (input, init) => ours(String(input).replace('https://api.openai.com/v1', to.baseUrl), init),
    }),
    model: 'gpt-6-sol',
    wire: 'openai-responses',
    key: ['authorization', `Bearer ${KEY}`],
    system: (body) => body.input[0].content,
    maxTokens: (body) => body.max_output_tokens,
    tool: (body) => [body.tools[0].name, body.tools[0].description, body.tools[0].parameters],
    conversation: (body) => body.input.slice(1),
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
    settings: at('google', null),
    model: 'gemini-3.5-flash',
    wire: 'google',
    key: ['x-goog-api-key', KEY],
    system: (body) => body.systemInstruction.parts[0].text,
    maxTokens: (body) => body.generationConfig.maxOutputTokens,
    tool: (body) => {
      const [declared] = body.tools[0].functionDeclarations
      return [declared.name, declared.description, { ...declared.parameters, additionalProperties: false }]
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
    settings: at('openai-compatible', 'qwen3'),
    model: 'qwen3',
    wire: 'openai-chat',
    key: ['authorization', `Bearer ${KEY}`],
    system: (body) => body.messages[0].content,
    maxTokens: (body) => body.max_tokens,
    tool: (body) => [
      body.tools[0].function.name,
      body.tools[0].function.description,
      body.tools[0].function.parameters,
    ],
    conversation: (body) => body.messages.slice(1),
    expected: CHAT,
  },
]

const replied = (reply: ModelReply) => {
  if (reply.kind !== 'reply') throw new Error(`failed: ${reply.message}`)
  return reply
}

for (const kind of KINDS) {
  const test = suite(`models: ${kind.name}`)
  let endpoint: ModelEndpoint
  const open = () => {
    const { settings, fetch } = kind.settings(endpoint)
    return openModel(settings, quiet, fetch)
  }
  test.before.each(async () => {
    endpoint = await openModelEndpoint()
  })
  test.after.each(() => endpoint.close())

  test('[L16] sends system prompt, conversation, tools and limit in the wire format of the provider', async () => {
    const model = open()
    assert.is(model.id, kind.model)
    replied(await model.ask(request(), never))
    assert.is(endpoint.requests.length, 1)
    const [seen] = endpoint.requests
    if (!seen) throw new Error('no request')
    assert.is(seen.wire.name, kind.wire)
    assert.is(seen.headers[kind.key[0]], kind.key[1])
    if (kind.wire !== 'google') assert.is(seen.body.model, kind.model)
    else assert.match(seen.path, `/models/${kind.model}:generateContent`)
    assert.is(kind.system(seen.body), 'You drive a browser.')
    assert.is(kind.maxTokens(seen.body), 777)
    assert.equal(kind.tool(seen.body), ['navigate', 'Opens a page.', TOOLS[0]?.schema])
    assert.equal(kind.conversation(seen.body), kind.expected)
    assert.not.match(JSON.stringify(seen.body), '"temperature"')
  })

  test('[L16] sends no list of tools when there are none', async () => {
    await open().ask(request({ tools: [], messages: CONVERSATION.slice(0, 1) }), never)
    assert.is(endpoint.requests[0]?.body.tools, undefined)
  })

  test('[L1] gives text, tool calls in their order and usage of a reply', async () => {
    endpoint.plan({
      text: 'Two things.',
      calls: [
        { tool: 'navigate', input: { url: 'https://a.example' } },
        { tool: 'computer', input: { action: 'left_click', coordinate: [1, 2] } },
      ],
    })
    assert.equal(await open().ask(request(), never), {
      kind: 'reply',
      text: 'Two things.',
      calls: [
        { tool: 'navigate', input: { url: 'https://a.example' } },
        { tool: 'computer', input: { action: 'left_click', coordinate: [1, 2] } },
      ],
      inputTokens: TOKENS.input,
      outputTokens: TOKENS.output,
      model: kind.model,
    })
  })

  test('[T35] a reply without text and calls is a reply with an empty text', async () => {
    endpoint.plan({ text: '' })
    const reply = replied(await open().ask(request(), never))
    assert.equal([reply.text, reply.calls], ['', []])
  })

  test('an answer that was withheld or cut off before it began is a failure, not an empty answer', async () => {
    endpoint.plan({ stop: 'refusal' }, { stop: 'length' })
    const model = open()
    for (const message of ['The model declined to answer.', 'The model reached its output limit without an answer.']) {
      const reply = await model.ask(request(), never)
      assert.equal(reply, { kind: 'failed', message, rateLimited: false, retryable: false, retryAfterMs: null })
    }
  })

  if (kind.wire.startsWith('openai')) {
    test('[L8] tool input that is no JSON is passed on as it is', async () => {
      endpoint.plan({
        calls: [
          { tool: 'navigate', input: '{"url": "http' },
          { tool: 'read_page', input: '' },
        ],
      })
      const reply = replied(await open().ask(request(), never))
      assert.equal(reply.calls, [
        { tool: 'navigate', input: '{"url": "http' },
        { tool: 'read_page', input: {} },
      ])
    })
  }

  test('[L3] 529 twice, then an answer: two failures that may be retried, each one request', async () => {
    endpoint.plan({ status: 529, message: 'Overloaded' }, { status: 529, message: 'Overloaded' }, { text: 'Done.' })
    const model = open()
    const overloaded = {
      kind: 'failed',
      message: 'Overloaded',
      rateLimited: false,
      retryable: true,
      retryAfterMs: null,
    }
    assert.equal(await model.ask(request(), never), overloaded)
    assert.equal(await model.ask(request(), never), overloaded)
    assert.is(replied(await model.ask(request(), never)).text, 'Done.')
    assert.is(endpoint.requests.length, 3)
  })

  test('[L3][L6] 401 is final, says what the API said, and never shows the key', async () => {
    endpoint.plan({ status: 401, message: `Incorrect API key provided: ${KEY}. Or was it sk-proj-ab*******xyz?` })
    const reply = await open().ask(request(), never)
    const message = 'Incorrect API key provided: ***. Or was it ***?'
    assert.equal(reply, { kind: 'failed', message, rateLimited: false, retryable: false, retryAfterMs: null })
    assert.is(endpoint.requests.length, 1)
  })

  test('[L3] 429 with Retry-After is a rate limit that says how long to wait', async () => {
    endpoint.plan({ status: 429, message: 'Slow down', headers: { 'retry-after': '7' } })
    const reply = await open().ask(request(), never)
    assert.equal(reply, {
      kind: 'failed',
      message: 'Slow down',
      rateLimited: true,
      retryable: true,
      retryAfterMs: 7_000,
    })
  })

  test('[L3] 500 may be retried, whatever its body is', async () => {
    endpoint.plan({ status: 500, raw: '<h1>Bad gateway</h1>' }, { status: 503, raw: '{"error":"Warming\\n up"}' })
    const model = open()
    const sentences = ['The model endpoint answered with status 500.', 'Warming up']
    for (const message of sentences) {
      const reply = await model.ask(request(), never)
      assert.equal(reply, { kind: 'failed', message, rateLimited: false, retryable: true, retryAfterMs: null })
    }
  })

  test('[L3] a 400 is final', async () => {
    endpoint.plan({ status: 400, message: 'Unknown model' })
    const reply = await open().ask(request(), never)
    const expected = {
      kind: 'failed',
      message: 'Unknown model',
      rateLimited: false,
      retryable: false,
      retryAfterMs: null,
    }
    assert.equal(reply, expected)
  })

  test('[L6] an answer that cannot be read is a failure', async () => {
    const bodies = ['{"id": 1', '<html></html>', '[]', 'null', '""', '']
    endpoint.plan(...bodies.map((raw) => ({ raw })))
    const model = open()
    for (const body of bodies) {
      const reply = await model.ask(request(), never)
      if (reply.kind !== 'failed') throw new Error(`${body} passed for a reply`)
      assert.is(reply.message, 'The answer of the model endpoint could not be read.', body)
      assert.is(reply.retryable, false)
    }
  })

  test('[L3] a connection that is cut, reset or refused may be retried', async () => {
    endpoint.plan('cut', 'reset', { text: 'Back.' })
    const model = open()
    for (let attempt = 0; attempt < 2; attempt++) {
      const reply = await model.ask(request(), never)
      if (reply.kind !== 'failed') throw new Error('a cut answer passed for a reply')
      assert.match(reply.message, /^The model endpoint could not be reached \([A-Z_]+\)\.$/)
      assert.equal([reply.retryable, reply.rateLimited], [true, false])
    }
    assert.is(replied(await model.ask(request(), never)).text, 'Back.')
    await endpoint.close()
    const refused = await model.ask(request(), never)
    if (refused.kind !== 'failed') throw new Error('a closed endpoint replied')
    assert.match(refused.message, /ECONNREFUSED|UND_ERR_SOCKET/)
    assert.is(refused.retryable, true)
    endpoint = await openModelEndpoint()
  })

  test('keeps its connection between two requests', async () => {
    const model = open()
    for (let count = 0; count < 8; count++) replied(await model.ask(request(), never))
    // A request that follows at once may find the first connection not yet free again.
    const connections = new Set(endpoint.requests.map(({ connection }) => connection))
    assert.ok(connections.size <= 2, `${connections.size} connections for 8 requests`)
  })

  test('[T49] an abort rejects with its reason, and the request is given up', async () => {
    endpoint.plan('hang')
    const abort = new AbortController()
    const reason = new Error('cancelled')
    const asked = open().ask(request(), abort.signal)
    const outcome = asked.then(
      () => 'resolved',
      (error) => error,
    )
    for (let turn = 0; endpoint.requests.length === 0 && turn < 10_000; turn++) await new Promise(setImmediate)
    assert.is(endpoint.requests.length, 1)
    abort.abort(reason)
    assert.is(await outcome, reason)
    await endpoint.abandoned()
  })

  test('[T49] a signal that was aborted before sends nothing', async () => {
    const reason = new Error('cancelled')
    let thrown: unknown
    await open()
      .ask(request(), AbortSignal.abort(reason))
      .catch((error) => {
        thrown = error
      })
    assert.is(thrown, reason)
    assert.is(endpoint.requests.length, 0)
  })

  test.run()
}
