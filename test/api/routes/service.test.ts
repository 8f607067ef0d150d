import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey, makeSurface } from '../../support/http-surface.ts'

const surface = await makeSurface()
const { ask, taskService, relay, store, deps } = surface

const test = suite('service')
test.before.each(() => {
  relay.listening = true
  taskService.numbers = { activeTasks: 0, pendingToolCalls: 0 }
})

test('[H1] [H3] [H4] [H5] [H7] a service that can work', async () => {
  taskService.numbers = { activeTasks: 3, pendingToolCalls: 2 }
  const { status, json } = await ask('GET', '/v1/health')
  assert.is(status, 200)
  assert.equal(json, {
    status: 'ok',
    version: 'dev',
    uptime_seconds: 90,
    store_type: store.kind,
    relay_connected: true,
    database_connected: true,
    active_tasks: 3,
    pending_tool_executions: 2,
  })
})
test('[H2] [H5] without the relay it is degraded', async () => {
  relay.listening = false
  const { status, json } = await ask('GET', '/v1/health')
  assert.is(status, 503)
  assert.is(json.status, 'degraded')
  assert.is(json.relay_connected, false)
  assert.is(json.database_connected, true)
})
test('[H2] [H6] without the store it is degraded', async () => {
  const down = await makeSurface({ store: { ...store, ping: async () => false } })
  const { status, json } = await down.ask('GET', '/v1/health')
  assert.is(status, 503)
  assert.is(json.status, 'degraded')
  assert.is(json.database_connected, false)
})
test('[H8] while the service takes no work it is degraded, and says why', async () => {
  const { ask, taskService } = await makeSurface()
  assert.is((await ask('GET', '/v1/health')).json.reason, undefined)
  taskService.healthNow = { ok: false, reason: 'The store refuses writes.' }
  const { status, json } = await ask('GET', '/v1/health')
  assert.equal([status, json.status, json.reason], [503, 'degraded', 'The store refuses writes.'])
  assert.equal([json.relay_connected, json.database_connected], [true, true])
})
test('[E20] what the API answers is kept by nobody and taken for nothing else', async () => {
  for (const path of ['/v1/health', '/v1/tasks', '/v1/nothing']) {
    const { headers } = await ask('GET', path)
    assert.equal([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff'])
  }
})
test('[H4] the embedded store is called file', async () => {
  const embedded = await makeSurface({ store: { ...store, kind: 'file' } })
  assert.is((await embedded.ask('GET', '/v1/health')).json.store_type, 'file')
})
test('[H3] [H4] the version and the kind of store are those of the service', async () => {
  const other = await makeSurface({
    store: { ...store, kind: 'mongodb' },
    config: { ...deps.config, version: '1.2.3' },
  })
  const { json } = await other.ask('GET', '/v1/health')
  assert.is(json.version, '1.2.3')
  assert.is(json.store_type, 'mongodb')
})

test('[A20] no cookies', async () => {
  assert.equal((await ask('GET', '/v1/debug-cookies')).json, { cookieNames: [], rawCookieHeader: '(none)' })
})
test('[A20] the names of the cookies, and the header as it came', async () => {
  const cookie = 'a=1; b=x=y;  c ; __proto__=1'
  assert.equal((await ask('GET', '/v1/debug-cookies', { headers: { cookie } })).json, {
    cookieNames: ['a', 'b', 'c', '__proto__'],
    rawCookieHeader: cookie,
  })
})
test('[A24] of our own cookies only the names are told', async () => {
  const own = [
    'better-auth.session_token',
    '__Secure-better-auth.session_token',
    'browser-task.key-session',
    '__Host-browser-task.owner-session',
  ]
  const cookie = `mine=1; ${own.map((name) => `${name}=a.secret/%3D`).join('; ')};browser-task.x=secret; other=2`
  const { json } = await ask('GET', '/v1/debug-cookies', { headers: { cookie } })
  assert.not.ok(json.rawCookieHeader.includes('secret'))
  assert.match(json.rawCookieHeader, /^mine=1; better-auth\.session_token=\(not shown\); /)
  assert.equal(json.cookieNames, ['mine', ...own, 'browser-task.x', 'other'])
})
test('[A20] the header is cut to 200 characters', async () => {
  const { json } = await ask('GET', '/v1/debug-cookies', { headers: { cookie: `a=${'x'.repeat(500)}` } })
  assert.is(json.rawCookieHeader.length, 200)
  assert.equal(json.cookieNames, ['a'])
})
test('[E2] a key makes no difference to what anybody may ask', async () => {
  assert.is((await ask('GET', '/v1/health', { key: 'wrong' })).status, 200)
  const { key } = await aKey(surface)
  assert.is((await ask('GET', '/v1/health', { key })).status, 200)
})

test.run()
