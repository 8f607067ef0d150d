import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { refusalOf } from '../../support/refusal.ts'

const surface = await makeSurface()
const { taskService } = surface
const { key } = await aKey(surface)
const good = { task: 'Buy tea', browser_session_id: randomUUID() }
const start = (body: unknown) => surface.ask('POST', '/v1/tasks', { key, body })

const test = suite('start a task that waits')
test.before.each(() => {
  taskService.started.length = 0
  taskService.refusals.length = 0
})

const HOWS = [
  ['on_limit', 'wait', 'on_limit must be reject or queue'],
  ['on_limit', 1, 'on_limit must be reject or queue'],
  ['on_away', 'queue', 'on_away must be reject or wait'],
  ['priority', 0, 'priority must be an integer from 1 to 5'],
  ['priority', 6, 'priority must be an integer from 1 to 5'],
  ['priority', '1', 'priority must be an integer from 1 to 5'],
  ['queue_ttl_s', 0, 'queue_ttl_s must be an integer from 1 to 86400'],
  ['queue_ttl_s', 86_401, 'queue_ttl_s must be an integer from 1 to 86400'],
  ['wait_ttl_s', 1.5, 'wait_ttl_s must be an integer from 1 to 86400'],
] as const
for (const [field, value, error] of HOWS) {
  test(`[T59] [T60] [E11] ${field} ${JSON.stringify(value)} is refused`, async () => {
    const answer = await start({ ...good, [field]: value })
    assert.equal([answer.status, answer.json], [400, refusalOf(`/${field}`, error, `${field}_invalid`)])
    assert.is(taskService.started.length, 0)
  })
}

test('[T59] [T60] how a start waits; null and absent are the defaults', async () => {
  await start(good)
  await start({ ...good, on_limit: 'reject', priority: null, on_away: null })
  await start({ ...good, on_limit: 'queue' })
  await start({ ...good, on_limit: 'queue', priority: 1, queue_ttl_s: 5, on_away: 'wait', wait_ttl_s: 86_400 })
  assert.equal(
    taskService.started.map(({ waiting }) => waiting),
    [
      undefined,
      undefined,
      { onLimit: true, priority: 3, queueTtlMs: 600_000, onAway: false, waitTtlMs: 600_000 },
      { onLimit: true, priority: 1, queueTtlMs: 5_000, onAway: true, waitTtlMs: 86_400_000 },
    ],
  )
})

test('[E27] what is left of the limits is said, of a refused start, too', async () => {
  for (const code of [null, 'rate_limited', 'session_not_found'] as const) {
    if (code) taskService.refusals.push({ code })
    const { headers } = await start(good)
    assert.is(headers['ratelimit-policy'], '"starts";q=10;w=60, "running";q=5;qu="concurrent-requests"')
    assert.is(headers.ratelimit, '"starts";r=9;t=60, "running";r=4')
  }
})

test('[E27 E22] a replay counts against no limit, and says what is left of them', async () => {
  const send = () => surface.ask('POST', '/v1/tasks', { key, body: good, headers: { 'idempotency-key': 'once' } })
  assert.ok((await send()).headers.ratelimit)
  const { headers } = await send()
  assert.equal(
    [headers['idempotent-replayed'], headers.ratelimit, headers['ratelimit-policy']],
    ['true', '"starts";r=9;t=60, "running";r=4', '"starts";q=10;w=60, "running";q=5;qu="concurrent-requests"'],
  )
})

test.run()
