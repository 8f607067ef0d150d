import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Message, Model, ModelReply } from '../../actors/runtime/ports.ts'
import { openFetch } from '../../src/models/fetch.ts'
import { openModel } from '../../src/models/open.ts'
import { type Body, type ModelEndpoint, openModelEndpoint } from '../support/model-endpoint.ts'
import { KEY, never, quiet, replied, request } from './conversation.ts'

const test = suite('models: reasoning goes back unchanged')
const ours = openFetch()

let endpoint: ModelEndpoint
test.before.each(async () => {
  endpoint = await openModelEndpoint()
})
test.after.each(() => endpoint.close())

/** The conversation after a reply and the results of its calls, as it is kept: through JSON. */
function continued(reply: Extract<ModelReply, { kind: 'reply' }>): Message[] {
  const calls = reply.calls.map(({ tool, input }, at) => ({
    id: `our-${at}`,
    tool,
    input: input as Record<string, unknown>,
  }))
  const messages: Message[] = [
    { role: 'user', text: 'Open the shop.' },
    { role: 'assistant', text: reply.text, calls, ...(reply.replay ? { replay: reply.replay } : {}) },
    { role: 'tool', results: calls.map(({ id, tool }) => ({ id, tool, text: 'Done.', failed: false, image: null })) },
  ]
  return JSON.parse(JSON.stringify(messages)) as Message[]
}

async function secondRequest(model: Model, first: object): Promise<Body> {
  endpoint.plan({ whole: first }, { raw: JSON.stringify(first) }, { text: 'Done.' })
  const opening = request({ messages: [{ role: 'user', text: 'Open the shop.' }] })
  const reply = replied(await model.ask(opening, never))
  // Streamed or whole, it is the same reply; ids that a provider does not give are made up.
  const madeUp = (name: string, value: unknown) => (name === 'toolCallId' ? undefined : value)
  const whole = replied(await model.ask(opening, never))
  assert.equal(JSON.parse(JSON.stringify(reply, madeUp)), JSON.parse(JSON.stringify(whole, madeUp)))
  await model.ask(request({ messages: continued(reply) }), never)
  const body = endpoint.requests.at(-1)?.body
  if (!body) throw new Error('no second request')
  return body
}

