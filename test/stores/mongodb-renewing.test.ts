import { EventEmitter } from 'node:events'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { always, limited, whenStuck } from '../../src/stores/mongodb/stuck-monitor.ts'
import { eventually } from '../support/eventually.ts'

const test = suite('a driver that no longer looks for its server')

const look = { connectionId: '127.0.0.1:27017', awaited: false }
const LIMITS = { ms: 20, awaitedMs: 20 }

/** A client whose looks a test makes up, and how often it was found stuck. */
function watched(limits = LIMITS) {
  const client = new EventEmitter()
  const found = { stuck: 0 }
  const stop = whenStuck(client, limits, () => found.stuck++)
  return { client, found, stop }
}

test('[D13] a look that began and is never over is found once', async () => {
  const { client, found } = watched()
  client.emit('serverHeartbeatStarted', look)
  await eventually(() => found.stuck === 1, 'found')
  client.emit('serverHeartbeatStarted', look)
  const other = watched()
  other.client.emit('serverHeartbeatStarted', look)
  await eventually(() => other.found.stuck === 1, 'another is found later')
  assert.is(found.stuck, 1)
})

test('[D13] a look that succeeds or fails, and one after the end, are not', async () => {
  const good = watched()
  const bad = watched()
  const closed = watched()
  good.client.emit('serverHeartbeatStarted', look)
  good.client.emit('serverHeartbeatSucceeded', look)
  bad.client.emit('serverHeartbeatStarted', look)
  bad.client.emit('serverHeartbeatFailed', look)
  closed.client.emit('serverHeartbeatStarted', look)
  closed.stop()
  closed.client.emit('serverHeartbeatStarted', look)
  const last = watched()
  last.client.emit('serverHeartbeatStarted', look)
  await eventually(() => last.found.stuck === 1, 'a later one is found')
  assert.equal([good.found.stuck, bad.found.stuck, closed.found.stuck], [0, 0, 0])
})

test('[D13] a server that is no longer one of the set is not waited for', async () => {
  const { client, found, stop } = watched()
  client.emit('serverHeartbeatStarted', look)
  client.emit('serverClosed', { address: look.connectionId })
  const other = watched()
  other.client.emit('serverHeartbeatStarted', look)
  await eventually(() => other.found.stuck === 1, 'one that is, is')
  assert.is(found.stuck, 0)
  stop()
})

test('[D13] a look that waits for a change has more time', async () => {
  const patient = watched({ ms: 1, awaitedMs: 60_000 })
  patient.client.emit('serverHeartbeatStarted', { ...look, awaited: true })
  const other = watched()
  other.client.emit('serverHeartbeatStarted', look)
  await eventually(() => other.found.stuck === 1, 'the other is found')
  assert.is(patient.found.stuck, 0)
  patient.stop()
})

test('what was given out goes to whoever is there at the moment', () => {
  class Room {
    readonly #name: string
    constructor(name: string) {
      this.#name = name
    }
    name() {
      return this.#name
    }
  }
  let room = new Room('old')
  const given = always(() => room)
  assert.is(given.name(), 'old')
  room = new Room('new')
  assert.is(given.name(), 'new')
})

test('[D13] what is never answered is refused in time', async () => {
  const late = await limited(new Promise(() => {}), 5, () => new Error('too late')).catch(
    (error: Error) => error.message,
  )
  assert.is(late, 'too late')
  assert.is(await limited(Promise.resolve('in time'), 60_000, () => new Error('too late')), 'in time')
})

test.run()
