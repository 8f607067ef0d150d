import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskView } from '../../../actors/task-service.ts'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { aTask } from '../../support/stores.ts'

const surface = await makeSurface()
const { taskService, ask } = surface
const { key, workspaceId } = await aKey(surface)

const put = (fields: Partial<TaskView> = {}): TaskView => {
  const task: TaskView = { ...aTask({ workspaceId }), state: 'thinking', ...fields }
  taskService.tasksById.set(task.id, task)
  return task
}
const finished = (fields: Partial<TaskView> = {}) =>
  put({ status: 'complete', state: 'closed', answer: 'Done.', endedBy: 'completed', completedAt: 1, ...fields })

const test = suite('list tasks')
test.before.each(() => {
  taskService.tasksById.clear()
})

test('[T45] [T46] the list goes page by page, newest first, each task once', async () => {
  const all: string[] = []
  for (let at = 0; at < 7; at++) all.unshift(put({ createdAt: 1_000 + Math.floor(at / 3) }).id)
  put({ workspaceId: randomUUID() })
  const seen: string[] = []
  let cursor = ''
  for (let page = 0; page < 4; page++) {
    const { json } = await ask('GET', `/v1/tasks?limit=2${cursor}`, { key })
    assert.ok(json.tasks.every((task: object) => !('turns' in task)))
    seen.push(...json.tasks.map((task: { id: string }) => task.id))
    if (page < 3) assert.type(json.next_cursor, 'string')
    else assert.is(json.next_cursor, null)
    cursor = `&cursor=${json.next_cursor}`
  }
  assert.equal([...seen].sort(), [...all].sort())
  const times = seen.map((id) => taskService.tasksById.get(id)?.createdAt ?? 0)
  assert.equal(
    times,
    [...times].sort((a, b) => b - a),
  )
})
test('[T46] the default is 50 a page, and exactly one full page has no next', async () => {
  for (let at = 0; at < 50; at++) put({ createdAt: at })
  assert.is((await ask('GET', '/v1/tasks', { key })).json.next_cursor, null)
  put()
  const { json } = await ask('GET', '/v1/tasks', { key })
  assert.is(json.tasks.length, 50)
  assert.type(json.next_cursor, 'string')
  assert.is((await ask('GET', '/v1/tasks?limit=100', { key })).json.tasks.length, 51)
})
test('[T47] filters by status and by browser session', async () => {
  const session = randomUUID()
  const [one, two] = [put({ browserSessionId: session }), finished({ browserSessionId: session })]
  finished()
  const ids = async (query: string) =>
    (await ask('GET', `/v1/tasks?${query}`, { key })).json.tasks.map((task: { id: string }) => task.id).sort()
  assert.equal(await ids(`browser_session_id=${session}`), [one.id, two.id].sort())
  assert.equal(await ids(`browser_session_id=${session}&status=running`), [one.id])
  assert.equal(await ids('status=error'), [])
  assert.equal(await ids(`browser_session_id=${randomUUID()}`), [])
  assert.equal(await ids(`browser_session_id=${'x'.repeat(5_000)}`), [])
  assert.equal(await ids('browser_session_id='), [])
})
test('[T47] filters running tasks by their state, over pages', async () => {
  const asking = [3, 120, 240]
  for (let createdAt = 0; createdAt < 250; createdAt++)
    put({ createdAt, state: asking.includes(createdAt) ? 'waitingForInput' : 'thinking' })
  finished({ createdAt: 251 })
  const read = async (query: string) => (await ask('GET', `/v1/tasks?state=waitingForInput${query}`, { key })).json
  const times = ({ tasks }: { tasks: { created_at: number }[] }) => tasks.map((task) => task.created_at)
  const first = await read('&limit=2')
  assert.equal(times(first), [240, 120])
  const rest = await read(`&limit=2&cursor=${first.next_cursor}`)
  assert.equal([times(rest), rest.next_cursor], [[3], null])
  assert.equal(times(await read('&status=complete')), [])
})
test('[E12] unknown parameters are ignored', async () => {
  assert.is((await ask('GET', '/v1/tasks?whatever=1&limit=1', { key })).status, 200)
})
for (const [query, code] of [
  ['limit=0', 'limit_invalid'],
  ['limit=101', 'limit_invalid'],
  ['limit=-1', 'limit_invalid'],
  ['limit=1.5', 'limit_invalid'],
  ['limit=ten', 'limit_invalid'],
  ['limit=', 'limit_invalid'],
  ['limit=0x10', 'limit_invalid'],
  ['limit=99999999999999999999', 'limit_invalid'],
  ['status=done', 'status_invalid'],
  ['state=closed', 'state_invalid'],
  ['status=', 'status_invalid'],
  ['cursor=', 'cursor_invalid'],
  ['cursor=abc', 'cursor_invalid'],
  [`cursor=${Buffer.from(`5.${randomUUID()}.x`).toString('base64url')}`, 'cursor_invalid'],
  [`cursor=${Buffer.from(`x.${randomUUID()}`).toString('base64url')}`, 'cursor_invalid'],
  [`cursor=${Buffer.from(`5.${randomUUID()}`).toString('base64url')}=`, 'cursor_invalid'],
] as const) {
  test(`[T46] [E12] ${query.slice(0, 30)} is 400 ${code}`, async () => {
    const { status, json } = await ask('GET', `/v1/tasks?${query}`, { key })
    assert.is(status, 400)
    assert.is(json.code, code)
    assert.ok(json.error.startsWith(code.split('_')[0]))
  })
}