const THINKING = [
  { type: 'thinking', thinking: 'The shop is at /. I open it.', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' },
  { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP' },
  { type: 'text', text: 'I open it.' },
  { type: 'tool_use', id: 'toolu_01A09q90qw90lq917835lq9', name: 'navigate', input: { url: 'http://shop' } },
]
const anthropic = (content: object[] = THINKING) => ({
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5-5',
  content,
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 20, cache_read_input_tokens: 900, cache_creation_input_tokens: 80, output_tokens: 34 },
})
const anthropicModel = (model: string | null = null) =>
  openModel({ provider: 'anthropic', model, baseUrl: endpoint.baseUrl, apiKey: KEY }, quiet)

test('[L21] Anthropic: thinking and redacted thinking, their signatures and the ids of the calls', async () => {
  const { messages } = await secondRequest(anthropicModel(), anthropic())
  assert.equal(messages?.[1]?.content, THINKING)
  assert.is(messages?.[2]?.content?.[0]?.tool_use_id, THINKING[3]?.id)
})

test('[L21] another model is not sent what was reasoned: text and calls alone', async () => {
  endpoint.plan({ whole: anthropic() }, { text: 'Done.' })
  const reply = replied(await anthropicModel().ask(request(), never))
  await anthropicModel('claude-opus-5').ask(request({ messages: continued(reply) }), never)
  const sent = JSON.stringify(endpoint.requests.at(-1)?.body.messages)
  assert.not.match(sent, /thinking|toolu_01/)
  assert.match(sent, /our-0/)
})

test('[L18] tokens read from the cache and written to it are counted', async () => {
  endpoint.plan({ whole: anthropic() })
  const { inputTokens, cachedTokens, cacheWriteTokens } = replied(await anthropicModel().ask(request(), never))
  assert.equal([inputTokens, cachedTokens, cacheWriteTokens], [1_000, 900, 80])
})

const REASONING = {
  type: 'reasoning',
  id: 'rs_68a5',
  summary: [{ type: 'summary_text', text: 'Open the shop first.' }],
  encrypted_content: 'gAAAAABotI9gZ3Jl',
}
const CALL = {
  type: 'function_call',
  id: 'fc_68a6',
  call_id: 'call_Hn8',
  name: 'navigate',
  arguments: '{"url":"http://shop"}',
  status: 'completed',
}

test('[L21] OpenAI: encrypted reasoning goes before the calls that it led to', async () => {
  const model = openModel({ provider: 'openai', model: 'gpt-5', baseUrl: null, apiKey: KEY }, quiet, {
    fetch: (input, init) => ours(String(input).replace('https://api.openai.com/v1', endpoint.baseUrl), init),
  })
  const { input } = await secondRequest(model, {
    id: 'resp_01',
    object: 'response',
    created_at: 1_700_000_000,
    model: 'gpt-5',
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [REASONING, CALL],
    usage: { input_tokens: 10, output_tokens: 5 },
  })
  const sent = Object.values(input ?? {}) as { type?: string }[]
  const reasoning = sent.find(({ type }) => type === 'reasoning') as typeof REASONING | undefined
  assert.is(reasoning?.encrypted_content, REASONING.encrypted_content)
  assert.equal(reasoning?.summary, REASONING.summary)
  const types = sent.map(({ type }) => type)
  assert.ok(types.indexOf('reasoning') < types.indexOf('function_call'))
  const call = sent.find(({ type }) => type === 'function_call') as typeof CALL | undefined
  const output = sent.find(({ type }) => type === 'function_call_output') as { call_id: string } | undefined
  assert.equal([call?.call_id, output?.call_id], [CALL.call_id, CALL.call_id])
  assert.ok(JSON.stringify(endpoint.requests[0]?.body.include).includes('reasoning.encrypted_content'))
})

const PARTS = [
  { text: 'The shop first.', thought: true },
  { functionCall: { name: 'navigate', args: { url: 'http://shop' } }, thoughtSignature: 'CpcBAVSoXO7nRzk' },
  { functionCall: { name: 'navigate', args: { url: 'http://shop/2' } } },
]

test('[L21] Google: thought signatures stay with their parts', async () => {
  const model = openModel({ provider: 'google', model: null, baseUrl: endpoint.baseUrl, apiKey: KEY }, quiet)
  const { contents } = await secondRequest(model, {
    candidates: [{ content: { role: 'model', parts: PARTS }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  })
  const sent = Object.values(contents?.[1]?.parts ?? {}) as {
    functionCall?: { args: object }
    thoughtSignature?: string
  }[]
  const calls = sent.filter((part) => part.functionCall)
  assert.equal(
    calls.map(({ functionCall, thoughtSignature }) => [functionCall?.args, thoughtSignature]),
    [
      [{ url: 'http://shop' }, 'CpcBAVSoXO7nRzk'],
      [{ url: 'http://shop/2' }, undefined],
    ],
  )
})

test('[L19] a conversation that does not fit is told apart from other errors, in the words of each provider', async () => {
  for (const message of [
    'prompt is too long: 212345 tokens > 200000 maximum',
    "This model's maximum context length is 128000 tokens.",
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ]) {
    endpoint.plan({ status: 400, message })
    const reply = await anthropicModel().ask(request(), never)
    assert.equal([reply.kind, 'reason' in reply && reply.reason], ['failed', 'too_long'], message)
  }
  endpoint.plan({ status: 400, message: 'messages: field required' })
  const reply = await anthropicModel().ask(request(), never)
  assert.is('reason' in reply ? reply.reason : undefined, undefined)
})

test('[L17] the fallback is asked when the first is down, and not when it refuses', async () => {
  const down = await openModelEndpoint()
  try {
    down.plan({ status: 503 }, { status: 400, message: 'no' })
    endpoint.plan({ text: 'From the second.' })
    const choice = { provider: 'anthropic' as const, model: null, apiKey: KEY }
    const model = openModel(
      { ...choice, baseUrl: down.baseUrl, fallback: { ...choice, baseUrl: endpoint.baseUrl } },
      quiet,
    )
    assert.is(replied(await model.ask(request(), never)).text, 'From the second.')
    assert.is((await model.ask(request(), never)).kind, 'failed')
    assert.equal([down.requests.length, endpoint.requests.length], [2, 1])
  } finally {
    await down.close()
  }
})

test.run()
