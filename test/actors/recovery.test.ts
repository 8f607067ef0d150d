import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ROW_VERSIONS } from '../../actors/runtime/row-versions.ts'
import { MINUTE_MS } from '../../machines/limits.ts'
import { ANSWERS } from '../../machines/texts.ts'
import { INTO, nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, type SceneBrowser, saying, settled } from '../support/scene.ts'

const test = suite('recovery')

const executedOnce = ({ executed }: SceneBrowser) => assert.is(executed.length, new Set(executed).size)

/** It goes on to its end as if nothing had been. */
async function completes(scene: Scene, id: string): Promise<void> {
  await settled()
  scene.model.answer(saying('Bought.'))
  await settled()
  assert.equal([scene.record(id).status, scene.record(id).answer], ['complete', 'Bought.'])
  assert.is(scene.store.usage.size, 1)
  nothingLeft(scene)
}

test('[D7] thinking: the model is asked again, with the same words, and the task completes', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  const asked = scene.model.last?.messages
  await scene.reopen()
  await scene.reaches(id, 'thinking')
  assert.equal(scene.model.last?.messages, asked)
  await completes(scene, id)
  executedOnce(browser)
})

test('[D16] a service that is abandoned ends no task and writes nothing more; the next one goes on with it', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  const { length } = scene.store.commits
  const [asked] = scene.model.waiting
  scene.opened.abandon()
  await scene.opened.stop()
  await scene.clock.advance(MINUTE_MS)
  assert.ok(asked?.signal.aborted)
  assert.is(scene.store.commits.length, length)
  assert.is(scene.record(id).status, 'running')
  await scene.reopen()
  await completes(scene, id)
})

test('[D7 L3] backing off: the retry keeps its absolute time and its count', async () => {
  const scene = await aScene()
  const id = await INTO.backingOff(scene)
  await scene.reaches(id, 'backingOff')
  await scene.clock.advance(400)
  await scene.reopen()
  await scene.clock.advance(599)
  await scene.reaches(id, 'backingOff')
  await scene.clock.advance(1)
  await scene.reaches(id, 'thinking')
  await completes(scene, id)
})

test('[D2 D5] keeping, nothing of it on disk: the model is asked again, nothing had left', async () => {
  const scene = await aScene()
  const id = await INTO.persistingIntent(scene)
  await scene.reaches(id, 'persistingIntent')
  scene.crash()
  scene.store.fault = () => null
  await scene.open()
  await scene.reaches(id, 'thinking')
  assert.equal(scene.browsers[0]?.executed, [])
  await completes(scene, id)
})

test('[D5 D8] keeping, on disk, its frame not sent: a browser that never saw it is sent it, once', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  // The process dies as the frame is about to leave.
  scene.onFrame = ({ type }) => {
    if (type === 'mcp_execute_tool') throw new Error('killed')
  }
  scene.model.answer(calling(['find', {}]))
  await new Promise<void>((resolve) => {
    const { commits } = scene.store
    const look = () => (JSON.stringify(commits.at(-1)).includes('"persistingIntent"') ? resolve() : setImmediate(look))
    look()
  })
  scene.crash()
  scene.onFrame = () => {}
  await scene.open()
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
  await completes(scene, id)
})

test('[D4] its reply was in the journal already: the model is not asked again, its calls keep their ids', async () => {
  for (const begun of [true, false]) {
    const scene = await aScene()
    const browser = scene.browser()
    const id = await scene.task(browser)
    const row = scene.store.rows.get(`task:${id}`)
    browser.answers = false
    scene.model.answer(calling(['find', {}]))
    await scene.reaches(id, 'acting')
    scene.crash()
    // As a database without transactions may have it: the reply is there, the row is the one before; or none was written yet.
    if (row) scene.store.rows.set(row.address, begun ? row : { ...row, snapshot: null })
    const { asked } = scene.model
    await scene.open()
    browser.connect()
    await settled()
    assert.is(scene.model.asked, asked, 'asked again')
    const [reply] = scene.store.journal(id)
    assert.equal(reply?.kind === 'reply' && reply.calls.map(({ requestId }) => requestId), [browser.executed[0]])
    assert.is(browser.executed.length, 1)
  }
})

