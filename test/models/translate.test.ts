import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { modelTable } from '../../src/models/prices.ts'
import { openTranslator } from '../../src/models/translate.ts'
import { retryAfterMs } from '../../src/net/retry-after.ts'
import { request, TOOLS } from './conversation.ts'

const MARK = { anthropic: { cacheControl: { type: 'ephemeral' } } }

const translating = suite('models: translation')

translating('translates each message and the tools once, however often they are sent', () => {
  const translator = openTranslator({ images: 'in-result' }, 'm')
  const first = translator.prompt(request())
  const second = translator.prompt(
    request({ messages: [...request().messages, { role: 'assistant', text: 'More.', calls: [] }] }),
  )
  assert.is(second.length, first.length + 1)
  for (const [index, message] of first.entries()) assert.is(second[index], message)
  assert.is(translator.tools(TOOLS), translator.tools(TOOLS))
})

translating('marks the system prompt, the end of the last request, and the last message for the prompt cache', () => {
  const translator = openTranslator({ images: 'in-result', cacheMark: MARK }, 'm')
  const { messages } = request()
  for (const count of [messages.length - 2, messages.length]) {
    const marked = translator.prompt(request({ messages: messages.slice(0, count) })).map((m) => m.providerOptions)
    const earlier = new Array<undefined>(count - 3).fill(undefined)
    assert.equal(marked, [MARK, ...earlier, MARK, undefined, MARK])
  }
})

translating('leaves out an empty system prompt and a message with nothing in it', () => {
  const translator = openTranslator({ images: 'in-result' }, 'm')
  const prompt = translator.prompt({
    system: '',
    messages: [
      { role: 'user', text: 'Hi' },
      { role: 'assistant', text: '', calls: [] },
    ],
    tools: [],
    maxTokens: 1,
  })
  assert.equal(
    prompt.map(({ role }) => role),
    ['user'],
  )
})

translating.run()

const waiting = suite('models: Retry-After')
const NOW = Date.parse('2026-01-01T00:00:00Z')

waiting('[L3] seconds, fractions and dates become milliseconds; a date gone by is now', () => {
  assert.is(retryAfterMs('7', NOW), 7_000)
  assert.is(retryAfterMs('0.25', NOW), 250)
  assert.is(retryAfterMs('Thu, 01 Jan 2026 00:00:30 GMT', NOW), 30_000)
  assert.is(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', NOW), 0)
})

waiting('[L3] what is neither is as good as absent', () => {
  for (const header of [undefined, '', 'soon', '-5', '99999999999999'])
    assert.is(retryAfterMs(header, NOW), null, header)
})

waiting.run()

const prices = suite('models: prices')
const cost = (model: string, inputTokens: number, outputTokens: number) =>
  modelTable().costUsd(model, { inputTokens, outputTokens })

prices('[B15] the cost is per million tokens of input and output', () => {
  assert.is(cost('claude-sonnet-5-5', 1_000_000, 0), 2)
  assert.is(cost('claude-sonnet-5-5', 0, 1_000_000), 10)
  assert.is(cost('claude-sonnet-5-5', 500_000, 100_000), 2)
})

prices('[B15] dated and prefixed ids cost what their model costs', () => {
  const same = [
    'claude-sonnet-4-5-20250929',
    'claude-sonnet-4-5-latest',
    'anthropic/claude-sonnet-4-5',
    'claude-sonnet-4-5@20250929',
  ]
  for (const id of same) assert.is(cost(id, 1_000_000, 0), 3, id)
  assert.is(cost('gpt-5.2-2025-12-11', 1_000_000, 0), 1.75)
  assert.is(cost('models/gemini-2.5-flash', 0, 1_000_000), 2.5)
})

prices('[B15] a newer version is not taken for the older one, and the cost of an unknown one is not known', () => {
  assert.is(cost('claude-opus-5-5', 1_000_000, 0), 4)
  assert.is(cost('claude-opus-5', 1_000_000, 0), 5)
  for (const id of ['claude-opus-5-9', 'gpt-5-turbo', 'default', '', 'constructor', 'toString']) {
    assert.is(cost(id, 1_000_000, 1_000_000), null, id)
  }
  assert.is(cost('scripted', 1_000_000, 1_000_000), 0)
})

prices('[L18] what the provider read from its cache or wrote to it has its own price', () => {
  const tokens = { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 800_000, cacheWriteTokens: 100_000 }
  const near = (actual: number | null, expected: number) =>
    assert.ok(Math.abs((actual ?? 0) - expected) < 1e-9, `${actual}`)
  near(modelTable().costUsd('claude-sonnet-5-5', tokens), 0.1 * 2 + 0.8 * 0.2 + 0.1 * 2.5)
  near(modelTable().costUsd('gpt-5', tokens), 0.2 * 1.25 + 0.8 * 0.125)
  near(modelTable().costUsd('gpt-4o', tokens), 0.2 * 2.5 + 0.8 * 1.25)
})

prices('[L18] LLM_PRICES overrides and adds models; a wrong entry is named', () => {
  const own = modelTable(
    '{"my-model": {"input": 1, "output": 2, "cached": 0.5, "context": 32000}, "gpt-5": {"input": 9, "output": 9}}',
  )
  assert.is(own.costUsd('my-model', { inputTokens: 1_000_000, outputTokens: 500_000 }), 2)
  assert.is(own.contextTokens('my-model'), 32_000)
  assert.is(own.costUsd('gpt-5', { inputTokens: 1_000_000, outputTokens: 0 }), 9)
  assert.is(own.costUsd('claude-opus-5', { inputTokens: 1_000_000, outputTokens: 0 }), 5)
  assert.throws(() => modelTable('{"m": {"input": -1, "output": 2}}'), /LLM_PRICES: m\.input: must not be negative/)
  assert.throws(() => modelTable('/nowhere/prices.json'), /LLM_PRICES: .*ENOENT/)
})

prices.run()
