import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MINUTE_MS, STORE_RETRY_MS } from '../../machines/limits.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, type SceneBrowser, saying, settled } from '../support/scene.ts'

const test = suite('recovered calls')

/** A task that acts, with its browser, which has not answered. */
async function acting(
  protocol: 1 | 2 = 2,
  remote = false,
): Promise<{ scene: Scene; browser: SceneBrowser; id: string }> {
  const scene = await aScene((scene) => {
    scene.store.remote = remote
  })
  const browser = scene.browser(protocol)
  browser.answers = false
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', { query: 'tea' }]))
  await scene.reaches(id, 'acting')
  return { scene, browser, id }
}
const lastRead = (scene: Scene) => JSON.stringify(scene.model.last?.messages.at(-1))

/** It goes on to its end as if nothing had been. */
async function completes(scene: Scene, id: string): Promise<void> {
  scene.model.answer(saying('Bought.'))
  await settled()
  assert.equal([scene.record(id).status, scene.record(id).answer], ['complete', 'Bought.'])
  assert.is(scene.store.usage.size, 1)
  nothingLeft(scene)
}

for (const remote of [false, true])
  test(`[D8 D1] acting, the browser still runs it, ${remote ? 'remote' : 'embedded'} store: waited for, not sent again`, async () => {
    const { scene, browser, id } = await acting(2, remote)
    await scene.reopen()
    await scene.reaches(id, 'reconciling')
    browser.connect()
    await scene.reaches(id, 'reconciling')
    browser.finish()
    await scene.reaches(id, 'thinking')
    assert.is(browser.executed.length, 1)
    assert.match(lastRead(scene), 'seen')
    await completes(scene, id)
  })

test('[D8 R40] acting, the browser is done with it: asked under the same id it gives the remembered result', async () => {
  const { scene, browser, id } = await acting()
  scene.crash()
  browser.finish(undefined, { output: 'remembered' })
  await scene.open()
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
  assert.match(lastRead(scene), 'remembered')
  await completes(scene, id)
})

for (const [who, change] of [
  ['that was started anew, with another memory', (browser: SceneBrowser) => browser.forgets()],
  [
    'that does not say what memory it has any more',
    (browser: SceneBrowser) => {
      browser.forgets()
      browser.instance = null
    },
  ],
] as const)
  test(`[D8 D9] acting, a browser ${who}: unknown, and not run again`, async () => {
    const { scene, browser, id } = await acting()
    scene.crash()
    change(browser)
    await scene.open()
    browser.connect()
    await scene.reaches(id, 'thinking')
    assert.is(browser.executed.length, 1)
    assert.match(lastRead(scene), TO_MODEL.unknown)
    await completes(scene, id)
  })

test('[D9] acting, protocol 1: unknown, not run again, and the model reads that it should look first', async () => {
  const { scene, browser, id } = await acting(1)
  await scene.reopen()
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
  assert.match(lastRead(scene), 'Look at the page before you repeat it')
  // Its late answer finds nobody [R17].
  const dropped = () => scene.system.vitals.getSnapshot().context.resultsDropped
  const before = dropped()
  scene.taskService.toolResult(browser.record.id, { ...RESULT, requestId: browser.executed[0] ?? '' })
  assert.is(dropped(), before + 1)
  await completes(scene, id)
})
const RESULT = { error: null, output: 'late', screenshot: null, tab: null }

test('[D8] acting, no browser comes within fifteen seconds: unknown', async () => {
  const { scene, id } = await acting()
  await scene.reopen()
  await scene.clock.advance(14_999)
  await scene.reaches(id, 'reconciling')
  await scene.clock.advance(1)
  await scene.reaches(id, 'thinking')
  assert.match(lastRead(scene), TO_MODEL.unknown)
})

test('[D8] crashed again and again: the same id, run once', async () => {
  const { scene, browser, id } = await acting()
  for (let i = 0; i < 3; i++) {
    await scene.reopen()
    await scene.reaches(id, 'reconciling')
    if (i === 1) browser.connect()
    await settled()
  }
  browser.finish()
  await scene.reopen()
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
  await completes(scene, id)
})

