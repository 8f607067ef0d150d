import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SessionEvent, SessionSocket } from '../../machines/session.ts'
import { sessionMachine } from '../../machines/session.ts'
import { walk } from '../support/walk.ts'

const test = suite('session paths')

const socket = (protocol: 1 | 2): SessionSocket => ({
  socketId: `k${protocol}`,
  protocol,
  browserInstanceId: null,
  reportedCalls: {},
})
const call = { requestId: 'r1', taskId: 't1', sessionId: 's1', tool: 'x', input: {} }
const EVENTS: SessionEvent[] = [
  { type: 'socket.registered', socket: socket(1), expiresAt: 100_000_000, at: 0 },
  { type: 'socket.registered', socket: socket(2), expiresAt: 100_000_000, at: 0 },
  { type: 'socket.closed', socketId: 'k1', at: 0 },
  { type: 'socket.closed', socketId: 'k2', at: 0 },
  { type: 'call.open', call, at: 0, reopened: false, browserInstanceId: '' },
  { type: 'call.open', call, at: 0, reopened: true, browserInstanceId: '' },
  { type: 'call.abandon', requestId: 'r1' },
  { type: 'session.revoke' },
  { type: 'child.done', address: 'call:r1', output: undefined, at: 0 },
  { type: 'child.failed', address: 'call:r1', message: 'a bug', context: null, at: 0 },
]

const walked = walk(sessionMachine, {
  input: { sessionId: 's1', workspaceId: 'w1' },
  events: EVENTS,
  key: ({ value, context }) => `${value} ${context.socket?.socketId} ${Object.keys(context.calls)} ${context.waiting}`,
})

test('every state is reached', () => assert.equal(walked.unreached, []))

test('[S10] it has a socket when and only when it is connected', () => {
  for (const { snapshot } of walked.visits)
    assert.is(snapshot.context.socket !== null, snapshot.value === 'connected', JSON.stringify(snapshot.value))
})

test('[R19 S12] it never ends with a call that may still answer its task', () => {
  for (const { snapshot, path } of walked.visits)
    if (snapshot.status === 'done') assert.equal(snapshot.context.calls, {}, path.join(' → '))
})

test('[T37] nobody waits for a browser that is there', () => {
  for (const { snapshot, path } of walked.visits)
    if (snapshot.value === 'connected') assert.equal(snapshot.context.waiting, [], path.join(' → '))
})

test('a removed session stays removed', () => {
  for (const { key, handles } of walked.visits)
    if (key.startsWith('revoked'))
      for (const after of Object.values(handles).flat()) assert.match(after, /^(revoked|removed)/)
})

test.run()
