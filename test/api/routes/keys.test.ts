import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hashToken, isPublishable, isToken, newToken } from '../../../src/identity/tokens.ts'
import { aKey, aMember, aWorkspace, fakeAccounts, makeSurface } from '../../support/http-surface.ts'

const surface = await makeSurface()
const { ask, store, clock } = surface
const { key, workspaceId } = await aKey(surface)

const create = (body: unknown, by = key) => ask('POST', '/v1/api-keys', { key: by, body })

const test = suite('api keys')

for (const [type, prefix] of [
  [undefined, 'svc_live_'],
  [null, 'svc_live_'],
  ['secret', 'svc_live_'],
  ['publishable', 'svc_pub_'],
] as const) {
  test(`[K1] [K3] [K4] type ${type} makes a key ${prefix}…, shown once and kept as its hash`, async () => {
    const { status, json } = await create({ name: 'n', type })
    assert.is(status, 201)
    assert.match(json.key, new RegExp(`^${prefix}[0-9a-f]{48}$`))
    const { id, key: made, ...rest } = json
    assert.equal(rest, { name: 'n', type: type ?? 'secret', workspace_id: workspaceId, created_at: clock.at })
    const kept = await store.keys.byHash(hashToken(made))
    assert.is(kept?.id, id)
    assert.is(kept?.keyPrefix, made.slice(0, 16))
    assert.not.match(JSON.stringify(kept), made)
    assert.is((await ask('GET', '/v1/browser-sessions', { key: made })).status, 200)
  })
}
test('[K7] of those that are asked for at once no more are made than a workspace may have', async () => {
  const own = await aKey(surface)
  const answers = await Promise.all(Array.from({ length: 120 }, () => create({ name: 'n' }, own.key)))
  assert.is(answers.filter(({ status }) => status === 201).length, 99)
  assert.is(answers.find(({ status }) => status !== 201)?.json.code, 'too_many_keys')
})

test('[K2] names of 1 and of 100 characters are taken', async () => {
  for (const name of ['x', 'x'.repeat(100), ' a ']) assert.is((await create({ name })).json.name, name)
})
for (const [body, code] of [
  [{}, 'name_required'],
  [{ name: null }, 'name_required'],
  [{ name: '' }, 'name_required'],
  [{ name: '  ' }, 'name_required'],
  [{ name: 5 }, 'name_invalid'],
  [{ name: ['x'] }, 'name_invalid'],
  [{ name: 'x'.repeat(101) }, 'name_invalid'],
  [{ name: 'x', type: 'admin' }, 'type_invalid'],
  [{ name: 'x', type: '' }, 'type_invalid'],
  [{ name: 'x', type: 1 }, 'type_invalid'],
] as const) {
  test(`[K2] [E11] ${JSON.stringify(body).slice(0, 40)} is 400 ${code}`, async () => {
    const { status, json } = await create(body)
    assert.is(status, 400)
    assert.is(json.code, code)
  })
}

test('[K5] the keys of the workspace, under both names, without the keys', async () => {
  const fresh = await aKey(surface)
  const made = (await create({ name: 'second', type: 'publishable' }, fresh.key)).json
  const { json, raw } = await ask('GET', '/v1/api-keys', { key: fresh.key })
  assert.equal(json.api_keys, json.keys)
  assert.equal(json.keys.map((one: { id: string }) => one.id).sort(), [fresh.id, made.id].sort())
  const second = json.keys.find((one: { id: string }) => one.id === made.id)
  assert.equal(second, {
    id: made.id,
    name: 'second',
    type: 'publishable',
    key_prefix: made.key.slice(0, 16),
    created_at: clock.at,
    last_used_at: null,
  })
  assert.not.match(String(raw.body), hashToken(made.key))
  assert.not.match(String(raw.body), made.key)
})
test('[K6] a deleted key is dead', async () => {
  const { id, key: made } = (await create({ name: 'short-lived' })).json
  const { status, json } = await ask('DELETE', `/v1/api-keys/${id}`, { key })
  assert.is(status, 200)
  assert.equal(json, { id, deleted: true })
  assert.is((await ask('GET', '/v1/tasks', { key: made })).status, 401)
  assert.is((await ask('DELETE', `/v1/api-keys/${id}`, { key })).json.code, 'api_key_not_found')
})
test('[K6] [A8] unknown, malformed and foreign keys are 404', async () => {
  const foreign = await aKey(surface)
  for (const id of [randomUUID(), 'x', '%2e%2e', foreign.id]) {
    assert.is((await ask('DELETE', `/v1/api-keys/${id}`, { key })).status, 404)
  }
  assert.is((await ask('GET', '/v1/tasks', { key: foreign.key })).status, 200)
})

test('[K3] [S3] [S8] tokens are of their kind, and no two are alike', () => {
  for (const kind of ['secret', 'publishable', 'pairing', 'session'] as const) {
    const [one, two] = [newToken(kind), newToken(kind)]
    assert.is.not(one, two)
    assert.ok(isToken(kind, one))
    assert.not.ok(isToken(kind, `${one}0`))
    assert.not.ok(isToken(kind === 'pairing' ? 'session' : 'pairing', one))
  }
})
test('[K4] a hash is SHA-256 in hex', () => {
  assert.is(hashToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
test('[A5] publishable by type or by prefix', () => {
  assert.ok(isPublishable({ type: 'publishable', keyPrefix: 'svc_live_0000000' }))
  assert.ok(isPublishable({ type: 'secret', keyPrefix: 'svc_pub_00000000' }))
  assert.not.ok(isPublishable({ type: 'secret', keyPrefix: 'svc_live_0000000' }))
})

test('[A29] with a cookie a key is made only for who gives the password or, having none, has just signed in', async () => {
  const shown = { isPassword: false, hasPassword: true, isFresh: false, waitMs: 0 }
  const members = new Map([['ann', aMember('ann', [await aWorkspace(surface)])]])
  const accounts = fakeAccounts(members, {
    confirm: async (_, password) => ({ ...shown, isPassword: password === 'right' }),
  })
  const own = await makeSurface({ accounts })
  const make = (more: object = {}) =>
    own.ask('POST', '/v1/api-keys', { headers: { cookie: 'session=ann' }, body: { name: 'x', ...more } })
  for (const more of [{}, { password: 'wrong' }, { password: null }]) {
    const { status, json } = await make(more)
    assert.equal([status, json.code], [403, 'confirmation_required'])
  }
  assert.is((await make({ password: 'right' })).status, 201)
  shown.waitMs = 1
  const waiting = await make({ password: 'right' })
  assert.equal([waiting.status, waiting.json.code], [429, 'too_many_passwords'])
  assert.ok(Number(waiting.headers['retry-after']) > 0)
  shown.waitMs = 0
  shown.isFresh = true
  assert.is((await make()).status, 403, 'a sign-in of just now is no password')
  shown.hasPassword = false
  assert.is((await make()).status, 201)
  shown.isFresh = false
  assert.is((await make()).status, 403, 'a sign-in of long ago')
})

test.run()
