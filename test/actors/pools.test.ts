import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { workspaceAddress } from '../../machines/addresses.ts'
import { MINUTE_MS, SESSION_LINGER_MS } from '../../machines/limits.ts'
import { TO_BROWSER } from '../../machines/texts.ts'
import type { WorkspaceContext } from '../../machines/workspace-types.ts'
import { answerAll, awaiting } from '../support/scene/queue.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, type SceneBrowser, type StartFields, saying, settled } from '../support/scene.ts'

const test = suite('pools of browsers')

const POOLED = { browser: { pool: 'p' } }
const browserOf = (scene: Scene, places: number, pool = 'p') => scene.browser(2, { pool: { pool, places } })
const start = (scene: Scene, fields: StartFields = {}) => scene.start('', { ...POOLED, ...fields })
const code = async (answer: ReturnType<Scene['start']>) => {
  const { ok, ...rest } = await answer
  return ok ? 'granted' : (rest as { refusal: { code: string } }).refusal.code
}
async function task(scene: Scene, fields: StartFields = {}): Promise<string> {
  const answer = await start(scene, fields)
  if (!answer.ok) throw new Error(answer.refusal.code)
  await settled()
  return answer.task.id
}
function places(scene: Scene) {
  const context: WorkspaceContext | undefined = scene.system.registry.snapshot(
    workspaceAddress(scene.workspaceId),
  )?.context
  return context?.pools.places ?? {}
}
const sessionOf = async (scene: Scene, id: string) => (await scene.view(id)).browserSessionId
const lastRead = (scene: Scene) => JSON.stringify(scene.model.last?.messages.at(-1))
/** The model of one task, of those that wait for an answer. */
const asked = (scene: Scene, n: number) => {
  const [each] = scene.model.waiting.splice(n, 1)
  if (!each) throw new Error(`No task waits for its model as number ${n}`)
  return each
}

test('[Z2] tasks are spread over the browsers of their pool, and are shown with theirs', async () => {
  const scene = await aScene()
  const [small, large] = [browserOf(scene, 1), browserOf(scene, 2)]
  const ids = [await task(scene), await task(scene), await task(scene)]
  const sessions = await Promise.all(ids.map((id) => sessionOf(scene, id)))
  assert.equal(sessions.filter((id) => id === large.record.id).length, 2, 'the larger one has two of the three')
  assert.ok(sessions.includes(small.record.id))
  assert.is(await code(start(scene)), 'pool_busy')
  await answerAll(scene)
  assert.equal(places(scene), {})
  assert.equal(ids.map((id) => scene.record(id).browserSessionId).sort(), [...sessions].sort())
  nothingLeft(scene)
})

test('[Z2] a browser of a pool is not had by its id, and a paired one not by a pool', async () => {
  const scene = await aScene()
  const pooled = browserOf(scene, 1)
  assert.is(await code(scene.start(pooled)), 'session_not_connected')
  scene.browser()
  assert.is(await code(scene.start('', { browser: { pool: 'other' } })), 'pool_empty')
})

test('[Z3] a pool without browsers is empty; that of another workspace is no help', async () => {
  const scene = await aScene()
  scene.browser(2, { workspaceId: 'other', pool: { pool: 'p', places: 5 } })
  assert.is(await code(start(scene)), 'pool_empty')
  const browser = browserOf(scene, 1)
  browser.disconnect()
  await settled()
  assert.is(await code(start(scene)), 'pool_empty')
})

