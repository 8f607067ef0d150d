import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openModel } from '../../src/models/open.ts'
import { createEventReader } from '../../src/models/wire/sse.ts'
import { never, quiet, replied, request } from './conversation.ts'

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const TEXT = 'Das macht 3 € – ☕ and more.'
const STREAM = [chunk({ content: TEXT.slice(0, 12) }), chunk({ content: TEXT.slice(12) }), chunk({}, 'stop')]
const DONE = 'data: [DONE]\n\n'

/** Asks an endpoint whose answers are written by `answer`, byte by byte if need be. */
async function asked(
  answer: (res: ServerResponse) => unknown,
  signal = never,
  hear: (text: string) => void = () => {},
) {
  const server = createServer((req, res) => {
    req.resume()
    req.on('end', () => {
      void answer(res)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const settings = { provider: 'openai-compatible', model: 'm', apiKey: null } as const
    return await openModel({ ...settings, baseUrl: `http://127.0.0.1:${port}/v1/` }, quiet).ask(request(), signal, hear)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const head = (res: ServerResponse, headers: Record<string, string> = {}) =>
  res.writeHead(200, { 'content-type': 'text/event-stream', ...headers })

const test = suite('models: streams as they come')

test('[L37] one byte at a time, within characters and lines', async () => {
  const reply = await asked(async (res) => {
    head(res)
    for (const byte of Buffer.from(STREAM.join('') + DONE))
      await new Promise((sent) => res.write(Buffer.of(byte), sent))
    res.end()
  })
  assert.is(replied(reply).text, TEXT)
})

test('[L37] lines that end with CR LF, comments, events without a space, an event in two lines', async () => {
  const events: string[] = []
  const reader = createEventReader((data) => events.push(data))
  const text =
    ': hello\r\nevent: x\r\ndata: {"a":1}\r\n\r\ndata:b\n\nid: 3\ndata: one\ndata: two\n\n: ping\n\ndata: last'
  for (const piece of text.match(/.{1,3}/gs) ?? []) reader.push(Buffer.from(piece))
  reader.end()
  assert.equal(events, ['{"a":1}', 'b', 'one\ntwo', 'last'])
})

test('[L37] a stream that says that it is over is over, though its connection stays open', async () => {
  const reply = await asked((res) => head(res).write(STREAM.join('') + DONE))
  assert.is(replied(reply).text, TEXT)
})

test('[L37] the last event counts without an end mark', async () => {
  const reply = await asked((res) => head(res).end(STREAM.join('')))
  assert.is(replied(reply).text, TEXT)
})

test('[L37] bytes that are no UTF-8 are read as what they are not, and nothing breaks', async () => {
  const reply = await asked((res) => {
    head(res).write('data: {"choices":[{"index":0,"delta":{"content":"a')
    res.write(Buffer.of(0xff, 0xfe, 0xc3))
    res.end(`b"},"finish_reason":"stop"}]}\n\n${DONE}`)
  })
  assert.match(replied(reply).text, /^a\uFFFD+b$/)
})

test('[L29] more than a reply may have is refused: in one line, and in many', async () => {
  const mebibyte = 'x'.repeat(1024 * 1024)
  const one = await asked((res) => {
    head(res)
    for (let count = 0; count < 20; count++) res.write(count === 0 ? `data: "${mebibyte}` : mebibyte)
  })
  const many = await asked((res) => {
    head(res)
    for (let count = 0; count < 20; count++) res.write(chunk({ content: mebibyte }))
  })
  for (const reply of [one, many])
    assert.is(reply.kind === 'failed' && reply.message, 'The answer of the model endpoint is too large.')
})

test('[L48] an answer that is compressed although nobody asked is read, streamed or whole', async () => {
  const streamed = await asked((res) => head(res, { 'content-encoding': 'gzip' }).end(gzipSync(STREAM.join('') + DONE)))
  const message = { role: 'assistant', content: TEXT }
  const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })
  const whole = await asked((res) =>
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(body)),
  )
  for (const reply of [streamed, whole]) assert.is(replied(reply).text, TEXT)
  const broken = await asked((res) => head(res, { 'content-encoding': 'gzip' }).end('no gzip'))
  assert.is(broken.kind === 'failed' && broken.retryable, true)
})

test('[L37] an abort before the answer, in its middle and after it: its reason, or the reply', async () => {
  const reason = new Error('cancelled')
  for (const when of ['before', 'middle'] as const) {
    const abort = new AbortController()
    const answer = (res: ServerResponse) => {
      if (when === 'middle') head(res).write(STREAM[0])
      else setTimeout(20).then(() => abort.abort(reason))
    }
    const outcome = await asked(answer, abort.signal, () => abort.abort(reason)).catch((error) => error)
    assert.is(outcome, reason, when)
  }
  const abort = new AbortController()
  const reply = await asked((res) => head(res).end(STREAM.join('') + DONE), abort.signal)
  abort.abort(reason)
  assert.is(replied(reply).text, TEXT)
})

test.run()
