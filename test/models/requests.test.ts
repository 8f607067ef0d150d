import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ModelEndpoint, openModelEndpoint } from '../support/model-endpoint.ts'
import { TOKENS } from '../support/model-endpoint-wires.ts'
import { CONVERSATION, never, replied, request, TOOLS } from './conversation.ts'
import { KINDS } from './kinds.ts'

for (const kind of KINDS) {
  const test = suite(`models: ${kind.name}`)
  let endpoint: ModelEndpoint
  test.before.each(async () => {
    endpoint = await openModelEndpoint()
  })
  test.after.each(() => endpoint.close())
  const open = () => kind.open(endpoint)

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
    else assert.match(seen.path, `/models/${kind.model}:streamGenerateContent`)
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

  test('[L49] a reply that has to call one tool is demanded by the tool choice of the provider, else none is sent', async () => {
    const model = open()
    replied(await model.ask(request(), never))
    replied(await model.ask(request({ mustCall: 'navigate' }), never))
    const [free, bound] = endpoint.requests.map(({ body }) => body as Record<string, unknown>)
    assert.equal([free?.tool_choice, free?.toolConfig], [undefined, undefined])
    const wanted = {
      anthropic: { type: 'tool', name: 'navigate' },
      google: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['navigate'] } },
    }[kind.wire as 'anthropic' | 'google'] ?? [
      { type: 'function', function: { name: 'navigate' } },
      { type: 'function', name: 'navigate' },
    ]
    const seen = bound?.tool_choice ?? bound?.toolConfig
    const isOne = Array.isArray(wanted) ? wanted : [wanted]
    assert.ok(isOne.map((each) => JSON.stringify(each)).includes(JSON.stringify(seen)), JSON.stringify(seen))
  })

  test('[L32] asks for JSON of a schema in the provider’s own mode, and gives it as text', async () => {
    const json = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
    const messages = CONVERSATION.slice(0, 1)
    endpoint.plan({ text: '{"total":3}' })
    const reply = replied(await open().ask(request({ tools: [], messages, json }), never))
    assert.is(reply.text, '{"total":3}')
    assert.match(JSON.stringify(endpoint.requests[0]?.body), kind.jsonMode)
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
      cachedTokens: 0,
      cacheWriteTokens: 0,
      model: kind.model,
    })
  })

  test('[T35] a reply without text and calls is a reply with an empty text', async () => {
    endpoint.plan({ text: '' })
    const reply = replied(await open().ask(request(), never))
    assert.equal([reply.text, reply.calls], ['', []])
  })

  test('[L19] a reply that was withheld or cut off is a failure, also when it has begun', async () => {
    const model = open()
    for (const text of ['', 'The total is 12']) {
      endpoint.plan({ text, stop: 'refusal' }, { text, stop: 'length' })
      for (const [reason, message] of [
        ['withheld', 'The model declined to answer.'],
        ['cut_off', 'The model reached its output limit without an answer.'],
      ]) {
        const reply = await model.ask(request(), never)
        assert.equal(reply, {
          kind: 'failed',
          message,
          reason,
          rateLimited: false,
          retryable: false,
          retryAfterMs: null,
        })
      }
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

  test.run()
}
