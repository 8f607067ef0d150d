import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { calling, openScene, playing } from './scene.ts'

const test = suite('what tasks ask, and the browser’s user')
const done = { text: 'Done.' }
const question = calling('ask_user', { question: 'Green or black?', options: ['green', 'black'] })
const INPUTS = { protocol: 2, tools: ['inputs'] }

async function asked(register: object) {
  const scene = await openScene(playing(question, done).model)
  const { record, token } = await scene.paired()
  const peer = await scene.register(token, register)
  const taskId = await scene.start(record, { asksUser: true })
  const answer = (fields: object) => peer.says({ type: 'answer_input', requestId: 'a', taskId, ...fields })
  return { scene, peer, record, taskId, answer }
}

test('[I9] a browser that has announced inputs is told what a task asks, answers it once, and is told that it counts', async () => {
  const { scene, peer, taskId, answer } = await asked(INPUTS)
  const { request, ...frame } = await peer.gets('input_requested')
  const { id, kind, message, schema } = request as Record<string, unknown>
  assert.equal([frame.taskId, kind, message], [taskId, 'question', 'Green or black?'])
  assert.equal(schema, { type: 'string', enum: ['green', 'black'] })
  await peer.says({ type: 'list_tasks', requestId: 'l' })
  const [listed] = (await peer.gets('tasks')).tasks as { input: { id: string } }[]
  assert.is(listed?.input.id, id)

  const refused = async (fields: object, count: number) => {
    await answer(fields)
    return (await peer.gets('error', count)).error
  }
  assert.is(await refused({ inputId: 'other', action: 'accept' }, 1), 'The task does not wait for this input')
  const red = { inputId: id, action: 'accept', content: 'red' }
  assert.is(await refused(red, 2), 'content must be one of: green, black')
  assert.match(String(await refused({ inputId: id, action: 'perhaps' }, 3)), /^Invalid action/)
  await answer({ inputId: id, action: 'accept', content: 'green' })
  const counted = await peer.gets('input_answered')
  assert.equal([counted.taskId, counted.inputId, counted.action], [taskId, id, 'accept'])
  await peer.gets('task_complete')
  assert.is(await refused({ inputId: id, action: 'decline' }, 4), 'Task is not running')
  assert.is(peer.of('input_answered').length, 1)
  await scene.close()
})

test('[I9] a browser that has not announced inputs is told nothing of them', async () => {
  const { scene, peer, taskId } = await asked({ protocol: 2 })
  await scene.until(taskId, 'waitingForInput')
  await peer.says({ type: 'list_tasks', requestId: 'l' })
  const [listed] = (await peer.gets('tasks')).tasks as object[]
  assert.is('input' in (listed ?? {}), false)
  assert.is(peer.of('input_requested').length, 0)
  await scene.close()
})

test('[I9] another session’s browser cannot answer', async () => {
  const { scene, peer, taskId } = await asked(INPUTS)
  const { request } = await peer.gets('input_requested')
  const other = await scene.browser()
  const { id: inputId } = request as { id: string }
  await other.peer.says({ type: 'answer_input', requestId: 'b', taskId, inputId, action: 'accept', content: 'green' })
  assert.is((await other.peer.gets('error')).error, 'Task not found')
  assert.is(peer.of('input_answered').length, 0)
  await scene.close()
})

test.run()
