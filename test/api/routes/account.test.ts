import { createHmac, randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { UsageRecord } from '../../../machines/records.ts'
import { aKey, aWorkspace, makeSurface, WEBHOOK_SECRET } from '../../support/http-surface.ts'
import { refusal } from '../../support/refusal.ts'

const surface = await makeSurface()
const { ask, taskService, store, clock } = surface
const workspace = await aWorkspace(surface)
const { key, id: keyId } = await aKey(surface, workspace.id)

const test = suite('usage and billing')

const use = (fields: Partial<UsageRecord>) =>
  store.usage.record({
    id: randomUUID(),
    workspaceId: workspace.id,
    apiKeyId: keyId,
    taskRunId: randomUUID(),
    model: 'claude-sonnet-4-5',
    inputTokens: 0,
    outputTokens: 0,
    apiCalls: 0,
    at: clock.at,
    ...fields,
  })

test('[B14] a workspace that used nothing', async () => {
  const { key: fresh } = await aKey(surface)
  assert.equal((await ask('GET', '/v1/usage', { key: fresh })).json, {
    totalInputTokens: 0,
    totalOutputTokens: 0,
    totalApiCalls: 0,
    totalCostUsd: 0,
    taskCount: 0,
  })
})
test('[B14] [B15] [R35] sums over models and days; a model request of a browser is no task', async () => {
  const day = 86_400_000
  await use({ inputTokens: 1_000_000, outputTokens: 100_000, apiCalls: 3, at: clock.at - 2 * day })
  await use({ inputTokens: 500, outputTokens: 50, apiCalls: 1, model: 'unknown-model' })
  await use({ inputTokens: 10, outputTokens: 1, apiCalls: 1, taskRunId: null })
  await use({ inputTokens: 7, workspaceId: randomUUID() })
  const { status, json } = await ask('GET', '/v1/usage', { key })
  assert.is(status, 200)
  assert.equal(json, {
    totalInputTokens: 1_000_510,
    totalOutputTokens: 100_051,
    totalApiCalls: 5,
    totalCostUsd: 4.500045,
    unpricedModels: ['unknown-model'],
    taskCount: 2,
  })
  const recent = await ask('GET', `/v1/usage?since=${clock.at - day}`, { key })
  assert.is(recent.json.totalInputTokens, 510)
  assert.is((await ask('GET', `/v1/usage?since=${clock.at + day}`, { key })).json.taskCount, 0)
})
test('[B14] group_by tells usage apart by day, model, key and outcome', async () => {
  const { id } = await aWorkspace(surface)
  const other = await aKey(surface, id)
  const own = { workspaceId: id, apiKeyId: other.id, inputTokens: 10, apiCalls: 1 }
  const midnight = clock.at - (clock.at % 86_400_000)
  await use({ ...own, outcome: 'complete', at: midnight - 1 })
  await use({ ...own, outcome: 'complete', at: midnight })
  await use({ ...own, outcome: 'error', at: midnight, model: 'unknown-model' })
  await use({ ...own, apiKeyId: id, taskRunId: null, at: midnight })
  const groups = async (by: string): Promise<Record<string, unknown>[]> =>
    (await ask('GET', `/v1/usage?group_by=${by}`, { key: other.key })).json.groups
  assert.equal(
    (await groups('outcome')).map(({ outcome, tasks, cost_usd: cost }) => [outcome, tasks, cost]),
    [
      ['complete', 2, 0.00006],
      [null, 0, 0.00003],
      ['error', 1, null],
    ],
  )
  assert.equal(
    (await groups('key')).map(({ key_id: keyId, input_tokens: tokens }) => [keyId, tokens]),
    [
      [other.id, 30],
      [null, 10],
    ],
  )
  const days = [midnight - 1, midnight].map((at) => new Date(at).toISOString().slice(0, 10))
  assert.equal(
    (await groups('day,model')).map(({ day, model, api_calls: calls }) => [day, model, calls]),
    [
      [days[0], 'claude-sonnet-4-5', 1],
      [days[1], 'claude-sonnet-4-5', 2],
      [days[1], 'unknown-model', 1],
    ],
  )
  assert.is((await ask('GET', '/v1/usage?group_by=week', { key })).json.code, 'group_by_invalid')
})
for (const since of ['', 'x', '-1', '1.5', '1e3', '99999999999999999999', ' 1']) {
  test(`[B14] [E12] since=${since} is 400`, async () => {
    const { status, json } = await ask('GET', `/v1/usage?since=${since}`, { key })
    assert.is(status, 400)
    assert.is(json.code, 'since_invalid')
  })
}

test('[B5] what is left, with billing', async () => {
  taskService.left = { freeRemaining: 3, creditBalance: 12 }
  assert.equal((await ask('GET', '/v1/billing/credits', { key })).json, {
    free_remaining: 3,
    credit_balance: 12,
    free_tasks_per_month: 20,
  })
})
test('[B1] [B5] without billing tasks are free', async () => {
  const free = await makeSurface({ billing: null })
  assert.equal((await free.ask('GET', '/v1/billing/credits', { key })).json, {
    free_remaining: null,
    credit_balance: 0,
    free_tasks_per_month: null,
  })
})

const event = (fields: object = {}, metadata: object = { workspace_id: workspace.id, credits: '5' }) =>
  JSON.stringify({
    id: `evt_${randomUUID()}`,
    type: 'checkout.session.completed',
    data: { object: { metadata } },
    ...fields,
  })
const sign = (body: string, at = clock.at, secret = WEBHOOK_SECRET) => {
  const t = Math.floor(at / 1_000)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}
const deliver = (body: string, signature = sign(body)) =>
  ask('POST', '/v1/billing/webhook', { body, headers: { 'payment-signature': signature } })
const credits = async () => (await store.ledger.get(workspace.id, '2026-11')).credits

test('[B6] without billing the webhook is 503, whatever is sent', async () => {
  const free = await makeSurface({ billing: null })
  const { status, json } = await free.ask('POST', '/v1/billing/webhook', { body: '{' })
  assert.is(status, 503)
  assert.equal(json, refusal('Billing is not configured', 'billing_not_configured'))
})
test('[B6] without a signature it is 400', async () => {
  for (const headers of [{}, { 'payment-signature': '' }]) {
    const { status, json } = await ask('POST', '/v1/billing/webhook', { body: event(), headers })
    assert.is(status, 400)
    assert.is(json.code, 'payment_signature_required')
  }
})
test('[B8] [B10] a paid event adds its credits once, however often it comes', async () => {
  const before = await credits()
  const body = event()
  for (let times = 0; times < 3; times++) {
    const { status, json } = await deliver(body)
    assert.is(status, 200)
    assert.equal(json, { received: true, event: 'checkout.session.completed' })
  }
  await Promise.all(Array.from({ length: 10 }, () => deliver(body)))
  assert.is(await credits(), before + 5)
})

const refused = async (answer: Awaited<ReturnType<typeof ask>>, type: string | null) => {
  assert.is(answer.status, 400)
  const { error, ...rest } = answer.json
  assert.type(error, 'string')
  assert.equal({ error, ...rest }, refusal(error, 'event_not_handled', { received: false, event: type }))
}
test('[B7] a signature that does not fit changes nothing', async () => {
  const before = await credits()
  const body = event()
  const tooOld = sign(body, clock.at - 301_000)
  const changed = sign(event())
  for (const signature of [sign(body, clock.at, 'another secret'), changed, tooOld, 'nonsense', 't=,v1=', '\u0000']) {
    await refused(await deliver(body, signature), null)
  }
  assert.is(await credits(), before)
})
test('[B7] the bytes are verified as they came', async () => {
  const body = event().replace('{', '{  ')
  assert.is((await deliver(body)).status, 200)
})
test('[B9] another type is not handled: 400', async () => {
  const body = event({ type: 'invoice.paid' })
  await refused(await deliver(body), 'invoice.paid')
})
test('[B11] no JSON, no object, and credits that are no positive integer are 400', async () => {
  const before = await credits()
  for (const body of ['', '{', 'null', '[]', '5']) await refused(await deliver(body), null)
  for (const wrong of [0, -5, 1.5, '1.5', '', 'five', null, true, [5], { a: 1 }, undefined, '1e3', 2 ** 60]) {
    const body = event({}, { workspace_id: workspace.id, credits: wrong })
    await refused(await deliver(body), 'checkout.session.completed')
  }
  assert.is(await credits(), before)
})
test('[B8] credits for a workspace that does not exist are not lost in silence', async () => {
  for (const workspace_id of [randomUUID(), 'x'.repeat(5_000), '']) {
    await refused(await deliver(event({}, { workspace_id, credits: '5' })), 'checkout.session.completed')
  }
  assert.is(surface.log.lines.filter(({ level }) => level === 'error').length, 3)
})

test.run()
