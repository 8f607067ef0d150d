import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ROW_VERSIONS } from '../../actors/runtime/row-versions.ts'
import { MINUTE_MS } from '../../machines/limits.ts'
import { ENDINGS, INTERRUPTED } from '../support/scene/interrupted.ts'
import { aReceiver, deliveries } from '../support/scene/receiver.ts'
import { INTO } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('damaged rows')

const errors = ({ lines }: Scene) => lines.lines.filter(({ level }) => level === 'error')

/** It was ended by the start, which is told in one line and by health; all else works. */
async function isSetAside(scene: Scene, id: string): Promise<void> {
  await scene.clock.advance(MINUTE_MS)
  assert.equal([scene.record(id).status, scene.record(id).endedBy], ['error', 'restart'])
  assert.is(errors(scene).length, 1, JSON.stringify(errors(scene)))
  const { ok, reason } = scene.taskService.health()
  assert.ok(ok)
  assert.match(reason ?? '', /^Damaged in the store, and set aside: 1 /)
  const other = await scene.task(scene.browser())
  scene.model.answer(saying('Works.'))
  await settled()
  assert.is(scene.record(other).answer, 'Works.')
}

/** Two tasks; a crash; what becomes of the first one when `damage` was done to what is kept of it. */
async function damagedIn(
  damage: (scene: Scene, id: string) => void,
): Promise<{ scene: Scene; id: string; other: string }> {
  const scene = await aScene()
  const browser = scene.browser()
  const [id, other] = [await scene.task(browser), await scene.task(browser)]
  for (const _ of [id, other]) scene.model.answer(calling(['find', { query: 'tea' }]))
  await settled()
  scene.crash()
  damage(scene, id)
  scene.lines.lines.length = 0
  await scene.open()
  browser.connect()
  await settled()
  return { scene, id, other }
}

test('[D23] the row of a task cannot be read: it ends as interrupted, its neighbour goes on', async () => {
  const { scene, id, other } = await damagedIn(({ store }, id) => store.damaged.add(`task:${id}`))
  assert.is(await scene.stateOf(other), 'thinking')
  for (const { answer } of scene.model.waiting.splice(0)) answer(saying('Done.'))
  await isSetAside(scene, id)
  assert.is(scene.record(other).answer, 'Done.')
})

for (const snapshot of [
  { context: null },
  { context: [], value: 'running' },
  { context: { callsInJournal: 3 }, value: 'running' },
  { context: { callsInJournal: 3, taskId: 'another', calls: [] }, value: 'running' },
  [],
  7,
])
  test(`[D23 D11] the row of a task has ${JSON.stringify(snapshot)}: no start fails of it`, async () => {
    const { scene, id, other } = await damagedIn(({ store }, id) =>
      store.rows.set(`task:${id}`, { address: `task:${id}`, version: ROW_VERSIONS.task, at: 0, snapshot }),
    )
    await settled()
    assert.is(scene.record(id).status, 'error')
    assert.is(await scene.stateOf(other), 'thinking')
  })

test('[D23] the rows of a workspace and of an ending cannot be read: both go on', async () => {
  for (const kind of ['workspace', 'closing'] as const) {
    const scene = await aScene()
    const id = await scene.task(scene.browser(), { webhookUrl: 'https://hook.test/' })
    scene.store.fault = (name) => (name === 'tasks.end' ? 'hangs' : null)
    scene.model.answer(saying('Done.'))
    await settled()
    scene.crash()
    scene.store.fault = () => null
    scene.store.damaged.add(kind === 'workspace' ? `workspace:${scene.workspaceId}` : `closing:${id}`)
    scene.lines.lines.length = 0
    await scene.open()
    await settled()
    assert.is(scene.record(id).endedBy, kind === 'workspace' ? 'completed' : 'restart')
    assert.is(errors(scene).length, 1)
    assert.ok(scene.taskService.health().ok)
  }
})

test('[D23] the row of a workspace has a queue of nonsense: its task goes on', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.crash()
  const address = `workspace:${scene.workspaceId}` as const
  const snapshot = { context: { startTimes: 7, queue: 'none' } }
  scene.store.rows.set(address, { address, version: ROW_VERSIONS.workspace, at: 0, snapshot })
  await scene.open()
  await scene.reaches(id, 'thinking')
})

test('[D23 W12] the row of a delivery cannot be read: its event is delivered', async () => {
  const { scene, sent } = await aReceiver()
  scene.deliver = () => new Promise(() => {})
  const id = await scene.task(scene.browser())
  scene.model.answer(saying('Done.'))
  await settled(60)
  scene.crash()
  const [row] = [...scene.store.rows.keys()].filter((address) => address.startsWith('delivery'))
  scene.store.damaged.add(row ?? '')
  scene.deliver = async (_, { id, body }) => {
    sent.push({ id, body, at: 0 })
    return { status: 200, reason: null, answer: '', durationMs: 0, retryAfterMs: null } as never
  }
  await scene.open()
  await settled(60)
  assert.equal([sent.length, deliveries(scene)[0]?.status, scene.record(id).status], [1, 'delivered', 'complete'])
})

test('[D23] the record of a running task cannot be read: all others come back', async () => {
  const { scene, other } = await damagedIn(({ store }, id) => store.damaged.add(`task ${id}`))
  assert.is(await scene.stateOf(other), 'thinking')
  assert.is(errors(scene).length, 1)
})

const LOGS: Readonly<Record<string, (scene: Scene, id: string) => void>> = {
  'a row of its log cannot be read': ({ store }, id) => store.damaged.add(`log ${id}`),
  'the last row of its log is gone': ({ store }, id) => void store.logs.get(id)?.pop(),
  'a row amid its log is gone': ({ store }, id) => void store.logs.get(id)?.splice(1, 1),
  'its whole log is gone': ({ store }, id) => store.logs.delete(id),
}
for (const [what, damage] of Object.entries(LOGS)) {
  for (const [state, into] of Object.entries(INTO).filter(([state]) => state !== 'persistingIntent'))
    test(`[D23] ${state}, ${what}: it ends as interrupted, at once, and its model is not asked again`, async () => {
      const scene = await aScene()
      const id = await into(scene)
      await scene.reaches(id, state)
      scene.crash()
      damage(scene, id)
      scene.lines.lines.length = 0
      const { asked } = scene.model
      await scene.open()
      scene.browsers[0]?.connect()
      scene.browsers[0]?.finish()
      await scene.clock.advance(MINUTE_MS)
      assert.is(scene.model.asked, asked)
      await isSetAside(scene, id)
      assert.is(scene.count('call'), 0)
    })

  for (const name of ['asking', 'paused at its answer', 'script'])
    test(`[D23 I1] ${name}, ${what}: the next thing that needs it ends it as interrupted`, async () => {
      const own = await (INTERRUPTED[name] as () => ReturnType<NonNullable<(typeof INTERRUPTED)[string]>>)()
      const { scene, id, browser } = own
      await ENDINGS['kill -9']?.(own)
      damage(scene, id)
      scene.lines.lines.length = 0
      await scene.open()
      browser.connect()
      await settled()
      const said = await scene.taskService.sendMessage(scene.workspaceId, id, { text: 'Green.', interrupt: false })
      assert.is(said, 'not_running')
      await isSetAside(scene, id)
      if (what.includes('read')) assert.equal(await scene.taskService.turns(id), [])
    })
}

test.run()
