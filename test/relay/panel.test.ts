import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import { calling, openScene, playing } from './scene.ts'

const test = suite('what a side panel asks')
const done = { text: 'Done.' }

/** A task that calls twice, with its first call at the browser. */
async function acting(protocol = 2) {
  const { model } = playing(calling('find', { query: 'tea' }), calling('read_page'), done)
  const scene = await openScene(model)
  const { peer, record } = await scene.browser({ protocol })
  const taskId = await scene.start(record)
  const call = await peer.gets('mcp_execute_tool')
  const task = async () => {
    const view = await scene.actors.desk.task(scene.workspaceId, taskId)
    if (!view) throw new Error('The task is gone')
    return view
  }
  return { scene, peer, record, taskId, call, task }
}

test('the browser is told the name of its workspace, if it speaks protocol 2', async () => {
  const { scene, peer } = await acting()
  const kept = await scene.store.workspaces.get(scene.workspaceId)
  assert.is((await peer.gets('registered')).workspace, kept?.name)
  const { peer: older } = await scene.browser({ protocol: 1 })
  assert.not.ok('workspace' in (await older.gets('registered')))
  await scene.close()
})

test('list_tasks gives the tasks of the session, and of no other', async () => {
  const { scene, peer, taskId } = await acting()
  peer.says({ type: 'list_tasks', requestId: 'q1' })
  const { tasks, requestId } = await peer.gets('tasks')
  assert.is(requestId, 'q1')
  const [listed, ...more] = tasks as Record<string, unknown>[]
  assert.equal(more, [])
  assert.is(listed?.taskId, taskId)
  assert.is(listed?.status, 'running')
  assert.is(listed?.paused, false)
  assert.is(listed?.answer, null)
  const { peer: other } = await scene.browser()
  other.says({ type: 'list_tasks', requestId: 'q2' })
  assert.equal((await other.gets('tasks')).tasks, [])
  await scene.close()
})

test('a paused task sends no further call until it is handed back, and goes on where it was', async () => {
  const { scene, peer, taskId, call, task } = await acting()
  peer.says({ type: 'pause_task', requestId: 'q1', taskId })
  assert.equal((await peer.gets('task_paused')).taskId, taskId)
  assert.is((await task()).state, 'paused')
  peer.says({ type: 'tool_result', requestId: call.requestId, error: 'The user has taken over' })
  await eventually(async () => (await task()).steps === 2, 'the second reply')
  peer.says({ type: 'list_tasks', requestId: 'q2' })
  const { tasks } = await peer.gets('tasks')
  assert.is((tasks as { paused: boolean }[])[0]?.paused, true)
  assert.is(peer.of('mcp_execute_tool').length, 1)
  peer.says({ type: 'resume_task', requestId: 'q3', taskId })
  await peer.gets('task_resumed')
  const next = await peer.gets('mcp_execute_tool', 2)
  assert.is(next.tool, 'read_page')
  peer.says({ type: 'tool_result', requestId: next.requestId, result: 'a page' })
  assert.is((await peer.gets('task_complete')).status, 'complete')
  await scene.close()
})

test('a task can be stopped while it is paused', async () => {
  const { scene, peer, taskId, call, task } = await acting()
  peer.says({ type: 'pause_task', requestId: 'q1', taskId })
  await peer.gets('task_paused')
  peer.says({ type: 'tool_result', requestId: call.requestId, error: 'The user has taken over' })
  await eventually(async () => (await task()).steps === 2, 'the second reply')
  peer.says({ type: 'cancel_task', requestId: 'q2', taskId })
  const ended = await peer.gets('task_complete')
  assert.is(ended.status, 'error')
  assert.is(ended.answer, 'Task was cancelled.')
  assert.is((await task()).state, 'closed')
  assert.is(peer.of('mcp_execute_tool').length, 1)
  peer.says({ type: 'resume_task', requestId: 'q3', taskId })
  assert.is((await peer.gets('error')).error, 'Task is not running')
  await scene.close()
})

test('[R7] a task of another session is as if it did not exist', async () => {
  const { scene, taskId, task } = await acting()
  const { peer: other } = await scene.browser()
  const asked = ['pause_task', 'resume_task', 'cancel_task']
  for (const [at, type] of asked.entries()) {
    other.says({ type, requestId: type, taskId })
    const refused = await other.gets('error', at + 1)
    assert.is(refused.error, 'Task not found')
    assert.is(refused.requestId, type)
  }
  other.says({ type: 'pause_task', requestId: 'none', taskId: 'no task' })
  assert.is((await other.gets('error', 4)).error, 'Task not found')
  assert.is((await task()).status, 'running')
  assert.is.not((await task()).state, 'paused')
  await scene.close()
})

test('a frame that names another session, and one of protocol 1, change nothing', async () => {
  const { scene, peer, taskId, task } = await acting()
  peer.says({ type: 'pause_task', requestId: 'q1', taskId, sessionId: 'another' })
  assert.is((await peer.gets('error')).error, 'Browser session not found')
  peer.says({ type: 'pause_task', taskId })
  assert.match(String((await peer.gets('error', 2)).error), /^Invalid requestId/)
  assert.is.not((await task()).state, 'paused')
  await scene.close()

  const older = await acting(1)
  older.peer.says({ type: 'pause_task', requestId: 'q1', taskId: older.taskId })
  assert.is((await older.peer.gets('error')).error, 'This needs protocol 2 of the relay')
  assert.is.not((await older.task()).state, 'paused')
  await older.scene.close()
})

test.run()
