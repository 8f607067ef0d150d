import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { webhookBodyOf, webhookEventOf } from '../../actors/webhook-events.ts'
import { jsonOf } from '../../src/api/events/feed.ts'
import { aKey, makeSurface } from '../support/http-surface.ts'
import { aTask } from '../support/stores.ts'

const test = suite('one grammar for every list, path and event')
const surface = await makeSurface()
const { taskService } = surface
const { key, workspaceId } = await aKey(surface)
const ask = (method: string, path: string, body?: unknown) => surface.ask(method, path, { key, body })
const running = { status: 'running', state: 'thinking', workspaceId } as const

const task = { ...aTask({ id: randomUUID(), workspaceId }), ...running }
taskService.tasksById.set(task.id, task)

for (const [path, name] of [
  ['/v1/tasks', 'tasks'],
  [`/v1/tasks/${task.id}/steps`, 'steps'],
  [`/v1/tasks/${task.id}/files`, 'files'],
  [`/v1/tasks/${task.id}/events`, 'events'],
  ['/v1/events', 'events'],
  ['/v1/browser-sessions', 'sessions'],
  ['/v1/api-keys', 'api_keys'],
  ['/v1/webhook-endpoints', 'webhook_endpoints'],
  ['/v1/audit', 'entries'],
] as const) {
  test(`[E30] GET ${path.replace(task.id, ':id')} is {data, next_cursor, has_more}, and has "${name}" beside`, async () => {
    const { status, json } = await ask('GET', path)
    assert.is(status, 200)
    assert.ok(Array.isArray(json.data))
    assert.equal(json[name], json.data)
    assert.is(json.has_more, false)
    assert.ok('next_cursor' in json)
  })
}

test('[E30] a page that is not the last says so', async () => {
  const other = { ...aTask({ id: randomUUID(), workspaceId }), ...running }
  taskService.tasksById.set(other.id, other)
  const { json } = await ask('GET', '/v1/tasks?limit=1')
  assert.equal([json.data.length, json.has_more, typeof json.next_cursor], [1, true, 'string'])
  taskService.tasksById.delete(other.id)
})

test('[E30] fixed parts of paths have dashes; underscores are understood, what is named is not touched', async () => {
  const made = await ask('POST', '/v1/webhook_endpoints', { url: 'https://example.com/hook' })
  assert.is(made.status, 201)
  const { json } = await ask('GET', `/v1/webhook-endpoints/${made.json.id}/deliveries`)
  assert.equal(json.data, [])
  assert.is((await ask('GET', `/v1/webhook_endpoints/${made.json.id}`)).json.id, made.json.id)
  assert.is((await ask('GET', '/v1/browser_sessions')).status, 200)
  assert.is((await ask('GET', '/v1/tasks_')).status, 404)
})

test('[T64] a task says what it was asked for, with the names of secrets and files; a rerun and a continuation whose', async () => {
  const asked = {
    ...task,
    id: randomUUID(),
    url: 'https://shop.example/',
    approvals: 'always' as const,
    rerunOf: task.id,
    continuesTaskId: task.id,
    outputSchema: '{"type":"object"}',
    secrets: [{ name: 'pin', domains: ['shop.example'], kind: 'value' as const }],
  }
  taskService.tasksById.set(asked.id, asked as never)
  const { json } = await ask('GET', `/v1/tasks/${asked.id}`)
  const { task: text, url, approvals, ask_user, output_schema, secrets, files } = json.request
  assert.equal(
    [text, url, approvals, ask_user, output_schema, secrets, files],
    [asked.task, asked.url, 'always', false, { type: 'object' }, ['pin'], []],
  )
  assert.equal([json.rerun_of, json.continues], [task.id, task.id])
})

test('[T20] [T64] a start is answered with the whole task', async () => {
  const { status, json } = await ask('POST', '/v1/tasks', { task: 'Buy tea', browser_session_id: randomUUID() })
  assert.is(status, 201)
  assert.equal(
    [json.status, json.state, json.seq, json.turns, json.request.task],
    ['running', 'starting', 1, null, 'Buy tea'],
  )
})

test('[T58] a rerun says of what', async () => {
  await ask('POST', `/v1/tasks/${task.id}/rerun`, {})
  assert.is(taskService.started.at(-1)?.request.rerunOf, task.id)
})

test('[V11] the id of an event on a page is the id of its webhook, and in its body', async () => {
  const event = { seq: 3, type: 'message.received', at: 5, task_id: task.id, text: 'Hurry' } as const
  const sent = webhookEventOf(event)
  assert.is(sent.id, `msg_${task.id}_3`)
  assert.is(JSON.parse(webhookBodyOf(sent)).data.id, sent.id)
  assert.is(JSON.parse(jsonOf(event)).id, sent.id)
})

test.run()
