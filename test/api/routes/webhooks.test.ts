import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DAY_MS } from '../../../machines/limits.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { aDelivery } from '../../support/webhook-memory.ts'

const surface = await makeSurface()
const { ask, store, clock, deps } = surface
const { key, workspaceId } = await aKey(surface)
const PATH = '/v1/webhook_endpoints'
const URL = 'https://hooks.example/tasks'

const post = (path: string, body: unknown = {}, by = key) => ask('POST', path, { key: by, body })
const create = async (fields: object = {}, by = key) => (await post(PATH, { url: URL, ...fields }, by)).json
const redelivered: string[] = []
Object.assign(deps.taskService, {
  redeliver: async ({ id }: { id: string }) => redelivered.push(id) > 0,
  testEndpoint: async ({ id }: { id: string }) => aDelivery({ endpointId: id, workspaceId, type: 'webhook.test' }),
})

const test = suite('webhook endpoints')

test('[W10] [W13] an endpoint is created; its secret is shown once and kept encrypted', async () => {
  const { status, json } = await post(PATH, { url: URL, types: ['task.ended'], description: 'ours' })
  assert.is(status, 201)
  const { secret, ...shown } = json
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(shown, {
    id: json.id,
    url: URL,
    types: ['task.ended'],
    description: 'ours',
    disabled: false,
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    created_at: clock.at,
  })
  assert.equal((await ask('GET', `${PATH}/${json.id}`, { key })).json, shown)
  assert.equal((await ask('GET', PATH, { key })).json.webhook_endpoints, [shown])
  const kept = await store.endpoints.get(json.id)
  assert.is(kept?.secrets.length, 1)
  const bytes = Buffer.from(secret.slice(6), 'base64')
  const sealed = Buffer.from(kept?.secrets[0]?.sealed.slice(3) ?? '', 'base64')
  assert.not(sealed.includes(bytes) || sealed.includes(secret))
  assert.not.match(JSON.stringify(kept), secret.slice(6, 30))
})

for (const [fields, code] of [
  [{ url: undefined }, 'url_required'],
  [{ url: null }, 'url_required'],
  [{ url: 5 }, 'url_invalid'],
  [{ url: 'hooks' }, 'url_invalid'],
  [{ url: 'ftp://hooks.example' }, 'url_invalid'],
  [{ url: 'https://hooks.example/a\r\nX-Injected: 1' }, 'url_invalid'],
  [{ url: '\thttps://hooks.example/' }, 'url_invalid'],
  [{ url: `https://hooks.example/${'x'.repeat(2_048)}` }, 'url_invalid'],
  [{ types: 'task.ended' }, 'types_invalid'],
  [{ types: ['task.gone'] }, 'types_invalid'],
  [{ description: 5 }, 'description_invalid'],
  [{ description: 'x'.repeat(501) }, 'description_invalid'],
] as const)
  test(`[W10] [E11] ${JSON.stringify(fields).slice(0, 60)} is 400 ${code}`, async () => {
    const { status, json } = await post(PATH, { url: URL, ...fields })
    assert.equal([status, json.code], [400, code])
  })

test('[W10] PATCH changes what it names; null and what is left out stay as they are', async () => {
  const { id } = await create({ description: 'old' })
  const { status, json } = await ask('PATCH', `${PATH}/${id}`, { key, body: { url: `${URL}/2`, description: null } })
  assert.equal([status, json.url, json.description, json.disabled], [200, `${URL}/2`, 'old', false])
  const off = (await ask('PATCH', `${PATH}/${id}`, { key, body: { disabled: true, description: '' } })).json
  assert.equal([off.disabled, off.disabled_reason, off.disabled_at, off.description], [true, null, clock.at, ''])
  const bad = await ask('PATCH', `${PATH}/${id}`, { key, body: { disabled: 'yes' } })
  assert.equal([bad.status, bad.json.code], [400, 'disabled_invalid'])
})

