import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { taskAddress } from '../../machines/addresses.ts'
import { MINUTE_MS } from '../../machines/limits.ts'
import { answer, asked, read } from '../support/scene/inputs.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('questions of a task')

test('[I4] the model asks, the user answers, the model reads it', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser(), { asksUser: true })
  scene.model.answer(calling(['ask_user', { question: 'Green or black?', options: ['green', 'black'] }]))
  const request = await asked(scene, id)
  assert.equal(
    [request.kind, request.message, request.schema],
    ['question', 'Green or black?', { type: 'string', enum: ['green', 'black'] }],
  )
  assert.is(request.expiresAt, scene.clock.now() + 10 * MINUTE_MS)
  assert.is(await answer(scene, id, request.id, 'accept', 'green'), 'accepted')
  assert.is(await answer(scene, id, request.id, 'accept', 'black'), 'answered')
  await settled()
  assert.match(read(scene), /The user answered: green/)
  assert.not.match(read(scene), /page_content/)
  scene.model.answer(saying('Green it is.'))
  await settled()
  assert.is(await answer(scene, id, request.id, 'accept', 'black'), 'answered')
  nothingLeft(scene)
})

for (const [action, words] of [
  ['decline', /declined to answer/],
  ['cancel', /did not answer/],
] as const)
  test(`[I4] ${action} is read by the model`, async () => {
    const scene = await aScene()
    const id = await scene.task(scene.browser(), { asksUser: true })
    scene.model.answer(calling(['ask_user', { question: 'Green or black?' }]))
    const request = await asked(scene, id)
    await answer(scene, id, request.id, action)
    await settled()
    assert.match(read(scene), words)
  })

test('[I4] without an answer in 10 minutes it is a cancel; an answer that comes late is 409', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser(), { asksUser: true })
  scene.model.answer(calling(['ask_user', { question: 'Green or black?' }]))
  const request = await asked(scene, id)
  await scene.clock.advance(10 * MINUTE_MS - 1)
  await scene.reaches(id, 'waitingForInput')
  await scene.clock.advance(1)
  await scene.reaches(id, 'thinking')
  assert.match(read(scene), /did not answer/)
  assert.is(await answer(scene, id, request.id, 'accept', 'green'), 'answered')
  assert.is(await answer(scene, id, 'another', 'accept', 'green'), 'no_request')
})

test('[I4 D7] a question is there after a crash, with the time that is left of it', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser, { asksUser: true })
  scene.model.answer(calling(['ask_user', { question: 'Green or black?' }]))
  const request = await asked(scene, id)
  await scene.clock.advance(4 * MINUTE_MS)
  await scene.reopen()
  assert.equal(await asked(scene, id), request)
  await answer(scene, id, request.id, 'accept', 'green')
  await scene.reopen()
  await settled()
  assert.match(read(scene), /The user answered: green/)
  scene.model.answer(calling(['ask_user', { question: 'How many?' }]))
  await asked(scene, id)
  await scene.clock.advance(2 * MINUTE_MS)
  await scene.reopen()
  await scene.clock.advance(8 * MINUTE_MS)
  await scene.reaches(id, 'thinking')
  assert.match(read(scene), /did not answer/)
})

for (const [what, ends] of Object.entries<(scene: Scene, id: string) => void>({
  'the reply that ends it': (scene) => scene.model.answer(saying('Done.')),
  'a cancel': (scene, id) => void scene.taskService.cancelTask(scene.workspaceId, id),
  'the sweep': (scene, id) =>
    void scene.system.registry.post(taskAddress(id), { type: 'task.sweep', at: scene.clock.now() }),
}))
  test(`[I1] a message comes in the same moment as ${what}: what is answered sent is in the log`, async () => {
    let sent = 0
    // The end falls into every moment of the message's way.
    for (let moment = 0; moment < 16; moment++) {
      const scene = await aScene()
      const id = await scene.task(scene.browser())
      const outcome = scene.taskService.sendMessage(scene.workspaceId, id, { text: 'Green.', interrupt: false })
      for (let n = 0; n < moment; n++) await null
      ends(scene, id)
      await settled()
      const logged = scene.store.entries(id).some(({ kind }) => kind === 'message.received')
      assert.is(await outcome, logged ? 'sent' : 'not_running', `in moment ${moment}`)
      if (logged) sent++
    }
    assert.ok(sent > 0 && sent < 16, `${sent} of 16`)
  })

test.run()
