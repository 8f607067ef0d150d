import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MINUTE_MS } from '../../machines/limits.ts'
import { answer, asked, read } from '../support/scene/inputs.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, saying, settled } from '../support/scene.ts'

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

test.run()
