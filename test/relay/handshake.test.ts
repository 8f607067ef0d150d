import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newToken } from '../../src/identity/tokens.ts'
import { eventually } from '../support/eventually.ts'
import { openScene, playing } from './scene.ts'

const test = suite('relay handshake')
const scene = await openScene(playing({ text: 'Done.' }).model)
const { clock } = scene

test('[R1 R2] a register is answered with session, client and protocol 2', async () => {
  const { peer, record } = await scene.browser()
  const [first] = peer.received
  assert.is(first?.type, 'registered')
  assert.is(first?.browserSessionId, record.id)
  assert.is(first?.protocol, 2)
  assert.is(typeof first?.clientId, 'string')
})

test('[R2] a browser that sends no protocol is served as 1', async () => {
  const { peer } = await scene.browser({ protocol: 1 })
  assert.is(peer.received[0]?.protocol, 1)
})

test('[R2] a browser of a later protocol is told that 2 is spoken', async () => {
  const { token } = await scene.paired()
  assert.is((await scene.register(token, { protocol: 7 })).received[0]?.protocol, 2)
})

for (const [what, frame] of [
  ['a ping', { type: 'ping' }],
  ['a tool result', { type: 'tool_result', requestId: 'r' }],
  ['another role', { type: 'register', role: 'admin', session_token: 'x' }],
  ['no token', { type: 'register', role: 'extension' }],
  ['what is no JSON', 'hello {'],
  ['an array', []],
  ['null', 'null'],
  ['more than 8 KB', { type: 'register', role: 'extension', session_token: 'x'.repeat(9_000) }],
] as const) {
  test(`[R1] ${what} before register closes the socket`, async () => {
    const peer = await scene.connect()
    await peer.says(frame)
    assert.is(peer.closed?.code, 4402)
  })
}

test('[R1] a second frame before the answer closes the socket', async () => {
  const { token } = await scene.paired()
  const peer = await scene.connect()
  const frame = { type: 'register', role: 'extension', session_token: token }
  await Promise.all([peer.says(frame), peer.says(frame)])
  assert.is(peer.closed?.code, 4402)
})

test('[R1] a socket that does not register is closed after 10 s, not earlier', async () => {
  const peer = await scene.connect()
  await scene.turn(9_000)
  assert.is(peer.closed, null)
  await scene.turn(2_000)
  assert.is(peer.closed?.code, 4402)
})

for (const [what, token] of [
  ['unknown', newToken('session')],
  ['malformed', 'svc_sess_nope'],
  ['pairing', newToken('pairing')],
] as const) {
  test(`[R3] a token that is ${what} is refused with 4401`, async () => {
    const peer = await scene.register(token)
    await eventually(() => peer.closed !== null, 'the socket closes')
    assert.equal(peer.received, [{ type: 'error', error: 'Invalid session token' }])
    assert.is(peer.closed?.code, 4401)
  })
}

test('[R3] an expired token is refused with 4401', async () => {
  const { token } = await scene.paired({ expiresAt: clock.now() })
  const peer = await scene.register(token)
  await eventually(() => peer.closed !== null, 'the socket closes')
  assert.is(peer.closed?.code, 4401)
})

test('[R3 S8] a session that is removed has its socket closed at once, and its token is dead', async () => {
  const { peer, record, token } = await scene.browser()
  assert.is(await scene.actors.taskService.removeSession(scene.workspaceId, null, record.id), true)
  await scene.settled()
  assert.is(peer.closed?.code, 4403)
  const again = await scene.register(token)
  await eventually(() => again.closed !== null, 'the socket closes')
  assert.is(again.closed?.code, 4401)
})

test('[R4] a ping goes out every 20 s, and a browser that answers stays', async () => {
  const { peer } = await scene.browser()
  for (let i = 1; i <= 6; i++) {
    await scene.turn(20_000)
    assert.is(peer.of('ping').length, i)
    await peer.says({ type: 'pong' })
  }
  assert.is(peer.closed, null)
})

test('[R4] a ping of the browser is answered with pong', async () => {
  const { peer } = await scene.browser()
  await peer.says({ type: 'ping' })
  assert.is(peer.of('pong').length, 1)
})

test('[R5] a half-open socket is closed with 4408 after 45 s without a frame', async () => {
  const { peer } = await scene.browser()
  await scene.turn(44_000)
  assert.is(peer.closed, null)
  await scene.turn(2_000)
  assert.is(peer.closed?.code, 4408)
})

test('[R6] a newer socket of the session takes over, the older is closed with 4409', async () => {
  const { peer, token, record } = await scene.browser()
  const newer = await scene.register(token)
  assert.is(peer.closed?.code, 4409)
  assert.is(newer.closed, null)
  const [view] = (await scene.actors.taskService.sessions(scene.workspaceId, null)).filter(({ id }) => id === record.id)
  assert.is(view?.status, 'connected')
})

test('[R9] the 101st frame of a second closes the socket, and no other', async () => {
  const { peer } = await scene.browser()
  const other = await scene.browser()
  for (let i = 0; i < 100; i++) await peer.says({ type: 'pong' })
  assert.is(peer.closed, null)
  await peer.says({ type: 'pong' })
  assert.is(peer.closed?.code, 4429)
  assert.is(other.peer.closed, null)
})

test('[R9] a hundred frames in every second are let through', async () => {
  const { peer } = await scene.browser()
  for (let second = 0; second < 3; second++) {
    for (let i = 0; i < 100; i++) await peer.says({ type: 'pong' })
    await scene.turn(1_000)
  }
  assert.is(peer.closed, null)
})

test('[R10] the third frame in a row that is no JSON closes the socket; one that is starts the count anew', async () => {
  const { peer } = await scene.browser()
  await peer.says('{')
  await peer.says('}')
  await peer.says({ type: 'pong' })
  await peer.says('{')
  await peer.says(null)
  assert.is(peer.closed, null)
  await peer.says('nope')
  assert.is(peer.closed?.code, 4400)
})

test('[R38] up to 100 remembered calls are taken, more are refused', async () => {
  const { token } = await scene.paired()
  const calls = (count: number) => Array.from({ length: count }, (_, i) => ({ requestId: `r${i}`, state: 'done' }))
  assert.is((await scene.register(token, { protocol: 2, calls: calls(100) })).received[0]?.type, 'registered')
  const peer = await scene.register(token, { protocol: 2, calls: calls(101) })
  assert.is(peer.closed?.code, 4402)
})

test('a frame that is not understood is answered with what is wrong, and nothing else happens', async () => {
  const { peer } = await scene.browser()
  for (const frame of [
    { type: 'nonsense' },
    { type: 'tool_result' },
    {},
    7,
    [],
    { type: 'llm_request', requestId: 3 },
  ]) {
    await peer.says(frame)
  }
  assert.is(peer.of('error').length, 6)
  assert.is(peer.closed, null)
})

test.after(() => scene.close())
test.run()
