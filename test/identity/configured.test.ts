import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AccountsDeps } from '../../src/identity/sign-in.ts'
import { openAccounts } from '../../src/identity/sign-in.ts'
import { Browser, depsOf, openedOn, openLmdb, requestOriginOf, serve, type TestStore } from './world.ts'

const SECRET = 'a secret that is long enough to be one'
const GOOGLE = { clientId: 'client.apps', clientSecret: 'shh' }
const production = (auth: Partial<AccountsDeps['config']['auth']> = {}) => ({
  production: true,
  auth: { secret: SECRET, url: null, google: null, oidc: null, ...auth },
})

const test = suite('accounts as configured')
const closing: (() => Promise<void>)[] = []
let store: TestStore

test.before(async () => {
  try {
    const opened = await openLmdb()
    store = opened.store
    closing.push(opened.close)
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
})
test.after(async () => {
  for (const close of closing.reverse()) await close()
})

/** Serves accounts with this configuration until the end of the file. */
async function served(config: Partial<AccountsDeps['config']>): Promise<{ base: string }> {
  const server = await serve(await openedOn(store, config))
  closing.push(server.close)
  return server
}

test('[A15] in production without a secret sign-in is not configured', async () => {
  assert.is(await openAccounts(depsOf(store, production({ secret: null }))), null)
})

test('[A13] the cookie is better-auth.session_token, HttpOnly, and __Secure- in production', async () => {
  const dev = await new Browser((await served({})).base).signUp('dev@example.com')
  const [devLine] = dev.headers.getSetCookie()
  assert.match(devLine ?? '', /^better-auth\.session_token=[^;]+;/)
  assert.match(devLine ?? '', /HttpOnly/i)
  assert.match(devLine ?? '', /SameSite=Lax/i)
  assert.not.match(devLine ?? '', /Secure/)

  const browser = new Browser((await served(production())).base)
  const [line] = (await browser.signUp('prod@example.com')).headers.getSetCookie()
  assert.match(line ?? '', /^__Secure-better-auth\.session_token=[^;]+;.*Secure/)
  assert.match(await (await browser.send('/whoami')).text(), /"email":"prod@example.com"/)
})

test('[A26] passwords are hashed one after the other, and a crowd is asked to come again', async () => {
  const { base } = await served({})
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const json = { email: `nobody${n}@example.com`, password: 'a guess of mine' }
      return (await new Browser(base).send('/api/auth/sign-in/email', { json })).status
    }),
  )
  const counted = (status: number) => statuses.filter((each) => each === status).length
  assert.is(counted(401) + counted(429), 40)
  // One is hashed, 20 wait; by the time the last one comes a few may be done.
  assert.ok(counted(401) >= 21 && counted(429) >= 1, statuses.join())
})

test('[A27] with SIGN_UP=off nobody new can make an account, and those who have one sign in', async () => {
  const email = 'early@example.com'
  const open = await served({})
  assert.is((await new Browser(open.base).signUp(email)).status, 200)
  const { base } = await served({ signUp: false })
  const refused = await new Browser(base).signUp('late@example.com')
  assert.is(refused.status, 400)
  const json = { email, password: 'correct horse' }
  assert.is((await new Browser(base).send('/api/auth/sign-in/email', { json })).status, 200)
})

test('in production guessing passwords is slowed down, by address of the client', async () => {
  const { base } = await served(production())
  let people = 0
  const guess = async (from: string) => {
    const browser = new Browser(base)
    people += 1
    const json = { email: `nobody${people}@example.com`, password: 'a guess of mine' }
    return (await browser.send('/api/auth/sign-in/email', { json, headers: { 'x-forwarded-for': from } })).status
  }
  const statuses: number[] = []
  for (let i = 0; i < 21; i += 1) statuses.push(await guess('203.0.113.7'))
  assert.is(statuses.filter((status) => status === 401).length, 20)
  assert.is(statuses.at(-1), 429)
  assert.is(await guess('203.0.113.8'), 401)
  assert.is(await guess('203.0.113.8, 203.0.113.7'), 429)
})