test('[D24 D8] a start reads the step at hand, and a whole log when a browser comes', async () => {
  const { scene, browser, id } = await acting()
  const several = await scene.task(browser)
  scene.model.answer(calling(['find', { query: 'pot' }], ['find', { query: 'cup' }], ['find', { query: 'lid' }]))
  await scene.reaches(several, 'acting')
  const waiting = await scene.task(browser, { asksUser: true })
  scene.model.answer(calling(['ask_user', { question: 'Green or black?', options: ['green', 'black'] }]))
  await scene.reaches(waiting, 'waitingForInput')
  scene.crash()
  const read: [unknown, unknown][] = []
  scene.store.fault = (name, [taskId, part]) => {
    if (name === 'log') read.push([taskId, part ?? 'all'])
    return null
  }
  await scene.open()
  await settled()
  for (const each of [id, several]) await scene.reaches(each, 'reconciling')
  assert.ok(read.length > 0)
  assert.equal(
    read.filter(([, part]) => part === 'all'),
    [],
  )
  browser.connect()
  for (const call of [...browser.executed]) browser.finish(call)
  await settled()
  const whole = read.flatMap(([taskId, part]) => (part === 'all' ? [String(taskId)] : []))
  assert.equal([...new Set(whole)].sort(), [id, several].sort())
  await scene.reaches(waiting, 'waitingForInput')
})

test('[D8] its result was in the journal already: it is read from there, and nobody is asked', async () => {
  const { scene, browser, id } = await acting()
  // The result is kept by one commit with the row; a database without transactions may keep it alone.
  const [row] = [...scene.store.rows.values()].filter(({ address }) => address === `task:${id}`)
  browser.finish()
  await scene.reaches(id, 'thinking')
  scene.crash()
  if (row) scene.store.rows.set(row.address, row)
  await scene.open()
  await scene.reaches(id, 'thinking')
  assert.equal([browser.executed.length, scene.store.journal(id).length], [1, 2])
  assert.match(lastRead(scene), 'seen')
  await completes(scene, id)
})

for (const [state, prepare] of Object.entries({
  acting: (scene: Scene, browser: SceneBrowser) => {
    browser.answers = false
    scene.model.answer(calling(['find', { query: 'tea' }]))
  },
  waitingForBrowser: (scene: Scene, browser: SceneBrowser) => {
    browser.disconnect()
    scene.model.answer(calling(['find', { query: 'tea' }]))
  },
}))
  test(`[D8 T37] ${state}, and what was kept takes minutes to read: the wait for its browser begins afterwards`, async () => {
    const scene = await aScene()
    const browser = scene.browser()
    const slow = scene.browser()
    slow.answers = false
    const [id, other] = [await scene.task(browser), await scene.task(slow)]
    prepare(scene, browser)
    await scene.reaches(id, state)
    // This one is restored last, and from its log: two calls of its reply are left.
    scene.model.answer(calling(['find', { query: 'pot' }], ['find', { query: 'cup' }]))
    await scene.reaches(other, 'acting')
    scene.crash()
    if (state === 'acting') browser.finish(undefined, { output: 'remembered' })
    scene.store.fault = (name, [task]) => (name === 'log' && task === other ? 'rejects' : null)
    const opening = scene.open()
    await scene.clock.advance(3 * MINUTE_MS)
    scene.store.fault = () => null
    await scene.clock.advance(STORE_RETRY_MS)
    await opening
    await scene.clock.advance(14_000)
    assert.is(await scene.stateOf(id), state === 'acting' ? 'reconciling' : state)
    browser.connect()
    await scene.reaches(id, 'thinking')
    assert.is(browser.executed.length, 1)
    assert.match(JSON.stringify(scene.model.waiting.map(({ request }) => request.messages)), /remembered|seen/)
  })

test.run()
