import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Sockets } from '../../actors/cluster/browser-sockets.ts'
import type { Messages } from '../../actors/cluster/messages.ts'
import type { ClusterNode } from '../../actors/cluster/node.ts'
import type { Router } from '../../actors/cluster/router.ts'
import type { ShardService } from '../../actors/cluster/shard-service.ts'
import { HEARD_EVERY_MS, MOVED_BROWSER_MS_MAX } from '../../actors/limits.ts'
import type { Outbox } from '../../actors/runtime/ports.ts'
import type { ConnectedSocket } from '../../actors/task-service.ts'
import type { SessionRecord } from '../../machines/records.ts'
import { HandClock } from '../support/hand-clock.ts'

const test = suite('browsers whose node is gone')

/** The owner of a session whose browser is connected at node b. */
function owner() {
  const clock = new HandClock(0)
  const told: string[] = []
  const closed: unknown[] = []
  const heard: string[] = []
  const service = {
    sockets: new Map([['session', { node: 'b', socketId: 'first' }]]),
    running: {
      taskService: {
        browserDisconnected: (_: string, socketId: string) => told.push(socketId),
        heard: (sessionId: string) => heard.push(sessionId),
      },
    },
  }
  const view = { nodes: [{ id: 'a' }], owners: [] }
  const of = { view, services: () => [service], service: () => service, ports: { clock } }
  const node = { id: 'a', ...of } as unknown as ClusterNode
  const served = new Map<string, (note: unknown) => void>()
  const bus = {
    connected: true,
    tell: (_: string, note: unknown) => closed.push(note),
    serve: (name: string, handler: (note: unknown) => void) => served.set(name, handler),
  }
  const relay = { close: () => {} } as unknown as Outbox
  const sockets = new Sockets(node, bus as unknown as Messages, {} as Router, relay)
  sockets.serve()
  /** The node of the browser says that it hears of it. */
  const hears = (socketId: string) => {
    closed.length = 0
    served.get('a')?.({ about: 'heard', browsers: [{ shard: 0, sessionId: 'session', socketId, at: 1 }] })
  }
  const outbox = sockets.outboxOf(service as unknown as ShardService)
  return { sockets, outbox, bus, service, clock, told, closed, heard, hears, view }
}

test('[M5] its calls fail when it has not connected elsewhere in a moment, and no sooner', () => {
  const { sockets, clock, told } = owner()
  sockets.viewRefreshed()
  clock.turn(MOVED_BROWSER_MS_MAX - 1)
  sockets.viewRefreshed()
  assert.equal(told, [])
  clock.turn(1)
  assert.equal(told, ['first'])
  sockets.viewRefreshed()
  clock.turn(MOVED_BROWSER_MS_MAX)
  assert.equal(told, ['first'])
})

test('[M5] a browser that is back at its node, whose renewal was late, is connected', () => {
  const { sockets, clock, told, view, service } = owner()
  sockets.viewRefreshed()
  view.nodes.push({ id: 'b' })
  clock.turn(MOVED_BROWSER_MS_MAX)
  assert.equal(told, [])
  assert.is(service.sockets.size, 1)
})

test('[M5] a node that was only stopped is told to close the socket of a browser that its owner has given up', () => {
  const { sockets, clock, closed } = owner()
  sockets.viewRefreshed()
  clock.turn(MOVED_BROWSER_MS_MAX - 1)
  assert.equal(closed, [])
  clock.turn(1)
  assert.equal(closed, [{ sessionId: 'session', socketId: 'first', code: 1013, reason: 'The session moved' }])
})

test('[M5] an owner that was away from the bus meanwhile tells it when it is back', () => {
  const { sockets, bus, clock, told, closed } = owner()
  bus.connected = false
  sockets.viewRefreshed()
  clock.turn(MOVED_BROWSER_MS_MAX)
  assert.equal([told, closed], [['first'], []])
  bus.connected = true
  sockets.reconnected()
  sockets.reconnected()
  assert.equal(closed, [{ sessionId: 'session', socketId: 'first', code: 1013, reason: 'The session moved' }])
})

test('[M5] an owner that was away from the bus closes the sockets of its browsers elsewhere: their results may be lost', () => {
  const { sockets, service, closed } = owner()
  service.sockets.set('own', { node: 'a', socketId: 'second' })
  sockets.reconnected()
  assert.equal(closed, [{ sessionId: 'session', socketId: 'first', code: 1013, reason: 'The session moved' }])
})

test('[M5 S11] a socket whose closing was lost with its message is closed when it is heard of again', () => {
  const { outbox, service, closed, heard, hears } = owner()
  hears('first')
  assert.equal([heard, closed], [['session'], []])
  outbox.close('session', 'first', 4403, 'Session removed')
  hears('first')
  assert.equal(closed, [{ sessionId: 'session', socketId: 'first', code: 1013, reason: 'The session moved' }])
  service.sockets.set('session', { node: 'c', socketId: 'second' })
  hears('first')
  assert.is(closed.length, 1)
  assert.equal(heard, ['session'])
})

