import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { taskAddress } from '../../machines/addresses.ts'
import { REFUSALS } from '../../machines/texts.ts'
import { UPDATES_HELD_MS_MAX } from '../../src/relay/limits.ts'
import { eventually } from '../support/eventually.ts'
import { aKey, calling, openScene, playing } from './scene.ts'

const test = suite('relay panel')
const done = { text: 'Done.' }
const tired = { kind: 'failed', message: 'tired', retryable: true, rateLimited: false, retryAfterMs: null } as const
const task = (record: { id: string }, fields: object = {}) => ({
  type: 'create_task',
  requestId: 'panel-1',
  task: 'Buy tea',
  browserSessionId: record.id,
  ...fields,
})

test('[R22 R30 R31 R32 R12] a task from the side panel is started, followed and completed under its request id', async () => {
  const scene = await openScene(playing(calling('find', { query: 'tea' }), done).model)
  const { peer, record } = await scene.browser({ protocol: 1 })
  await peer.says(task(record))
  const started = await peer.gets('task_started')
  assert.is(started.requestId, 'panel-1')
  const call = await peer.gets('mcp_execute_tool')
  await peer.says({ type: 'tool_result', requestId: call.requestId, result: 'ok' })
  const complete = await peer.gets('task_complete')
  const [update] = peer.of('task_update')
  assert.equal(complete, {
    type: 'task_complete',
    requestId: 'panel-1',
    taskId: started.taskId,
    answer: 'Done.',
    status: 'complete',
    success: true,
    output: null,
    targetSessionId: record.id,
  })
  assert.is(update?.requestId, 'panel-1')
  assert.is(update?.taskId, started.taskId)
  assert.equal(update?.step, { tool: 'find', input: { query: 'tea' }, status: 'tool_use' })
  assert.is(update?.steps, 1)
  for (const frame of peer.received.slice(1)) assert.is(frame.targetSessionId, record.id)
  assert.is(peer.of('task_complete').length + peer.of('task_error').length, 1)
  const kept = await scene.store.tasks.get(String(started.taskId))
  assert.is(kept?.workspaceId, scene.workspaceId)
  await scene.close()
})

test('[T23] it is recorded under the workspace’s first key, or under the workspace itself', async () => {
  const scene = await openScene(playing(done).model)
  const { peer, record } = await scene.browser()
  await peer.says(task(record))
  const bare = await scene.ended(String((await peer.gets('task_started')).taskId))
  assert.is(bare.apiKeyId, scene.workspaceId)
  const first = aKey(scene.workspaceId)
  await scene.store.keys.insert(first)
  await scene.store.keys.insert(aKey(scene.workspaceId, { createdAt: first.createdAt + 1 }))
  await peer.says(task(record))
  assert.is((await scene.ended(String((await peer.gets('task_started', 2)).taskId))).apiKeyId, first.id)
  await scene.close()
})

for (const [rule, what, fields, error] of [
  ['R23', 'no task', { task: undefined }, 'Invalid task'],
  ['R23', 'a task that is a number', { task: 7 }, 'Invalid task'],
  ['R23', 'a blank task', { task: '  \n' }, 'Invalid task'],
  ['R23', 'a task of 10,001 characters', { task: 'x'.repeat(10_001) }, 'Invalid task'],
  ['R24', 'no session', { browserSessionId: undefined }, 'Browser session not found'],
  ['R24 R7', 'another session', { browserSessionId: randomUUID() }, 'Browser session not found'],
  ['R24 R7', 'a session that is a number', { browserSessionId: 5 }, 'Browser session not found'],
] as const) {
  test(`[${rule} R30] create_task with ${what}: ${error}`, async () => {
    const scene = await openScene(playing(done).model)
    const { peer, record } = await scene.browser()
    await peer.says(task(record, fields))
    const refusal = await peer.gets('task_error')
    assert.equal(refusal, { type: 'task_error', requestId: 'panel-1', error, targetSessionId: record.id })
    await scene.close()
  })
}

test('a request id of more than 200 characters starts nothing: it would stand in every frame of its task', async () => {
  const scene = await openScene(playing(done).model)
  const { peer, record } = await scene.browser()
  await peer.says(task(record, { requestId: 'x'.repeat(201) }))
  const refused = await peer.gets('error')
  assert.match(String(refused.error), /^Invalid requestId/)
  assert.is('requestId' in refused, false)
  await peer.says(task(record, { requestId: 'x'.repeat(200) }))
  assert.is((await peer.gets('task_complete')).requestId, 'x'.repeat(200))
  assert.is(peer.of('task_started').length, 1)
  await scene.close()
})

test('[R28] a bad task is said before a bad session', async () => {
  const scene = await openScene(playing(done).model)
  const { peer, record } = await scene.browser()
  await peer.says(task(record, { task: '', browserSessionId: randomUUID() }))
  assert.is((await peer.gets('task_error')).error, 'Invalid task')
  await scene.close()
})

