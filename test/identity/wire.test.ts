import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Clock } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import { createHandle } from '../../src/api/handle.ts'
import { createOAuth } from '../../src/identity/oauth.ts'
import { createPairings } from '../../src/identity/pairings.ts'
import { createReadTokens } from '../../src/identity/read-tokens.ts'
import { createMailWishes } from '../../src/identity/request-mails.ts'
import type { AccountsDeps } from '../../src/identity/sign-in.ts'
import { openAccounts } from '../../src/identity/sign-in.ts'
import { nodeTransport } from '../../src/net/node.ts'
import { uwsTransport } from '../../src/net/uws.ts'
import { openPages } from '../../src/web/pages.ts'
import { createEndpoints } from '../../src/webhooks/endpoints.ts'
import { NO_MEMBERS } from '../web/no-members.ts'
import { depsOf as pagesDeps } from '../web/world.ts'
import { Browser, depsOf, openLmdb, requestOriginOf, SILENT, type TestStore } from './world.ts'

const COOKIE = 'better-auth.session_token'
const GOOGLE = { clientId: 'client.apps', clientSecret: 'shh' }

/** A taskService of a service in which nothing happens yet. */
const taskService = { tasks: async () => [], sessions: async () => [], models: () => [] } as unknown as TaskService
const clock: Clock = { now: () => Date.now(), setTimeout: (fn, ms) => setTimeout(fn, ms), clearTimeout() {} }

