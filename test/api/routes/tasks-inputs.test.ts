import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { InputRequest } from '../../../machines/input-request.ts'
import { anOrder } from '../../support/held.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { aTask } from '../../support/stores.ts'

const surface = await makeSurface()
const { taskService } = surface
const { key, workspaceId } = await aKey(surface)
const REQUEST: InputRequest = {
  id: 'request',
  kind: 'question',
  message: 'Green or black?',
  schema: { type: 'string', enum: ['green', 'black'] },
  call: null,
  expiresAt: 5,
}
const put = (fields: object) => {
  const task = { ...aTask({ workspaceId, ...fields }), state: 'waitingForInput', ...fields }
  taskService.tasksById.set(task.id, task as never)
  return task.id
}
const post = (path: string, body: unknown) => surface.ask('POST', `/v1/tasks/${path}`, { key, body })
const heard: unknown[] = []
Object.assign(taskService, {
  answerInput: async (_: string, __: string, requestId: string, answer: object) => {
    heard.push(answer)
    return requestId === 'request' ? 'accepted' : requestId === 'old' ? 'answered' : 'no_request'
  },
  sendMessage: async (_: string, id: string, message: object) => {
    heard.push(message)
    return taskService.tasksById.get(id)?.status === 'running' ? 'sent' : 'not_running'
  },
  pauseTask: async (_: string, id: string) => {
    const task = taskService.tasksById.get(id)
    return task?.status === 'running' ? { ...task, state: 'paused' } : task ? 'not_running' : 'not_found'
  },
})

const test = suite('what users say to their tasks')
test.before.each(() => void heard.splice(0))

test('[I4] a task says what it asks, and takes an answer', async () => {
  const id = put({ inputRequest: REQUEST })
  const { json } = await surface.ask('GET', `/v1/tasks/${id}`, { key })
  assert.equal(json.input_request, {
    id: 'request',
    kind: 'question',
    message: 'Green or black?',
    schema: REQUEST.schema,
    call: null,
    expires_at: 5,
  })
  const answer = await post(`${id}/inputs/request`, { action: 'accept', content: 'green' })
  assert.equal([answer.status, answer.json], [200, { accepted: true }])
  assert.equal(heard, [{ action: 'accept', content: 'green', forTask: false }])
})

for (const [body, code] of [
  [{}, 'action_required'],
  [{ action: 'approve' }, 'action_invalid'],
  [{ action: 'ACCEPT' }, 'action_invalid'],
  [{ action: true }, 'action_invalid'],
  [{ action: 'accept' }, 'content_required'],
  [{ action: 'accept', content: ' ' }, 'content_required'],
  [{ action: 'accept', content: 'white' }, 'content_invalid'],
  [{ action: 'accept', content: 7 }, 'content_invalid'],
  [{ action: 'accept', content: 'green', for: 'ever' }, 'for_invalid'],
  [{ action: 'accept', content: 'green', for: 'task' }, 'for_invalid'],
] as const)
  test(`[I4] ${JSON.stringify(body)} is 400 ${code}, and answers nothing`, async () => {
    const { status, json } = await post(`${put({ inputRequest: REQUEST })}/inputs/request`, body)
    assert.equal([status, json.code], [400, code])
    assert.equal(heard, [])
  })

test('[I13] an approval is given for the task with accept alone, and only of what a browser holds', async () => {
  const { id: _, terms, numbers, ...held } = anOrder('5')
  const call = { tool: 'computer', input: {}, held, changed: null }
  const approval = { ...REQUEST, kind: 'approval' as const, schema: null, call }
  const id = put({ inputRequest: approval })
  const { json } = await surface.ask('GET', `/v1/tasks/${id}`, { key })
  assert.equal(json.input_request.call, call)
  assert.is((await post(`${id}/inputs/request`, { action: 'accept', for: 'task' })).status, 200)
  assert.equal(heard, [{ action: 'accept', content: null, forTask: true }])
  const unheld = put({ inputRequest: { ...approval, call: { ...call, held: null } } })
  for (const [task, action] of [
    [id, 'decline'],
    [id, 'cancel'],
    [unheld, 'accept'],
  ])
    assert.is((await post(`${task}/inputs/request`, { action, for: 'task' })).json.code, 'for_invalid')
})

test('[I4] a second answer is 409, one to no request 404', async () => {
  const id = put({ inputRequest: REQUEST })
  const codes = await Promise.all(
    [`${id}/inputs/old`, `${id}/inputs/other`, `${randomUUID()}/inputs/request`, 'x/inputs/request'].map(
      async (path) => {
        const { status, json } = await post(path, { action: 'decline' })
        return `${status} ${json.code}`
      },
    ),
  )
  assert.equal(codes, ['409 input_answered', '404 input_not_found', '404 task_not_found', '404 task_not_found'])
})

test('[I1] a message is 202; blank, too long or on an ended task it is not', async () => {
  const id = put({})
  const sent = await post(`${id}/messages`, { text: 'Green tea.', interrupt: true })
  assert.equal([sent.status, sent.json, heard[0]], [202, { accepted: true }, { text: 'Green tea.', interrupt: true }])
  const bad = [{ text: ' ' }, { text: 'x'.repeat(10_001) }, { text: 5 }, { text: 'x', interrupt: 'now' }]
  assert.equal(await Promise.all(bad.map(async (body) => (await post(`${id}/messages`, body)).json.code)), [
    'text_required',
    'text_invalid',
    'text_invalid',
    'interrupt_invalid',
  ])
  const ended = await post(`${put({ status: 'complete', completedAt: 5 })}/messages`, { text: 'x' })
  assert.equal([ended.status, ended.json.code], [409, 'task_ended'])
})

test('[I2] pause and resume answer with the task', async () => {
  const { status, json } = await post(`${put({})}/pause`, {})
  assert.equal([status, json.state], [200, 'paused'])
  const ended = await post(`${put({ status: 'error', completedAt: 5 })}/resume`, {})
  assert.equal([ended.status, ended.json.code], [409, 'task_ended'])
  assert.is((await post(`${randomUUID()}/pause`, {})).status, 404)
})

test('[I5] [I3] approvals and ask_user of a start', async () => {
  const start = (more: object) =>
    surface.ask('POST', '/v1/tasks', { key, body: { task: 'Buy tea', browser_session_id: randomUUID(), ...more } })
  await start({ approvals: 'irreversible', ask_user: true })
  const { approvals, asksUser } = taskService.started.at(-1)?.request ?? {}
  assert.equal([approvals, asksUser], ['irreversible', true])
  assert.is((await start({ approvals: 'sometimes' })).json.code, 'approvals_invalid')
  assert.is((await start({ ask_user: 1 })).json.code, 'ask_user_invalid')
})

test.run()
