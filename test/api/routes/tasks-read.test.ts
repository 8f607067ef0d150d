import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskView } from '../../../actors/task-service.ts'
import type { StepRecord } from '../../../machines/records.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { refusal } from '../../support/refusal.ts'
import { aTask } from '../../support/stores.ts'

const surface = await makeSurface()
const { taskService, ask } = surface
const { key, workspaceId } = await aKey(surface)
const { key: foreignKey } = await aKey(surface)

const put = (fields: Partial<TaskView> = {}): TaskView => {
  const task: TaskView = { ...aTask({ workspaceId }), state: 'thinking', ...fields }
  taskService.tasksById.set(task.id, task)
  return task
}
const finished = (fields: Partial<TaskView> = {}) =>
  put({ status: 'complete', state: 'closed', answer: 'Done.', endedBy: 'completed', completedAt: 1, ...fields })

const test = suite('read and cancel tasks')
test.before.each(() => {
  taskService.tasksById.clear()
})

test('[T42] [T43] [T62] [E15] a running task, with the state of its machine', async () => {
  const task = put({ state: 'acting', steps: 2, usage: { inputTokens: 5, outputTokens: 6, apiCalls: 2 } })
  const { status, json } = await ask('GET', `/v1/tasks/${task.id}`, { key })
  assert.is(status, 200)
  const { request: _, ...shown } = json
  assert.equal(shown, {
    id: task.id,
    status: 'running',
    task: task.task,
    url: task.url,
    answer: null,
    output: null,
    success: null,
    output_sources: null,
    ungrounded: null,
    steps: 2,
    usage: { inputTokens: 5, outputTokens: 6, apiCalls: 2 },
    browser_session_id: task.browserSessionId,
    created_at: task.createdAt,
    completed_at: null,
    turns: null,
    state: 'acting',
    failure: null,
    ended_by: null,
    deadline_at: task.deadlineAt,
    metadata: {},
    cost_usd: 0.00007,
    seq: 0,
  })
})
test('[T43] a running task that is asked for again is answered as it is now, whatever moved', async () => {
  const task = put({ state: 'thinking', steps: 1 })
  const get = async () => (await ask('GET', `/v1/tasks/${task.id}`, { key })).json
  const seen: unknown[] = []
  for (const moved of [
    {},
    { state: 'acting' },
    { steps: 2 },
    { usage: { inputTokens: 5, outputTokens: 6, apiCalls: 2 } },
    { status: 'complete', state: 'closed', answer: 'Done.', completedAt: 9 },
  ] as const) {
    Object.assign(task, moved)
    const { state, steps, usage, status, answer } = await get()
    const now = { state: task.state, steps: task.steps, usage: task.usage, status: task.status, answer: task.answer }
    assert.equal({ state, steps, usage, status, answer }, now)
    assert.equal(await get(), await get())
    seen.push(state)
  }
  assert.equal(seen, ['thinking', 'acting', 'acting', 'acting', 'closed'])
})
test('[T44] the turns of a finished task', async () => {
  const task = finished()
  const turns = [
    {
      step: 1,
      tools: [{ call_id: 'c', name: 'find', input: { query: 'x' }, result: 'y', durationMs: 3 }],
      ai_response: 'Looking',
    },
  ]
  taskService.turnsOf.set(task.id, turns)
  const { json } = await ask('GET', `/v1/tasks/${task.id}`, { key })
  assert.equal(json.turns, turns)
  assert.is(json.ended_by, 'completed')
})
test('[T33] a finished task is answered the same each time, and never to another workspace', async () => {
  const task = finished()
  const first = await ask('GET', `/v1/tasks/${task.id}`, { key })
  const readBefore = taskService.turnsRead
  assert.equal((await ask('GET', `/v1/tasks/${task.id}`, { key })).json, first.json)
  assert.is(taskService.turnsRead, readBefore, 'its journal is not read again')
  assert.is((await ask('GET', `/v1/tasks/${task.id}`, { key: foreignKey })).status, 404)
  taskService.tasksById.clear()
  assert.is((await ask('GET', `/v1/tasks/${task.id}`, { key })).status, 404, 'nor after it was removed')
})

for (const [what, path] of [
  ['task', ''],
  ['cancel', '/cancel'],
  ['steps', '/steps'],
] as const) {
  for (const id of [randomUUID(), 'nope', '%00', '..', 'x'.repeat(3_000), '__proto__']) {
    test(`[E14] [T42] [T50] ${what} of ${id.slice(0, 40)} is 404`, async () => {
      const answer = await ask(what === 'cancel' ? 'POST' : 'GET', `/v1/tasks/${id}${path}`, { key })
      assert.is(answer.status, 404)
      assert.equal(answer.json, refusal('Task not found', 'task_not_found'))
    })
  }
  test(`[A8] ${what} of another workspace's task is 404`, async () => {
    const task = put()
    const answer = await ask(what === 'cancel' ? 'POST' : 'GET', `/v1/tasks/${task.id}${path}`, { key: foreignKey })
    assert.is(answer.status, 404)
    assert.is(taskService.tasksById.get(task.id)?.status, 'running')
  })
}

