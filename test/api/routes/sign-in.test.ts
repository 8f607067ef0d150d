import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hashToken } from '../../../src/identity/tokens.ts'
import { ALLOWED_ORIGIN, aKey, aMember, aWorkspace, fakeAccounts, makeSurface } from '../../support/http-surface.ts'
import { refusal } from '../../support/refusal.ts'

const members = new Map()
const surface = await makeSurface({ accounts: fakeAccounts(members) })
const { ask, taskService, store } = surface
const first = await aWorkspace(surface, { name: 'first', plan: 'free' })
const second = await aWorkspace(surface, { name: 'second', plan: 'team' })
const foreign = await aWorkspace(surface)
members.set('ann', aMember('ann', [first, second]))
const { key } = await aKey(surface, first.id)
const cookie = 'session=ann'

const SENTENCE = 'Authentication required: send "Authorization: Bearer <API_KEY>", or sign in at /dashboard'
const refused = (answer: Awaited<ReturnType<typeof ask>>) => {
  assert.is(answer.status, 401)
  assert.equal(answer.json, refusal(SENTENCE, 'unauthorized'))
  assert.is(answer.headers['www-authenticate'], 'Bearer')
}

const test = suite('sign-in')

test('[A3] a cookie acts as the first workspace of its user', async () => {
  await ask('POST', '/v1/tasks', { headers: { cookie }, body: { task: 'x', browser_session_id: randomUUID() } })
  assert.is(taskService.started.at(-1)?.workspaceId, first.id)
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
  assert.is(taskService.started.at(-1)?.workspaceId, second.id)
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
  test(`[A19] not signed in (${Object.keys(headers).join()}): 401`, async () => {
    const { status, json } = await ask('GET', '/v1/me', { headers })
    assert.is(status, 401)
    assert.equal(json, refusal('Not signed in', 'not_signed_in'))
  })
}
test('[A28] a key is used alone: a valid one tells its workspace, a wrong one is named as such', async () => {
  const mine = await aKey(surface, first.id)
  const { status, json } = await ask('GET', '/v1/me', { key: mine.key, headers: { cookie: 'session=eve' } })
  assert.is(status, 200)
  assert.equal(json, { user: null, workspace: { id: first.id, name: 'first', plan: 'free' } })
  const wrong = await ask('GET', '/v1/me', { key: 'svc_live_wrong', headers: { cookie } })
  assert.equal([wrong.status, wrong.json.code], [401, 'unauthorized'])
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
    assert.equal(json, refusal('Sign-in is not configured', 'auth_not_configured'))
  }
})
test('[A16] a failure of the authentication library is a 500 that says so', async () => {
  const accounts = fakeAccounts(members, { handle: () => Promise.reject(new Error('no table')) })
  const { status, json, headers } = await (await makeSurface({ accounts })).ask('POST', '/api/auth/sign-in/email')
  assert.is(status, 500)
  assert.equal(json, refusal('Auth error: no table', 'auth_error'))
  assert.is(headers.vary, 'Origin')
})

test.run()
