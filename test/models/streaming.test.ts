import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ModelEndpoint, openModelEndpoint } from '../support/model-endpoint.ts'
import { TOKENS, WIRES } from '../support/model-endpoint-wires.ts'
import { never, replied, request } from './conversation.ts'
import { KINDS } from './kinds.ts'

const REPLY = { text: 'I open it.', calls: [{ tool: 'navigate', input: { url: 'http://shop' } }] }

for (const kind of KINDS) {
  const test = suite(`model streams: ${kind.name}`)
  let endpoint: ModelEndpoint
  test.before.each(async () => {
    endpoint = await openModelEndpoint()
  })
  test.after.each(() => endpoint.close())

  /** One reply, and what was heard of it on the way. */
  async function ask(model = kind.open(endpoint)) {
    const heard: string[] = []
    const reply = await model.ask(request(), never, (textSoFar) => heard.push(textSoFar))
    return { reply, heard }
  }

  test('[L37] the words of a reply are heard as they come, each piece of the rest too; its tokens are read', async () => {
    endpoint.plan(REPLY)
    const { reply, heard } = await ask()
    assert.ok(heard.includes('I ope'), `heard ${JSON.stringify(heard)}`)
    assert.is(heard.at(-1), REPLY.text)
    const { text, calls, inputTokens, outputTokens } = replied(reply)
    assert.equal([text, calls], [REPLY.text, REPLY.calls])
    assert.equal([inputTokens, outputTokens], [TOKENS.input, TOKENS.output])
    if (kind.wire === 'openai-chat')
      assert.equal(endpoint.requests[0]?.body.stream_options as unknown, { include_usage: true })
  })

  test('[L37] the first words are heard while the rest is on its way', async () => {
    endpoint.plan({ ...REPLY, eventMs: 100 })
    const begun = performance.now()
    let first = 0
    await kind.open(endpoint).ask(request(), never, (textSoFar) => {
      if (textSoFar !== '') first ||= performance.now() - begun
    })
    const whole = performance.now() - begun
    assert.ok(first > 0 && first < whole - 100, `the first after ${first} ms, all after ${whole} ms`)
  })

  test('[L37] a stream that breaks off in the middle may be retried, whichever way it ends', async () => {
    for (const how of ['cut', 'closed'] as const) {
      endpoint.plan({ ...REPLY, ends: { after: 2, how } }, REPLY)
      const model = kind.open(endpoint)
      const { reply } = await ask(model)
      if (reply.kind !== 'failed') throw new Error(`half a reply passed for one (${how})`)
      assert.match(reply.message, /^The model endpoint could not be reached \([A-Z_]+\)\.$/)
      assert.equal([reply.retryable, reply.rateLimited], [true, false], how)
      assert.is(replied((await ask(model)).reply).text, REPLY.text)
    }
  })

  test('[L37] an abort in the middle of a stream rejects with its reason, and the request is given up', async () => {
    endpoint.plan({ ...REPLY, eventMs: 50 })
    const abort = new AbortController()
    const reason = new Error('cancelled')
    const outcome = await kind
      .open(endpoint)
      .ask(request(), abort.signal, () => abort.abort(reason))
      .catch((error) => error)
    assert.is(outcome, reason)
    await endpoint.abandoned()
  })

  test('[L37] an endpoint that answers with the whole reply is asked once, and read', async () => {
    const wire = WIRES.find(({ name }) => name === kind.wire)
    const whole = wire?.reply({ ...REPLY, stop: null }, { model: kind.model })
    endpoint.plan({ raw: JSON.stringify(whole) })
    const { reply } = await ask()
    assert.equal([replied(reply).text, replied(reply).calls], [REPLY.text, REPLY.calls])
    assert.is(endpoint.requests.length, 1)
  })

  test('[L37] an endpoint that knows no streams is asked without, and from then on always', async () => {
    const streams: boolean[] = []
    endpoint.plan((seen) => {
      const streamed = (seen.body.stream as unknown) === true || seen.path.includes(':stream')
      streams.push(streamed)
      return streamed ? { status: 400, message: 'stream: not supported' } : REPLY
    })
    const model = kind.open(endpoint)
    for (let count = 0; count < 2; count++) assert.is(replied((await ask(model)).reply).text, REPLY.text)
    assert.equal(streams, [true, false, false])
  })

  test('[L29] a stream with more than a model can write is refused', async () => {
    const event = `data: ${JSON.stringify({ filler: Array.from({ length: 5_000 }, () => ({})) })}\n\n`
    endpoint.plan({ raw: event, type: 'text/event-stream' })
    const { reply } = await ask()
    assert.is(reply.kind === 'failed' && reply.message, 'The answer of the model endpoint is too large.')
  })

  test('[L6] an event that cannot be read is a failure', async () => {
    endpoint.plan({ raw: 'data: {"id": 1\n\n', type: 'text/event-stream' })
    const { reply } = await ask()
    assert.match(reply.kind === 'failed' ? reply.message : '', /could not be read|answered with status 500/)
  })

  test.run()
}

const errors = suite('model streams: errors of the provider in the middle')

const ANTHROPIC_BEGINNING = [
  { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I op' } },
]

errors('[L37] they may be retried; a rate limit is told, and so is a conversation that does not fit', async () => {
  const endpoint = await openModelEndpoint()
  try {
    const model = KINDS[0]?.open(endpoint)
    if (!model) throw new Error('no model')
    const cases = [
      { type: 'overloaded_error', message: 'Overloaded', expected: [true, false, undefined] },
      { type: 'rate_limit_error', message: 'Slow down', expected: [true, true, undefined] },
      { type: 'invalid_request_error', message: 'prompt is too long: 2 tokens', expected: [false, false, 'too_long'] },
    ]
    for (const { expected, ...error } of cases) {
      const events = [...ANTHROPIC_BEGINNING, { type: 'error', error }]
      const start = {
        ...events[0],
        message: { ...ANTHROPIC_BEGINNING[0]?.message, usage: { input_tokens: 1, output_tokens: 1 } },
      }
      const raw = [start, ...events.slice(1)].map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')
      endpoint.plan({ raw, type: 'text/event-stream' })
      const reply = await model.ask(request(), never)
      if (reply.kind !== 'failed') throw new Error('half a reply passed for one')
      assert.is(reply.message, error.message)
      assert.equal([reply.retryable, reply.rateLimited, reply.reason], expected, error.type)
    }
  } finally {
    await endpoint.close()
  }
})

errors.run()