test('[W14] enabling an endpoint that was disabled for failing begins anew', async () => {
  const { id } = await create()
  await store.endpoints.update(id, { disabled: true, disabledReason: 'failing', disabledAt: 5, failingSince: 4 })
  const before = (await ask('GET', `${PATH}/${id}`, { key })).json
  assert.equal([before.disabled_reason, before.failing_since], ['failing', 4])
  const { json } = await ask('PATCH', `${PATH}/${id}`, { key, body: { disabled: false } })
  assert.equal([json.disabled, json.disabled_reason, json.disabled_at, json.failing_since], [false, null, null, null])
})

test('[W13] rotating shows a new secret; the former one is valid for 24 hours more', async () => {
  const { id, secret } = await create()
  const { status, json } = await post(`${PATH}/${id}/rotate`)
  assert.equal([status, json.former_secret_until], [200, clock.at + DAY_MS])
  assert.match(json.secret, /^whsec_/)
  assert.is.not(json.secret, secret)
  const untils = async () => (await store.endpoints.get(id))?.secrets.map(({ until }) => until)
  assert.equal(await untils(), [null, clock.at + DAY_MS])
  const first = clock.at
  clock.at += 60_000
  await post(`${PATH}/${id}/rotate`)
  assert.equal(await untils(), [null, clock.at + DAY_MS, first + DAY_MS])
  clock.at = first + DAY_MS
  await post(`${PATH}/${id}/rotate`)
  assert.equal((await untils())?.length, 3)
})

test('[W13] of many rotations in a day the newest ten former secrets are valid', async () => {
  const { id } = await create()
  for (let n = 0; n < 20; n++) await post(`${PATH}/${id}/rotate`)
  assert.is((await store.endpoints.get(id))?.secrets.length, 11)
})

test('[W10] an endpoint is deleted once; at most 20 in a workspace', async () => {
  const own = await aKey(surface)
  const ids: string[] = []
  const answers = await Promise.all(Array.from({ length: 25 }, () => post(PATH, { url: URL }, own.key)))
  for (const { status, json } of answers) if (status === 201) ids.push(json.id)
  assert.is(ids.length, 20)
  const full = await post(PATH, { url: URL }, own.key)
  assert.equal([full.status, full.json.code], [409, 'too_many_endpoints'])
  const gone = await ask('DELETE', `${PATH}/${ids[0]}`, { key: own.key })
  assert.equal([gone.status, gone.json], [200, { id: ids[0], deleted: true }])
  assert.is((await ask('DELETE', `${PATH}/${ids[0]}`, { key: own.key })).status, 404)
  assert.is((await post(PATH, { url: URL }, own.key)).status, 201)
})

test('[W10] [A6] what is not the workspace’s own is 404, and publishable keys are refused', async () => {
  const { id } = await create()
  const delivery = await store.deliveries.add(aDelivery({ endpointId: id, workspaceId }))
  const stranger = await aKey(surface)
  const publishable = await aKey(surface, workspaceId, 'publishable')
  for (const each of [id, randomUUID(), 'no-uuid']) {
    const by = each === id ? stranger.key : key
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', '/recover'],
    ] as const) {
      const body = path === '/recover' ? { since: 0 } : {}
      const { status, json } = await ask(method, `${PATH}/${each}${path}`, { key: by, body })
      assert.equal([status, json.code], [404, 'webhook_endpoint_not_found'], `${method} ${path}`)
    }
  }
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/redeliver'],
  ] as const) {
    const { status, json } = await ask(method, `/v1/webhook_deliveries/${delivery.id}${path}`, { key: stranger.key })
    assert.equal([status, json.code], [404, 'webhook_delivery_not_found'])
  }
  assert.is((await post(PATH, { url: URL }, publishable.key)).status, 403)
})

