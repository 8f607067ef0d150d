import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Write } from '../../actors/runtime/ports.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, failing, saying, settled } from '../support/scene.ts'

const test = suite('store away')

for (const call of ['commit', 'sessions.get', 'ledger.get', 'limits.get'])
  for (const fault of ['rejects'] as const)
    test(`[D13] ${call} ${fault} at a start: an internal error, nothing is kept or held`, async () => {
      const scene = await aScene((scene) => {
        scene.billing = { freePerMonth: 20 }
      })
      // A browser that is connected is known without its record.
      const browser = scene.browser(2, {}, call !== 'sessions.get')
      await settled()
      scene.store.fault = (name) => (name === call ? fault : null)
      const answer = await scene.start(browser)
      assert.is(!answer.ok && answer.refusal.code, 'internal')
      await settled()
      scene.store.fault = () => null
      await scene.clock.advance(5_000)
      assert.is(scene.store.tasks.size, 0)
      nothingLeft(scene)
      if (call === 'sessions.get') browser.connect()
      assert.ok((await scene.start(browser)).ok)
    })

test('[D13 E23] a start that is sent again is not begun under its id while the first attempt is still being ended', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  await settled()
  const taskId = randomUUID()
  scene.store.fault = (name) => (name === 'commit' || name === 'tasks.end' ? 'rejects' : null)
  const first = scene.start(browser, { taskId })
  await settled()
  assert.is(scene.count('closing'), 1)
  await scene.clock.advance(2_000)
  const failed = await first
  assert.is(!failed.ok && failed.refusal.left, true)
  scene.store.fault = (name) => (name === 'tasks.end' ? 'rejects' : null)
  const again = await scene.start(browser, { taskId })
  assert.equal(!again.ok && [again.refusal.code, again.refusal.left], ['store_away', true])
  assert.equal([scene.count('task'), scene.store.tasks.size], [0, 0])
  scene.store.fault = () => null
  await scene.clock.advance(5_000)
  nothingLeft(scene)
  assert.ok((await scene.start(browser)).ok)
})

test('[D22] cancel, pause, message and answer are store_away while nothing can be written, and work again with the store', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const taskIds = [await scene.task(browser, { asksUser: true }), await scene.task(browser), await scene.task(browser)]
  const [asking = '', paused = '', cancelled = ''] = taskIds
  scene.model.answer(calling(['ask_user', { question: 'Which one?' }]))
  await settled()
  const { taskService, workspaceId } = scene
  const requestId = (await taskService.task(workspaceId, asking))?.inputRequest?.id ?? ''
  assert.ok(requestId)
  // Reads go on: the disk is full.
  scene.store.fault = (name) => (name === 'commit' || name === 'tasks.end' ? 'rejects' : null)
  const asked = [
    taskService.pauseTask(workspaceId, paused, true),
    taskService.cancelTask(workspaceId, cancelled),
    taskService.sendMessage(workspaceId, paused, { text: 'the red one', interrupt: false }),
    taskService.answerInput(workspaceId, asking, requestId, { action: 'accept', content: 'red' }),
  ].map((answer) => answer.then(String, (error: Error) => error.name))
  await settled()
  await scene.clock.advance(5_100)
  assert.equal(await Promise.all(asked), Array(4).fill('StoreUnwritable'))
  // While commits are known to fail, nothing is begun that would be done twice.
  const message = { text: 'the red one', interrupt: false }
  assert.is(await taskService.sendMessage(workspaceId, paused, message).catch(({ name }) => name), 'StoreUnwritable')
  scene.store.fault = () => null
  await scene.clock.advance(3_000)
  assert.is(scene.record(cancelled).endedBy, 'cancelled')
  assert.equal(
    [
      await taskService.sendMessage(workspaceId, paused, { text: 'the blue one', interrupt: false }),
      await taskService.cancelTask(workspaceId, cancelled),
    ],
    ['sent', 'not_running'],
  )
  const messages = scene.store.journal(paused).filter(({ kind }) => kind === 'message')
  assert.is(messages.length, 2, 'the message that was under way when the store went came to be, once')
})