test('[Z3] with on_away it waits for a place, and lets starts for other browsers pass', async () => {
  const scene = await aScene()
  const paired = scene.browser()
  const waiting = [await task(scene, { waiting: awaiting() }), await task(scene, { waiting: awaiting() })]
  assert.equal(await Promise.all(waiting.map((id) => scene.stateOf(id))), ['queued', 'queued'])
  assert.is(await sessionOf(scene, waiting[0] ?? ''), '')
  assert.is(await scene.stateOf(await scene.task(paired)), 'thinking')
  await scene.clock.advance(MINUTE_MS)
  const browser = browserOf(scene, 1)
  await settled()
  assert.equal(await Promise.all(waiting.map((id) => scene.stateOf(id))), ['thinking', 'queued'])
  const view = await scene.view(waiting[0] ?? '')
  assert.equal([view.browserSessionId, view.deadlineAt], [browser.record.id, scene.clock.now() + 30 * MINUTE_MS])
  assert.is(browser.of('task_started')[0]?.taskId, waiting[0])
  scene.model.script = () => saying('Done.')
  await answerAll(scene)
  await settled()
  assert.equal(
    waiting.map((id) => [scene.record(id).status, scene.record(id).browserSessionId]),
    waiting.map(() => ['complete', browser.record.id]),
  )
  nothingLeft(scene)
})

test('[Z3] a start that waits for a place is not given up because it names no browser', async () => {
  const scene = await aScene()
  const id = await task(scene, { waiting: awaiting({ waitTtlMs: 30 * MINUTE_MS }) })
  await scene.clock.advance(11 * MINUTE_MS)
  assert.is(await scene.stateOf(id), 'queued')
})

/** A task of a pool that has read a page, in a pool of two browsers; the other one is free. */
async function reading() {
  const scene = await aScene()
  const browser = browserOf(scene, 1)
  browser.result = () => ({ page: { url: 'https://shop.example/basket' } })
  const id = await task(scene)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  return { scene, browser, id }
}

/** It dies as a process does that was killed: its socket closes, and it never comes back. */
async function killed(browser: SceneBrowser): Promise<void> {
  browser.disconnect()
  await settled()
}

test('[Z5] the next call of a task whose browser died is not sent, the model reads where its page was, and it goes on', async () => {
  const { scene, browser, id } = await reading()
  const other = browserOf(scene, 1)
  await killed(browser)
  scene.model.answer(calling(['computer', { action: 'left_click', ref: 'e1' }], ['find', {}]))
  await scene.reaches(id, 'waitingForBrowser')
  await scene.clock.advance(5_000)
  await scene.reaches(id, 'thinking')
  assert.match(lastRead(scene), 'the browser of this task is gone, and with it the page (https://shop.example/basket)')
  assert.equal([other.executed, await sessionOf(scene, id)], [[], other.record.id])
  scene.model.answer(calling(['navigate', { url: 'https://shop.example/' }]))
  await scene.reaches(id, 'thinking')
  assert.is(other.executed.length, 1)
  assert.not.match(lastRead(scene), 'is gone')
  await answerAll(scene)
  assert.equal([scene.record(id).status, scene.record(id).browserSessionId], ['complete', other.record.id])
  assert.is(other.of('task_complete').length, 1)
  nothingLeft(scene)
})

