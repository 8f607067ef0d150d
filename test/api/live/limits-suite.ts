import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Ground, Live, Tenant } from '../../support/live.ts'
import { deliverPayment } from '../../support/service/api.ts'
import { finished } from '../../support/service/jobs.ts'

const SECRET = 'a secret of the payment provider'
const MONTH = new Date().toISOString().slice(0, 7)

/** Every task costs a credit. */
export const PAID = { PAYMENT_WEBHOOK_SECRET: SECRET, FREE_TASKS_PER_MONTH: '0' }

/** Limits, and the checks of a start in their order, against the running service, and one that is PAID. The same on every ground. */
export function limits(ground: Ground, live: Live, paid: Live) {
  const test = suite(`limits: ${ground.transport}, ${ground.store}`)
  const { store } = paid

  const start = async ({ api }: Tenant, session: string, task = 'hang', more: object = {}) => {
    const { status, json, headers } = await api.start(session, task, more)
    return { status, json, code: String(json.code ?? status), retryAfter: headers['retry-after'] }
  }
  const codes = async (starts: Promise<{ code: string }>[]) => {
    const counted: Record<string, number> = {}
    for (const { code } of await Promise.all(starts)) counted[code] = (counted[code] ?? 0) + 1
    return counted
  }
  const times = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one)
  const pay = (workspaceId: string, credits: number, id: string = randomUUID()) =>
    deliverPayment(paid.service.url, SECRET, { id, workspaceId, credits })
  const left = async ({ api }: Tenant) => (await api.get('/v1/billing/credits')).json.credit_balance

  test('[T8 T9 T19] of 50 starts at once exactly 5 run; 10 take a place in the minute', async () => {
    const tenant = await live.workspace()
    const { id } = await tenant.browser()
    assert.equal(await codes(times(50, () => start(tenant, id))), { 201: 5, too_many_running: 5, rate_limited: 40 })
    assert.is((await tenant.api.get('/v1/tasks?status=running')).json.tasks.length, 5)
  })
  test('[T8 T34 E13] of 11 starts in a minute exactly 10 are taken, however soon each is done', async () => {
    const tenant = await live.workspace()
    const { id } = await tenant.browser()
    for (let at = 0; at < 10; at++) {
      const { status, json } = await start(tenant, id, 'at once')
      assert.is(status, 201)
      await finished(tenant.api, json.id)
    }
    const { status, json, retryAfter } = await start(tenant, id)
    assert.is(status, 429)
    assert.is(json.error, 'Rate limit exceeded. Max 10 tasks per minute.')
    assert.ok(Number(retryAfter) >= 1 && Number(retryAfter) <= 60, String(retryAfter))
  })
  test('[T8] the limit of one workspace is not that of another', async () => {
    const [busy, other] = [await live.workspace(), await live.workspace()]
    await Promise.all(times(12, () => start(busy, randomUUID())))
    assert.is((await start(busy, randomUUID())).code, 'rate_limited')
    assert.is((await start(other, (await other.browser()).id)).status, 201)
  })

  test('[B4 T18] five starts at once with two credits: two run, three find their places held', async () => {
    const tenant = await paid.workspace()
    await pay(tenant.id, 2)
    const { id } = await tenant.browser()
    assert.equal(await codes(times(5, () => start(tenant, id))), { 201: 2, places_held: 3 })
    const { json } = await start(tenant, id)
    assert.equal([json.free_remaining, json.credit_balance], [0, 2])
  })
  test('[B3 B4] five tasks that complete with two credits take exactly two, and never less than nothing', async () => {
    const tenant = await paid.workspace()
    await pay(tenant.id, 2)
    const { id } = await tenant.browser()
    const starts = await Promise.all(times(5, () => start(tenant, id, 'at once')))
    const running = starts.filter(({ status }) => status === 201)
    assert.is(running.length, 2)
    for (const { json } of running) await finished(tenant.api, json.id)
    assert.is(await left(tenant), 0)
    assert.is((await start(tenant, id, 'at once')).code, 'no_allowance')
  })
  test('[B12] of 100 deductions at once with 10 credits exactly 10 are taken, and 0 are left', async () => {
    const tenant = await paid.workspace()
    await pay(tenant.id, 10)
    const charge = () =>
      store.ledger.charge({ taskId: randomUUID(), workspaceId: tenant.id, month: MONTH, freePerMonth: 0 })
    const taken = await Promise.all(times(100, charge))
    assert.is(taken.filter((one) => one === 'credit').length, 10)
    assert.is(await left(tenant), 0)
  })
  test('[B10] a payment event that is delivered 20 times at once is credited once', async () => {
    const tenant = await paid.workspace()
    const id = randomUUID()
    const answers = await Promise.all(times(20, () => pay(tenant.id, 7, id)))
    assert.ok(answers.every(({ status }) => status === 200))
    await pay(tenant.id, 7, id)
    assert.is(await left(tenant), 7)
  })

  test('[T7 T14 T16] no allowance is said before the rate; a start that is refused at 10 has taken a place', async () => {
    const tenant = await paid.workspace()
    await pay(tenant.id, 1)
    assert.equal(await codes(times(11, () => start(tenant, randomUUID()))), { session_not_found: 10, rate_limited: 1 })
    await store.ledger.charge({ taskId: randomUUID(), workspaceId: tenant.id, month: MONTH, freePerMonth: 0 })
    const { status, json } = await start(tenant, randomUUID())
    assert.is(status, 402)
    assert.equal([json.error, json.free_remaining, json.credit_balance], ['No tasks remaining', 0, 0])
  })
  test('[T14] the rate is said before the concurrency, the concurrency before the session', async () => {
    const tenant = await live.workspace()
    const { id } = await tenant.browser()
    for (let at = 0; at < 5; at++) assert.is((await start(tenant, id)).status, 201)
    for (let at = 0; at < 5; at++) assert.is((await start(tenant, randomUUID())).code, 'too_many_running')
    assert.is((await start(tenant, id)).code, 'rate_limited')
  })
  test('[T10 T11 T12 T14] a session: not there, another workspace’s, not connected', async () => {
    const [tenant, other] = [await live.workspace(), await live.workspace()]
    const foreign = await other.api.pair()
    const own = await tenant.api.pair()
    for (const unknown of [randomUUID(), 'no uuid', '__proto__', '\u0000'])
      assert.is((await start(tenant, unknown)).code, 'session_not_found')
    const forbidden = await start(tenant, foreign.id)
    assert.equal([forbidden.status, forbidden.code], [403, 'session_forbidden'])
    const away = await start(tenant, own.id)
    assert.equal([away.status, away.json.error], [409, 'Browser not connected'])
  })
  test('[T12 T13 T14] not connected is said before expired', async () => {
    const tenant = await live.workspace()
    const { id } = await tenant.api.pair()
    const record = await live.store.sessions.get(id)
    if (!record) throw new Error('the session is not there')
    await live.store.sessions.remove(id)
    await live.store.sessions.insert({ ...record, expiresAt: Date.now() - 1 })
    const away = await start(tenant, id)
    assert.equal([away.status, away.code], [409, 'session_not_connected'])
  })
  test('[T15] a start that the body’s checks refuse takes no place in the minute', async () => {
    const tenant = await live.workspace()
    const { id } = await tenant.browser()
    for (let at = 0; at < 15; at++) assert.is((await start(tenant, id, ' ')).status, 400)
    assert.is((await start(tenant, id)).status, 201)
  })

  test.after(() => Promise.all([live.close(), paid.close()]).then(() => {}))
  test.run()
}
