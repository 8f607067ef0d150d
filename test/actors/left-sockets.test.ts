import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Messages } from '../../actors/cluster/messages.ts'
import type { ClusterNode } from '../../actors/cluster/node.ts'
import type { Router } from '../../actors/cluster/router.ts'
import { Sockets } from '../../actors/cluster/sockets.ts'
import { MOVED_BROWSER_MS_MAX } from '../../actors/limits.ts'
import { HandClock } from '../support/hand-clock.ts'

const test = suite('browsers whose node is gone')

/** The owner of a session whose browser is connected at node b. */
function owner() {
  const clock = new HandClock(0)
  const told: string[] = []
  const closed: unknown[] = []
  const service = {
    sockets: new Map([['session', { node: 'b', socketId: 'first' }]]),
    running: { taskService: { browserDisconnected: (_: string, socketId: string) => told.push(socketId) } },
  }
  const view = { nodes: [{ id: 'a' }], owners: [] }
  const node = { id: 'a', view, services: () => [service], ports: { clock } } as unknown as ClusterNode
  const messages = { connected: true, tell: (_: string, note: unknown) => closed.push(note) } as unknown as Messages
  return { sockets: new Sockets(node, messages, {} as Router, {} as never), service, clock, told, closed, view }
}

test('[M5] its calls fail when it has not connected elsewhere in a moment, and no sooner', () => {
  const { sockets, clock, told } = owner()
  sockets.looked()
  clock.turn(MOVED_BROWSER_MS_MAX - 1)
  sockets.looked()
  assert.equal(told, [])
  clock.turn(1)
  assert.equal(told, ['first'])
  sockets.looked()
  clock.turn(MOVED_BROWSER_MS_MAX)
  assert.equal(told, ['first'])
})

test('[M5] a browser that is back at its node, whose renewal was late, is connected', () => {
  const { sockets, clock, told, view, service } = owner()
  sockets.looked()
  view.nodes.push({ id: 'b' })
  clock.turn(MOVED_BROWSER_MS_MAX)
  assert.equal(told, [])
  assert.is(service.sockets.size, 1)
})

test('[M5] a node that was only stopped is told to close the socket of a browser that its owner has given up', () => {
  const { sockets, clock, closed } = owner()
  sockets.looked()
  clock.turn(MOVED_BROWSER_MS_MAX - 1)
  assert.equal(closed, [])
  clock.turn(1)
  assert.equal(closed, [{ sessionId: 'session', socketId: 'first', code: 1013, reason: 'The session moved' }])
})

test('[M5] an owner that was away from the bus closes the sockets of its browsers elsewhere: their results may be lost', () => {
  const { sockets, service, closed } = owner()
  service.sockets.set('own', { node: 'a', socketId: 'second' })
  sockets.reconnected()
  assert.equal(closed, [{ sessionId: 'session', socketId: 'first', code: 1013, reason: 'The session moved' }])
})

test.run()
