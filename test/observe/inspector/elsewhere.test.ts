import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Inspection } from '../../../actors/inspection/inspection.ts'
import { Registry } from '../../../actors/runtime/registry.ts'
import { taskAddress, workspaceAddress } from '../../../machines/addresses.ts'
import { ELSEWHERE_READ_EVERY_MS } from '../../../src/observe/inspector/limits.ts'
import { openViewers } from '../../../src/observe/inspector/viewers.ts'
import { HandClock } from '../../support/hand-clock.ts'
import { hopper, reader } from './viewer-support.ts'

const test = suite('the actors of other nodes')
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Two nodes: the workspace of the viewer is owned by the other one, until it moves. */
function scene() {
  const clock = new HandClock(1_000)
  const nodeAt = () => {
    const inspection = new Inspection({ clock, log: SILENT })
    return { inspection, registry: new Registry({ clock, log: SILENT, watch: inspection }) }
  }
  const [here, there] = [nodeAt(), nodeAt()]
  let owner: string | null = 'there'
  const viewers = openViewers(here.inspection, clock, () => ({
    nodeOf: () => owner,
    async lines(workspaceId) {
      if (owner === null) throw new Error('away')
      return there.inspection.lines((id) => id === workspaceId)
    },
    detail: async (_, address, seq) => there.inspection.detail(address, seq),
  }))
  const scope = {
    counted: 'w',
    workspaces: ['w'],
    sees: (workspaceId: string | null) => workspaceId === 'w',
    stillAllowed: async () => true,
  }
  const begin = ({ registry }: typeof here) => {
    registry.start(workspaceAddress('w'), () => hopper, { supervisor: null })
    registry.start(taskAddress('t'), () => hopper, { supervisor: workspaceAddress('w') })
  }
  const pass = async () => {
    await settled()
    clock.turn(ELSEWHERE_READ_EVERY_MS + 100)
    await settled()
    clock.turn(100)
  }
  return { here, there, viewers, scope, begin, pass, move: (to: string | null) => (owner = to) }
}

test('[M8] are listed with their node, as they move and end, and everything about one', async () => {
  const { here, there, viewers, scope, begin, pass, move } = scene()
  begin(there)
  const [list, one] = [reader(), reader()]
  viewers.actors(scope)?.(list.stream)
  viewers.actor(scope, 'task:t')?.(one.stream)
  await pass()
  const lines = () =>
    list
      .events()
      .map(({ data }) => [
        data.actors.map(({ address, state, node }: Record<string, string>) => `${address} ${state} ${node}`),
        data.gone,
      ])
  assert.equal(lines().slice(1), [[['workspace:w a there', 'task:t a there'], []]])
  there.registry.post(taskAddress('t'), { type: 'hop' })
  await pass()
  assert.equal(lines().at(-1), [['task:t b there'], []])
  const details = one.events().filter(({ event }) => event === 'actor')
  assert.equal(
    details.map(({ data }) => [data.node, data.state, data.transitions.length]),
    [
      ['there', 'a', 1],
      ['there', 'b', 1],
    ],
  )
  // The workspace moves to this node.
  move(null)
  begin(here)
  await pass()
  assert.equal(lines().at(-1), [['workspace:w a undefined', 'task:t a undefined'], []])
})

test('[M8] of other workspaces are not asked for', async () => {
  const { there, viewers, scope, begin, pass } = scene()
  begin(there)
  const one = reader()
  viewers.actors({ ...scope, workspaces: [], sees: () => false })?.(one.stream)
  await pass()
  assert.equal(
    one.events().map(({ data }) => data.actors),
    [[]],
  )
})

test.run()
