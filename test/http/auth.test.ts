import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskView } from '../../actors/front.ts'
import { hashToken, keyPrefixOf } from '../../src/tokens.ts'
import { ALLOWED_ORIGIN, aKey, aMember, aWorkspace, fakeAccounts, makeSurface } from '../support/http-surface.ts'
import { aTask } from '../support/stores.ts'

const members = new Map()
const surface = await makeSurface({ accounts: fakeAccounts(members) })
const { ask, desk, store, clock } = surface
const first = await aWorkspace(surface, { name: 'first', plan: 'free' })
const second = await aWorkspace(surface, { name: 'second', plan: 'team' })
const foreign = await aWorkspace(surface)
members.set('ann', aMember('ann', [first, second]))
const { key, id: keyId } = await aKey(surface, first.id)
const { key: otherKey } = await aKey(surface)
const cookie = 'session=ann'

const SENTENCE =
  'Authentication required: send "Authorization: Bearer <API_KEY>", or sign in at /api/auth/sign-in/social'
const refused = (answer: Awaited<ReturnType<typeof ask>>) => {
  assert.is(answer.status, 401)
  assert.equal(answer.json, { error: SENTENCE, code: 'unauthorized' })
  assert.is(answer.headers['www-authenticate'], 'Bearer')
}

const test = suite('authentication')

test('[A4] without key and cookie: 401 that names the Bearer scheme and the sign-in path', async () => {
  refused(await ask('GET', '/v1/tasks'))
})
for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
  test(`[A2] the scheme may be written ${scheme}`, async () => {
    assert.is((await ask('GET', '/v1/tasks', { headers: { authorization: `${scheme} ${key}` } })).status, 200)
    assert.is((await ask('GET', '/v1/tasks', { headers: { authorization: `${scheme}   ${key} ` } })).status, 200)
  })
}
for (const value of ['wrong', 'svc_live_', `svc_live_${'0'.repeat(48)}`, 'x'.repeat(9_000), '\u0000', '__proto__']) {
  test(`[A1] the Bearer value ${JSON.stringify(value).slice(0, 20)} is 401, whatever cookie there is`, async () => {
    refused(await ask('GET', '/v1/tasks', { headers: { authorization: `Bearer ${value}`, cookie } }))
  })
}
for (const authorization of ['', 'Basic YTpi', 'Bearer', 'Bearer ', 'Bearers x']) {
  test(`[A3] ${JSON.stringify(authorization)} is no Bearer value: the cookie counts`, async () => {
    refused(await ask('GET', '/v1/tasks', { headers: { authorization } }))
    assert.is((await ask('GET', '/v1/tasks', { headers: { authorization, cookie } })).status, 200)
  })
}
test('[A1] a key is used alone: its workspace counts, not that of the cookie', async () => {
  const task: TaskView = { ...aTask({ workspaceId: first.id }), state: 'thinking' }
  desk.tasksById.set(task.id, task)
  const path = `/v1/tasks/${task.id}`
  assert.is((await ask('GET', path, { key })).status, 200)
  assert.is((await ask('GET', path, { key: otherKey, headers: { cookie } })).status, 404)
})
test('[A1] [K6] a key that was deleted is dead', async () => {
  const { key: gone, id } = await aKey(surface, first.id)
  assert.is((await ask('GET', '/v1/tasks', { key: gone })).status, 200)
  await store.keys.remove(first.id, id)
  refused(await ask('GET', '/v1/tasks', { key: gone }))
})

test('[A9] without a valid key a bad or over-size body is 401', async () => {
  refused(await ask('POST', '/v1/tasks', { body: '{' }))
  refused(await ask('POST', '/v1/tasks', { key: 'wrong', body: '{' }))
  refused(await ask('POST', '/v1/tasks', { bodyTooLarge: true }))
  refused(await ask('POST', '/v1/tasks', { body: '[]' }))
})

test('[A3] a cookie acts as the first workspace of its user', async () => {
  await ask('POST', '/v1/tasks', { headers: { cookie }, body: { task: 'x', browser_session_id: randomUUID() } })
  assert.is(desk.started.at(-1)?.workspaceId, first.id)
  const paired = await ask('POST', '/v1/browser-sessions/pair', { headers: { cookie } })
  const pairing = await store.pairings.get(hashToken(paired.json.pairing_token))
  assert.is(pairing?.workspaceId, first.id)
  assert.is(pairing?.keyId, null)
})
test('[A10] a cookie that proves nothing is nobody', async () => {
  refused(await ask('GET', '/v1/tasks', { headers: { cookie: 'session=eve' } }))
  refused(await ask('GET', '/v1/tasks', { headers: { cookie: '' } }))
})
test('[A11] X-Workspace-Id chooses among the workspaces of the user', async () => {
  const headers = { cookie, 'x-workspace-id': second.id }
  await ask('POST', '/v1/tasks', { headers, body: { task: 'x', browser_session_id: randomUUID() } })
  assert.is(desk.started.at(-1)?.workspaceId, second.id)
})
for (const named of ['foreign', 'nonsense', '', 'x'.repeat(5_000)]) {
  test(`[A11] X-Workspace-Id ${named.slice(0, 20)} with a cookie is 401`, async () => {
    const id = named === 'foreign' ? foreign.id : named
    refused(await ask('GET', '/v1/tasks', { headers: { cookie, 'x-workspace-id': id } }))
  })
}
test('[A11] with a key X-Workspace-Id means nothing', async () => {
  assert.is((await ask('GET', '/v1/tasks', { key, headers: { 'x-workspace-id': foreign.id } })).status, 200)
})
test('[A4] where sign-in is not configured a cookie means nothing', async () => {
  const without = await makeSurface({ accounts: null })
  refused(await without.ask('GET', '/v1/tasks', { headers: { cookie } }))
})

