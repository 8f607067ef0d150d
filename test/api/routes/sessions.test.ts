import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { HttpConfig } from '../../../src/api/deps.ts'
import { hashToken } from '../../../src/identity/tokens.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { refusal, refusalOf } from '../../support/refusal.ts'
import { sessionsScene } from './sessions-scene.ts'

const {
  surface,
  ask,
  taskService,
  store,
  clock,
  relay,
  key,
  keyId,
  workspaceId,
  publishable,
  foreignKey,
  pair,
  register,
  put,
} = await sessionsScene()

const test = suite('browser sessions')
test.before.each(() => taskService.sessionsById.clear())

test('[S1] [S3] [K4] a pairing token, valid for five minutes and kept as its hash', async () => {
  const { status, json } = await pair({ label: 'my laptop', external_user_id: 'u-1' })
  assert.is(status, 201)
  assert.match(json.pairing_token, /^svc_pair_[0-9a-f]{64}$/)
  assert.is(json.pairing_url, `http://svc.test/pair/${json.pairing_token}`)
  assert.is(json.expires_at, clock.at + 300_000)
  assert.is(json.expires_in_seconds, 300)
  assert.equal(await store.pairings.get(hashToken(json.pairing_token)), {
    tokenHash: hashToken(json.pairing_token),
    workspaceId,
    keyId,
    label: 'my laptop',
    externalUserId: 'u-1',
    createdBy: 'the key “a key”',
    allowTasks: true,
    byPublishableKey: false,
    expiresAt: clock.at + 300_000,
  })
})
test('[Z1] a browser joins a pool by its pairing, and is listed with it; a publishable key adds none', async () => {
  const pool = { name: 'default', places: 4 }
  const paired = await pair({ pool })
  assert.equal((await store.pairings.get(hashToken(paired.json.pairing_token)))?.allowTasks, false)
  const { status, json } = await register(paired.json.pairing_token)
  assert.equal([status, json.pool], [201, pool])
  const { id } = put({ pool: { pool: 'default', places: 4 } })
  const { json: listed } = await ask('GET', '/v1/browser-sessions', { key })
  assert.equal(listed.data.find((each: { id: string }) => each.id === id)?.pool, pool)
  const refused = await ask('POST', '/v1/browser-sessions/pair', { key: publishable.key, body: { pool } })
  assert.equal([refused.status, refused.json.code], [403, 'publishable_key'])
  for (const wrong of ['default', { name: 'Default', places: 1 }, { name: 'default', places: 0 }, { name: 'default' }])
    assert.equal((await pair({ pool: wrong })).json.code, 'pool_invalid', JSON.stringify(wrong))
})
test('[S1] the page of a pairing lies at the public address', async () => {
  const { config } = surface.deps
  const behind = await makeSurface({ config: { ...config, publicUrl: 'https://tasks.example' } })
  const { json } = await behind.ask('POST', '/v1/browser-sessions/pair', { key })
  assert.ok(json.pairing_url.startsWith('https://tasks.example/pair/svc_pair_'))
})
test('[S2] labels of 200 characters, empty ones and null are taken', async () => {
  for (const label of ['x'.repeat(200), '', null])
    assert.is((await pair({ label, external_user_id: label })).status, 201)
})
for (const field of ['label', 'external_user_id']) {
  for (const [value, error] of [
    ['x'.repeat(201), 'must be at most 200 characters'],
    [5, 'must be a string'],
    [{}, 'must be a string'],
    [['x'], 'must be a string'],
  ] as const) {
    test(`[S2] [E11] ${field} ${JSON.stringify(value).slice(0, 10)} is 400`, async () => {
      const { status, json } = await pair({ [field]: value })
      assert.is(status, 400)
      assert.equal(json, refusalOf(`/${field}`, `${field} ${error}`, `${field}_invalid`))
    })
  }
}

test('[S4] [S7] [S8] [K4] a pairing token becomes a session, whose token is kept as its hash', async () => {
  const { json: pairing } = await pair({ label: 'l', external_user_id: 'e' })
  const { status, json } = await register(pairing.pairing_token)
  assert.is(status, 201)
  assert.match(json.session_token, /^svc_sess_[0-9a-f]{64}$/)
  assert.is(json.workspace_id, workspaceId)
  assert.is(json.relay_port, 7862)
  assert.equal(await store.sessions.byTokenHash(hashToken(json.session_token)), {
    id: json.browser_session_id,
    workspaceId,
    keyId,
    label: 'l',
    externalUserId: 'e',
    allowTasks: true,
    byPublishableKey: false,
    tokenHash: hashToken(json.session_token),
    createdAt: clock.at,
    connectedAt: null,
    lastHeartbeat: null,
    expiresAt: clock.at + 30 * 86_400_000,
    tabId: null,
    windowId: null,
  })
})
test('[Z15] in production the browser of a pool is told to keep to public addresses, any other is not', async () => {
  const registered = async (config: HttpConfig, body: object) => {
    const other = await makeSurface({ config })
    const { key: own } = await aKey(other)
    const paired = await other.ask('POST', '/v1/browser-sessions/pair', { key: own, body })
    const sent = { pairing_token: paired.json.pairing_token }
    return (await other.ask('POST', '/v1/browser-sessions/register', { body: sent })).json.public_addresses_only
  }
  const pool = { pool: { name: 'default', places: 1 } }
  const production = { ...surface.deps.config, publicAddressesOnly: true }
  assert.is(await registered(production, pool), true)
  assert.is(await registered(production, {}), undefined)
  assert.is(await registered(surface.deps.config, pool), undefined)
})