test('[D7 T37] waiting for its browser: it goes on to wait, and the call is sent when the browser comes', async () => {
  const scene = await aScene()
  const id = await INTO.waitingForBrowser(scene)
  await scene.reaches(id, 'waitingForBrowser')
  await scene.reopen()
  await scene.reaches(id, 'waitingForBrowser')
  scene.browsers[0]?.connect()
  await scene.reaches(id, 'thinking')
  assert.is(scene.browsers[0]?.executed.length, 1)
  await completes(scene, id)
})

for (const [state, into] of Object.entries(INTO))
  test(`[D7 T28] ${state}: the deadline keeps its absolute time through a restart`, async () => {
    const scene = await aScene()
    const id = await into(scene)
    await scene.reaches(id, state)
    scene.crash()
    scene.store.fault = () => null
    const { deadlineAt } = scene.record(id)
    scene.clock.jump(deadlineAt - 1 - scene.clock.now())
    await scene.open()
    await scene.clock.advance(0)
    assert.is(scene.record(id).status, 'running')
    await scene.clock.advance(1)
    assert.equal([scene.record(id).endedBy, scene.record(id).completedAt], ['time_limit', deadlineAt])
    nothingLeft(scene)
  })

test('[T30 D7] past thirty-five minutes a task is ended with the text of a restart, at thirty-five it is not', async () => {
  for (const [ms, endedBy, answer] of [
    [35 * MINUTE_MS, 'time_limit', ANSWERS.timeLimit],
    [35 * MINUTE_MS + 1, 'restart', 'Task was interrupted by a server restart.'],
  ] as const) {
    const scene = await aScene()
    const id = await scene.task(scene.browser(), { webhookUrl: 'https://hook.test/' })
    scene.crash()
    scene.clock.jump(ms)
    await scene.open()
    await scene.clock.advance(0)
    assert.equal([scene.record(id).endedBy, scene.record(id).answer], [endedBy, answer])
    assert.is(scene.webhooks.length, 1)
    nothingLeft(scene)
  }
})

const broken = (what: string, change: (scene: Scene, address: string) => void) =>
  test(`[D11] a task whose row is ${what} is closed with a clear answer`, async () => {
    const scene = await aScene()
    const id = await scene.task(scene.browser())
    scene.crash()
    change(scene, `task:${id}`)
    await scene.open()
    await settled()
    assert.is(scene.record(id).status, 'error')
    assert.match(scene.record(id).answer ?? '', /interrupted by a server restart|Agent loop crashed/)
    nothingLeft(scene)
  })
broken('of an unknown version', ({ store }, address) => {
  const row = store.rows.get(address)
  if (row) store.rows.set(address, { ...row, version: ROW_VERSIONS.task + 1 })
})
broken('gone', ({ store }, address) => store.rows.delete(address))
for (const snapshot of [{}, 'nonsense', { status: 'active', value: 'nowhere', context: {}, children: {} }])
  broken(`${JSON.stringify(snapshot)}`, ({ store }, address) => {
    store.rows.set(address, { address, version: ROW_VERSIONS.closing, at: 0, snapshot })
  })

test('[D7 T8 T9] its workspace comes back with a window and its places', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  for (let i = 0; i < 5; i++) await scene.task(browser)
  await scene.reopen()
  browser.connect()
  const sixth = await scene.start(browser)
  assert.is(!sixth.ok && sixth.refusal.code, 'too_many_running')
  for (let i = 0; i < 4; i++) await scene.start(browser)
  const eleventh = await scene.start(browser)
  assert.is(!eleventh.ok && eleventh.refusal.code, 'rate_limited')
})

test('[D7] rows of tasks that have ended are cleared away', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  const row = scene.store.rows.get(`task:${id}`)
  scene.model.answer(saying('Done.'))
  await settled()
  scene.crash()
  if (row) scene.store.rows.set(row.address, row)
  await scene.open()
  await settled()
  nothingLeft(scene)
  assert.is(scene.record(id).answer, 'Done.')
})

test.run()
