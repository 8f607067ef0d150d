import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BODY_BYTES_MAX } from '../../machines/limits.ts'
import { corsOf } from '../../src/api/cors.ts'
import { isTooMuch, ViewerOutput } from '../../src/api/events/viewer-output.ts'
import { isForeignChange } from '../../src/api/foreign-origin.ts'
import { VIEWER_PING_MS, VIEWER_STALLED_MS_MAX } from '../../src/api/limits.ts'
import { waited } from '../../src/api/mcp/tools.ts'
import { bodyBytesMax, isFewTexts } from '../../src/api/request-body.ts'
import { cursorOf, positionOf } from '../../src/api/routes/cursor.ts'
import type { BrowserTasks } from '../../src/client/index.ts'
import { mayAs, roleOf } from '../../src/identity/roles.ts'
import { hashToken } from '../../src/identity/tokens.ts'
import {
  assertAllowed,
  guardedLookup,
  guardOf,
  isPublicAddress,
  PrivateAddressError,
} from '../../src/net/address-guard.ts'
import { cookiesOf, setCookie } from '../../src/net/cookies.ts'
import { redirected } from '../../src/net/file-fetch.ts'
import type { Request } from '../../src/net/transport.ts'
import { Windows } from '../../src/net/windows.ts'
import { UNREGISTERED_PER_ADDRESS_MAX } from '../../src/relay/limits.ts'
import type { RelaySocket } from '../../src/relay/socket-state.ts'
import { UnregisteredSockets } from '../../src/relay/unregistered-sockets.ts'
import { html, page } from '../../src/web/html.ts'
import { accessScopeOf, viewerOf } from '../../src/web/viewer.ts'
import { HandClock } from '../support/hand-clock.ts'
import { aKey, makeSurface } from '../support/http-surface.ts'
import { ANN, annAlone, depsOf, workspace } from '../web/world.ts'

/** One sentence of code each, without a listener: quick enough for the mutations of test/long/edge-mutations.test.ts. */
const test = suite('the edge, function by function')

const cors = corsOf(['https://app.example'], 'https://tasks.example/x', () => false)
for (const [origin, host, isOwn] of [
  ['https://app.example', 'svc.test', true],
  ['https://app.example:8443', 'svc.test', false],
  ['https://tasks.example', 'svc.test', true],
  ['https://tasks.example:8443', 'svc.test', false],
  ['http://svc.test:3456', 'svc.test:3456', true],
  ['http://svc.test:8080', 'svc.test:3456', false],
  ['http://svc.test', 'svc.test:3456', false],
  ['http://svc.test:3456', undefined, false],
  ['null', 'null', false],
  ['https://evil.example', 'svc.test', false],
] as const)
  test(`[A21] [C4] ${origin} is ${isOwn ? '' : 'not '}an origin of ours at ${host}`, () =>
    assert.is(cors.isOurs(origin, host), isOwn))

for (const [headers, isOwn] of [
  [{}, true],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'none' }, true],
  [{ 'sec-fetch-site': 'same-site' }, false],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{ origin: 'http://svc.test:3456' }, true],
  [{ origin: 'http://svc.test' }, false],
  [{ origin: 'https://tasks.example' }, true],
  [{ origin: 'https://evil.example' }, false],
  [{ origin: 'null' }, false],
  [{ origin: 'http://svc.test:3456', 'sec-fetch-site': 'same-site' }, true],
] as const)
  test(`[A21] [A25] what changes something with ${JSON.stringify(headers)} is ${isOwn ? 'taken' : 'refused'}`, () => {
    const of = (method: string) => ({ method, headers: { host: 'svc.test:3456', ...headers } })
    assert.is(isForeignChange(of('POST'), cors), !isOwn)
    assert.is(isForeignChange(of('GET'), cors), false)
  })