test('[Z5] a browser that comes back is told which tasks have left it meanwhile, by a move or their end', async () => {
  const { scene, browser, id } = await reading()
  const other = browserOf(scene, 1)
  assert.equal([...browser.tasks], [id])
  await killed(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.clock.advance(5_000)
  await scene.reaches(id, 'thinking')
  assert.is(await sessionOf(scene, id), other.record.id)
  assert.equal([...browser.tasks], [id], 'it was away')
  browser.connect()
  assert.equal(browser.of('task_error').at(-1), { type: 'task_error', taskId: id, error: TO_BROWSER.taskLeft })
  assert.equal([...browser.tasks], [])
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  await killed(other)
  await answerAll(scene)
  assert.is(scene.record(id).status, 'complete')
  assert.equal([...other.tasks], [id])
  other.connect()
  assert.equal([...other.tasks], [])
})

test('[Z5] a browser is told that a task leaves it whose place another one has got', async () => {
  const { scene, browser, id } = await reading()
  const other = browserOf(scene, 1)
  const first = await task(scene)
  await killed(other)
  asked(scene, 1).answer(calling(['find', {}]))
  await settled()
  await scene.clock.advance(1)
  await killed(browser)
  asked(scene, 0).answer(calling(['find', {}]))
  await settled()
  await scene.clock.advance(5_000)
  await scene.reaches(id, 'changingBrowser')
  browser.connect()
  await settled()
  assert.is(await sessionOf(scene, first), browser.record.id)
  assert.ok(browser.tasks.has(id), 'it may get a place here yet')
  const third = browserOf(scene, 1)
  await settled()
  assert.is(await sessionOf(scene, id), third.record.id)
  assert.not(browser.tasks.has(id))
})

test('[Z5] a browser that comes back within 5 s keeps its task and its page', async () => {
  const { scene, browser, id } = await reading()
  browserOf(scene, 1)
  await killed(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.clock.advance(4_999)
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.equal([browser.executed.length, await sessionOf(scene, id)], [2, browser.record.id])
})

test('[Z5] it waits for a place while there is none, and gets the next one before a queued task', async () => {
  const { scene, browser, id } = await reading()
  await killed(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.clock.advance(5_000)
  await scene.reaches(id, 'changingBrowser')
  const queued = await task(scene, { waiting: awaiting() })
  const other = browserOf(scene, 1)
  await settled()
  assert.equal([await scene.stateOf(id), await scene.stateOf(queued)], ['thinking', 'queued'])
  assert.is(await sessionOf(scene, id), other.record.id)
})

test('[Z5 T37] without any browser its call fails in the end, and the task gets one that comes later', async () => {
  const { scene, browser, id } = await reading()
  await killed(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.clock.advance(20_000)
  await scene.reaches(id, 'thinking')
  assert.match(lastRead(scene), 'Relay not connected')
  const other = browserOf(scene, 1)
  await settled()
  assert.is(await sessionOf(scene, id), other.record.id)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  assert.match(lastRead(scene), 'is gone')
  assert.is(other.executed.length, 0)
})

test('[Z5] the answer of a task whose browser died counts', async () => {
  const { scene, browser, id } = await reading()
  await killed(browser)
  asked(scene, 0).answer(saying('Done.'))
  await settled()
  assert.is(scene.record(id).status, 'complete')
  assert.equal(places(scene), {})
})

test('[Z2 D7] after a crash of the service each task has the place that it had', async () => {
  const scene = await aScene()
  const browsers = [browserOf(scene, 1), browserOf(scene, 1)]
  const ids = [await task(scene), await task(scene)]
  const before = await Promise.all(ids.map((id) => sessionOf(scene, id)))
  await scene.reopen()
  for (const browser of browsers) browser.connect()
  await settled()
  assert.equal(await Promise.all(ids.map((id) => sessionOf(scene, id))), before)
  assert.equal(Object.values(places(scene)).sort(), [...before].sort())
  assert.is(await code(start(scene)), 'pool_busy')
  await answerAll(scene)
  assert.equal(places(scene), {})
})

test('[Z5 D7] a service that crashed while a task waited for another browser goes on waiting', async () => {
  const { scene, browser, id } = await reading()
  await killed(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.clock.advance(5_000)
  await scene.reaches(id, 'changingBrowser')
  await scene.reopen()
  await scene.reaches(id, 'changingBrowser')
  const other = browserOf(scene, 1)
  await scene.reaches(id, 'thinking')
  assert.is(await sessionOf(scene, id), other.record.id)
  assert.match(lastRead(scene), 'https://shop.example/basket')
})

test('[Z5 D7] the same, and its wait is over before its log can be read: it goes on without a browser', async () => {
  const { scene, browser, id } = await reading()
  await killed(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.clock.advance(5_000)
  await scene.reaches(id, 'changingBrowser')
  scene.store.fault = (name) => (name === 'log' ? 'rejects' : null)
  await scene.reopen()
  await scene.clock.advance(MINUTE_MS)
  await scene.reaches(id, 'thinking')
  scene.store.fault = () => null
  await scene.clock.advance(MINUTE_MS)
  assert.match(lastRead(scene), 'Relay not connected')
  await answerAll(scene)
  assert.is(scene.record(id).status, 'complete')
})

test('[Z3 D7] a start that waited for a place when the service crashed gets one afterwards', async () => {
  const scene = await aScene()
  const id = await task(scene, { waiting: awaiting() })
  await scene.reopen()
  assert.is(await scene.stateOf(id), 'queued')
  browserOf(scene, 1)
  await scene.reaches(id, 'thinking')
})

test('[Z1 D14] a workspace that was restarted after a failure still knows its browsers and places', async () => {
  const scene = await aScene()
  const [gone, there] = [browserOf(scene, 5), browserOf(scene, 1)]
  const id = await task(scene)
  assert.is(await sessionOf(scene, id), gone.record.id)
  scene.system.registry.fail([workspaceAddress(scene.workspaceId)], new Error('a bug'))
  gone.disconnect()
  await settled()
  assert.is(await sessionOf(scene, await task(scene)), there.record.id)
  assert.is(await code(start(scene)), 'pool_busy')
})

test('[Z1] the record of a browser of a pool is removed when it has been away for 5 minutes, that of another one stays', async () => {
  const scene = await aScene()
  const [pooled, paired] = [browserOf(scene, 1), scene.browser()]
  pooled.disconnect()
  paired.disconnect()
  await scene.clock.advance(SESSION_LINGER_MS)
  assert.equal([...scene.store.sessions.keys()], [paired.record.id])
})

test('[Z4] a start for the pool of the service waits until its browsers are there; no other start does', async () => {
  let needed = 0
  const scene = await aScene((it) => {
    it.ownPool = {
      name: 'default',
      need: async () => {
        needed++
        browserOf(it, 1, 'default')
      },
    }
  })
  assert.is(await code(start(scene)), 'pool_empty')
  assert.is(needed, 0)
  assert.is(await code(scene.start('', { browser: { pool: 'default' } })), 'granted')
  assert.is(needed, 1)
})

test('[Z4] a start that waits for the pool of the service has its browsers started after a restart of the service', async () => {
  let needed = 0
  const scene = await aScene((it) => {
    it.ownPool = { name: 'default', need: async () => void needed++ }
  })
  const answer = await scene.start('', {
    browser: { pool: 'default' },
    waiting: awaiting({ waitTtlMs: 30 * MINUTE_MS }),
  })
  assert.ok(answer.ok)
  await scene.reopen()
  await settled()
  needed = 0
  await scene.clock.advance(MINUTE_MS)
  assert.is(needed, 1)
  browserOf(scene, 1, 'default')
  await scene.reaches(answer.task.id, 'thinking')
  await scene.clock.advance(MINUTE_MS)
  assert.is(needed, 1, 'nobody waits any more')
})

test('[Z8] what a task says of its context goes to browsers that can, and fails in others', async () => {
  const scene = await aScene()
  const able = scene.browser()
  able.tools = ['contexts']
  able.connect()
  const options = { viewport: { width: 390, height: 844 }, locale: 'de-DE', timeZone: 'Europe/Berlin' }
  const id = await scene.task(able, { browser: { pool: null, context: options } })
  assert.match(JSON.stringify(scene.model.last), 'Europe/Berlin')
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  assert.equal(able.of('mcp_execute_tool')[0]?.context, options)
  const unable = scene.browser()
  const other = await scene.task(unable, { browser: { pool: null, context: options } })
  asked(scene, 1).answer(calling(['find', {}]))
  await scene.reaches(other, 'thinking')
  assert.match(lastRead(scene), 'This browser cannot be given a viewport')
  assert.equal(unable.executed, [])
})

test.run()
