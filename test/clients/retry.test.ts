import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { retrying } from '../../clients/typescript/src/retry.ts'
import { BrowserTaskError, BrowserTasks } from '../../src/client/index.ts'
import { json, lost, scripted } from './scripted.ts'

const test = suite('the TypeScript client: retries')

const soon = { 'retry-after': '0' }
const params = { task: 'Buy tea', browser_session_id: 'x' }
const failed = async (work: Promise<unknown>): Promise<BrowserTaskError> => {
  const error = await work.catch((reason: unknown) => reason)
  if (!(error instanceof BrowserTaskError)) throw new Error(String(error))
  return error
}

test('[Y2] 408, 429, 5xx, a key in progress and a lost connection: again, with the same body and key', async () => {
  const { client, sent } = scripted([
    json(503, { code: 'service_stopping' }, soon),
    json(429, { code: 'rate_limited' }, soon),
    json(409, { code: 'idempotency_in_progress' }, soon),
    lost,
    json(201, { id: 'a' }),
  ])
  assert.is((await client.tasks.create(params)).id, 'a')
  assert.is(sent.length, 5)
  assert.is(new Set(sent.map(({ key, body }) => `${key} ${body}`)).size, 1)
  assert.match(sent[0]?.key ?? '', /^[0-9a-f-]{36}$/)
})

test('[Y2] each POST has a key of its own, what is only read has none', async () => {
  const { client, sent } = scripted([])
  await client.tasks.create(params)
  await client.tasks.create(params)
  await client.tasks.create(params, { idempotencyKey: 'order-1' })
  await client.usage.get()
  assert.is(new Set(sent.map(({ key }) => key)).size, 4)
  assert.equal(
    sent.slice(2).map(({ key }) => key),
    ['order-1', null],
  )
})

for (const [status, code] of [
  [400, 'task_required'],
  [401, 'unauthorized'],
  [402, 'no_allowance'],
  [404, 'session_not_found'],
  [409, 'session_not_connected'],
  [422, 'idempotency_key_reused'],
  [503, 'model_not_configured'],
] as const) {
  test(`[Y2] [Y4] ${status} ${code} is an error at once`, async () => {
    const { client, sent } = scripted([json(status, { error: 'A sentence.', code }, { 'x-request-id': '12345678' })])
    const error = await failed(client.tasks.create(params))
    assert.equal([error.message, error.code, error.status, error.requestId], ['A sentence.', code, status, '12345678'])
    assert.is(sent.length, 1)
  })
}

test('[Y2] it gives up after its retries, and at once where it would have to wait for minutes', async () => {
  const away = json(502, {}, soon)
  const first = scripted([away], { maxRetries: 2 })
  assert.equal((await failed(first.client.usage.get())).code, 'http_502')
  assert.is(first.sent.length, 3)
  const second = scripted([json(429, { code: 'rate_limited' }, { 'retry-after': '600' })])
  assert.is((await failed(second.client.usage.get())).code, 'rate_limited')
  assert.is(second.sent.length, 1)
})

test('[Y2] Retry-After may be a date, by the clock of the service', async () => {
  const at = (inS: number) => new Date(Date.UTC(2030, 0, 1) + inS * 1_000).toUTCString()
  const { client, sent } = scripted([
    json(503, {}, { date: at(0), 'retry-after': at(1) }),
    json(503, {}, { date: at(0), 'retry-after': at(600) }),
  ])
  const begun = performance.now()
  assert.is((await failed(client.usage.get())).code, 'http_503')
  assert.ok(performance.now() - begun >= 1_000)
  assert.is(sent.length, 2)
})

test('[Y2] without Retry-After it waits a random time that grows', async () => {
  const replies = [500, 500, 200]
  const at: number[] = []
  const fetch = retrying({
    random: () => 0,
    retriesMax: 4,
    fetch: async () => {
      at.push(performance.now())
      return new Response('{}', { status: replies.shift() ?? 200 })
    },
  })
  assert.is((await fetch(new Request('http://svc.test/'))).status, 200)
  const [first = 0, second = 0, third = 0] = at
  assert.ok(second - first >= 499 && third - second >= 999, String(at))
})

test('[Y4] an address that is not valid, another server, and a stream that nobody serves', async () => {
  assert.throws(
    () => new BrowserTasks({ baseUrl: 'nowhere' }),
    (error: BrowserTaskError) => error.code === 'base_url_invalid' && error.message.startsWith('nowhere is not'),
  )
  const baseUrl = 'http://svc.test'
  const page = new BrowserTasks({ baseUrl, fetch: async () => new Response('<!doctype html>', { status: 200 }) })
  assert.is((await failed(page.usage.get())).code, 'answer_invalid')
  const gone = new BrowserTasks({ baseUrl, fetch: () => Promise.reject(new TypeError('fetch failed')) })
  assert.is((await failed(gone.tasks.events('a').next())).code, 'connection_failed')
})

test('[Y2] an answer that does not come counts as a lost connection', async () => {
  let asked = 0
  // A time limit by itself keeps no process alive.
  const alive = setInterval(() => {}, 1_000)
  const hanging = retrying({
    retriesMax: 1,
    answerMsMax: 20,
    random: () => 0,
    fetch: ({ signal }) =>
      new Promise((_, reject) => {
        asked++
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  })
  assert.is((await failed(hanging(new Request('http://svc.test/')))).code, 'connection_failed')
  assert.is(asked, 2)
  clearInterval(alive)
})

test.run()