test('[P1] a page runs the service’s own scripts alone, and nobody frames it', () => {
  const headers = Object.fromEntries(page('x', html`<p>${'<b>'}</p>`).headers)
  assert.equal(headers['Content-Security-Policy']?.split('; ').sort(), [
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "img-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
  ])
  assert.equal(
    [headers['X-Content-Type-Options'], headers['Referrer-Policy'], headers['Cache-Control']],
    ['nosniff', 'same-origin', 'no-store'],
  )
  assert.is(html`${`<&>"'`}`.text, '&lt;&amp;&gt;&quot;&#39;')
})

test('[W7] IPv4 addresses in IPv6 are judged in every spelling', () => {
  for (const address of [
    '::7f00:1',
    '0:0:0:0:0:0:7f00:1',
    '::a00:1',
    '::808:808',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::7f00:1%eth0',
    'fe80::1%25eth0',
    '::ffff:127.0.0.1%lo',
  ])
    assert.not(isPublicAddress(address), address)
  for (const address of ['::ffff:808:808', '::ffff:0:808:808', '64:ff9b::8.8.8.8'])
    assert.ok(isPublicAddress(address), address)
})

test('[W7] [W8] an address in a URL, and every address of a name, has to be allowed', async () => {
  const guard = guardOf({ allowPrivate: false })
  for (const url of ['http://127.0.0.1/', 'http://[::1]/', 'http://0x7f.1/', 'https://[::ffff:10.0.0.1]:8443/'])
    assert.throws(
      () => assertAllowed(new URL(url), guard),
      (error: Error) => error instanceof PrivateAddressError,
    )
  for (const url of ['http://8.8.8.8/', 'http://[2606:4700:4700::1111]/', 'http://name.example/'])
    assertAllowed(new URL(url), guard)
  const lookUp = (addresses: readonly string[]) =>
    new Promise((resolve) =>
      guardedLookup(guard, async () => addresses)('name.example', {}, (error, address) => resolve(error ?? address)),
    )
  assert.is(await lookUp(['8.8.8.8', '1.1.1.1']), '8.8.8.8')
  for (const addresses of [['8.8.8.8', '10.0.0.1'], ['10.0.0.1', '8.8.8.8'], ['127.0.0.1'], []])
    assert.instance(await lookUp(addresses), Error)
})

test('[W16] of private addresses those are called that the settings name', () => {
  const guard = guardOf({ allowPrivate: false, allowCidrs: ['10.1.0.0/16', '192.168.1.7', 'fd00::/8', '::1'] })
  for (const address of ['8.8.8.8', '10.1.255.255', '192.168.1.7', 'fd12::1', '::1', '::ffff:10.1.2.3', 'fd12::1%eth0'])
    assert.ok(guard(address), address)
  for (const address of ['10.2.0.1', '192.168.1.8', 'fe80::1', '::2', '127.0.0.1', 'localhost', ''])
    assert.not(guard(address), address)
  assert.ok(guardOf({ allowPrivate: true })('127.0.0.1'))
})

for (const [from, location, to] of [
  ['https://a.example/x', 'https://b.example/', 'https://b.example/'],
  ['https://a.example/x', '/y', 'https://a.example/y'],
  ['http://a.example/x', 'http://b.example/', 'http://b.example/'],
  ['http://a.example/x', 'https://b.example/', 'https://b.example/'],
  ['https://a.example/x', 'http://a.example/', null],
  ['https://a.example/x', 'https://user@b.example/', null],
  ['https://a.example/x', 'https://:password@b.example/', null],
  ['https://a.example/x', 'ftp://b.example/', null],
  ['http://a.example/x', 'file:///etc/passwd', null],
  ['http://a.example/x', 'data:text/plain,x', null],
  ['https://a.example/x', 'https://', null],
] as const)
  test(`[U9] a redirect from ${from} to ${location} is ${to ? '' : 'not '}followed`, () => {
    if (to === null) assert.throws(() => redirected(new URL(from), location))
    else assert.is(redirected(new URL(from), location).href, to)
  })

test('[E8] a large body is taken when a few long texts make it so, however they are escaped', () => {
  const taken = (text: string) => isFewTexts(Buffer.from(text))
  const long = 'x'.repeat(BODY_BYTES_MAX + 1)
  const values = '1,'.repeat(BODY_BYTES_MAX)
  assert.ok(taken(`["${long}"]`))
  assert.ok(taken(`["a\\"${long}"]`))
  assert.ok(taken(`["${long}\\\\", "b"]`))
  assert.not(taken(`[${values}1]`))
  assert.not(taken(`["\\\\",${values}"b"]`), 'a backslash that is escaped itself escapes no quote')
  assert.not(taken(`["${long}`), 'a text without an end')
  assert.not(taken(`[${'"a",'.repeat(10_001)}"${long}"]`), 'many texts')
  const bytes = ['/v1/tasks', '/v1/tasks/1/rerun', '/v1/tasks/1/2/rerun', '/v1/files', '/v1/api-keys'].map((path) =>
    bodyBytesMax({ method: 'POST', path }),
  )
  const [start, rerun, other, file, key] = bytes as [number, number, number, number, number]
  assert.ok(start === rerun && file > start && start > key && other === key && key === BODY_BYTES_MAX, bytes.join())
  assert.is(bodyBytesMax({ method: 'PUT', path: '/v1/tasks' }), BODY_BYTES_MAX)
})

test('[T46] a cursor has one spelling', () => {
  const position = { createdAt: 1_700_000_000_000, id: randomUUID() }
  const cursor = cursorOf(position)
  assert.equal(positionOf(cursor), position)
  const of = (text: string) => Buffer.from(text).toString('base64url')
  for (const wrong of [
    '',
    `${cursor}=`,
    ` ${cursor}`,
    `${cursor}\n`,
    cursor.replace(/^./, '*$&'),
    Buffer.from(`${position.createdAt}.${position.id}`).toString('base64').concat('='),
    of(`0${position.createdAt}.${position.id}`),
    of(`-1.${position.id}`),
    of(`1e3.${position.id}`),
    of(`${position.createdAt}.${position.id.toUpperCase()}`),
    of(`${position.createdAt}.${position.id}.x`),
    of(`${position.createdAt}.x`),
    of(position.id),
  ])
    assert.is(positionOf(wrong), null, wrong)
})

/** A viewer whose connection takes what the test lets it take. */
function aViewer(isAllowed = async () => true) {
  const clock = new HandClock(1_000_000)
  const seen = { written: [] as string[], isTaking: true, ended: false, destroyed: false, drained: () => {} }
  const output = new ViewerOutput(
    {
      write(text: string) {
        seen.written.push(text)
        return seen.isTaking
      },
      end() {
        seen.ended = true
      },
      destroy() {
        seen.destroyed = true
      },
      onDrain(drained: () => void) {
        seen.drained = drained
      },
      onClose: () => {},
    } as never,
    clock,
    isAllowed,
  )
  return { clock, seen, output }
}

test('[V7] a reader that takes nothing for a minute is cut off, one that takes something is not', () => {
  const stalled = aViewer()
  stalled.seen.isTaking = false
  stalled.output.send('a')
  stalled.clock.turn(VIEWER_STALLED_MS_MAX - 1)
  assert.not(stalled.seen.destroyed)
  stalled.clock.turn(VIEWER_PING_MS)
  assert.ok(stalled.seen.destroyed && stalled.output.closed)
  assert.equal(stalled.seen.written, ['a'])

  const slow = aViewer()
  for (let n = 0; n < 3; n++) {
    slow.seen.isTaking = false
    slow.output.send('a')
    slow.clock.turn(VIEWER_STALLED_MS_MAX - 10_000)
    slow.seen.isTaking = true
    slow.seen.drained()
  }
  assert.not(slow.seen.destroyed)
  assert.is(slow.output.clear, true)
})

test('[V7] too much that waits cuts a reader off; a right that ended ends the stream', async () => {
  assert.equal([isTooMuch(1_024, 1_048_576), isTooMuch(1_025, 0), isTooMuch(0, 1_048_577)], [false, true, true])
  const many = aViewer()
  many.seen.isTaking = false
  many.output.send('first')
  for (let n = 0; n < 1_024; n++) many.output.send('x')
  assert.not(many.seen.destroyed)
  many.output.send('one too many')
  assert.ok(many.seen.destroyed)
  const gone = aViewer(async () => false)
  gone.clock.turn(VIEWER_PING_MS)
  await new Promise(setImmediate)
  assert.ok(gone.seen.ended)
  const alive = aViewer()
  alive.clock.turn(VIEWER_PING_MS)
  await new Promise(setImmediate)
  assert.equal([alive.seen.ended, alive.seen.written], [false, [': ping\n\n']])
})

test('[P6] an inspector stream ends when its viewer has lost one of the workspaces, or is another', async () => {
  let member: typeof ANN | null = ANN
  const deps = depsOf({ accounts: { ...annAlone, principalOf: async () => member } as typeof annAlone })
  const request = { headers: { cookie: 'any=1' }, query: '' } as unknown as Request
  const viewer = await viewerOf(request, deps)
  if (!viewer) throw new Error('nobody looks')
  const scope = accessScopeOf(viewer, request, deps)
  assert.ok(await scope.stillAllowed())
  assert.equal([scope.sees('w-1'), scope.sees('w-9'), scope.sees(null)], [true, false, false])
  member = { ...ANN, workspaces: [...ANN.workspaces, workspace('w-3', 'third')] }
  assert.ok(await scope.stillAllowed(), 'one more takes nothing away')
  member = { ...ANN, workspaces: ANN.workspaces.slice(1) }
  assert.not(await scope.stillAllowed())
  member = null
  assert.not(await scope.stillAllowed())
})

test('[Y7] progress of MCP only grows', async () => {
  const progress: number[] = []
  let status = 'running'
  async function* events() {
    for (const step of [1, 1, 3, 2, 3, 4]) yield { type: 'step.started', step }
    status = 'complete'
    yield { type: 'task.ended' }
  }
  const client = { tasks: { get: async () => ({ status, seq: 1 }), events } } as unknown as BrowserTasks
  const call = { signal: new AbortController().signal, progress: async (done: number) => void progress.push(done) }
  assert.is((await waited(client, 'id', 30, call)).status, 'complete')
  assert.equal(progress, [1, 3, 4])
})

test('[R44] unregistered sockets leave nothing behind, and the oldest of an address makes room', () => {
  const unregistered = new UnregisteredSockets()
  const closed: string[] = []
  const socket = (ip: string, name: string) => ({ ip, close: () => closed.push(name) }) as unknown as RelaySocket
  const sockets = Array.from({ length: UNREGISTERED_PER_ADDRESS_MAX + 1 }, (_, n) => socket('203.0.113.1', `${n}`))
  for (const each of sockets.slice(0, -1)) unregistered.add(each)
  assert.equal(closed, [])
  for (const each of sockets.slice(-1)) unregistered.add(each)
  assert.equal(closed, ['0'])
  const other = socket('203.0.113.2', 'other')
  unregistered.add(other)
  assert.equal(unregistered.size, { sockets: UNREGISTERED_PER_ADDRESS_MAX + 1, addresses: 2 })
  for (const each of [...sockets, other, other]) unregistered.delete(each)
  assert.equal(unregistered.size, { sockets: 0, addresses: 0 })
})

test('[E23] a key of an attempt that was cut short is gone with its retry, which makes the one that counts', async () => {
  const surface = await makeSurface()
  const { key, workspaceId } = await aKey(surface)
  const { keys } = surface.store
  const { insert } = keys
  const make = () =>
    surface.ask('POST', '/v1/api-keys', { key, body: { name: 'made once' }, headers: { 'idempotency-key': 'once' } })
  keys.insert = async (record) => {
    await insert(record)
    throw new Error('cut short')
  }
  assert.is((await make()).status, 500)
  keys.insert = insert
  const { status, json } = await make()
  assert.is(status, 201)
  const made = (await keys.list(workspaceId)).filter(({ name }) => name === 'made once')
  assert.equal(
    made.map(({ id }) => id),
    [json.id],
  )
  assert.is((await keys.byHash(hashToken(json.key)))?.id, json.id)
})

test('[A33] what each role may do', () => {
  const of = (role: 'owner' | 'member' | 'viewer') =>
    (['read', 'act', 'manage'] as const).filter((right) => mayAs(role, right)).join()
  assert.equal([of('owner'), of('member'), of('viewer')], ['read,act,manage', 'read,act', 'read'])
  const members = { members: ['ann', 'bob'], roles: { bob: 'viewer', eve: 'owner' } } as const
  assert.equal([roleOf(members, 'ann'), roleOf(members, 'bob'), roleOf(members, 'eve')], ['owner', 'viewer', null])
})

test('[A13] cookies are read as they were sent, and set so that no script reads them', () => {
  assert.equal({ ...cookiesOf('a=%41; b="x"; a=2') }, { a: '%41', b: '"x"' })
  const line = setCookie('k', 'v', { secure: true })
  for (const part of ['HttpOnly', 'SameSite=Lax', 'Secure', 'Path=/']) assert.ok(line.includes(part), line)
  assert.not.match(setCookie('k', 'v', { secure: false }), /Secure|Max-Age/)
  assert.match(setCookie('k', '', { secure: true }), /Max-Age=0/)
})

test('rates are counted in a sliding window, by name', () => {
  const windows = new Windows(1_000, 2)
  assert.equal(
    [0, 1, 2].map((at) => windows.takes('a', at)),
    [true, true, false],
  )
  assert.ok(windows.takes('b', 2))
  assert.not(windows.takes('a', 999))
  assert.ok(windows.takes('a', 1_000), 'the first one is over')
  assert.not(windows.takes('a', 1_000))
  assert.not(windows.takes('a', 1), 'a moment that was read before')
  assert.ok(windows.takes('a', -1_000), 'a clock that was set back')
})

test('[E26] a sliding window is as full as it is, in whatever order moments come', () => {
  const orders: readonly (readonly number[])[] = [
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    [5, 4, 6, 3, 7, 2, 8, 1, 9, 0],
    [0, 999, 1, 998, 2, 997, 3, 996, 4, 995],
  ]
  for (const order of orders) {
    const windows = new Windows(1_000, 3)
    const taken = order.filter((at) => windows.takes('a', 5_000 + at))
    assert.equal(taken, order.slice(0, 3))
    assert.ok(windows.takes('b', 5_000), 'another name')
    assert.ok(windows.takes('a', 5_000 + Math.max(...taken) + 1_000), 'a window later')
  }
  const setBack = new Windows(1_000, 1)
  assert.ok(setBack.takes('a', 3_600_000))
  assert.ok(setBack.takes('a', 0), 'an hour earlier nothing holds it')
  assert.not(setBack.takes('a', 999))
})

test.run()
