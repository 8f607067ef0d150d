import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { taskAddress } from '../../machines/addresses.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('messages and pauses')

const say = (scene: Scene, id: string, text: string, interrupt = false) =>
  scene.taskService.sendMessage(scene.workspaceId, id, { text, interrupt })
const hold = (scene: Scene, id: string, paused: boolean, by?: 'browser') =>
  scene.taskService.pauseTask(scene.workspaceId, id, paused, by)
/** What the model was asked last, by role. */
const asked = (scene: Scene) =>
  (scene.model.last?.messages ?? []).map((message) => (message.role === 'user' ? message.text : message.role))

test('[I1] a message is read before the next reply, behind the results of the calls', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  scene.model.answer(calling(['navigate', { url: 'https://a.example' }]))
  await settled()
  assert.is(await say(scene, id, 'Only organic tea.'), 'sent')
  assert.is(await say(scene, id, 'And a pot.'), 'sent')
  browser.finish()
  await settled()
  const words = ['Message from the user:\nOnly organic tea.', 'Message from the user:\nAnd a pot.']
  assert.equal(asked(scene).slice(1), ['assistant', 'tool', ...words])
})

test('[I1] a task is not ended by an answer that does not know of a message', async () => {
  for (const end of [saying('Done.'), calling(['finish', { success: true, answer: 'Done.' }])]) {
    const scene = await aScene()
    const id = await scene.task(scene.browser())
    await say(scene, id, 'And a pot.')
    scene.model.answer(end)
    await scene.reaches(id, 'thinking')
    assert.is(asked(scene).at(-1), 'Message from the user:\nAnd a pot.')
    scene.model.answer(saying('Tea and a pot.'))
    await settled()
    assert.is(scene.record(id).answer, 'Tea and a pot.')
    nothingLeft(scene)
  }
})

test('[I1] interrupt gives up the model call that is under way, and never a call that left', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  const [first] = scene.model.waiting
  await say(scene, id, 'Green tea.', true)
  await settled()
  assert.ok(first?.signal.aborted)
  assert.is(asked(scene).at(-1), 'Message from the user:\nGreen tea.')
  scene.model.answer(calling(['navigate', { url: 'https://a.example' }], ['read_page', {}]))
  await settled()
  await say(scene, id, 'Black tea.', true)
  await settled()
  await scene.reaches(id, 'acting')
  browser.finish()
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 1)
  assert.match(JSON.stringify(scene.model.last?.messages), /Not run: the user has sent a message/)
})

test('[I1 D7] what was acknowledged is there after a crash, once and in its place', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  scene.model.answer(calling(['navigate', { url: 'https://a.example' }]))
  await settled()
  await say(scene, id, 'Read by the next.')
  await scene.reopen()
  browser.connect()
  await settled()
  const once = asked(scene)
  assert.is(once.at(-1), 'Message from the user:\nRead by the next.')
  scene.model.answer(calling(['read_page', {}]))
  await settled()
  await scene.reopen()
  browser.connect()
  await settled()
  assert.equal(asked(scene), [...once, 'assistant', 'tool'])
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is(await say(scene, id, 'Too late.'), 'not_running')
  assert.is(await say(scene, 'no such task', 'Hello.'), 'not_found')
})

test('[I2] a paused task makes no call and asks for no reply, over a restart, too; its deadline goes on', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  const view = await hold(scene, id, true)
  assert.is(typeof view === 'object' && view.state, 'paused')
  scene.model.answer(calling(['navigate', { url: 'https://a.example' }]))
  await settled()
  assert.is(browser.executed.length, 0)
  await scene.reopen()
  browser.connect()
  await scene.reaches(id, 'paused')
  assert.is(browser.executed.length, 0)
  await hold(scene, id, false)
  await settled()
  assert.is(browser.executed.length, 1)
  await scene.reaches(id, 'thinking')
  await hold(scene, id, true)
  await scene.clock.advance(30 * 60_000)
  assert.is(scene.record(id).endedBy, 'time_limit')
  nothingLeft(scene)
})

test('[I2] a pause while a call is under way lasts over a restart', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  scene.model.answer(calling(['read_page', {}]))
  await scene.reaches(id, 'acting')
  await hold(scene, id, true)
  await settled()
  await scene.reopen()
  assert.equal((await scene.taskService.task(scene.workspaceId, id))?.pausedBy, ['client'])
})

test('[I2] what a client and the user in the browser hold goes on when both let go', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  await hold(scene, id, true)
  await hold(scene, id, true, 'browser')
  scene.model.answer(calling(['navigate', { url: 'https://a.example' }]))
  await settled()
  await hold(scene, id, false)
  await scene.reaches(id, 'paused')
  await hold(scene, id, false, 'browser')
  await settled()
  assert.is(browser.executed.length, 1)
})

test('[V2 I2] a call whose intent was being kept when its task was paused is logged once, over a restart, too', async () => {
  for (const skipped of [false, true]) {
    const scene = await aScene()
    const browser = scene.browser()
    const id = await scene.task(browser)
    scene.model.answer(calling(['navigate', { url: 'https://a.example' }], ['read_page', {}]))
    const { registry } = scene.system
    await registry.until(taskAddress(id), (task) => task.matches({ running: { callingTool: 'persistingIntent' } }))
    registry.post(taskAddress(id), { type: 'task.pause', by: 'client', at: scene.clock.now() })
    await scene.reaches(id, 'paused')
    await scene.reopen()
    browser.connect()
    await scene.reaches(id, 'paused')
    if (skipped) await say(scene, id, 'Black tea.', true)
    await hold(scene, id, false)
    await scene.reaches(id, 'thinking')
    assert.is(browser.executed.length, skipped ? 0 : 2)
    const logged = scene.store.events.flatMap(({ event }) =>
      event.type === 'tool.called' || event.type === 'tool.result' ? [`${event.type} ${event.tool}`] : [],
    )
    assert.equal(
      logged,
      ['navigate', 'read_page'].flatMap((tool) => [`tool.called ${tool}`, `tool.result ${tool}`]),
    )
  }
})

test('[V2 I2] a pause is logged at its first moment, while a reply, a call or an answer is awaited, too', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser, { asksUser: true })
  const states = () => scene.store.events.flatMap(({ event }) => (event.type === 'task.state' ? [event.state] : []))
  const takeOver = async () => {
    for (const paused of [true, false]) {
      await hold(scene, id, paused, 'browser')
      const view = await scene.taskService.task(scene.workspaceId, id)
      assert.is(states().at(-1), view?.state)
    }
  }
  await takeOver()
  scene.model.answer(calling(['read_page', {}]))
  await scene.reaches(id, 'acting')
  await takeOver()
  browser.finish()
  await scene.reaches(id, 'thinking')
  scene.model.answer(calling(['ask_user', { question: 'Green or black?' }]))
  await scene.reaches(id, 'waitingForInput')
  await takeOver()
  const awaited = ['thinking', 'acting', 'thinking', 'waitingForInput']
  assert.equal(
    states(),
    awaited.flatMap((state, at) => (at === 2 ? [state] : [state, 'paused', state])),
  )
})

test.run()
