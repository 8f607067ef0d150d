import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DAY_MS, SESSION_LINGER_MS, SESSION_TOKEN_MS } from '../../machines/limits.ts'
import type { ToolCall } from '../../machines/records.ts'
import { type SessionEvent, type SessionSocket, sessionMachine } from '../../machines/session.ts'
import { alone } from '../support/machine.ts'

const test = suite('session')

const AT = 1_000
const call = (requestId = 'r1', taskId = 't1'): ToolCall => ({
  requestId,
  taskId,
  sessionId: 's1',
  tool: 'x',
  input: {},
})
const socket = (fields: Partial<SessionSocket> = {}): SessionSocket => ({
  socketId: 'k1',
  protocol: 2,
  browserInstanceId: 'memory',
  reportedCalls: {},
  ...fields,
})
const registered = (fields: Partial<SessionSocket> = {}, expiresAt = AT + SESSION_TOKEN_MS): SessionEvent => ({
  type: 'socket.registered',
  socket: socket(fields),
  expiresAt,
  at: AT,
})
const opened = (requestId = 'r1', browserInstanceId: string | null = 'memory', reopened = false): SessionEvent => ({
  type: 'call.open',
  call: call(requestId),
  at: AT,
  reopened,
  browserInstanceId,
})
const ended = (requestId: string): SessionEvent => ({
  type: 'child.done',
  address: `call:${requestId}`,
  output: undefined,
  at: AT,
})
const to = (address: string, event: object) => ({ to: address, event })

const aSession = (...events: SessionEvent[]) => {
  const it = alone(sessionMachine, { sessionId: 's1', workspaceId: 'w1' })
  it.send(...events)
  return it
}

test('[S10] it waits for its first socket, and is connected by it', () => {
  const it = aSession()
  assert.is(it.state(), 'waiting')
  it.send(registered())
  assert.is(it.state(), 'connected')
  assert.is(it.context().socket?.socketId, 'k1')
})

test('[R13] a call is opened at once while it is connected', () => {
  const it = aSession(registered(), opened())
  assert.equal(it.did('startCall'), [opened()])
  assert.equal(it.context().calls, { r1: { taskId: 't1', browserInstanceId: 'memory' } })
  assert.equal(it.posts(), [])
})

test('[R14] a call that has ended is not pending any more: it has answered its task itself', () => {
  const it = aSession(registered(), opened(), opened('r2'), ended('r1'))
  assert.equal(it.posts(), [])
  assert.equal(it.context().calls, { r2: { taskId: 't1', browserInstanceId: 'memory' } })
})

test('[R17] the end of a call that is not pending changes nothing', () => {
  const it = aSession(registered(), opened(), ended('r9'))
  assert.equal(it.posts(), [])
  assert.equal(it.context().calls, { r1: { taskId: 't1', browserInstanceId: 'memory' } })
})

test('[D14] a call that breaks fails, and its task hears why', () => {
  const it = aSession(registered(), opened(), {
    type: 'child.failed',
    address: 'call:r1',
    message: 'a bug',
    context: null,
    at: AT,
  })
  const outcome = { status: 'failed', category: 'internal', message: 'a bug' }
  assert.equal(it.posts(), [to('task:t1', { type: 'call.settled', requestId: 'r1', outcome, at: AT })])
})

test('[T49] an abandoned call is told, once, and one that is not pending is not', () => {
  const abandon = (requestId: string): SessionEvent => ({ type: 'call.abandon', requestId })
  const it = aSession(registered(), opened(), abandon('r9'), abandon('r1'), ended('r1'), abandon('r1'))
  assert.equal(it.posts(), [to('call:r1', { type: 'call.abandoned' })])
})

test('[R19] when its socket closes every pending call hears of it; the close of an older socket is nothing', () => {
  const it = aSession(registered(), opened('r1'), opened('r2'), { type: 'socket.closed', socketId: 'k0', at: AT })
  assert.is(it.state(), 'connected')
  it.send({ type: 'socket.closed', socketId: 'k1', at: AT })
  assert.is(it.state(), 'disconnected')
  assert.is(it.context().socket, null)
  assert.equal(it.posts(), [
    to('call:r1', { type: 'session.disconnected' }),
    to('call:r2', { type: 'session.disconnected' }),
  ])
})

for (const away of ['waiting', 'disconnected'] as const) {
  const gone = (...events: SessionEvent[]) =>
    away === 'waiting'
      ? aSession(...events)
      : aSession(registered(), { type: 'socket.closed', socketId: 'k1', at: AT }, ...events)

  test(`[T37] ${away}: a call is not opened, its task waits and is woken by the browser, once`, () => {
    const it = gone(opened(), opened())
    assert.is(it.state(), away)
    assert.equal(it.did('startCall'), [])
    assert.equal(it.posts()[0], to('task:t1', { type: 'session.away', requestId: 'r1' }))
    it.send(registered())
    assert.equal(it.posts().slice(2), [to('task:t1', { type: 'session.connected' })])
    it.send({ type: 'socket.closed', socketId: 'k1', at: AT }, registered())
    assert.is(it.posts().length, 3)
  })

  test(`${away}: without calls it is gone after five minutes, and lets go of what is remembered of it`, () => {
    const it = gone()
    it.clock.increment(SESSION_LINGER_MS - 1)
    assert.is(it.state(), away)
    assert.equal(it.did('release').length, 0)
    it.clock.increment(1)
    assert.is(it.state(), 'gone')
    assert.ok(it.done())
    assert.equal(it.did('release').length, 1)
  })

  test(`[T37] ${away}: it lingers from the last task that began to wait`, () => {
    const it = gone()
    it.clock.increment(SESSION_LINGER_MS - 1)
    it.send(opened())
    it.clock.increment(SESSION_LINGER_MS - 1)
    assert.is(it.state(), away)
  })

  test(`[D8] ${away}: it is not gone before its last reopened call has ended`, () => {
    const it = gone()
    it.clock.increment(SESSION_LINGER_MS - 1)
    it.send(opened('r1', 'memory', true))
    it.clock.increment(1)
    assert.is(it.state(), away)
    it.send(ended('r1'))
    it.clock.increment(SESSION_LINGER_MS)
    assert.is(it.state(), 'gone')
  })
}

