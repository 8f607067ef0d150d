import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { type ModelEndpoint, openModelEndpoint } from '../support/model-endpoint.ts'
import { KEY, never, replied, request } from './conversation.ts'
import { KINDS } from './kinds.ts'

for (const kind of KINDS) {
  const test = suite(`model failures: ${kind.name}`)
  let endpoint: ModelEndpoint
  test.before.each(async () => {
    endpoint = await openModelEndpoint()
  })
  test.after.each(() => endpoint.close())
  const open = () => kind.open(endpoint)

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

  test('[L3][L6] an answer that cannot be read is a failure that may pass', async () => {
    const bodies = ['{"id": 1', '<html></html>', '[]', 'null', '""', '']
    endpoint.plan(...bodies.map((raw) => ({ raw })))
    const model = open()
    for (const body of bodies) {
      const reply = await model.ask(request(), never)
      if (reply.kind !== 'failed') throw new Error(`${body} passed for a reply`)
      assert.is(reply.message, 'The answer of the model endpoint could not be read.', body)
      assert.is(reply.retryable, true)
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

  test('[L29] a reply with more calls than a model can write is refused before it is read', async () => {
    const call = { tool: 'find', input: { query: 'tea' } }
    endpoint.plan({ calls: Array.from({ length: 5_000 }, () => call) })
    const reply = await open().ask(request(), never)
    const message = 'The answer of the model endpoint is too large.'
    assert.equal(reply, { kind: 'failed', message, rateLimited: false, retryable: false, retryAfterMs: null })
    endpoint.plan({ calls: Array.from({ length: 500 }, () => call) })
    assert.is(replied(await open().ask(request(), never)).calls.length, 500)
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
    await eventually(() => endpoint.requests.length === 1, 'the request arrives')
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
