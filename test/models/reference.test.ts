import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Message, ModelRequest } from '../../actors/runtime/ports.ts'
import { anthropicProvider } from '../../src/models/anthropic.ts'
import { openFetch } from '../../src/models/fetch.ts'
import { openaiProvider } from '../../src/models/openai.ts'
import { openaiCompatibleProvider } from '../../src/models/openai-compatible.ts'
import type { Connection, Provider } from '../../src/models/provider.ts'
import { replayOf } from '../../src/models/reasoning.ts'
import { type SdkProvider, sdkProvider } from '../../src/models/sdk-provider.ts'
import { type ModelEndpoint, openModelEndpoint, type Plan } from '../support/model-endpoint.ts'
import { CONVERSATION, IMAGE, KEY, never, request } from './conversation.ts'

/** The two wires that we speak ourselves, beside the SDKs that speak them as well. */
const PAIRS: readonly { name: string; model: string; ours: (to: Connection) => Provider; theirs: SdkProvider }[] = [
  {
    name: 'anthropic',
    model: 'claude-sonnet-5-5',
    ours: anthropicProvider,
    theirs: {
      languageModel: ({ baseUrl, apiKey, fetch, model }) =>
        createAnthropic({ baseURL: baseUrl ?? '', apiKey: apiKey ?? '', fetch })(model),
      dialect: { images: 'in-result', cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
      effort: (effort) => ({ anthropic: { effort } }),
    },
  },
  {
    name: 'openai at a base URL',
    model: 'gpt-4.1',
    ours: openaiProvider,
    theirs: {
      languageModel: ({ baseUrl, apiKey, fetch, model }) =>
        createOpenAI({ baseURL: baseUrl ?? '', apiKey: apiKey ?? '', fetch }).chat(model),
      dialect: { images: 'after-result' },
      options: { openai: { strictJsonSchema: false } },
      effort: (reasoningEffort) => ({ openai: { reasoningEffort } }),
    },
  },
  {
    name: 'openai-compatible',
    model: 'qwen3',
    ours: openaiCompatibleProvider,
    theirs: {
      languageModel: ({ baseUrl, apiKey, fetch, model }) =>
        createOpenAICompatible({
          name: 'openai-compatible',
          baseURL: baseUrl ?? '',
          apiKey: apiKey ?? '',
          includeUsage: true,
          fetch,
        })(model),
      dialect: { images: 'after-result' },
      effort: (reasoningEffort) => ({ 'openai-compatible': { reasoningEffort } }),
    },
  },
]

const user = (text: string): Message => ({ role: 'user', text })
const call = (id: string, input: object = {}) => ({ id, tool: 'navigate', input: { ...input } })
const result = (id: string, text: string, image: string | null = null) => ({
  id,
  tool: 'navigate',
  text,
  failed: false,
  image,
})

const REQUESTS: Readonly<Record<string, ModelRequest>> = {
  'a conversation with tools': request(),
  'how hard to think': request({ effort: 'low' }),
  'no system prompt': request({ system: '' }),
  'a first message': request({ messages: [user('Order tea ☕ at 3 €.')] }),
  'a user who speaks after results': request({ messages: [...CONVERSATION, user('Be brief.')] }),
  'two messages of a user in a row': request({ messages: [user('One.'), user('Two.')] }),
  'an image without words': request({
    messages: [
      user('Look.'),
      { role: 'assistant', text: '', calls: [call('a')] },
      { role: 'tool', results: [result('a', '', IMAGE), result('a', 'x')].slice(0, 1) },
    ],
  }),
  'two images of one reply': request({
    messages: [
      user('Look.'),
      { role: 'assistant', text: 'I look.', calls: [call('a'), call('b', { url: 'x' })] },
      { role: 'tool', results: [result('a', 'One', IMAGE), result('b', 'Two', IMAGE)] },
      { role: 'assistant', text: 'Done.', calls: [] },
      user('And now?'),
    ],
  }),
  'JSON of a schema': request({
    tools: [],
    messages: [user('As JSON.')],
    json: {
      type: 'object',
      properties: {
        total: { type: 'number', minimum: 1, description: 'In euros' },
        lines: { type: 'array', items: { type: 'object', properties: { name: { type: 'string', maxLength: 9 } } } },
        at: { type: 'string', format: 'date' },
        kind: { oneOf: [{ const: 'a' }, { const: 'b' }] },
      },
      required: ['total'],
      additionalProperties: false,
    },
  }),
}

/** Inputs of calls are texts of JSON in one wire: what they say is compared, not how it is written. */
const comparable = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) => (name === 'arguments' ? JSON.parse(value) : value))

for (const { name, model, ours, theirs } of PAIRS) {
  const test = suite(`models beside their SDKs: ${name}`)
  let endpoint: ModelEndpoint
  test.before.each(async () => {
    endpoint = await openModelEndpoint()
  })
  test.after.each(() => endpoint.close())

  const both = () => {
    const connection = { model, baseUrl: endpoint.baseUrl, apiKey: KEY, contextTokens: 100_000, fetch: openFetch() }
    return [ours(connection), sdkProvider(theirs, connection)].map((provider) => provider.inForm(provider.form))
  }

  for (const [what, asked] of Object.entries(REQUESTS)) {
    test(`[L16] the same request: ${what}`, async () => {
      for (const ask of both()) await ask(asked, never, () => {})
      const [first, second] = endpoint.requests
      assert.equal(comparable(first?.body), comparable(second?.body))
      assert.is(first?.path, second?.path)
    })
  }

  const PLANS: Readonly<Record<string, Plan>> = {
    'a text': { text: 'Das macht 3 € – danke ☕.' },
    'two calls': {
      text: 'I look.',
      calls: [
        { tool: 'navigate', input: { url: 'http://shop/ä' } },
        { tool: 'read_page', input: {} },
      ],
    },
    'a cut reply': { text: 'The total is', stop: 'length' },
    'a refused one': { text: '', stop: 'refusal' },
    'nothing at all': { text: '' },
  }
  for (const [what, plan] of Object.entries(PLANS)) {
    test(`[L16][L37] the same reply: ${what}`, async () => {
      endpoint.plan(plan)
      const [first, second] = await Promise.all(both().map((ask) => ask(request(), never, () => {})))
      const seen = (generated: typeof first) => ({
        content: generated?.content.map((part) => (part.type === 'text' ? part.text : part)),
        finish: generated?.finishReason.unified,
        input: generated?.usage.inputTokens.total,
        output: generated?.usage.outputTokens.total,
        replay: generated && replayOf(generated.content, model),
      })
      assert.equal(JSON.parse(JSON.stringify(seen(first))), JSON.parse(JSON.stringify(seen(second))))
    })
  }

  test.run()
}