const pair = (headers: Record<string, string>) => ask('POST', '/v1/browser-sessions/pair', { headers })
for (const [what, headers, status] of [
  ['a foreign origin', { origin: 'https://evil.example' }, 403],
  ['no origin at all, but from another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['an origin of null', { origin: 'null' }, 403],
  ['the same host as a part of another', { origin: 'http://svc.test.evil.example' }, 403],
  ['an allowed origin', { origin: ALLOWED_ORIGIN }, 201],
  ['its own origin', { origin: 'http://svc.test' }, 201],
  ['its own origin behind TLS', { origin: 'https://svc.test' }, 201],
  ['no browser', {}, 201],
  ['the address bar', { 'sec-fetch-site': 'none' }, 201],
] as const) {
  test(`[A21] a cookie that changes something from ${what}: ${status}`, async () => {
    const answer = await pair({ cookie, ...headers })
    assert.is(answer.status, status)
    if (status === 403) assert.is(answer.json.code, 'foreign_origin')
  })
}
test('[A21] the public address is an own origin', async () => {
  const { config } = surface.deps
  const behind = await makeSurface({
    accounts: fakeAccounts(members),
    config: { ...config, publicUrl: 'https://tasks.example:8443/app' },
  })
  const from = (origin: string) =>
    behind.ask('POST', '/v1/browser-sessions/pair', { headers: { cookie, origin, host: '10.0.0.1' } })
  assert.is((await from('https://tasks.example:8443')).status, 201)
  assert.is((await from('https://tasks.example')).status, 403)
})
test('[A21] reading with a cookie, and anything with a key, is no matter of origin', async () => {
  const origin = 'https://evil.example'
  assert.is((await ask('GET', '/v1/tasks', { headers: { cookie, origin } })).status, 200)
  assert.is((await ask('POST', '/v1/browser-sessions/pair', { key, headers: { cookie, origin } })).status, 201)
})

const guarded: readonly (readonly [method: string, path: string, action: string])[] = [
  ['POST', '/v1/tasks', 'create tasks'],
  ['GET', '/v1/tasks', 'access tasks'],
  ['GET', `/v1/tasks/${randomUUID()}`, 'access tasks'],
  ['POST', `/v1/tasks/${randomUUID()}/cancel`, 'access tasks'],
  ['GET', `/v1/tasks/${randomUUID()}/steps`, 'access tasks'],
  ['GET', `/v1/tasks/${randomUUID()}/screenshots/1`, 'access tasks'],
  ['GET', '/v1/usage', 'access usage data'],
  ['POST', '/v1/api-keys', 'create API keys'],
  ['GET', '/v1/api-keys', 'list API keys'],
  ['DELETE', `/v1/api-keys/${randomUUID()}`, 'delete API keys'],
  ['GET', '/v1/billing/credits', 'access billing data'],
]
const publishable = await aKey(surface, first.id, 'publishable')
for (const [method, path, action] of guarded) {
  test(`[A5] [A6] a publishable key cannot ${action} (${method} ${path.replace(/[0-9a-f-]{36}/, ':id')})`, async () => {
    const answer = await ask(method, path, { key: publishable.key, body: '{' })
    assert.is(answer.status, 403)
    assert.equal(answer.json, {
      error: `Publishable keys cannot ${action}. Use a secret key (svc_live_...).`,
      code: 'publishable_key',
    })
  })
}
for (const [what, type, prefix] of [
  ['type', 'publishable', 'svc_live_'],
  ['prefix', 'secret', 'svc_pub_'],
] as const) {
  test(`[A5] a key is publishable by its ${what} alone`, async () => {
    const odd = prefix + randomUUID()
    await store.keys.insert({
      id: randomUUID(),
      workspaceId: first.id,
      name: 'odd',
      type,
      keyHash: hashToken(odd),
      keyPrefix: keyPrefixOf(odd),
      createdAt: 0,
      lastUsedAt: null,
    })
    assert.is((await ask('GET', '/v1/tasks', { key: odd })).status, 403)
  })
}
test('[A7] publishable keys may pair', async () => {
  const { status, json } = await ask('POST', '/v1/browser-sessions/pair', { key: publishable.key })
  assert.is(status, 201)
  assert.is((await store.pairings.get(hashToken(json.pairing_token)))?.keyId, publishable.id)
})

test('[K5] the use of a key is kept, once a minute at most', async () => {
  const used = await aKey(surface, randomUUID())
  const touches: number[] = []
  const written: Promise<void>[] = []
  const watched = await makeSurface({
    store: {
      ...store,
      keys: {
        ...store.keys,
        touch: (id, at) => {
          touches.push(at)
          const touched = store.keys.touch(id, at)
          written.push(touched)
          return touched
        },
      },
    },
  })
  const get = () => watched.ask('GET', '/v1/api-keys', { key: used.key })
  await get()
  await get()
  watched.clock.at += 59_999
  await get()
  assert.equal(touches, [clock.at])
  watched.clock.at += 1
  await get()
  assert.equal(touches, [clock.at, clock.at + 60_000])
  await Promise.all(written)
  assert.is((await get()).json.keys[0].last_used_at, clock.at + 60_000)
})
test('a key whose use cannot be kept works all the same', async () => {
  const failing = await makeSurface({
    store: { ...store, keys: { ...store.keys, touch: () => Promise.reject(new Error('full')) } },
  })
  const used = await aKey(failing)
  assert.is((await failing.ask('GET', '/v1/tasks', { key: used.key })).status, 200)
  assert.is(failing.log.lines[0]?.level, 'warn')
})
test('[E6] a store that cannot find keys is a 500, not a 401', async () => {
  const broken = await makeSurface({
    store: { ...store, keys: { ...store.keys, byHash: () => Promise.reject(new Error('down')) } },
  })
  assert.is((await broken.ask('GET', '/v1/tasks', { key })).status, 500)
})

test('[A19] who is signed in, and where', async () => {
  const { status, json } = await ask('GET', '/v1/me', { headers: { cookie } })
  assert.is(status, 200)
  assert.equal(json, {
    user: { name: 'ann', email: 'ann@example.com' },
    workspace: { id: first.id, name: 'first', plan: 'free' },
  })
  const chosen = await ask('GET', '/v1/me', { headers: { cookie, 'x-workspace-id': second.id } })
  assert.equal(chosen.json.workspace, { id: second.id, name: 'second', plan: 'team' })
})
for (const headers of [{}, { cookie: 'session=eve' }, { cookie, 'x-workspace-id': foreign.id }]) {
  test(`[A19] not signed in (${Object.keys(headers).join()}): 401, a key or not`, async () => {
    for (const options of [{ headers }, { headers, key }]) {
      const { status, json } = await ask('GET', '/v1/me', options)
      assert.is(status, 401)
      assert.equal(json, { error: 'Not signed in', code: 'not_signed_in' })
    }
  })
}
test('a key acts under its own id', async () => {
  await ask('POST', '/v1/tasks', { key, body: { task: 'x', browser_session_id: randomUUID() } })
  assert.is(desk.started.at(-1)?.apiKeyId, keyId)
})

test('[A17] the social sign-in goes to the provider with its cookies', async () => {
  const { status, raw } = await ask('GET', '/api/auth/sign-in/social')
  assert.is(status, 302)
  assert.equal(raw.headers.slice(0, 3), [
    ['Location', 'https://google.example/?back=/dashboard'],
    ['Set-Cookie', 'state=1'],
    ['Set-Cookie', 'nonce=2'],
  ])
  const other = await ask('GET', '/api/auth/sign-in/social?provider=other&callbackURL=%2Fdocs')
  assert.is(other.headers.location, 'https://other.example/?back=/docs')
})
test('[A18] a social sign-in that fails, or is not configured, leads to the dashboard', async () => {
  const failing = fakeAccounts(members, { socialUrl: () => Promise.reject(new Error('no such provider')) })
  for (const accounts of [failing, null]) {
    const { status, headers } = await (await makeSurface({ accounts })).ask('GET', '/api/auth/sign-in/social?x')
    assert.is(status, 302)
    assert.is(headers.location, '/dashboard')
  }
})
test('[A15] where sign-in is not configured, its paths are 503', async () => {
  const without = await makeSurface({ accounts: null })
  for (const [method, path] of [
    ['GET', '/api/auth'],
    ['POST', '/api/auth/sign-in/email'],
    ['POST', '/api/auth/sign-in/social'],
  ] as const) {
    const { status, json } = await without.ask(method, path)
    assert.is(status, 503)
    assert.equal(json, { error: 'Sign-in is not configured', code: 'auth_not_configured' })
  }
})
test('[A16] a failure of the authentication library is a 500 that says so', async () => {
  const accounts = fakeAccounts(members, { handle: () => Promise.reject(new Error('no table')) })
  const { status, json, headers } = await (await makeSurface({ accounts })).ask('POST', '/api/auth/sign-in/email')
  assert.is(status, 500)
  assert.equal(json, { error: 'Auth error: no table', code: 'auth_error' })
  assert.is(headers.vary, 'Origin')
})

test.run()