test('[A17] gives the address where the sign-in with Google begins, and its cookies', async () => {
  const accounts = await openedOn(store, { auth: { secret: null, url: null, google: GOOGLE, oidc: null } })
  const asked = {
    provider: 'google',
    callbackURL: '/dashboard',
    requestOrigin: requestOriginOf({ headers: { host: '127.0.0.1:3456' }, ip: '127.0.0.1' }),
  }
  const { location, cookies } = await accounts.socialUrl(asked)
  const url = new URL(location)
  assert.is(url.origin, 'https://accounts.google.com')
  assert.is(url.searchParams.get('client_id'), 'client.apps')
  assert.is(url.searchParams.get('redirect_uri'), 'http://127.0.0.1:3456/api/auth/callback/google')
  assert.ok(cookies.length > 0)
  for (const cookie of cookies) assert.match(cookie, /^better-auth\.\w+=/)
})

test('[A17] leads back to where browsers reach the service', async () => {
  const accounts = await openedOn(store, production({ url: 'https://app.example', google: GOOGLE }))
  const asked = {
    provider: 'google',
    callbackURL: '/dashboard',
    requestOrigin: requestOriginOf({ headers: { host: '127.0.0.1:3456' }, ip: '127.0.0.1' }),
  }
  const url = new URL((await accounts.socialUrl(asked)).location)
  assert.is(url.searchParams.get('redirect_uri'), 'https://app.example/api/auth/callback/google')
})

test('[A18] fails for an unknown or unconfigured provider and for a callback to a foreign place', async () => {
  const accounts = await openedOn(store, { auth: { secret: null, url: null, google: GOOGLE, oidc: null } })
  const requestOrigin = requestOriginOf({ headers: { host: '127.0.0.1:3456' }, ip: '127.0.0.1' })
  for (const asked of [
    { provider: 'github', callbackURL: '/dashboard', requestOrigin },
    { provider: 'nonsense', callbackURL: '/dashboard', requestOrigin },
    { provider: '', callbackURL: '/dashboard', requestOrigin },
    { provider: 'google', callbackURL: 'https://evil.example', requestOrigin },
    { provider: 'google', callbackURL: '//evil.example', requestOrigin },
    { provider: 'google', callbackURL: '/\\evil.example', requestOrigin },
    { provider: 'google', callbackURL: 'javascript:alert(1)', requestOrigin },
  ]) {
    const outcome = await accounts.socialUrl(asked).catch((error: unknown) => error)
    assert.instance(outcome, Error, JSON.stringify(asked))
  }
  const plain = await openedOn(store)
  const outcome = await plain
    .socialUrl({ provider: 'google', callbackURL: '/', requestOrigin })
    .catch((error: unknown) => error)
  assert.instance(outcome, Error)
})

test('[A16] a store that fails is a failure of the handler', async () => {
  const deps = depsOf(store)
  const broken = () => Promise.reject(new Error('the disk is full'))
  const tables = { ...deps.tables, find: broken, insert: broken }
  const accounts = await openAccounts({ ...deps, tables })
  if (!accounts) throw new Error('Sign-in is not configured')
  const server = await serve(accounts)
  closing.push(server.close)
  const answer = await new Browser(server.base).signIn('ann@example.com')
  assert.is(answer.status, 500)
  assert.match(await answer.text(), /^\{"error":"Auth error: \S/)
})

test('a host that is none does no harm', async () => {
  const accounts = await openedOn(store)
  for (const host of ['', 'a b', 'evil/path?', '[::1', '\u0000', 'x'.repeat(5_000)]) {
    const request = {
      method: 'GET',
      path: '/api/auth/ok',
      query: '',
      ip: '127.0.0.1',
      body: new Uint8Array(),
      bodyTooLarge: false,
      signal: new AbortController().signal,
    }
    assert.is((await accounts.handle({ ...request, headers: { host } })).status, 200, JSON.stringify(host))
  }
})

test('a session that was looked up is believed for seconds, not longer', async () => {
  let now = Date.now()
  const deps = { ...depsOf(store), clock: { now: () => now } }
  const one = await openAccounts(deps)
  const two = await openedOn(store)
  const server = await serve(two)
  closing.push(server.close)
  const browser = new Browser(server.base)
  await browser.signUp('elsewhere@example.com')
  const { cookie } = browser
  assert.ok(await one?.principalOf({ cookie }))
  await browser.send('/api/auth/sign-out', { json: {} })
  now += 5_001
  assert.is(await one?.principalOf({ cookie }), null)
})

test.run()
