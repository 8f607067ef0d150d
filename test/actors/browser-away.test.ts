import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SESSION_LINGER_MS } from '../../machines/limits.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { INTO, nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, saying, settled } from '../support/scene.ts'

const test = suite('browser away')

test('[T37 R21] a browser that is away: fifteen seconds, then `Relay not connected`, and the model decides', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  browser.disconnect()
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'waitingForBrowser')
  await scene.clock.advance(14_999)
  assert.is(await scene.stateOf(id), 'waitingForBrowser')
  await scene.clock.advance(1)
  assert.is(await scene.stateOf(id), 'thinking')
  assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), 'Error: Relay not connected')
})

test('[T37] a browser that comes back in time is asked, once', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  browser.disconnect()
  scene.model.answer(calling(['find', {}]))
  await scene.clock.advance(14_999)
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
})

test('[T37] also one whose session had lingered for its time just before', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  browser.disconnect()
  // The model takes its time, twice: the session has almost let go when the task begins to wait.
  await scene.clock.advance(SESSION_LINGER_MS - 5_000)
  assert.is(await scene.stateOf(id), 'thinking')
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'waitingForBrowser')
  await scene.clock.advance(10_000)
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
})

test('[R19] a browser that drops out while it acts: its call fails at once', async () => {
  const scene = await aScene()
  const id = await INTO.acting(scene)
  await scene.reaches(id, 'acting')
  scene.browsers[0]?.disconnect()
  await scene.reaches(id, 'thinking')
  const said = `Error: Browser session ${scene.browsers[0]?.record.id} disconnected`
  assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), said)
})

test('[R6 R41] taken over by the same browser, protocol 2: the call goes on, and is run once', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'acting')
  browser.connect()
  await scene.reaches(id, 'acting')
  assert.equal(
    browser.closed.map(({ code }) => code),
    [4409],
  )
  browser.finish()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
  assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), 'seen')
})

test('[R41 D8] taken over by a browser that was started anew: unknown, and not run again', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'acting')
  browser.forgets()
  browser.connect()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
  assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), TO_MODEL.unknown)
})

test('[S11] a removal whose confirmation is lost is finished by the retry, once', async () => {
  const scene = await aScene()
  const { record, closed } = scene.browser()
  const remove = (keyId: string | null = null) => scene.taskService.removeSession(scene.workspaceId, keyId, record.id)
  scene.store.fault = (name) => {
    if (name !== 'sessions.remove') return null
    scene.store.sessions.delete(record.id)
    return 'rejects'
  }
  await remove().then(
    () => assert.unreachable('the store did not confirm it'),
    (error: Error) => assert.match(error.message, 'sessions.remove failed'),
  )
  assert.equal(closed, [])
  scene.store.fault = () => null
  assert.is(await remove('another key'), false)
  assert.is(await scene.taskService.removeSession('another workspace', null, record.id), false)
  assert.is(await remove(), true)
  await settled()
  assert.equal(
    closed.map(({ code }) => code),
    [4403],
  )
  assert.is(await remove(), false)
})

test('[S11 M4] a removal that a former owner of the workspace made is finished by the next one', async () => {
  const scene = await aScene()
  const { record, closed } = scene.browser()
  scene.store.sessions.delete(record.id)
  assert.is(await scene.taskService.removeSession('another workspace', null, record.id), false)
  assert.equal(closed, [])
  assert.is(await scene.taskService.removeSession(scene.workspaceId, null, record.id), true)
  await settled()
  assert.equal(
    closed.map(({ code }) => code),
    [4403],
  )
})

test('[S12] its session is removed while it acts: the call fails, the model decides, the memory is let go', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'acting')
  assert.ok(await scene.taskService.removeSession(scene.workspaceId, null, browser.record.id))
  await scene.reaches(id, 'thinking')
  assert.equal(
    browser.closed.map(({ code }) => code),
    [4403],
  )
  assert.is(scene.system.heard.size, 0)
  scene.model.answer(saying('The browser is gone.'))
  await settled()
  nothingLeft(scene)
})

test('[S10] a session that stays away is let go, with what is remembered of it', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.result = () => ({ tab: { tabId: 1, windowId: 2, browserSessionId: browser.record.id } })
  await scene.task(browser)
  scene.model.answer(calling(['find', {}]))
  await settled()
  scene.model.answer(saying('Done.'))
  await settled()
  assert.equal([scene.system.tabs.size, scene.system.heard.size, scene.count('session')], [1, 1, 1])
  browser.disconnect()
  await scene.clock.advance(SESSION_LINGER_MS)
  assert.equal([scene.system.tabs.size, scene.system.heard.size, scene.count('session')], [0, 0, 0])
  assert.equal([scene.store.sessions.get(browser.record.id)?.tabId], [1])
})

test.run()