test('[S7] [N3] the port is the one that the relay has', async () => {
  relay.port = 41_234
  const { json } = await register((await pair()).json.pairing_token)
  relay.port = 7862
  assert.is(json.relay_port, 41_234)
})
for (const token of [undefined, null, '', '  ']) {
  test(`[S5] pairing_token ${JSON.stringify(token)} is missing: 400`, async () => {
    const { status, json } = await register(token)
    assert.is(status, 400)
    assert.equal(json, refusalOf('/pairing_token', 'pairing_token is required', 'pairing_token_required'))
  })
}
for (const token of [5, true, {}, [], 'x'.repeat(1_001)]) {
  test(`[S5] [E11] pairing_token ${JSON.stringify(token).slice(0, 10)} is 400`, async () => {
    const { status, json } = await register(token)
    assert.is(status, 400)
    assert.is(json.code, 'pairing_token_invalid')
  })
}
const rejected = async (token: string) => {
  const { status, json } = await register(token)
  assert.is(status, 401)
  assert.equal(json, refusal('The pairing token is invalid, expired or already used', 'pairing_token_rejected'))
}
for (const token of ['nonsense', `svc_pair_${'0'.repeat(64)}`, 'svc_pair_', '__proto__']) {
  test(`[S5] ${token} is 401`, () => rejected(token))
}
test('[S5] a token of another kind is 401', () => rejected(key))
test('[S3] [S5] a token is good until its last millisecond, and not after', async () => {
  const [good, late] = [(await pair()).json.pairing_token, (await pair()).json.pairing_token]
  clock.at += 299_999
  assert.is((await register(good)).status, 201)
  clock.at += 1
  await rejected(late)
  clock.at -= 300_000
})
test('[S5] [S6] a token is used once, by one of any number at a time', async () => {
  const { pairing_token: token } = (await pair()).json
  const answers = await Promise.all(Array.from({ length: 20 }, () => register(token)))
  assert.is(answers.filter(({ status }) => status === 201).length, 1)
  assert.is(answers.filter(({ status }) => status === 401).length, 19)
  await rejected(token)
})

test('[S21] the sessions come page by page', async () => {
  const ids = Array.from({ length: 5 }, (_, at) => `0000000${at}-0000-4000-8000-000000000000`).reverse()
  for (const [at, id] of ids.entries()) {
    put({ id, createdAt: 100 - Math.floor(at / 2) })
  }
  const page = async (query: string) => (await ask('GET', `/v1/browser-sessions${query}`, { key })).json
  const read: string[] = []
  let cursor: string | null = null
  do {
    const { sessions, next_cursor } = await page(`?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
    assert.ok(sessions.length > 0 && sessions.length <= 2)
    read.push(...sessions.map(({ id }: { id: string }) => id))
    cursor = next_cursor
  } while (cursor !== null)
  assert.equal(read, ids)
  assert.is((await ask('GET', '/v1/browser-sessions?cursor=nonsense', { key })).status, 400)
  assert.is((await ask('GET', '/v1/browser-sessions?limit=0', { key })).status, 400)
})

test('[S9] [S10] the sessions of the workspace, and nothing of their tokens', async () => {
  const session = put({
    label: 'laptop',
    status: 'connected',
    state: 'connected',
    connectedAt: 5,
    lastHeartbeat: 6,
    tabId: 3,
  })
  put({ workspaceId: randomUUID() })
  const { status, json, raw } = await ask('GET', '/v1/browser-sessions', { key })
  assert.is(status, 200)
  const { data: _, ...page } = json
  assert.equal(page, {
    next_cursor: null,
    has_more: false,
    sessions: [
      {
        id: session.id,
        key_id: keyId,
        allow_tasks: true,
        status: 'connected',
        label: 'laptop',
        external_user_id: null,
        connected_at: 5,
        last_heartbeat: 6,
        expires_at: 9,
        state: 'connected',
        tab_id: 3,
        window_id: null,
      },
    ],
  })
  assert.not.match(String(raw.body), 'secret')
})
test('[S11] a session is deleted once', async () => {
  const { id } = put()
  const { status, json } = await ask('DELETE', `/v1/browser-sessions/${id}`, { key })
  assert.is(status, 200)
  assert.equal(json, { id, deleted: true })
  const again = await ask('DELETE', `/v1/browser-sessions/${id}`, { key })
  assert.is(again.status, 404)
  assert.equal(again.json, refusal('Browser session not found', 'browser_session_not_found'))
})
test("[S11] [A8] another workspace's session cannot be deleted", async () => {
  const { id } = put()
  assert.is((await ask('DELETE', `/v1/browser-sessions/${id}`, { key: foreignKey })).status, 404)
  assert.ok(taskService.sessionsById.has(id))
})
for (const id of ['x', '%00', 'register', 'x'.repeat(5_000)]) {
  test(`[E14] deleting session ${id.slice(0, 10)} is 404`, async () => {
    assert.is((await ask('DELETE', `/v1/browser-sessions/${id}`, { key })).status, 404)
  })
}
test('[A7] a publishable key lists and deletes only what it paired itself', async () => {
  const [own, other, ofUser] = [put({ keyId: publishable.id }), put(), put({ keyId: null })]
  const { json } = await ask('GET', '/v1/browser-sessions', { key: publishable.key })
  assert.equal(
    json.sessions.map((session: { id: string }) => session.id),
    [own.id],
  )
  for (const { id } of [other, ofUser]) {
    assert.is((await ask('DELETE', `/v1/browser-sessions/${id}`, { key: publishable.key })).status, 404)
  }
  assert.is((await ask('DELETE', `/v1/browser-sessions/${own.id}`, { key: publishable.key })).status, 200)
  assert.is((await ask('GET', '/v1/browser-sessions', { key })).json.sessions.length, 2)
})

test.run()
