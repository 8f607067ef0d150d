import { cpSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { calling, Scene, SceneBrowser, saying, settled } from '../support/scene.ts'
import { tempFolder } from '../support/stores.ts'

/**
 * Data folders that earlier versions wrote, as they were when their process was killed. Each has tasks in every state
 * that lasts, one that is being closed, and one that had finished.
 */
const FOLDERS = ['test/stores/version-6']

const EVERYTHING = { limit: 100, status: null, browserSessionId: null, after: null }

const test = suite('data of earlier versions')

/** A scene over what the folder holds, read by today's store. */
async function sceneOf(folder: string): Promise<Scene> {
  const dataDir = tempFolder()
  cpSync(folder, dataDir, { recursive: true })
  const store = await openLmdbStore({ dataDir, owner: { address: 'a test' } })
  const scene = new Scene()
  const kept = scene.store
  for await (const row of store.actors()) kept.rows.set(row.address, row)
  for (const workspace of await store.workspaces.list()) {
    for (const { id } of await store.tasks.list({ ...EVERYTHING, workspaceId: workspace.id })) {
      const record = await store.tasks.get(id)
      if (record) kept.tasks.set(id, record)
      kept.logs.set(id, [{ taskId: id, workspaceId: workspace.id, position: null, entries: await store.log(id) }])
    }
    for (const session of await store.sessions.list(workspace.id, null)) kept.sessions.set(session.id, session)
  }
  await store.close()
  return scene
}

for (const folder of FOLDERS)
  test(`[D11] ${folder}: its tasks go on where they were, and complete`, async () => {
    const scene = await sceneOf(folder)
    const running = [...scene.store.tasks.values()].filter(({ status }) => status === 'running')
    assert.equal(running.map(({ task }) => task).sort(), ['acting', 'backing off', 'forgotten', 'thinking', 'waiting'])
    const sent = new Map([...scene.store.rows].map(([address, { snapshot }]) => [address, instanceIn(snapshot)]))
    await scene.open()
    await settled()
    assert.equal(
      running.filter(({ id }) => scene.record(id).status !== 'running').map(({ task }) => task),
      [],
    )
    for (const { id, browserSessionId } of running) {
      const record = scene.store.sessions.get(browserSessionId)
      if (!record) throw new Error(`No session of task ${id}`)
      const protocol = scene.record(id).task === 'forgotten' ? 1 : 2
      const browser = new SceneBrowser(record, protocol, () => scene.taskService)
      browser.instance = protocol === 1 ? null : (sent.get(`task:${id}`) ?? browser.instance)
      scene.browsers.push(browser)
      browser.connect()
    }
    const results: string[] = []
    scene.model.script = ({ messages }) => {
      results.push(JSON.stringify(messages.at(-1)))
      return saying(`Done after ${messages.length} messages.`)
    }
    for (const asked of scene.model.waiting.splice(0)) asked.answer(calling(['find', { query: 'again' }]))
    await scene.clock.advance(120_000)
    for (const { id, task } of running) assert.is(scene.record(id).status, 'complete', task)
    // Only the browser that keeps no memory leaves the outcome of its call unknown.
    assert.is(results.filter((result) => /unknown/.test(result)).length, 1)
    const rows = [...scene.store.rows.keys()].filter((address) => !address.startsWith('workspace:'))
    assert.equal(rows, [])
    assert.is(scene.webhooks.length, 1, 'the webhook that was under way is called again')
    const finished = [...scene.store.tasks.values()].find(({ task }) => task === 'finished')
    assert.is(finished?.answer, 'Found.')
  })

function instanceIn(snapshot: unknown): string | null {
  const { context } = snapshot as { context?: { browserInstanceId?: string | null } }
  return context?.browserInstanceId ?? null
}

test.run()
