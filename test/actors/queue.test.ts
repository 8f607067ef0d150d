import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { workspaceAddress } from '../../machines/addresses.ts'
import { MINUTE_MS, START_WINDOW_MS } from '../../machines/limits.ts'
import { answerAll, awaiting, full, queuedTask, queueing } from '../support/scene/queue.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type SceneBrowser, saying, settled } from '../support/scene.ts'

const test = suite('queue')

test('[T59] where a start would be refused it waits, holds no slot, and begins when one is free', async () => {
  const { scene, browser } = await full()
  const answer = await scene.start(browser, { waiting: queueing() })
  assert.ok(answer.ok)
  assert.equal([answer.task.status, await scene.stateOf(answer.task.id)], ['running', 'queued'])
  assert.equal(answer.task.queue, { position: 1, expiresAt: scene.clock.now() + 600_000 })
  assert.equal(scene.taskService.counts().activeTasks, 5)
  await scene.clock.advance(5 * MINUTE_MS)
  const { id } = answer.task
  assert.is(scene.model.waiting.length, 5)
  scene.model.answer(saying('Done.'))
  await settled()
  const view = await scene.view(id)
  assert.equal([view.state, view.queue], ['thinking', undefined])
  // [T59] Its 30 minutes begin now.
  assert.is(view.deadlineAt, scene.clock.now() + 30 * MINUTE_MS)
  assert.is(browser.of('task_started').at(-1)?.taskId, id)
  await answerAll(scene)
  assert.equal([scene.record(id).status, scene.record(id).deadlineAt], ['complete', view.deadlineAt])
  nothingLeft(scene)
})

test('[T59] it takes its start time when it leaves the queue, and waits for the rate there', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  for (let i = 0; i < 10; i++) {
    await scene.task(browser)
    await answerAll(scene)
    await scene.clock.advance(1_000)
  }
  const first = await queuedTask(scene, browser)
  const second = await queuedTask(scene, browser)
  assert.equal([await scene.stateOf(first), await scene.stateOf(second)], ['queued', 'queued'])
  await scene.clock.advance(START_WINDOW_MS - 10_000 - 1)
  await scene.reaches(first, 'queued')
  await scene.clock.advance(1)
  assert.equal([await scene.stateOf(first), await scene.stateOf(second)], ['thinking', 'queued'])
  await scene.clock.advance(1_000)
  await scene.reaches(second, 'thinking')
})

test('[T59] without on_limit nothing changes: 429', async () => {
  const { scene, browser } = await full()
  await queuedTask(scene, browser)
  const answer = await scene.start(browser)
  assert.is(!answer.ok && answer.refusal.code, 'too_many_running')
})

test('[T59] what is refused for another reason is refused at once', async () => {
  const { scene } = await full()
  const away = scene.browser(2, {}, false)
  for (const [browser, code] of [
    ['no such id', 'session_not_found'],
    [scene.browser(2, { workspaceId: 'other' }), 'session_forbidden'],
    [away, 'session_not_connected'],
  ] as const) {
    const answer = await scene.start(browser, { waiting: queueing() })
    assert.is(!answer.ok && answer.refusal.code, code)
  }
})

test('[T59] what has waited for its time ends with queue_timeout, without a credit', async () => {
  const { scene, browser } = await full((scene) => {
    scene.billing = { freePerMonth: 20 }
  })
  const id = await queuedTask(scene, browser, { queueTtlMs: 2_000 })
  await scene.clock.advance(1_999)
  await scene.reaches(id, 'queued')
  await scene.clock.advance(1)
  const { status, endedBy, failure, answer } = scene.record(id)
  assert.equal([status, endedBy, failure], ['error', 'queue_timeout', 'timeout'])
  assert.match(answer ?? '', /waited in the queue/)
  assert.is(scene.store.charges.size, 0)
  await answerAll(scene)
  nothingLeft(scene)
})

test('[T59 T26] a queued task can be cancelled', async () => {
  const { scene, browser } = await full()
  const id = await queuedTask(scene, browser)
  const next = await queuedTask(scene, browser)
  const ended = await scene.taskService.cancelTask(scene.workspaceId, id)
  assert.is(typeof ended === 'object' && ended.endedBy, 'cancelled')
  assert.is((await scene.view(next)).queue?.position, 1)
  await answerAll(scene)
  await scene.reaches(next, 'thinking')
  await answerAll(scene)
  nothingLeft(scene)
})

