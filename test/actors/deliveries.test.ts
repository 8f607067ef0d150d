import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DAY_MS, HOUR_MS, MINUTE_MS, RETRY_AFTER_MS_MAX } from '../../machines/limits.ts'
import { aReceiver, deliveries, ended, FAILED, idOf } from '../support/scene/receiver.ts'
import { saying, settled } from '../support/scene.ts'

const test = suite('deliveries')

test('[W12 W11] an ending is sent to the endpoint, with its own id, and is on record as delivered', async () => {
  const { scene, sent } = await aReceiver()
  const id = await ended(scene)
  assert.equal(
    sent.map((each) => each.id),
    [idOf(scene, id)],
  )
  const { completedAt } = scene.record(id)
  const { event } = scene.store.events.find((each) => each.taskId === id && each.event.type === 'task.ended') ?? {}
  assert.equal(JSON.parse(sent[0]?.body ?? ''), {
    type: 'task.ended',
    timestamp: new Date(completedAt ?? 0).toISOString(),
    data: { ...event, id: idOf(scene, id) },
  })
  const [record] = deliveries(scene)
  assert.equal([record?.status, record?.attempts.length, record?.taskId], ['delivered', 1, id])
  assert.is(scene.count('delivery'), 0)
  assert.equal(
    [...scene.store.rows.keys()].filter((address) => address.startsWith('delivery')),
    [],
  )
})

test('[W11] a long answer is cut to fit the body, and says so', async () => {
  const { scene, sent } = await aReceiver()
  await ended(scene, 'é'.repeat(50_000))
  const { body } = sent[0] as { body: string }
  assert.ok(Buffer.byteLength(body) < 20 * 1024)
  const { data } = JSON.parse(body)
  assert.is(data.truncated, true)
  assert.match(data.answer, /^é{1000}/)
})

test('[W12 D7] the receiver is down for 10 minutes and the service is killed meanwhile: each ending arrives with its id', async () => {
  let down = true
  const { scene, sent } = await aReceiver(() => (down ? { status: null, reason: 'ECONNREFUSED' } : {}))
  const ids: string[] = []
  for (let n = 0; n < 4; n++) {
    ids.push(await ended(scene))
    await scene.clock.advance(2 * MINUTE_MS)
    await scene.reopen()
  }
  await scene.clock.advance(2 * MINUTE_MS)
  assert.ok(sent.length >= 8)
  down = false
  const before = sent.length
  await scene.reopen()
  await scene.clock.advance(HOUR_MS)
  const wanted = ids.map((id) => idOf(scene, id)).sort()
  assert.equal(
    sent
      .slice(before)
      .map(({ id }) => id)
      .sort(),
    wanted,
  )
  assert.equal(new Set(sent.map(({ id }) => id)), new Set(wanted))
  // The same bytes each time.
  for (const id of wanted) assert.is(new Set(sent.filter((each) => each.id === id).map(({ body }) => body)).size, 1)
  assert.equal(new Set(deliveries(scene).map(({ status }) => status)), new Set(['delivered']))
})

test('[W12] killed at any write between the ending and its first attempt: it arrives, and is one delivery', async () => {
  for (const moment of ['tasks.end', 'endpoints.list', 'deliveries.add', 'deliveries.get', 'deliveries.update']) {
    for (const when of ['hangs', 'loses'] as const) {
      const { scene, sent } = await aReceiver()
      const id = await scene.task(scene.browser())
      let armed = true
      scene.store.fault = (name) => {
        if (!armed || name !== moment) return null
        armed = false
        return when
      }
      scene.model.answer(saying('Bought.'))
      await settled(60)
      assert.not(armed, moment)
      await scene.reopen()
      await scene.clock.advance(10 * MINUTE_MS)
      assert.is(scene.record(id).status, 'complete', moment)
      assert.equal(new Set(sent.map((each) => each.id)), new Set([idOf(scene, id)]), `${moment} ${when}`)
      assert.equal([deliveries(scene).length, deliveries(scene)[0]?.status], [1, 'delivered'], `${moment} ${when}`)
    }
  }
})