for (const transport of [nodeTransport(SILENT), uwsTransport(SILENT)]) {
  const test = suite(`signed in over ${transport.name}`)
  const closing: (() => Promise<void>)[] = []
  let store: TestStore
  let base = ''

  /** The real surface over accounts with this configuration, until the end of the suite. */
  async function served(config: Partial<AccountsDeps['config']> = {}): Promise<string> {
    const accounts = await openAccounts(depsOf(store, config))
    const http = {
      production: false,
      allowedOrigins: [],
      version: 'dev',
      startedAt: 0,
      publicUrl: null,
      hosts: [],
      taskStepsMax: 50,
      relayPort: () => 7862,
      relayListening: () => true,
    }
    const prices = { costUsd: () => 0 }
    const ids = { uuid: () => crypto.randomUUID() }
    const endpoints = createEndpoints({ store, taskService, box: null, clock, ids })
    const deps = {
      taskService,
      readTokens: createReadTokens(store, Date),
      oauth: createOAuth({ store, clock: Date, fetchDocument: async () => null }),
      pairings: createPairings({ store, clock, ids }),
      store,
      endpoints,
      accounts,
      members: NO_MEMBERS,
      billing: null,
      requestOriginOf,
      prices,
      clock,
      ids,
      log: SILENT,
      mailWishes: createMailWishes(store.authTables),
      checkSchema: async (_: string, schema: string) => ({ schema }),
      config: http,
    }
    const pages = await openPages({ ...pagesDeps(), ...deps })
    const listener = await transport.listen({
      host: '127.0.0.1',
      port: 0,
      handle: createHandle({ ...deps, pages }),
      maxBodyBytes: 131_072,
      sockets: {},
    })
    closing.push(() => listener.close())
    return `http://127.0.0.1:${listener.port}`
  }

  test.before(async () => {
    try {
      const opened = await openLmdb()
      store = opened.store
      closing.push(opened.close)
      base = await served()
    } catch (error) {
      console.error(error)
      process.exit(1)
    }
  })
  test.after(async () => {
    for (const close of closing.reverse()) await close()
  })

  const form = (fields: Record<string, string>) => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })

  test('[A12] [P1] a sign-in that fails elsewhere ends on the sign-in page, whose policy forbids frames', async () => {
    const browser = new Browser(base)
    for (const path of ['/api/auth/error?error=%3Cb%3E', '/api/auth/error', '/api/auth/callback/google?error=x']) {
      const answer = await browser.send(path)
      const to = answer.headers.get('location') ?? ''
      assert.ok(answer.status === 302 && /^\/dashboard\?error=\w+/.test(to), `${path}: ${answer.status} ${to}`)
      const shown = await browser.send(to)
      assert.match(shown.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      assert.match(await shown.text(), /role="alert">Signing in there did not work/)
    }
  })

  test('[P1] [A12] a person signs up, out and in with the forms of the dashboard', async () => {
    const browser = new Browser(base)
    const person = { name: 'Ann', email: 'ann@example.com', password: 'correct horse' }
    const up = await browser.send('/dashboard/sign-up', form(person))
    assert.is(up.status, 303)
    assert.is(up.headers.get('location'), '/dashboard')
    assert.match(await (await browser.send('/dashboard')).text(), /ann@example\.com/)
    assert.is((await browser.send('/dashboard/sign-out', form({}))).status, 303)
    assert.is(browser.cookies.has(COOKIE), false)
    const wrong = await browser.send('/dashboard/sign-in', form({ ...person, password: 'wrong horse' }))
    assert.is(wrong.status, 401)
    assert.match(await wrong.text(), /role="alert"/)
    assert.is((await browser.send('/dashboard/sign-in', form(person))).status, 303)
    assert.match(await (await browser.send('/dashboard')).text(), /Sign out/)
  })

  test('[A21] a page of another origin signs nobody in or out', async () => {
    const browser = new Browser(base)
    const person = { name: 'Eve', email: 'eve@example.com', password: 'correct horse' }
    const foreign = { ...form(person), headers: { ...form(person).headers, origin: 'https://evil.example' } }
    assert.is((await browser.send('/dashboard/sign-up', foreign)).status, 403)
    await browser.send('/dashboard/sign-up', form(person))
    assert.is((await browser.send('/dashboard/sign-out', foreign)).status, 403)
    assert.is((await browser.send('/v1/me')).status, 200)
  })

  test('[A3] [A10] [A19] the cookie is who one is; a wrong signature is nobody', async () => {
    const browser = new Browser(base)
    await browser.signUp('me@example.com')
    const me = await browser.send('/v1/me')
    assert.is(me.status, 200)
    const [workspace] = (await store.workspaces.list()).filter(({ name }) => name === 'me@example.com')
    assert.equal(await me.json(), {
      user: { name: 'Ann', email: 'me@example.com' },
      workspace: { id: workspace?.id, name: 'me@example.com', plan: 'free' },
    })
    assert.is((await browser.send('/v1/tasks')).status, 200)
    const real = browser.cookies.get(COOKIE) ?? ''
    browser.cookies.set(COOKIE, `${real.slice(0, -8)}${real.endsWith('AAAAA%3D') ? 'BBBBB%3D' : 'AAAAA%3D'}`)
    for (const path of ['/v1/me', '/v1/tasks']) assert.is((await browser.send(path)).status, 401, path)
  })

  test('[A11] X-Workspace-Id chooses among a user’s workspaces', async () => {
    const browser = new Browser(base)
    await browser.signUp('many@example.com')
    const [own] = (await store.workspaces.list()).filter(({ name }) => name === 'many@example.com')
    const shared = { id: crypto.randomUUID(), name: 'shared', plan: 'pro', members: own?.members ?? [], createdAt: 1 }
    await store.workspaces.insert(shared)
    const ask = async (id: string) => browser.send('/v1/me', { headers: { 'x-workspace-id': id } })
    assert.match(await (await ask(shared.id)).text(), /"name":"shared","plan":"pro"/)
    assert.match(await (await ask(own?.id ?? '')).text(), /"name":"many@example.com"/)
    for (const id of [crypto.randomUUID(), 'nonsense']) assert.is((await ask(id)).status, 401, id)
  })

  test('[A15] [A18] not configured: 503, but the social link leads to the dashboard', async () => {
    const browser = new Browser(await served({ production: true }))
    for (const path of ['/api/auth/sign-in/email', '/api/auth/get-session']) {
      const answer = await browser.send(path)
      assert.is(answer.status, 503)
      assert.match(await answer.text(), /"error":"\S/)
    }
    const social = await browser.send('/api/auth/sign-in/social')
    assert.is(social.status, 302)
    assert.is(social.headers.get('location'), '/dashboard')
    assert.is((await browser.send('/dashboard')).status, 200)
  })

  test('[A17] [A18] the social link leads to the provider with its cookies, or to the dashboard', async () => {
    const browser = new Browser(await served({ auth: { secret: null, url: null, google: GOOGLE, oidc: null } }))
    const answer = await browser.send('/api/auth/sign-in/social')
    assert.is(answer.status, 302)
    assert.match(answer.headers.get('location') ?? '', /^https:\/\/accounts\.google\.com\//)
    assert.ok(answer.headers.getSetCookie().length > 0)
    for (const query of [
      '?provider=github',
      '?callbackURL=https://evil.example',
      '?callbackURL=//evil.example',
      '?%',
    ]) {
      const refused = await browser.send(`/api/auth/sign-in/social${query}`)
      assert.is(refused.status, 302)
      if (query !== '?%') assert.is(refused.headers.get('location'), '/dashboard', query)
    }
  })

  test('[P3] what is no static file is 404 without a key', async () => {
    for (const path of ['/static/', '/static/%2e%2e%2fpages.ts', '/static/nothing.css']) {
      assert.is((await new Browser(base).send(path)).status, 404, path)
    }
  })

  test.run()
}
