import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { workspaceAddress } from '../../machines/addresses.ts'
import { RESTARTS_MAX } from '../../machines/limits.ts'
import { workspaceMachine } from '../../machines/workspace.ts'
import { alone } from '../support/machine.ts'
import { aScene, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('giving up')

/** Breaks an actor as a bug in one of its actions would, once more than it is restarted. */
async function breakForGood(scene: Scene, address: Parameters<Scene['system']['registry']['post']>[0]): Promise<void> {
  const poison = {
    indexOf: () => {
      throw new Error('a bug')
    },
  }
  for (let n = 0; n <= RESTARTS_MAX; n++) {
    scene.system.registry.post(address, { type: 'child.done', address: poison, output: null, at: 0 })
    await settled()
  }
}

test('[D14] a workspace that gave up refuses starts, says so in health, and goes on counting what runs', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const ids = [await scene.task(browser), await scene.task(browser)]
  assert.equal(scene.taskService.health(), { ok: true, reason: null })
  await breakForGood(scene, workspaceAddress(scene.workspaceId))

  const answer = await scene.start(browser)
  assert.is(!answer.ok && answer.refusal.code, 'workspace_failed')
  assert.equal(scene.taskService.health(), { ok: false, reason: 'Gave up after repeated failures: workspace.' })
  const { running } = scene.system.registry.snapshot(workspaceAddress(scene.workspaceId))?.context ?? {}
  assert.equal(Object.keys(running).sort(), [...ids].sort())

  for (const _ of ids) scene.model.answer(saying('Done.'))
  await settled()
  for (const id of ids) assert.is(scene.record(id).status, 'complete')
  assert.equal(scene.system.registry.snapshot(workspaceAddress(scene.workspaceId))?.context.running, {})

  // Another workspace notices nothing.
  const other = scene.browser(2, { workspaceId: 'other' })
  assert.ok((await scene.start(other, { workspaceId: 'other' })).ok)
})

test('[D14] a workspace that gave up is open again after a restart, with a window', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  for (let n = 0; n < 4; n++) {
    await scene.task(browser)
    scene.model.answer(saying('Done.'))
    await settled()
  }
  await breakForGood(scene, workspaceAddress(scene.workspaceId))
  await scene.reopen()
  await settled()
  assert.equal(scene.taskService.health(), { ok: true, reason: null })
  assert.is(scene.system.registry.snapshot(workspaceAddress(scene.workspaceId))?.context.startTimes.length, 4)
  browser.connect()
  assert.ok((await scene.start(browser)).ok)
})

test('[D14] a start that waits for the word of a workspace that gave up is refused, and takes no slot', () => {
  const it = alone(workspaceMachine, { workspaceId: 'w1', gaveUp: true })
  const allowance = { freeRemaining: null, creditBalance: 0 }
  const facts = { allowance, slotVersion: 0, session: { own: true, connected: true, expiresAt: 9_000 } }
  for (const door of ['http', 'relay', 'internal'] as const) {
    it.send({ type: `admission.${door}`, taskId: 't1', facts, final: false, at: 5 })
    const [last] = it.did('decide').slice(-1) as { decision: { refusal: { code: string } } }[]
    assert.is(last?.decision.refusal.code, 'workspace_failed')
  }
  assert.equal([it.context().running, it.context().startTimes], [{}, []])
})

test('[D10] health tells a service that starts, and one that stops', async () => {
  const scene = await aScene()
  await scene.task(scene.browser())
  scene.store.fault = (name) => (name === 'tasks.end' ? 'hangs' : null)
  void scene.opened.stop()
  await settled()
  assert.equal(scene.taskService.health(), { ok: false, reason: 'The service is shutting down.' })
})

test.run()
