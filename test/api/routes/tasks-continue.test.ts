import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { aTask } from '../../support/stores.ts'

const test = suite('continue_task_id')

const surface = await makeSurface()
const { ask, taskService } = surface
const { key, workspaceId } = await aKey(surface)
const put = (fields: object = {}) => {
  const task = { ...aTask({ workspaceId, status: 'complete', ...fields }), state: 'closed' }
  taskService.tasksById.set(task.id, task as never)
  return task.id
}
const post = (fields: object) =>
  ask('POST', '/v1/tasks', { key, body: { task: 'Now black tea', browser_session_id: 's', ...fields } })

test('[I10] a task continues an ended one, and both say so', async () => {
  const before = put()
  const { status, json } = await post({ continue_task_id: before })
  assert.is(status, 201)
  assert.is(taskService.started.at(-1)?.request.continuesTaskId, before)
  assert.is((await ask('GET', `/v1/tasks/${json.id}`, { key })).json.continue_task_id, before)
  assert.is('continue_task_id' in (await ask('GET', `/v1/tasks/${before}`, { key })).json, false)
})

test('[I10] what the earlier task was held to holds on, unless the request says otherwise', async () => {
  const before = put({ approvals: 'irreversible', asksUser: false, allowedDomains: ['example.com'] })
  assert.is((await post({ continue_task_id: before })).status, 201)
  const held = taskService.started.at(-1)?.request
  assert.equal([held?.approvals, held?.asksUser, held?.allowedDomains], ['irreversible', false, ['example.com']])
  assert.is((await post({ continue_task_id: before, url: 'https://evil.example/' })).json.code, 'url_invalid')
  const more = { approvals: 'never', allowed_domains: ['evil.example'], url: 'https://evil.example/' }
  assert.is((await post({ continue_task_id: before, ...more })).status, 201)
  assert.is(taskService.started.at(-1)?.request.approvals, 'never')
})

for (const [what, id, expected] of [
  ['a running task', () => put({ status: 'running' }), [409, 'task_running']],
  ['another workspace’s task', () => put({ workspaceId: randomUUID() }), [404, 'task_not_found']],
  ['an unknown task', () => randomUUID(), [404, 'task_not_found']],
  ['no id at all', () => 'yesterday', [400, 'continue_task_id_invalid']],
] as const)
  test(`[I10] [E11] ${what} cannot be continued: ${expected.join(' ')}`, async () => {
    const before = taskService.started.length
    const { status, json } = await post({ continue_task_id: id() })
    assert.equal([status, json.code], expected)
    assert.is(taskService.started.length, before)
  })

test('[I10] nor can one that was deleted', async () => {
  const id = put()
  assert.is((await ask('DELETE', `/v1/tasks/${id}`, { key })).status, 200)
  assert.equal((await post({ continue_task_id: id })).json.code, 'task_not_found')
})

test.run()
