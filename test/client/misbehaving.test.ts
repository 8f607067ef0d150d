import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventsOf } from '../../src/client/events.ts'
import { BrowserTaskError, EventsExpired } from '../../src/client/index.ts'
import { Patience } from '../../src/client/patience.ts'
import { type Act, answering, cut, failure, frame, html, opened, rest, sending, serving } from './misbehaving-server.ts'

const test = suite('the client against a server that misbehaves: streams')

async function seen(events: AsyncIterable<{ seq: number; cursor: number }>): Promise<number[]> {
  const found: number[] = []
  for await (const { seq, cursor } of events) {
    assert.is(cursor, seq)
    found.push(seq)
  }
  return found
}

const mended: [what: string, acts: Act[], afters: string[]][] = [
  ['a first connection that is lost before its first event', [sending('', 'cut'), rest], ['0', '0']],
  ['a first request that nobody answers', [cut, rest], ['0', '0']],
  ['half an event', [sending(frame(1) + frame(2).slice(0, 20), 'cut'), rest], ['0', '1']],
  ['an event that is not JSON', [sending(`${frame(1)}id: 2\ndata: {"seq":\n\n`), rest], ['0', '1']],
  ['events that come twice', [sending(frame(1) + frame(1) + frame(2)), sending(frame(1) + frame(3))], ['0', '2']],
  ['an event without a number', [sending(`data: {"type":"x"}\n\n${frame(1)}`), rest], ['0', '1']],
  ['500, 502 and 503 once it was there', [sending(frame(1)), html(502), answering(503), answering(500), rest], []],
  ['Retry-After', [answering(503, {}, { 'retry-after': '0' }), rest], ['0', '0']],
  [
    'one byte after the other',
    [
      async (response) => {
        opened(response)
        for (const byte of [1, 2, 3].map(frame).join('')) {
          response.write(byte)
          await new Promise(setImmediate)
        }
        response.end()
      },
    ],
    ['0'],
  ],
]
for (const [what, acts, afters] of mended) {
  test(`[Y3] each event once and in order: ${what}`, async () => {
    const { client, close, ...server } = await serving([...acts])
    assert.equal(await seen(client.tasks.events('a')), [1, 2, 3])
    if (afters.length > 0) assert.equal(server.afters(), afters)
    close()
  })
}

const thrown: [what: string, acts: Act[], code: string, retryForMs?: number][] = [
  ['5xx for ever from the beginning', [html(502)], 'http_502'],
  ['5xx for ever afterwards', [sending(frame(1)), html(503)], 'http_503', 400],
  ['connections that end at once for ever', [sending('')], 'connection_failed', 400],
  ['nobody there afterwards', [sending(frame(1)), cut], 'connection_failed', 400],
  ['a page', [html(200)], 'answer_invalid'],
  ['a page instead of a refusal', [html(404)], 'http_404'],
  ['a key that was deleted meanwhile', [sending(frame(1)), answering(401, { code: 'unauthorized' })], 'unauthorized'],
]
for (const [what, acts, code, retryForMs = 60_000] of thrown) {
  test(`[Y3] [Y4] an error, and not a request each second: ${what}`, async () => {
    const { client, close, asked } = await serving([...acts], { retryForMs })
    const error = await failure(seen(client.tasks.events('a')))
    assert.ok(error instanceof BrowserTaskError, String(error))
    assert.is(error.code, code)
    assert.ok(asked.length <= 12, `${asked.length} requests`)
    close()
  })
}

test('[Y3] events that are not kept any more are an error that says where to go on', async () => {
  const gone = answering(410, { error: 'These events are not kept any more.', code: 'events_expired', oldest: 2 })
  const { client, close } = await serving([gone, rest])
  const error = await failure(seen(client.tasks.events('a')))
  if (!(error instanceof EventsExpired)) throw error
  assert.equal([error.code, error.status, error.oldest], ['events_expired', 410, 2])
  assert.equal(await seen(client.tasks.events('a', { after: error.oldest - 1 })), [2, 3])
  close()
})

test('[Y3] a stream that falls silent is a lost connection; 204 is the end', async () => {
  const { baseUrl, close } = await serving([opened, sending(frame(1)), (response) => response.writeHead(204).end()])
  const events = eventsOf<{ type: string; seq: number }>({
    open: (after, signal) => fetch(`${baseUrl}/?after=${after}`, { signal }),
    patience: new Patience({ retriesMax: 1, retryForMs: 60_000 }),
    stop: new AbortController().signal,
    refused: async () => new Error('refused'),
    endsWithTask: true,
    after: 0,
    silenceMsMax: 100,
  })
  assert.equal(await seen(events), [1])
  close()
})

test('[Y3] events of a workspace have no gap: what comes is counted from a cursor, and not from "now" again', async () => {
  const now = answering(200, { events: [], next_cursor: 41, has_more: false })
  const later = sending(`id: 44\ndata: {"seq":7,"type":"task.ended"}\n\n`)
  const { client, close, ...server } = await serving([now, sending('', 'cut'), later])
  const stop = new AbortController()
  for await (const { seq, cursor } of client.events({ signal: stop.signal })) {
    assert.equal([seq, cursor], [7, 44])
    stop.abort()
  }
  assert.equal(server.afters(), ['now', '41', '41'])
  close()
})

test('[Y3] onAway tells once that the connection is lost, and once that it is back', async () => {
  const { client, close } = await serving([sending(frame(1)), html(502), cut, rest])
  const told: boolean[] = []
  await seen(client.tasks.events('a', { onAway: (isAway) => told.push(isAway) }))
  assert.equal(told, [true, false])
  close()
})

test('[Y2] half an answer is a lost connection, and is asked for again', async () => {
  const half: Act = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"taskCount":')
    setTimeout(() => response.destroy(), 10)
  }
  const { client, asked, close } = await serving([half, answering(200, { taskCount: 3 })])
  assert.is((await client.usage.get()).taskCount, 3)
  assert.is(asked.length, 2)
  close()
})

test.run()
