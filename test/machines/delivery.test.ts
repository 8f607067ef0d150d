import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DeliveryEvent } from '../../machines/delivery.ts'
import { DELIVERY_PAUSES_MS, deliveryMachine, nextAttemptAt } from '../../machines/delivery.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../machines/limits.ts'
import { alone } from '../support/machine.ts'
import { walk } from '../support/walk.ts'

const test = suite('delivery')

const AT = 1_000_000
const INPUT = { deliveryId: 'd1', endpointId: 'e1', workspaceId: 'w1' }
const answered = (status: number | null, retryAfterMs: number | null = null, jitter = 0): DeliveryEvent => ({
  type: 'attempt.answered',
  attempt: { at: AT, durationMs: 10, status, reason: status === null ? 'timeout' : null, answer: '' },
  retryAfterMs,
  jitter,
})
const recorded: DeliveryEvent = { type: 'attempt.recorded' }
const due: DeliveryEvent = { type: 'delivery.due', at: AT }
const over: DeliveryEvent = { type: 'pause.over', at: AT }
const lost: DeliveryEvent = { type: 'store.failed', message: 'away' }
const crashed: DeliveryEvent = { type: 'effect.crashed', message: 'a bug', at: AT }

const aDelivery = (...events: DeliveryEvent[]) => {
  const it = alone(deliveryMachine, INPUT)
  it.send(...events)
  return it
}

test('[W14] any 2xx is success, once it is in the log', () => {
  for (const status of [200, 201, 204, 299]) {
    const it = aDelivery(answered(status))
    assert.equal([it.state(), it.context().status, it.done()], ['recording', 'delivered', false])
    it.send(recorded)
    assert.ok(it.done())
    assert.equal(
      it.deeds.map(({ type }) => type),
      ['attempt', 'record'],
    )
  }
})

test('[W14] eight attempts: at once, and after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h', () => {
  assert.equal(DELIVERY_PAUSES_MS, [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    10 * HOUR_MS,
  ])
  const it = aDelivery()
  for (const pause of DELIVERY_PAUSES_MS) {
    it.send(answered(500), recorded)
    assert.equal([it.state(), it.context().status], ['waiting', 'pending'])
    assert.equal(it.did('alarm').at(-1), { event: 'delivery.due', at: AT + 10 + pause })
    it.send(due)
  }
  it.send(answered(null))
  assert.equal([it.context().status, it.context().nextAttemptAt], ['failed', null])
  it.send(recorded)
  assert.ok(it.done())
  assert.is(it.did('attempt').length, 8)
})

test('[W14] redirects and every other status are failures', () => {
  for (const status of [100, 199, 300, 301, 308, 400, 404, 429, 500, null])
    assert.is(aDelivery(answered(status)).context().status, 'pending', String(status))
})

test('[W14] jitter lengthens a pause by up to a fifth; Retry-After up to a day', () => {
  const pause = (retryAfterMs: number | null, jitter: number) =>
    (nextAttemptAt(0, answered(503, retryAfterMs, jitter) as never) ?? 0) - AT - 10
  assert.equal([pause(null, 0), pause(null, 0.5), pause(null, 1)], [5_000, 5_500, 6_000])
  assert.equal([pause(120_000, 1), pause(1_000, 0), pause(9 * DAY_MS, 0)], [120_000, 5_000, DAY_MS])
  assert.is(nextAttemptAt(7, answered(503, 120_000) as never), null)
})

test('[W14] 410 is the end of it', () => {
  const it = aDelivery(answered(410))
  assert.is(it.context().status, 'failed')
  it.send({ type: 'endpoint.disabled' })
  assert.ok(it.done())
})

test('[W17] while it waits, somebody may have it sent now, with the whole schedule again', () => {
  const it = aDelivery(answered(500), recorded, due, answered(500), recorded, { type: 'delivery.redeliver' })
  assert.equal([it.state(), it.context().count], ['attempting', 0])
  it.send(answered(500), recorded)
  assert.equal(it.did('alarm').at(-1), { event: 'delivery.due', at: AT + 10 + 5_000 })
})

test('[W12 D7] a wait is kept and comes back with its time; an attempt under way is made again', () => {
  const waiting = alone(deliveryMachine, INPUT, aDelivery(answered(500), recorded).kept())
  assert.equal(waiting.deeds, [{ type: 'alarm', params: { event: 'delivery.due', at: AT + 10 + 5_000 } }])
  const attempting = alone(deliveryMachine, INPUT, aDelivery().kept())
  assert.equal(attempting.deeds, [{ type: 'attempt', params: INPUT }])
})

for (const [state, way, back] of [
  ['attempting', [], 'waitingForStore'],
  ['recording', [answered(200)], 'recordingLater'],
] as const)
  for (const event of [lost, crashed])
    test(`[D13 W12] ${event.type} while ${state}: it waits a second and goes on there`, () => {
      const it = aDelivery(...way, event)
      assert.is(it.state(), back)
      assert.equal(it.did('alarm').at(-1), { event: 'pause.over', inMs: 1_000 })
      it.send(over)
      assert.is(it.state(), state)
    })

test('every path: what was attempted is recorded, and one thing is under way as long as it lives', () => {
  const walked = walk(deliveryMachine, {
    input: INPUT,
    events: [
      answered(200),
      answered(500),
      answered(410),
      recorded,
      due,
      over,
      lost,
      crashed,
      { type: 'delivery.skipped' },
      { type: 'delivery.gone' },
      { type: 'endpoint.disabled' },
      { type: 'delivery.redeliver' },
    ],
    key: ({ value, context }) => `${JSON.stringify(value)} ${context.count} ${context.status}`,
    check: ({ snapshot, path }) => {
      const where = path.join(' → ')
      assert.is(Object.keys(snapshot.children).length, snapshot.status === 'active' ? 1 : 0, where)
      assert.ok(snapshot.context.count <= DELIVERY_PAUSES_MS.length + 1, where)
    },
  })
  assert.equal(walked.unreached, [])
})

test.run()
