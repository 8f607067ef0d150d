import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Inspection } from '../../../actors/inspection/inspection.ts'
import { Registry } from '../../../actors/runtime/registry.ts'
import { taskAddress, workspaceAddress } from '../../../machines/addresses.ts'
import {
  VIEWER_BEAT_MS,
  VIEWER_BYTES_PER_MS_MAX,
  VIEWERS_PER_WORKSPACE_MAX,
} from '../../../src/observe/inspector/limits.ts'
import { openViewers } from '../../../src/observe/inspector/viewers.ts'
import { HandClock } from '../../support/hand-clock.ts'
import { hopper as logic, reader } from './viewer-support.ts'

const test = suite('viewers')
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

function scene() {
  const clock = new HandClock(1_000)
  const inspection = new Inspection({ clock, log: SILENT })
  const registry = new Registry({ clock, log: SILENT, watch: inspection })
  registry.start(workspaceAddress('w'), () => logic, { supervisor: null })
  registry.start(taskAddress('t'), () => logic, { supervisor: workspaceAddress('w') })
  let allowed = true
  const scope = {
    counted: 'w' as string | null,
    workspaces: ['w'],
    sees: (workspaceId: string | null) => workspaceId === 'w',
    stillAllowed: async () => allowed,
  }
  return { clock, registry, scope, logic, viewers: openViewers(inspection, clock), forbid: () => (allowed = false) }
}
const opened = <T>(value: T | null): T => {
  if (value === null) throw new Error('Too many look')
  return value
}

test('everyone at first, then what changed, many changes in one message', () => {
  const { clock, registry, scope, viewers } = scene()
  const { stream, events } = reader()
  opened(viewers.actors(scope))(stream)
  assert.equal(
    events().map(({ event, data }) => [event, data.actors.length]),
    [['actors', 2]],
  )
  clock.turn(1_000)
  for (let n = 0; n < 101; n++) registry.post(taskAddress('t'), { type: 'hop' })
  clock.turn(1_000)
  const later = events().slice(1)
  assert.equal(
    later.map(({ event }) => event),
    ['actors'],
  )
  assert.equal(
    later[0]?.data.actors.map(({ address, state }: { address: string; state: string }) => [address, state]),
    [['task:t', 'b']],
  )
  registry.stop(taskAddress('t'))
  registry.post(workspaceAddress('w'), { type: 'stay' })
  clock.turn(1_000)
  assert.equal(events().findLast(({ event }) => event === 'actors')?.data.gone, ['task:t'])
})

test('of one actor everything at first, then only the transitions that are new', () => {
  const { clock, registry, scope, viewers } = scene()
  const { stream, events } = reader()
  registry.post(taskAddress('t'), { type: 'hop' })
  opened(viewers.actor(scope, 'task:t'))(stream)
  clock.turn(1_000)
  registry.post(taskAddress('t'), { type: 'hop' })
  // What others do is not told.
  registry.post(workspaceAddress('w'), { type: 'stay' })
  clock.turn(1_000)
  assert.equal(
    events().map(({ event, data }) => [
      event,
      data.state,
      data.transitions.map((each: { event: string }) => each.event),
    ]),
    [
      ['actor', 'b', ['begin', 'hop']],
      ['actor', 'a', ['hop']],
    ],
  )
  const stranger = reader()
  opened(viewers.actor({ ...scope, sees: () => false }, 'task:t'))(stranger.stream)
  assert.equal(stranger.events(), [{ event: 'missing', data: { address: 'task:t' } }])
})

test('[P21] who looks at many that move is told less often: no more than the limit in a second', () => {
  const { clock, registry, scope, viewers, logic } = scene()
  const tasks = Array.from({ length: 500 }, (_, n) => taskAddress(`t${n}`))
  for (const address of tasks) registry.start(address, () => logic, { supervisor: workspaceAddress('w') })
  const { stream, written } = reader()
  opened(viewers.actors(scope))(stream)
  clock.turn(1_000)
  const before = written.length
  const LOOK_MS = 10_000
  for (let at = 0; at < LOOK_MS; at += 100) {
    for (const address of tasks) registry.post(address, { type: 'hop' })
    clock.turn(100)
  }
  const told = written.slice(before)
  const bytes = told.join('').length
  const longest = Math.max(...told.map(({ length }) => length))
  assert.ok(told.length > 1, `${told.length} messages`)
  assert.ok(bytes <= LOOK_MS * VIEWER_BYTES_PER_MS_MAX + longest, `${bytes} bytes`)
})

test('to a slow reader nothing is written until it has read, and then what is true by then', () => {
  const { clock, registry, scope, viewers } = scene()
  const { stream, events, slow, quick, written } = reader()
  slow()
  opened(viewers.actors(scope))(stream)
  const before = written.length
  for (let n = 0; n < 1_001; n++) {
    registry.post(taskAddress('t'), { type: 'hop' })
    clock.turn(5)
  }
  assert.is(written.length, before)
  quick()
  clock.turn(100)
  assert.is(written.length, before + 1)
  assert.is(events().at(-1)?.data.actors[0].state, 'b')
})

test('[P6] a stream whose reader may not look any more is ended within a second', async () => {
  const { clock, scope, viewers, forbid } = scene()
  const { stream, ended, written } = reader()
  opened(viewers.actors(scope))(stream)
  clock.turn(VIEWER_BEAT_MS)
  await Promise.resolve()
  assert.is(ended(), false)
  assert.is(written.at(-1), ': alive\n\n')
  forbid()
  clock.turn(1_000)
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  assert.is(ended(), true)
})

test('[P6] readers of one workspace leave the places of others, and the owner has one always', () => {
  const { scope, viewers } = scene()
  const open = (counted: string | null) => viewers.actors({ ...scope, counted })
  const readers = Array.from({ length: VIEWERS_PER_WORKSPACE_MAX }, () => {
    const one = reader()
    opened(open('w'))(one.stream)
    return one
  })
  assert.is(open('w'), null)
  opened(open('other'))(reader().stream)
  opened(open(null))(reader().stream)
  readers[0]?.stream.end()
  opened(open('w'))(reader().stream)
  assert.is(open('w'), null)
})

test('[P6] a stream whose reader takes nothing for a minute ends; one that reads slowly goes on', () => {
  const { clock, scope, viewers } = scene()
  const [stalled, slow] = [reader(), reader()]
  for (const one of [stalled, slow]) opened(viewers.actors(scope))(one.stream)
  for (let at = 0; at < 90_000; at += VIEWER_BEAT_MS) {
    for (const one of [stalled, slow]) one.slow()
    clock.turn(VIEWER_BEAT_MS)
    slow.quick()
  }
  assert.equal([stalled.ended(), slow.ended()], [true, false])
})

test.run()