test('[T59 B4] it waits while running tasks hold all places, and begins when they gave them back', async () => {
  const scene = await aScene((it) => {
    it.billing = { freePerMonth: 6 }
  })
  const browser = scene.browser()
  for (let i = 0; i < 5; i++) await scene.task(browser)
  const ids = [await queuedTask(scene, browser), await queuedTask(scene, browser)]
  await answerAll(scene)
  for (let i = 0; i < 10; i++) await scene.clock.advance(1_000)
  assert.equal(
    (await Promise.all(ids.map((id) => scene.stateOf(id)))).sort(),
    ['queued', 'thinking'],
    'one free place is left',
  )
  await answerAll(scene)
  for (let i = 0; i < 10; i++) await scene.clock.advance(1_000)
  assert.is(await scene.stateOf(ids[1] ?? ''), 'queued')
  scene.store.credits = 1
  for (let i = 0; i < 10; i++) await scene.clock.advance(1_000)
  await scene.reaches(ids[1] ?? '', 'thinking')
})

test('[T60] a browser that is away is waited for', async () => {
  const scene = await aScene()
  const away = scene.browser(2, {}, false)
  const answer = await scene.start(away, { waiting: awaiting({ waitTtlMs: 90_000 }) })
  assert.ok(answer.ok)
  assert.equal(answer.task.queue, { position: 1, expiresAt: scene.clock.now() + 90_000 })
  // Others are not held up.
  const other = await scene.task(scene.browser(), { waiting: queueing({ onAway: true }) })
  await scene.reaches(other, 'thinking')
  await scene.clock.advance(60_000)
  await scene.reaches(answer.task.id, 'queued')
  away.connect()
  await scene.reaches(answer.task.id, 'thinking')
})

test('[T60] a browser that does not come in time, is removed or expires ends the wait', async () => {
  const scene = await aScene()
  const start = async (browser: SceneBrowser) => {
    const answer = await scene.start(browser, { waiting: awaiting({ waitTtlMs: 60_000 }) })
    assert.ok(answer.ok)
    return answer.task.id
  }
  const late = await start(scene.browser(2, {}, false))
  const removed = scene.browser(2, {}, false)
  const gone = await start(removed)
  scene.store.sessions.delete(removed.record.id)
  scene.system.registry.post(workspaceAddress(scene.workspaceId), {
    type: 'browser.connected',
    sessionId: removed.record.id,
  })
  await settled()
  assert.equal([scene.record(gone).endedBy, scene.record(gone).failure], ['browser_lost', 'browser_disconnected'])
  await scene.clock.advance(60_000)
  assert.is(scene.record(late).endedBy, 'queue_timeout')
  nothingLeft(scene)
})

test('[T60] a start that waits for a browser ends when that browser is removed, or its session has expired', async () => {
  const { scene, browser } = await full()
  const start = async (
    of: SceneBrowser,
    waiting = queueing({ onAway: true, waitTtlMs: 3_600_000, queueTtlMs: 3_600_000 }),
  ) => {
    const answer = await scene.start(of, { waiting })
    assert.ok(answer.ok)
    return answer.task.id
  }
  const [removed, expired, kept] = [0, 1, 2].map(() => scene.browser(2, {}, false)) as SceneBrowser[]
  assert.ok(removed && expired && kept)
  const ids = [await start(removed), await start(removed), await start(expired), await start(kept)]
  const behind = await start(browser, queueing())
  const endedBy = () => [...ids, behind].map((id) => scene.record(id).endedBy)
  assert.ok(await scene.taskService.removeSession(scene.workspaceId, null, removed.record.id))
  await settled()
  assert.equal(endedBy(), ['browser_lost', 'browser_lost', null, null, null])
  scene.store.sessions.set(expired.record.id, { ...expired.record, expiresAt: scene.clock.now() + 1_000 })
  await scene.clock.advance(5 * 60_000)
  assert.equal(endedBy(), ['browser_lost', 'browser_lost', 'browser_lost', null, null])
  assert.is(scene.record(ids[2] ?? '').failure, 'browser_disconnected')
})

test('[T60] during the task its browser is waited for as long', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser, { waiting: awaiting({ waitTtlMs: 120_000 }) })
  browser.disconnect()
  scene.model.answer(calling(['navigate', { url: 'https://a.example' }]))
  await scene.reaches(id, 'waitingForBrowser')
  await scene.clock.advance(119_000)
  await scene.reaches(id, 'waitingForBrowser')
  browser.connect()
  await settled()
  assert.is(browser.executed.length, 1)
})

test('[T59 D7] a graceful stop keeps the queue, and starts nothing of it meanwhile', async () => {
  const { scene, browser, running } = await full()
  const ids = [await queuedTask(scene, browser), await queuedTask(scene, browser)]
  await scene.opened.stop()
  assert.equal(
    running.map((id) => scene.record(id).endedBy),
    Array(5).fill('shutdown'),
  )
  assert.equal(
    ids.map((id) => scene.record(id).status),
    ['running', 'running'],
  )
  await scene.reopen()
  // Its browser is not back: what may only wait for the limits waits for it all the same.
  assert.equal(await Promise.all(ids.map((id) => scene.stateOf(id))), ['queued', 'queued'])
  browser.connect()
  await settled()
  assert.equal(await Promise.all(ids.map((id) => scene.stateOf(id))), ['thinking', 'thinking'])
})

test.run()