test('[T56] every condition reaches the task service, and pages keep them', async () => {
  const wanted = finished({ createdAt: 50, answer: 'A green Tea', metadata: { order: '42', env: 'a b&c' } })
  finished({ createdAt: 50, answer: 'A green Tea', metadata: { order: '42' } })
  finished({ createdAt: 60, answer: 'A green Tea', metadata: { order: '42', env: 'a b&c' } })
  finished({ createdAt: 51, endedBy: 'cancelled', metadata: { order: '42', env: 'a b&c' } })
  const query = `metadata[order]=42&metadata%5Benv%5D=${encodeURIComponent('a b&c')}&q=green%20tea&ended_by=completed&created_after=49&created_before=60`
  const { json } = await ask('GET', `/v1/tasks?${query}&status=complete`, { key })
  assert.equal(
    json.tasks.map(({ id, metadata }: TaskView) => [id, metadata]),
    [[wanted.id, { order: '42', env: 'a b&c' }]],
  )
  assert.equal((await ask('GET', '/v1/tasks?metadata[order]=43', { key })).json.tasks, [])
})
for (const [query, code] of [
  ['ended_by=nothing', 'ended_by_invalid'],
  ['created_after=soon', 'created_after_invalid'],
  ['created_before=-1', 'created_before_invalid'],
  ['q=', 'q_invalid'],
  [`q=${'x'.repeat(201)}`, 'q_invalid'],
  ['metadata[Order]=1', 'metadata_invalid'],
  ['metadata=42', 'metadata_invalid'],
  [`metadata[a]=${'x'.repeat(501)}`, 'metadata_invalid'],
] as const) {
  test(`[T56] [E12] ${query.slice(0, 30)} is ${code}`, async () => {
    const answer = await ask('GET', `/v1/tasks?${query}`, { key })
    assert.equal([answer.status, answer.json.code], [400, code])
  })
}

test('[T57] a task that has ended is deleted, a running one is 409, others are 404', async () => {
  const [ended, running, foreign] = [finished(), put(), finished({ workspaceId: randomUUID() })]
  const remove = (id: string) => ask('DELETE', `/v1/tasks/${id}`, { key })
  const gone = await remove(ended.id)
  assert.equal([gone.status, gone.json], [200, { id: ended.id, deleted: true }])
  const refused = await remove(running.id)
  assert.equal([refused.status, refused.json.code], [409, 'task_running'])
  for (const id of [ended.id, foreign.id, 'x']) assert.is((await remove(id)).status, 404)
})

test('[T58] a rerun starts the earlier request; what its body gives replaces it', async () => {
  const earlier = finished({
    task: 'Buy tea',
    context: 'for Ann',
    webhookUrl: 'https://h.example/',
    metadata: { a: '1' },
  })
  const rerun = (body: unknown, id = earlier.id) => ask('POST', `/v1/tasks/${id}/rerun`, { key, body })
  const { status, json } = await rerun({})
  assert.equal([status, json.task, json.status], [201, 'Buy tea', 'running'])
  assert.is.not(json.id, earlier.id)
  const { task, url, context, browserSessionId, webhookUrl, metadata } = earlier
  const same = { task, url, context, browserSessionId, webhookUrl, metadata }
  assert.equal(pick(taskService.started.at(-1)?.request ?? {}, Object.keys(same)), same)
  const session = randomUUID()
  await rerun({ task: 'Buy coffee', browser_session_id: session, context: null, metadata: { b: '2' } })
  assert.equal(pick(taskService.started.at(-1)?.request ?? {}, Object.keys(same)), {
    ...same,
    task: 'Buy coffee',
    browserSessionId: session,
    metadata: { b: '2' },
  })
  assert.equal((await rerun({ task: ' ' })).json.code, 'task_invalid')
  assert.equal((await rerun({ url: 'x' })).json.code, 'url_invalid')
  assert.equal((await rerun({}, finished({ workspaceId: randomUUID() }).id)).json.code, 'task_not_found')
})
const pick = (from: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))

test.run()
