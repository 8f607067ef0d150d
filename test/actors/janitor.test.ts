import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RETIRE_EVERY_MS, TASK_SWEEP_EVERY_MS } from '../../machines/limits.ts'
import { aScene, settled } from '../support/scene.ts'

const test = suite('janitor')

/** A quiet service, and how often it has asked the store for something. */
async function quiet(sweepsAll = true) {
  const scene = await aScene((each) => {
    each.sweepsAll = sweepsAll
  })
  await settled()
  const before = scene.store.log.length
  const asked = (name: string) => scene.store.log.slice(before).filter((each) => each === name).length
  return { scene, asked }
}

for (const [sweep, call, everyMs] of [
  ['stuck tasks are looked for', 'tasks.running', TASK_SWEEP_EVERY_MS],
  ['outdated records are removed', 'pairings.sweep', RETIRE_EVERY_MS],
] as const)
  test(`[T29 D15] ${sweep} every ${everyMs / 60_000} minutes`, async () => {
    const { scene, asked } = await quiet()
    for (const round of [1, 2, 3]) {
      await scene.clock.advance(everyMs - 100)
      assert.is(asked(call), round - 1)
      await scene.clock.advance(100)
      assert.is(asked(call), round)
    }
  })

test('[T29 D15] a sweep that is not over is not begun again, one that fails is, and the others go on', async () => {
  const { scene, asked } = await quiet()
  scene.store.fault = (name) => (name === 'pairings.sweep' ? 'hangs' : name === 'tasks.running' ? 'rejects' : null)
  await scene.clock.advance(2 * RETIRE_EVERY_MS)
  assert.equal([asked('pairings.sweep'), asked('tasks.running')], [1, (2 * RETIRE_EVERY_MS) / TASK_SWEEP_EVERY_MS])
})

test('[D15] of several services over one store one removes what all workspaces have', async () => {
  const { scene, asked } = await quiet(false)
  await scene.clock.advance(RETIRE_EVERY_MS)
  assert.equal([asked('pairings.sweep'), asked('tasks.retire'), asked('limits.all')], [0, 0, 1])
})

test('[D10] a service that has stopped sweeps no more', async () => {
  const { scene, asked } = await quiet()
  await scene.opened.stop()
  await scene.clock.advance(RETIRE_EVERY_MS)
  assert.equal([asked('pairings.sweep'), asked('tasks.running')], [0, 0])
})

test.run()