test('[W15] deliveries come newest first, by page, status and task, with their attempts', async () => {
  const { id } = await create()
  const attempt = { at: clock.at, durationMs: 12, status: 503, reason: null, answer: 'Away' }
  for (const n of [1, 2, 3]) {
    const status = n === 2 ? 'failed' : 'delivered'
    const fields = { endpointId: id, workspaceId, createdAt: clock.at + n, attempts: [attempt], status } as const
    await store.deliveries.add(aDelivery(fields))
  }
  const first = (await ask('GET', `${PATH}/${id}/deliveries?limit=2`, { key })).json
  assert.equal(
    first.deliveries.map(({ created_at }: { created_at: number }) => created_at - clock.at),
    [3, 2],
  )
  assert.equal(first.deliveries[0].attempts, [
    { at: clock.at, duration_ms: 12, status: 503, reason: null, answer: 'Away' },
  ])
  const rest = (await ask('GET', `${PATH}/${id}/deliveries?cursor=${first.next_cursor}`, { key })).json
  assert.equal([rest.deliveries.length, rest.next_cursor], [1, null])
  const failed = (await ask('GET', `${PATH}/${id}/deliveries?status=failed`, { key })).json
  assert.is(failed.deliveries.length, 1)
  const taskId = randomUUID()
  await store.deliveries.add(aDelivery({ endpointId: id, workspaceId, taskId }))
  const own = (await ask('GET', `${PATH}/${id}/deliveries?task_id=${taskId}`, { key })).json
  assert.equal(
    own.deliveries.map(({ task_id }: { task_id: string }) => task_id),
    [taskId],
  )
  const none = (await ask('GET', `${PATH}/${id}/deliveries?task_id=${randomUUID()}`, { key })).json
  assert.equal(none.deliveries, [])
  for (const query of ['cursor=abc', 'status=lost', 'limit=0', 'task_id=mine'])
    assert.is((await ask('GET', `${PATH}/${id}/deliveries?${query}`, { key })).status, 400, query)
})

test('[W17] a test event, a delivery again, and all that was lost since a time', async () => {
  const { id } = await create()
  const tried = await post(`${PATH}/${id}/test`)
  assert.equal([tried.status, tried.json.type, tried.json.status], [202, 'webhook.test', 'pending'])
  const add = (status: 'failed' | 'skipped' | 'delivered', createdAt: number) =>
    store.deliveries.add(aDelivery({ endpointId: id, workspaceId, status, createdAt }))
  const [old, failed, skipped, delivered] = await Promise.all([
    add('failed', clock.at - 9),
    add('failed', clock.at + 2),
    add('skipped', clock.at + 1),
    add('delivered', clock.at + 1),
  ])
  redelivered.length = 0
  const recovered = await post(`${PATH}/${id}/recover`, { since: clock.at })
  assert.equal([recovered.status, recovered.json], [202, { recovered: 2 }])
  assert.equal(redelivered, [skipped.id, failed.id])
  assert.is((await post(`/v1/webhook_deliveries/${delivered.id}/redeliver`)).status, 202)
  assert.is(redelivered.at(-1), delivered.id)
  assert.not(redelivered.includes(old.id))
  for (const since of [undefined, null, 'yesterday', -1, 1.5])
    assert.is((await post(`${PATH}/${id}/recover`, { since })).status, 400, String(since))
  await ask('PATCH', `${PATH}/${id}`, { key, body: { disabled: true } })
  const off = await post(`${PATH}/${id}/recover`, { since: 0 })
  assert.equal([off.status, off.json.code], [409, 'endpoint_disabled'])
})

test('[W17] of more than 1,000 that were lost the oldest are recovered first', async () => {
  const { id } = await create()
  const at = clock.at
  const lost = Array.from({ length: 1_003 }, (_, n) =>
    aDelivery({ endpointId: id, workspaceId, status: 'failed', createdAt: at + n }),
  )
  for (const record of lost) await store.deliveries.add(record)
  redelivered.length = 0
  assert.equal((await post(`${PATH}/${id}/recover`, { since: at + 1 })).json, { recovered: 1_000 })
  assert.equal(
    redelivered,
    lost.slice(1, 1_001).map((record) => record.id),
  )
})

test('[W13] without a key for secrets no endpoint is made', async () => {
  const { createEndpoints } = await import('../../../src/webhooks/endpoints.ts')
  const { taskService, ids } = deps
  const bare = await makeSurface({
    endpoints: createEndpoints({ store, taskService, box: null, clock: deps.clock, ids }),
  })
  const { status, json } = await bare.ask('POST', PATH, { key, body: { url: URL } })
  assert.equal([status, json.code], [503, 'secrets_not_configured'])
})

test.run()
