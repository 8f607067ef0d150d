import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ROW_VERSIONS } from '../../actors/runtime/row-versions.ts'
import { workspaceAddress } from '../../machines/addresses.ts'
import { SESSION_LINGER_MS, START_WINDOW_MS, WORKSPACE_REST_EVERY_MS } from '../../machines/limits.ts'
import { aScene, saying, settled, THEN } from '../support/scene.ts'

const test = suite('resting workspaces')

test('[D20] an idle workspace goes with its row, and a start brings it back', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const address = workspaceAddress(scene.workspaceId)
  await scene.task(browser)
  await scene.clock.advance(START_WINDOW_MS + 2 * WORKSPACE_REST_EVERY_MS)
  assert.ok(scene.system.registry.has(address), 'while a task runs')
  scene.model.answer(saying('Done.'))
  await settled()
  await scene.clock.advance(2 * WORKSPACE_REST_EVERY_MS)
  assert.ok(scene.system.registry.has(address), 'while its browser is there')
  browser.disconnect()
  await scene.clock.advance(SESSION_LINGER_MS + 2 * WORKSPACE_REST_EVERY_MS)
  assert.equal([scene.system.registry.has(address), scene.store.rows.has(address)], [false, false])

  browser.connect()
  assert.ok((await scene.start(browser)).ok)
  assert.is(scene.system.registry.snapshot(address)?.context.startTimes.length, 1)
})

test('[D20 T8] a workspace whose starts still count stays', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  await scene.task(browser)
  scene.model.answer(saying('Done.'))
  await settled()
  browser.disconnect()
  scene.taskService.removeSession(scene.workspaceId, null, browser.record.id)
  await scene.clock.advance(START_WINDOW_MS - 1)
  assert.is(scene.system.registry.snapshot(workspaceAddress(scene.workspaceId))?.context.startTimes.length, 1)
})

test('[D20] idle workspaces do not come back at a start, and leave no rows', async () => {
  const scene = await aScene()
  const version = ROW_VERSIONS.workspace
  const rowOf = (id: string, startTimes: number[]) => ({
    address: workspaceAddress(id),
    version,
    at: THEN,
    snapshot: { status: 'active', value: 'open', context: { workspaceId: id, startTimes, running: {} }, children: {} },
  })
  for (let n = 0; n < 1_000; n++)
    scene.store.rows.set(workspaceAddress(`idle-${n}`), rowOf(`idle-${n}`, [THEN - 60_000]))
  scene.store.rows.set(workspaceAddress('busy'), rowOf('busy', [THEN - 1_000]))
  await scene.reopen()
  await settled()
  assert.is(scene.count('workspace'), 1)
  assert.equal([...scene.store.rows.keys()], [workspaceAddress('busy')])
})

test.run()