test('[R26 R28] no allowance is said before the rate', async () => {
  const scene = await openScene(playing(done).model, { freePerMonth: 1 })
  const { peer, record } = await scene.browser()
  await peer.says(task(record))
  await peer.gets('task_complete')
  for (let i = 0; i < 11; i++) await peer.says(task(record))
  await peer.gets('task_error', 11)
  assert.equal([...new Set(peer.of('task_error').map(({ error }) => error))], ['No tasks remaining'])
  await scene.close()
})

test('[R26] a place that a running task holds is said to be held', async () => {
  const scene = await openScene(playing(calling('find', { query: 'x' })).model, { freePerMonth: 1 })
  const { peer, record } = await scene.browser()
  await peer.says(task(record))
  await peer.gets('task_started')
  await peer.says(task(record))
  assert.is((await peer.gets('task_error')).error, REFUSALS.places_held)
  await scene.close()
})

test('[R27 R28] the eleventh start of a minute: the rate; before it the sixth at a time: the concurrency', async () => {
  const scene = await openScene(playing(calling('find', { query: 'x' })).model)
  const { peer, record } = await scene.browser()
  for (let i = 0; i < 12; i++) await peer.says(task(record, { requestId: `p${i}` }))
  await peer.gets('task_error', 7)
  await peer.gets('task_started', 5)
  const errors = peer.of('task_error').map(({ error }) => error)
  assert.equal(errors, [...Array(5).fill(REFUSALS.too_many_running), ...Array(2).fill(REFUSALS.rate_limited)])
  await scene.close()
})

test('[R29] an expired session may still start from its panel', async () => {
  const scene = await openScene(playing(done).model)
  const { peer, record } = await scene.browser({ fields: { expiresAt: scene.clock.now() + 1_000 } })
  const answer = await scene.actors.taskService.startTask({
    door: 'relay',
    workspaceId: scene.workspaceId,
    apiKeyId: null,
    requestId: 'r',
    request: { task: 'x', url: null, context: null, browserSessionId: record.id, webhookUrl: 'http://hook.test' },
  })
  assert.is(answer.ok, true)
  await peer.gets('task_complete')
  await scene.close()
})

test('[R32] the loop’s own throw is task_error with the task’s id, and nothing else ends it', async () => {
  const scene = await openScene({
    id: 'broken',
    provider: 'test',
    async ask() {
      throw new Error('a bug')
    },
  })
  const { peer, record } = await scene.browser()
  await peer.says(task(record))
  const error = await peer.gets('task_error')
  assert.is(error.error, 'Agent loop crashed: a bug')
  assert.is(error.taskId, (await peer.gets('task_started')).taskId)
  assert.is(peer.of('task_complete').length, 0)
  await scene.close()
})

test('[R33] a task over HTTP tells a protocol 1 browser only that it is complete, without a request id', async () => {
  const scene = await openScene(playing(done).model)
  const { peer, record } = await scene.browser({ protocol: 1 })
  const taskId = await scene.start(record)
  const complete = await peer.gets('task_complete')
  assert.is(complete.taskId, taskId)
  assert.is('requestId' in complete, false)
  assert.is(peer.of('task_started').length + peer.of('task_update').length, 0)
  await scene.close()
})

test('[R33] a task over HTTP tells a protocol 2 browser of its start and its steps too', async () => {
  const scene = await openScene(playing(calling('find', { query: 'x' }), done).model)
  const { peer, record } = await scene.browser()
  await scene.start(record)
  await peer.gets('task_started')
  const call = await peer.gets('mcp_execute_tool')
  await peer.says({ type: 'tool_result', requestId: call.requestId, result: 'ok' })
  await peer.gets('task_complete')
  assert.equal(
    peer.of('task_update').map(({ step }) => (step as { status: string }).status),
    ['tool_use', 'tool_result', 'tool_use', 'tool_result'],
    'of its call, and of the finish that ends it',
  )
  await scene.close()
})

test('[R31] an update goes along with the frame after it, or by itself soon when there is none', async () => {
  const scene = await openScene(playing(calling('find', { query: 'x' }), tired).model)
  const { peer, record } = await scene.browser()
  const taskId = await scene.start(record)
  const call = await peer.gets('mcp_execute_tool')
  const types = () => peer.received.slice(1).map(({ type }) => type)
  assert.equal(types(), ['task_started', 'task_update', 'mcp_execute_tool'])
  await peer.says({ type: 'tool_result', requestId: call.requestId, result: 'ok' })
  // The model has failed and is asked again later: nothing is sent meanwhile.
  const task = () => scene.actors.system.registry.snapshot(taskAddress(taskId))
  await eventually(() => task()?.matches({ running: { askingModel: 'backingOff' } }) === true, 'the task to back off')
  await scene.turn(UPDATES_HELD_MS_MAX - 1)
  assert.is(peer.of('task_update').length, 1)
  await scene.turn(1)
  assert.equal(types().slice(3), ['task_update'])
  await scene.close()
})

test.run()