test('[D13 H8] a store that is away for a minute: tasks wait, health says so, and they complete afterwards', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const ids = [await scene.task(browser), await scene.task(browser), await scene.task(browser)]
  scene.store.fault = () => 'rejects'
  scene.model.answer(calling(['find', {}]))
  scene.model.answer(saying('Done.'))
  scene.model.answer(failing('busy'))
  assert.is(scene.taskService.health().ok, true)
  await scene.clock.advance(60_000)
  assert.equal(scene.taskService.health(), {
    ok: false,
    reason: 'The store has refused every write for more than 5 s.',
  })
  assert.equal(browser.executed, [])
  for (const id of ids) assert.is(scene.record(id).status, 'running')
  scene.store.fault = () => null
  await scene.clock.advance(2_000)
  for (const asked of scene.model.waiting.splice(0)) asked.answer(saying('Done.'))
  await scene.clock.advance(2_000)
  for (const id of ids) assert.is(scene.record(id).answer, 'Done.')
  assert.is(scene.taskService.health().ok, true)
  assert.equal([scene.store.usage.size, browser.executed.length], [3, 1])
  nothingLeft(scene)
})

test('[D21] a task whose writes the store refuses is ended with an answer; the others go on, and none acts before', async () => {
  const scene = await aScene()
  const [bad, good] = [scene.browser(), scene.browser()]
  const badId = await scene.task(bad)
  const refused = (writes: readonly Write[]) =>
    writes.some(
      (write) =>
        write.kind === 'log.append' &&
        write.record.taskId === badId &&
        write.record.entries.some(({ kind }) => kind === 'model.replied'),
    )
  scene.store.fault = (name, [writes]) => (name === 'commit' && refused(writes as Write[]) ? 'rejects' : null)
  scene.model.answer(calling(['find', { deep: true }]))
  const goodId = await scene.task(good)
  scene.model.answer(calling(['find', {}]))
  await scene.clock.advance(2_000)
  assert.equal([bad.executed.length, good.executed.length], [0, 0])
  await scene.clock.advance(10_000)
  assert.equal([bad.executed.length, good.executed.length], [0, 1])
  assert.equal([scene.record(badId).status, scene.record(badId).endedBy], ['error', 'crash'])
  assert.match(scene.record(badId).answer ?? '', 'The store refused what it was to keep')
  assert.is(scene.system.snapshotWriter.failingSince, null)
  scene.model.answer(saying('Done.'))
  await scene.clock.advance(2_000)
  assert.is(scene.record(goodId).answer, 'Done.')
  nothingLeft(scene)
})

test('[W18] a task whose commit never answers holds up no task, message or ending of another workspace', async () => {
  const scene = await aScene()
  const stranger = randomUUID()
  const [theirs, own] = [scene.browser(2, { workspaceId: stranger }), scene.browser()]
  const stuckId = await scene.task(theirs, { workspaceId: stranger })
  const isStuck = (writes: unknown) => JSON.stringify(writes).includes(stuckId)
  scene.store.fault = (name, [writes]) => (name === 'commit' && isStuck(writes) ? 'hangs' : null)
  scene.model.answer(calling(['find', {}]))
  const id = await scene.task(own)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  const { taskService, workspaceId } = scene
  assert.is(await taskService.sendMessage(workspaceId, id, { text: 'the red one', interrupt: false }), 'sent')
  scene.model.answer(saying('Done.'))
  await settled()
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is(scene.record(id).answer, 'Done.')
  assert.equal([theirs.executed.length, own.executed.length], [0, 1])
  assert.is(scene.record(stuckId).status, 'running')
})

test('[D7 D13] a store that is away just after a restart: tasks come back when it does', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  scene.crash()
  scene.store.fault = (name) => (name === 'journal' ? 'rejects' : null)
  await scene.open()
  await scene.clock.advance(10_000)
  assert.is(await scene.stateOf(id), 'thinking')
  scene.store.fault = () => null
  await scene.clock.advance(1_000)
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is(scene.record(id).answer, 'Done.')
})

test('[D7] kept actors that cannot be read stop the start, and say why', async () => {
  const failed = await aScene((scene) => {
    scene.store.fault = (name) => (name === 'actors' ? 'rejects' : null)
  }).then(
    () => null,
    (error: Error) => error.message,
  )
  assert.ok(failed)
})

test.run()