test('[W14] Retry-After is obeyed, up to a day', async () => {
  const { scene, sent } = await aReceiver((n) =>
    n < 3 ? { ...FAILED, retryAfterMs: n === 1 ? HOUR_MS : 9 * DAY_MS } : {},
  )
  await ended(scene)
  const first = sent[0]?.at ?? 0
  await scene.clock.advance(HOUR_MS - 1)
  assert.is(sent.length, 1)
  await scene.clock.advance(1 + RETRY_AFTER_MS_MAX)
  assert.equal(
    sent.map(({ at }) => at - first),
    [0, HOUR_MS, HOUR_MS + RETRY_AFTER_MS_MAX],
  )
})

test('[W14] 410 disables the endpoint at once; what was on its way and what comes is skipped', async () => {
  const { scene, sent, now } = await aReceiver((n) => (n === 1 ? FAILED : { status: 410 }))
  await ended(scene)
  await ended(scene)
  assert.equal([now().disabled, now().disabledReason, now().disabledAt], [true, 'gone', sent[1]?.at])
  await scene.clock.advance(10 * MINUTE_MS)
  await ended(scene)
  assert.is(sent.length, 2)
  assert.equal(
    deliveries(scene).map(({ status }) => status),
    ['skipped', 'failed', 'skipped'],
  )
  assert.is(scene.count('delivery'), 0)
})

test('[W14] an endpoint whose attempts failed for 5 days is disabled; one success in between begins anew', async () => {
  let fails = true
  const { scene, now } = await aReceiver(() => (fails ? FAILED : {}))
  await ended(scene)
  assert.is(now().failingSince, scene.clock.now())
  await scene.clock.advance(2 * DAY_MS)
  fails = false
  await ended(scene)
  assert.is(now().failingSince, null)
  fails = true
  await ended(scene)
  const since = scene.clock.now()
  await scene.clock.advance(5 * DAY_MS - MINUTE_MS)
  await ended(scene)
  assert.equal([now().disabled, now().failingSince], [false, since])
  await scene.clock.advance(2 * MINUTE_MS)
  await ended(scene)
  assert.equal([now().disabled, now().disabledReason], [true, 'failing'])
  await scene.clock.advance(DAY_MS)
  assert.is(scene.count('delivery'), 0)
})

test('[W17] a delivery that failed is sent again with its id and bytes, one that waits at once', async () => {
  const { scene, sent } = await aReceiver((n) => (n === 2 ? {} : FAILED))
  await ended(scene)
  const [record] = deliveries(scene)
  assert.ok(record)
  assert.is(await scene.taskService.redeliver(record), true)
  await settled()
  assert.equal([sent.length, deliveries(scene)[0]?.status], [2, 'delivered'])
  assert.is(await scene.taskService.redeliver(record), true)
  await settled()
  assert.equal(new Set(sent.map(({ id, body }) => `${id} ${body}`)).size, 1)
  assert.equal([sent.length, deliveries(scene)[0]?.status], [3, 'pending'])
  assert.is(deliveries(scene)[0]?.attempts.length, 3)
})

test('[W14] an endpoint that was removed is not called any more', async () => {
  const { scene, sent, endpoint } = await aReceiver(() => FAILED)
  await ended(scene)
  scene.store.webhooks.endpoints.delete(endpoint.id)
  await scene.clock.advance(HOUR_MS)
  assert.equal([sent.length, scene.count('delivery')], [1, 0])
})

test('[W12 D11] a row of an unknown version begins its schedule anew', async () => {
  const { scene, sent } = await aReceiver((n) => (n === 1 ? FAILED : {}))
  await ended(scene)
  await settled()
  scene.crash()
  for (const [address, row] of scene.store.rows)
    if (address.startsWith('delivery')) scene.store.rows.set(address, { ...row, version: 99 })
  await scene.open()
  await settled(60)
  assert.equal([sent.length, deliveries(scene)[0]?.status, scene.count('delivery')], [2, 'delivered', 0])
})

test('[W12 D14] a delivery that breaks begins anew, and no task is touched', async () => {
  const { scene, sent } = await aReceiver((n) => (n === 1 ? FAILED : {}))
  const id = await ended(scene)
  const [record] = deliveries(scene)
  scene.system.registry.fail([`delivery:${record?.id}`], new Error('a bug'))
  await settled()
  assert.equal([sent.length, deliveries(scene)[0]?.status], [2, 'delivered'])
  assert.is(scene.record(id).status, 'complete')
})

test.run()