test('[M5] the closing of a socket that has been replaced leaves the one that came after it', () => {
  const { outbox, service } = owner()
  service.sockets.set('session', { node: 'c', socketId: 'second' })
  outbox.close('session', 'first', 4409, 'Replaced by a newer connection')
  assert.is(service.sockets.get('session')?.socketId, 'second')
})

test('[M5] the closing of a socket elsewhere waits while the owner is away from the bus', () => {
  const { outbox, sockets, bus, closed } = owner()
  bus.connected = false
  outbox.close('session', 'first', 4403, 'Session removed')
  assert.equal(closed, [])
  bus.connected = true
  sockets.reconnected()
  assert.equal(closed, [{ sessionId: 'session', socketId: 'first', code: 4403, reason: 'Session removed' }])
})

/** A node whose browsers all belong to owners elsewhere. */
async function nodeOfBrowsers(count: number) {
  const clock = new HandClock(0)
  const sent: { to: string; note: { about: string; browsers: { sessionId: string; at: number }[] } }[] = []
  const view = { nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], owners: [] }
  const ownerOf = (shard: number) => ({ node: shard % 2 === 0 ? 'a' : 'c', epoch: 1 })
  const node = { id: 'b', view, ownerOf, service: () => undefined, ports: { clock } } as unknown as ClusterNode
  const bus = { connected: true, tell: (to: string, note: never) => sent.push({ to, note }) } as unknown as Messages
  const router = { callOwner: async () => ({ epoch: 1, pending: [] }) } as unknown as Router
  const sockets = new Sockets(node, bus, router, { close: () => {} } as unknown as Outbox)
  const ids = Array.from({ length: count }, (_, index) => `session-${index}`)
  for (const id of ids)
    sockets.connected({ id, workspaceId: `w-${id}` } as SessionRecord, { socketId: `of-${id}` } as ConnectedSocket)
  await new Promise(setImmediate)
  return { sockets, clock, sent, ids }
}

test('[M18] an owner elsewhere hears of all browsers of a node in one message; without any nothing is sent', async () => {
  for (const count of [20, 200]) {
    const { sockets, clock, sent, ids } = await nodeOfBrowsers(count)
    clock.turn(10 * HEARD_EVERY_MS)
    assert.is(sent.length, 0)
    for (const id of ids) sockets.heard(id, 1)
    for (const id of ids) sockets.heard(id, 2)
    sockets.disconnected('session-0', 'of-session-0')
    assert.equal(
      sent.splice(0).map(({ note }) => note.about),
      ['gone'],
    )
    clock.turn(HEARD_EVERY_MS)
    assert.equal(sent.map(({ to }) => to).sort(), ['a', 'c'])
    const heard = sent.flatMap(({ note }) => note.browsers)
    assert.equal(heard.map(({ sessionId }) => sessionId).sort(), ids.slice(1).sort())
    assert.ok(heard.every(({ at }) => at === 2))
    clock.turn(10 * HEARD_EVERY_MS)
    assert.is(sent.length, 2)
  }
})

/** The node of a browser whose owner answers later: what it is asked, each time that it is asked. */
function browserNode() {
  const asked: ((again: boolean) => readonly unknown[])[] = []
  const closed: unknown[] = []
  const callOwner = (_workspace: string, _name: string, args: (again: boolean) => readonly unknown[]) => {
    asked.push(args)
    return new Promise<never>(() => {})
  }
  const sockets = new Sockets(
    { id: 'b' } as ClusterNode,
    {} as Messages,
    { callOwner } as unknown as Router,
    { close: (...given: unknown[]) => closed.push(given) } as unknown as Outbox,
  )
  const connect = (socketId: string) =>
    sockets.connected({ id: 'session', workspaceId: 'workspace' } as SessionRecord, { socketId } as ConnectedSocket)
  return { sockets, asked, closed, connect }
}

test('[M5 R6] a socket that has been replaced is not bound by a late repetition, which would close the one after it', () => {
  const { asked, connect } = browserNode()
  connect('first')
  connect('second')
  for (const again of [false, true]) {
    assert.throws(() => asked[0]?.(again), /not the one of its browser/)
    assert.is(asked[1]?.(again).length, 3)
  }
})

test('[M5 R6] its node closes a socket that another one of its session has replaced: no owner that comes later knows of it', () => {
  const { closed, connect } = browserNode()
  connect('first')
  assert.equal(closed, [])
  connect('second')
  assert.equal(closed, [['session', 'first', 4409, 'Replaced by a newer connection']])
})

test('[M5] a socket that has closed is told to its owner only where that may have heard of it', () => {
  const { sockets, asked, connect } = browserNode()
  connect('first')
  sockets.disconnected('session', 'first')
  assert.throws(() => asked[0]?.(false), /not the one of its browser/)
  assert.is(asked[0]?.(true).length, 3)
})

test.run()