/** What a browser that comes says of a reopened call, by protocol, its own memory, and the memory that was asked. */
const MEMORIES: readonly (readonly [Partial<SessionSocket>, asked: string | null, says: string])[] = [
  [{ reportedCalls: { r1: 'running' } }, 'memory', 'call.running'],
  [{ reportedCalls: { r1: 'done' } }, 'memory', 'call.finished'],
  [{ reportedCalls: { r2: 'done' } }, 'memory', 'call.neverSeen'],
  [{ browserInstanceId: 'another' }, 'memory', 'call.forgotten'],
  [{ browserInstanceId: null }, 'memory', 'call.forgotten'],
  [{ browserInstanceId: null }, '', 'call.neverSeen'],
  [{ browserInstanceId: 'memory' }, '', 'call.forgotten'],
  [{ protocol: 1, browserInstanceId: null }, '', 'call.forgotten'],
  // Nobody was there when it was kept: it never left.
  [{ browserInstanceId: 'another' }, null, 'call.neverSeen'],
  [{ protocol: 1, browserInstanceId: null }, null, 'call.neverSeen'],
]
for (const [fields, asked, says] of MEMORIES)
  test(`[D8 D9] asked ${asked}, a browser of ${JSON.stringify(fields)} means ${says}, whoever comes first`, () => {
    const told = [to('call:r1', { type: says })]
    assert.equal(aSession(opened('r1', asked, true), registered(fields)).posts(), told)
    assert.equal(aSession(registered(fields), opened('r1', asked, true)).posts(), told)
  })

test('[D8] each call is judged by the memory that it was sent to', () => {
  const it = aSession(opened('r1', 'old', true), opened('r2', 'memory', true), registered())
  assert.equal(it.posts(), [to('call:r1', { type: 'call.forgotten' }), to('call:r2', { type: 'call.neverSeen' })])
})

test('[D5 D8] a call that was kept for another browser memory does not leave: its task keeps it anew', () => {
  for (const browserInstanceId of [null, 'another']) {
    const it = aSession(registered(), opened('r1', browserInstanceId))
    assert.equal(it.did('startCall'), [])
    assert.equal(it.posts(), [
      to('task:t1', { type: 'session.away', requestId: 'r1' }),
      to('task:t1', { type: 'session.connected' }),
    ])
  }
})

test('[R6 R41] a newer socket of protocol 2 takes over: the older is closed, calls are settled by memory', () => {
  const it = aSession(registered(), opened(), registered({ socketId: 'k2', reportedCalls: { r1: 'running' } }))
  assert.equal(it.did('closeSocket'), [{ why: 'replaced', socketId: 'k1' }])
  assert.equal(it.posts(), [to('call:r1', { type: 'call.running' })])
  assert.is(it.context().socket?.socketId, 'k2')
  it.send({ type: 'socket.closed', socketId: 'k1', at: AT })
  assert.is(it.state(), 'connected')
})

test('[R41] a newer socket of protocol 1 takes over: calls fail as at a disconnect', () => {
  const it = aSession(registered(), opened(), registered({ socketId: 'k2', protocol: 1, browserInstanceId: null }))
  assert.equal(it.did('closeSocket'), [{ why: 'replaced', socketId: 'k1' }])
  assert.equal(it.posts(), [to('call:r1', { type: 'session.disconnected' })])
})

test('[S8 R3] when its token ends the socket is closed and its calls fail, not a millisecond earlier', () => {
  const it = aSession(registered({}, AT + 30 * DAY_MS), opened())
  it.clock.increment(30 * DAY_MS - 1)
  assert.is(it.state(), 'connected')
  it.clock.increment(1)
  assert.is(it.state(), 'expired')
  assert.equal(it.did('closeSocket'), [{ why: 'expired', socketId: 'k1' }])
  assert.equal(it.posts(), [to('call:r1', { type: 'session.disconnected' })])
  it.send(ended('r1'))
  it.clock.increment(SESSION_LINGER_MS)
  assert.is(it.state(), 'gone')
})

test('[S12] removed, its socket is closed and its calls fail; it stays until they have ended', () => {
  const it = aSession(registered(), opened(), { type: 'session.revoke' })
  assert.equal(it.did('closeSocket'), [{ why: 'revoked', socketId: 'k1' }])
  assert.is(it.state(), 'revoked')
  assert.equal(it.posts(), [to('call:r1', { type: 'session.disconnected' })])
  it.send(ended('r1'))
  assert.ok(it.done())
  assert.is(it.did('release').length, 1)
})

test('[S12] removed, it ends at once without calls, and turns a late socket away', () => {
  assert.ok(aSession(registered(), { type: 'session.revoke' }).done())
  const it = aSession(registered(), opened(), { type: 'session.revoke' }, registered({ socketId: 'k2' }))
  assert.equal(it.did('closeSocket').at(-1), { why: 'revoked', socketId: 'k2' })
  assert.is(it.state(), 'revoked')
})

test.run()
