import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Accounts, Member } from '../../src/api/deps.ts'
import { openAccounts } from '../../src/identity/sign-in.ts'
import { refusal } from '../support/refusal.ts'
import { Browser, depsOf, openedOn, openLmdb, serve, type TestStore } from './world.ts'

const COOKIE = 'better-auth.session_token'

const test = suite('accounts')
let store: TestStore
let accounts: Accounts
let base = ''
const closing: (() => Promise<void>)[] = []

test.before(async () => {
  try {
    const opened = await openLmdb()
    closing.push(opened.close)
    store = opened.store
    accounts = await openedOn(store)
    const server = await serve(accounts)
    closing.push(server.close)
    base = server.base
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
})
test.after(async () => {
  for (const close of closing.reverse()) await close()
})

const whoami = async (browser: Browser): Promise<Member | null> =>
  (await (await browser.send('/whoami')).json()) as Member | null

test('[A12] [A14] signs up and in with email and password; the first time makes one workspace', async () => {
  const browser = new Browser(base)
  assert.is((await browser.signUp('ann@example.com')).status, 200)
  const member = await whoami(browser)
  assert.is(member?.name, 'Ann')
  assert.is(member?.email, 'ann@example.com')
  assert.is(member?.workspaces.length, 1)
  const again = new Browser(base)
  assert.is((await again.signIn('ann@example.com')).status, 200)
  assert.equal((await whoami(again))?.workspaces, member?.workspaces)
  const workspace = member?.workspaces[0]
  assert.match(workspace?.id ?? '', /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/)
  assert.is(workspace?.plan, 'free')
  assert.equal(workspace?.members, [member?.userId])
  assert.equal(await store.workspaces.get(workspace?.id ?? ''), workspace)
})

test('[A14] requests that race make one workspace', async () => {
  const browser = new Browser(base)
  await browser.signUp('race@example.com')
  const others = await Promise.all([1, 2, 3, 4].map(async () => openAccounts(depsOf(store))))
  const members = await Promise.all(others.map((each) => each?.principalOf({ cookie: browser.cookie })))
  assert.is(new Set(members.map((member) => member?.workspaces[0]?.id)).size, 1)
  const userId = members[0]?.userId ?? ''
  assert.is((await store.workspaces.ofMember(userId)).length, 1)
})

test('[A14] a user who belongs to a workspace of others gets it, oldest first', async () => {
  const browser = new Browser(base)
  await browser.signUp('member@example.com')
  const member = await whoami(browser)
  const shared = { id: '0d5b0b5e-43b6-4e29-9d3b-6f0a4a7f6f01', name: 'shared', plan: 'pro', createdAt: 5 }
  await store.workspaces.insert({ ...shared, members: ['someone', member?.userId ?? ''] })
  const fresh = await openAccounts(depsOf(store))
  const found = await fresh?.principalOf({ cookie: browser.cookie })
  assert.equal(
    found?.workspaces.map(({ name }) => name),
    ['shared', 'member@example.com'],
  )
})

test('[A10] believes no cookie that is forged, cut, malformed or of another name', async () => {
  const browser = new Browser(base)
  await browser.signUp('forged@example.com')
  const real = browser.cookies.get(COOKIE) ?? ''
  const [token = '', signature = ''] = decodeURIComponent(real).split('.')
  const flipped = signature.replace(/^./, (char) => (char === 'A' ? 'B' : 'A'))
  assert.ok(await accounts.principalOf({ cookie: `${COOKIE}=${real}` }))
  assert.ok(await accounts.principalOf({ cookie: `theme=dark; ${COOKIE}=${real}; x=y` }))
  for (const cookie of [
    `${COOKIE}=${token}.${encodeURIComponent(flipped)}`,
    `${COOKIE}=${token}`,
    `${COOKIE}=${token}.`,
    `${COOKIE}=.${signature}`,
    `${COOKIE}=`,
    COOKIE,
    `${COOKIE}=%E0%A4%A`,
    `${COOKIE}=%00`,
    `${COOKIE}="${real}`,
    `__Secure-${COOKIE}=${real}`,
    `other=${real}`,
    `x${COOKIE}=${real}`,
    ';;;===',
    `${COOKIE}=${'x'.repeat(10_000)}`,
    `${COOKIE}=\u20ac`,
  ]) {
    assert.is(await accounts.principalOf({ cookie }), null, cookie.slice(0, 80))
  }
  assert.is(await accounts.principalOf({}), null)
})

test('[A10] the cookie of another secret is nobody’s', async () => {
  const browser = new Browser(base)
  await browser.signUp('secret@example.com')
  const auth = { secret: 'another secret, long enough to be one', url: null, google: null, oidc: null }
  const other = await openAccounts(depsOf(store, { auth }))
  assert.is(await other?.principalOf({ cookie: browser.cookie }), null)
  assert.ok(await accounts.principalOf({ cookie: browser.cookie }))
})

test('a sign-out is honoured by the next request, cached or not', async () => {
  const browser = new Browser(base)
  await browser.signUp('out@example.com')
  const { cookie } = browser
  assert.ok(await accounts.principalOf({ cookie }))
  assert.ok(await accounts.principalOf({ cookie }))
  assert.is((await browser.send('/api/auth/sign-out', { json: {} })).status, 200)
  assert.is(await accounts.principalOf({ cookie }), null)
  assert.is(browser.cookies.has(COOKIE), false)
})

test('refuses a wrong password and a taken address without signing in', async () => {
  const browser = new Browser(base)
  await browser.signUp('taken@example.com')
  const stranger = new Browser(base)
  assert.is((await stranger.signIn('taken@example.com', 'wrong horse')).status, 401)
  assert.is((await stranger.signIn('nobody@example.com')).status, 401)
  assert.is((await stranger.signUp('taken@example.com')).status, 422)
  assert.is((await stranger.signUp('short@example.com', 'short')).status, 400)
  assert.is(stranger.cookies.size, 0)
  assert.is(await whoami(stranger), null)
})

test('of simultaneous sign-ups with one address one succeeds', async () => {
  const browsers = [1, 2, 3, 4].map(() => new Browser(base))
  const answers = await Promise.all(browsers.map((browser) => browser.signUp('twice@example.com')))
  assert.is(answers.filter(({ status }) => status === 200).length, 1)
  const members = await Promise.all(browsers.map(whoami))
  assert.is(members.filter((member) => member !== null).length, 1)
})

test('[A21] refuses a sign-out that a page of another origin asks for', async () => {
  const browser = new Browser(base)
  await browser.signUp('csrf@example.com')
  const { cookie } = browser
  const answer = await browser.send('/api/auth/sign-out', { json: {}, headers: { origin: 'https://evil.example' } })
  assert.is(answer.status, 403)
  assert.ok(await accounts.principalOf({ cookie }))
})

test('[N5] the secret is made once: a session outlives the process', async () => {
  const browser = new Browser(base)
  await browser.signUp('restart@example.com')
  const later = await openAccounts(depsOf(store))
  assert.is((await later?.principalOf({ cookie: browser.cookie }))?.email, 'restart@example.com')
})

test('answers whatever is sent to it', async () => {
  const browser = new Browser(base)
  assert.is((await browser.send('/api/auth/ok')).status, 200)
  const unknown = await browser.send('/api/auth/no-such-thing')
  assert.is(unknown.status, 404)
  assert.equal(await unknown.json(), refusal('Not found', 'not_found'))
  const raw = { method: 'POST', headers: { 'content-type': 'application/json' } }
  for (const body of ['{', '[]', 'null', '7', '{"email":{"$ne":null},"password":["x"]}', '']) {
    const answer = await browser.send('/api/auth/sign-in/email', { ...raw, body })
    assert.ok(answer.status >= 400 && answer.status <= 500, `${body}: ${answer.status}`)
    if (answer.status === 500) assert.match(await answer.text(), /"error":"Auth error: /)
  }
  const typed = await browser.send('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: '{}',
  })
  assert.ok(typed.status >= 400 && typed.status < 500)
  for (const method of ['DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
    assert.ok((await browser.send('/api/auth/sign-in/email', { method })).status < 500, method)
  }
})

test.run()
