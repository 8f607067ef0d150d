import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allowsHostOf } from '../../src/net/hosts.ts'
import { createRequestOriginOf, proxiesOf } from '../../src/net/request-origin.ts'
import { makeSurface } from '../support/http-surface.ts'

const test = suite('the origin of a request')
const proxies = proxiesOf(['10.0.0.0/8', '::1', '192.0.2.7'])
const requestOriginOf = createRequestOriginOf({ publicUrl: null, proxies })
const FORWARDED = {
  host: 'inside:3456',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'app.example',
  'x-forwarded-for': '203.0.113.9',
}

test('[E18] forwarded headers are believed from trusted proxies alone', () => {
  for (const ip of ['10.1.2.3', '::1', '192.0.2.7']) {
    assert.equal(requestOriginOf({ headers: FORWARDED, ip }), {
      origin: 'https://app.example',
      host: 'app.example',
      secure: true,
      address: '203.0.113.9',
    })
  }
  for (const ip of ['203.0.113.1', '127.0.0.1', '192.0.2.8', '', 'nonsense']) {
    assert.equal(requestOriginOf({ headers: FORWARDED, ip }), {
      origin: 'http://inside:3456',
      host: 'inside:3456',
      secure: false,
      address: ip,
    })
  }
})

test('[E18] of several addresses the last one that is not a trusted proxy counts', () => {
  const of = (list: string) => requestOriginOf({ headers: { 'x-forwarded-for': list }, ip: '10.0.0.1' }).address
  assert.is(of('198.51.100.1, 203.0.113.9'), '203.0.113.9', 'the first may be the client’s own invention')
  assert.is(of('203.0.113.9, 10.9.9.9, 192.0.2.7'), '203.0.113.9')
  assert.is(of('203.0.113.9, nonsense, 10.9.9.9'), '10.9.9.9')
  assert.is(of(''), '10.0.0.1')
  assert.is(of('::ffff:203.0.113.9'), '203.0.113.9')
})

test('[E18] PUBLIC_URL comes first, with the address of the client all the same', () => {
  const known = createRequestOriginOf({ publicUrl: 'https://tasks.example:8443', proxies })
  const expected = { origin: 'https://tasks.example:8443', host: 'tasks.example:8443', secure: true }
  assert.equal(known({ headers: FORWARDED, ip: '10.0.0.1' }), { ...expected, address: '203.0.113.9' })
  assert.equal(known({ headers: { host: 'evil.example' }, ip: '203.0.113.1' }), { ...expected, address: '203.0.113.1' })
})

test('[E18] a Host that is not one is localhost', () => {
  for (const host of ['a b', 'user@app.example', 'app.example/path', '', 'app.example:99999']) {
    assert.is(requestOriginOf({ headers: { host }, ip: '203.0.113.1' }).origin, 'http://localhost', host)
  }
})

test('[E19] local names and addresses may always be named, others when they are listed', () => {
  const allows = allowsHostOf(['app.example', '*.tenants.example'], 'https://tasks.example:8443')
  for (const host of [
    undefined,
    'localhost:3456',
    'LOCALHOST',
    'a.localhost',
    'service:3456',
    '127.0.0.1:3456',
    '203.0.113.1',
    '[::1]:3456',
    'app.example',
    'APP.example.:80',
    'tasks.example',
    'one.tenants.example',
  ]) {
    assert.is(allows(host), true, host)
  }
  for (const host of [
    'evil.example',
    'app.example@evil',
    'app.example@evil.example',
    'app.example/evil',
    'app.example?evil',
    'app.example#evil',
    'app.example\\evil',
    'app.example.evil.example',
    'tenants.example',
    'x.app.example',
    'a b',
    '127.0.0.1.nip.example',
  ]) {
    assert.is(allows(host), false, host)
  }
  assert.is(allowsHostOf(['*'], null)('evil.example'), true)
})

test('[E19] a request that names another host is answered 421 on every path, before anything else', async () => {
  const { ask } = await makeSurface()
  for (const path of ['/v1/health', '/v1/tasks', '/openapi.json', '/', '/api/auth/get-session']) {
    const { status, json } = await ask('GET', path, { headers: { host: 'rebound.example:3456' } })
    assert.is(status, 421, path)
    assert.is(json.code, 'host_not_allowed')
  }
  assert.is((await ask('GET', '/v1/health', { headers: { host: 'localhost:3456' } })).status, 200)
})

test('[E19] the host that a trusted proxy names is held to the same list', async () => {
  const { ask } = await makeSurface()
  const statusOf = async (forwarded: string) =>
    (await ask('GET', '/v1/health', { headers: { 'x-forwarded-host': forwarded } })).status
  assert.is(await statusOf('rebound.example'), 421)
  assert.is(await statusOf('svc.test, rebound.example'), 421)
  assert.is(await statusOf('svc.test'), 200)
})

test.run()
