import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Presence } from '../../actors/cluster/lost-nodes.ts'
import { NODE_LATE_MS } from '../../actors/limits.ts'

const test = suite('which nodes are there')

const node = (id: string, silentMs: number) => ({ id, address: '', leaving: false, reachesBus: true, silentMs })
const named = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id).join(' ')

/** What the bus knows, and who was asked for. */
function world(listening: Record<string, boolean>) {
  const asked: string[] = []
  let looks = 0
  const timers: { ms: number; work: () => void }[] = []
  const presence = new Presence({
    isGone: async (id) => {
      asked.push(id)
      return listening[id] === false
    },
    onGone: () => looks++,
    after: (ms, work) => void timers.push({ ms, work }),
  })
  return { presence, asked, listening, timers, looks: () => looks }
}

test('[M9] a node is gone before its lease has ended when it is late and nobody listens for it any more', async () => {
  const { presence, asked, looks } = world({ killed: false, slow: true })
  const late = [node('own', NODE_LATE_MS), node('killed', NODE_LATE_MS), node('slow', NODE_LATE_MS)]
  assert.is(named(presence.present(late, 'own')), 'own killed slow')
  await new Promise(setImmediate)
  assert.equal(asked, ['killed', 'slow'])
  assert.is(looks(), 1)
  assert.is(named(presence.present(late, 'own')), 'own slow')
})

test('[M9] a node that renews itself is there, whether or not the bus knows it', async () => {
  const { presence, asked } = world({ cut: false })
  const recent = [node('own', 0), node('cut', NODE_LATE_MS - 1)]
  for (let look = 0; look < 3; look++) {
    assert.is(named(presence.present(recent, 'own')), 'own cut')
    await new Promise(setImmediate)
  }
  assert.equal(asked, [])
})

test('[M9] a node that was gone and renews itself again is there again', async () => {
  const { presence } = world({ back: false })
  presence.present([node('back', NODE_LATE_MS)], 'own')
  await new Promise(setImmediate)
  assert.is(named(presence.present([node('back', NODE_LATE_MS + 500)], 'own')), '')
  assert.is(named(presence.present([node('back', 10)], 'own')), 'back')
})

test('[M9] each node watches the next one, and asks for it at the moment when it would be late', async () => {
  const { presence, asked, timers, looks } = world({ b: false, c: true })
  const nodes = [node('a', 0), node('b', 300), node('c', 0)]
  for (let refresh = 0; refresh < 2; refresh++) presence.present(nodes, 'a')
  assert.equal(
    timers.map(({ ms }) => ms),
    [NODE_LATE_MS - 300],
  )
  timers[0]?.work()
  await new Promise(setImmediate)
  assert.equal([asked, looks()], [['b'], 1])
  assert.is(named(presence.present([node('a', 0), node('b', NODE_LATE_MS), node('c', 0)], 'a')), 'a c')
})

test.run()