test('[T48] a cancelled task is answered as it ended', async () => {
  const task = put()
  const { status, json } = await ask('POST', `/v1/tasks/${task.id}/cancel`, { key })
  assert.is(status, 200)
  assert.is(json.status, 'error')
  assert.is(json.answer, 'Task was cancelled.')
  assert.is(json.failure, 'aborted')
  assert.is(json.ended_by, 'cancelled')
  assert.equal(json.turns, [])
})
test('[T50] a task that does not run cannot be cancelled: 400', async () => {
  const { status, json } = await ask('POST', `/v1/tasks/${finished().id}/cancel`, { key })
  assert.is(status, 400)
  assert.equal(json, refusal('Task is not running', 'task_not_running'))
})

test('[T51] the steps in their order', async () => {
  const task = put()
  const step: StepRecord = {
    step: 1,
    status: 'tool_output',
    toolName: 'find',
    toolInput: { query: 'x' },
    output: 'y',
    screenshot: null,
    durationMs: 12,
    createdAt: 5,
  }
  taskService.stepsOf.set(task.id, [step, { ...step, status: 'screenshot', output: null, screenshot: 0 }])
  const { json } = await ask('GET', `/v1/tasks/${task.id}/steps`, { key })
  const expected = {
    step: 1,
    status: 'tool_output',
    tool_name: 'find',
    call_id: null,
    tool_input: { query: 'x' },
    output: 'y',
    has_screenshot: false,
    duration_ms: 12,
    created_at: 5,
  }
  const { data: _, ...page } = json
  assert.equal(page, {
    next_cursor: null,
    has_more: false,
    steps: [expected, { ...expected, status: 'screenshot', output: null, has_screenshot: true }],
  })
})

test('[T53] the steps come page by page, and at once unless they are very long', async () => {
  const task = put()
  const step: StepRecord = {
    step: 1,
    status: 'tool_output',
    toolName: 'find',
    toolInput: null,
    output: 'x'.repeat(50_000),
    screenshot: null,
    durationMs: 12,
    createdAt: 5,
  }
  taskService.stepsOf.set(
    task.id,
    Array.from({ length: 200 }, (_, at) => ({ ...step, step: at })),
  )
  const page = async (query: string) => (await ask('GET', `/v1/tasks/${task.id}/steps${query}`, { key })).json
  const read: number[] = []
  let cursor: string | null = ''
  let pages = 0
  while (cursor !== null && pages < 10) {
    const { steps, next_cursor } = await page(cursor === '' ? '' : `?cursor=${cursor}`)
    read.push(...steps.map((one: { step: number }) => one.step))
    cursor = next_cursor
    pages++
  }
  assert.equal([pages, read.length, read.every((one, at) => one === at)], [3, 200, true])
  const short = await page('?limit=5&cursor=198')
  assert.equal([short.steps.length, short.next_cursor], [2, null])
  assert.is((await page('?limit=5')).next_cursor, '5')
  assert.equal(await page('?cursor=999'), { steps: [], data: [], next_cursor: null, has_more: false })
  for (const bad of ['?limit=0', '?limit=1001', '?cursor=x', '?cursor=-1']) {
    assert.is((await ask('GET', `/v1/tasks/${task.id}/steps${bad}`, { key })).status, 400, bad)
  }
})

test('[T52] a screenshot is the image itself, or base64 for those who ask for JSON', async () => {
  const task = put()
  const image = new Uint8Array([0xff, 0xd8, 0xff, 0xd9])
  taskService.images.set(`${task.id}/3`, image)
  const path = `/v1/tasks/${task.id}/screenshots/3`
  for (const headers of [{}, { accept: '*/*' }, { accept: 'image/*' }]) {
    const answer = await ask('GET', path, { key, headers })
    assert.is(answer.headers['content-type'], 'image/jpeg')
    assert.equal([...Buffer.from(answer.raw.body ?? '')], [...image])
  }
  const { json } = await ask('GET', path, { key, headers: { accept: 'application/json' } })
  assert.equal(json, { screenshot: '/9j/2Q==' })
})
for (const step of ['2', 'x', '-1', '1.0', '99999999999']) {
  test(`[T52] there is no screenshot ${step}: 404`, async () => {
    const task = put()
    taskService.images.set(`${task.id}/3`, new Uint8Array(1))
    const { status, json } = await ask('GET', `/v1/tasks/${task.id}/screenshots/${step}`, { key })
    assert.is(status, 404)
    assert.is(json.code, 'screenshot_not_found')
  })
}
test("[A8] [T52] another workspace's screenshot is 404", async () => {
  const task = put()
  taskService.images.set(`${task.id}/3`, new Uint8Array(1))
  assert.is((await ask('GET', `/v1/tasks/${task.id}/screenshots/3`, { key: foreignKey })).status, 404)
})

test.run()
