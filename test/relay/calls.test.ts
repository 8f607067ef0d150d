import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import type { Peer } from './peer.ts'
import { calling, openScene, playing } from './scene.ts'

const test = suite('relay calls')
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const done = { text: 'Done.' }

/** A running task whose first call has reached its browser. */
async function acting(tool = 'find', input: Record<string, unknown> = { query: 'tea' }, protocol = 2) {
  const { model, asked } = playing(calling(tool, input), done)
  const scene = await openScene(model)
  const { peer, record, token } = await scene.browser({ protocol })
  const taskId = await scene.start(record)
  const call = await peer.gets('mcp_execute_tool')
  return { scene, peer, record, token, taskId, call, asked }
}

/** What the model read of the last result. */
const read = (asked: Awaited<ReturnType<typeof acting>>['asked']) => {
  const last = asked.at(-1)?.messages.findLast((message) => message.role === 'tool')
  return last?.role === 'tool' ? last.results.at(-1) : undefined
}

const answer = (peer: Peer, requestId: unknown, fields: object = { result: 'ok' }) =>
  peer.says({ type: 'tool_result', requestId, ...fields })

test('[R12 R13] a call goes to the browser of its task, with the routing key and an id of its own', async () => {
  const { scene, call, record, taskId } = await acting()
  assert.is(call.targetSessionId, record.id)
  assert.is(call.browserSessionId, record.id)
  assert.is(call.taskId, taskId)
  assert.is(call.tool, 'find')
  assert.equal(call.input, { query: 'tea' })
  assert.match(String(call.requestId), UUID)
  await scene.close()
})

for (const [what, fields, expected] of [
  ['result', { result: 'from result' }, '<page_content>\nfrom result\n</page_content>'],
  ['output', { output: 'from output' }, '<page_content>\nfrom output\n</page_content>'],
  ['an object', { result: { a: 1 } }, '<page_content>\n{"a":1}\n</page_content>'],
  ['error null', { result: 'ok', error: null }, '<page_content>\nok\n</page_content>'],
  ['result null', { result: null }, '(no output)'],
  ['nothing at all', {}, '(no output)'],
  ['an error', { error: 'No such element' }, 'Error: No such element'],
  ['an error and a result', { error: 'It broke', result: 'ok' }, 'Error: It broke'],
  ['an error that is an object', { error: { message: 'deep' } }, 'Error: deep'],
] as const) {
  test(`[R14] a tool_result with ${what} settles its call`, async () => {
    const { scene, peer, call, taskId, asked } = await acting()
    await answer(peer, call.requestId, fields)
    assert.is((await scene.ended(taskId)).status, 'complete')
    assert.is(read(asked)?.text, expected)
    assert.is(read(asked)?.failed, expected.startsWith('Error'))
    await scene.close()
  })
}

test('[R14] a result that cannot be read fails its call at once and says which field is wrong', async () => {
  const { scene, peer, call, taskId, asked } = await acting()
  await answer(peer, call.requestId, { screenshot: 7 })
  await scene.ended(taskId)
  assert.match(read(asked)?.text ?? '', /^Error: Invalid screenshot/)
  await scene.close()
})

test('[T39] what a browser says of a failure is cut like any output, before it is kept or read', async () => {
  for (const error of ['x'.repeat(200_000), { message: 'x'.repeat(200_000) }, { code: 'x'.repeat(200_000) }]) {
    const { scene, peer, call, taskId, asked } = await acting()
    await answer(peer, call.requestId, { error })
    await scene.ended(taskId)
    assert.is(read(asked)?.text.length, 'Error: '.length + 50_000)
    await scene.close()
  }
})

test('[R15] a screenshot is kept as the JPEG that it is, with or without a data: prefix', async () => {
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])
  for (const screenshot of [jpeg.toString('base64'), `data:image/jpeg;base64,${jpeg.toString('base64')}`]) {
    const { scene, peer, call, taskId, asked } = await acting('computer', { action: 'screenshot' })
    await answer(peer, call.requestId, { result: 'seen', screenshot })
    await scene.ended(taskId)
    assert.equal(Buffer.from((await scene.store.image(taskId, 0)) ?? []), jpeg)
    assert.is(read(asked)?.image, jpeg.toString('base64'))
    await scene.close()
  }
})

test('[R16] the tab is kept only when it is the session’s own', async () => {
  const { scene, peer, record, call, taskId } = await acting()
  await answer(peer, call.requestId, {
    result: 'ok',
    tabContext: { tabId: 7, windowId: 3, browserSessionId: record.id },
  })
  await scene.ended(taskId)
  await eventually(async () => (await scene.store.sessions.get(record.id))?.tabId === 7, 'the tab is kept')
  await scene.close()

  const other = await acting()
  const tabContext = { tabId: 9, windowId: 9, browserSessionId: other.taskId }
  await answer(other.peer, other.call.requestId, { result: 'ok', tabContext })
  await other.scene.ended(other.taskId)
  assert.is((await other.scene.store.sessions.get(other.record.id))?.tabId, null)
  await other.scene.close()
})

test('[R17] a result for a call that is not pending is dropped and counted', async () => {
  const { scene, peer, call, taskId } = await acting()
  await answer(peer, 'nobody’s')
  await answer(peer, call.requestId)
  await scene.ended(taskId)
  await answer(peer, call.requestId, { result: 'again' })
  assert.is(scene.actors.vitals.getSnapshot().context.resultsDropped, 2)
  await scene.close()
})

test('[R7] a result that names another session settles nothing, nor does one through another session’s socket', async () => {
  const { scene, peer, call, taskId } = await acting()
  const other = await scene.browser()
  await answer(other.peer, call.requestId)
  for (const key of ['targetSessionId', 'browserSessionId', 'sessionId']) {
    await answer(peer, call.requestId, { result: 'forged', [key]: other.record.id })
  }
  assert.is(scene.actors.taskService.counts().pendingToolCalls, 1)
  await answer(peer, call.requestId, { result: 'mine' })
  await scene.ended(taskId)
  await scene.close()
})

for (const [tool, input, seconds] of [
  ['computer', { action: 'wait', duration: 1 }, 35],
  ['navigate', { url: 'https://a.test' }, 30],
  ['find', { query: 'x' }, 15],
] as const) {
  test(`[R18] ${tool} times out after ${seconds} s, not earlier`, async () => {
    const { scene, peer, taskId, asked } = await acting(tool, input)
    const pass = async (ms: number) => {
      await peer.says({ type: 'pong' })
      await scene.turn(ms)
    }
    await pass(seconds * 1_000 - 1)
    assert.is(scene.actors.taskService.counts().pendingToolCalls, 1)
    await pass(1)
    assert.is(scene.actors.taskService.counts().pendingToolCalls, 0)
    await scene.ended(taskId)
    assert.is(read(asked)?.text, `Error: Tool execution timed out after ${seconds}s: ${tool}`)
    await scene.close()
  })
}

for (const protocol of [1, 2]) {
  test(`[R19] a pending call of a protocol ${protocol} browser fails at once when its connection closes`, async () => {
    const { scene, peer, record, taskId, asked } = await acting('find', { query: 'x' }, protocol)
    await peer.leaves()
    assert.is(scene.actors.taskService.counts().pendingToolCalls, 0)
    await scene.ended(taskId)
    assert.is(read(asked)?.text, `Error: Browser session ${record.id} disconnected`)
    await scene.close()
  })
}

test('[R21] a call without a connection waits 15 s for the browser, then fails with Relay not connected', async () => {
  const { model, asked } = playing(calling('find', { query: 'a' }), calling('find', { query: 'b' }), done)
  const scene = await openScene(model)
  const { peer, record } = await scene.browser()
  const taskId = await scene.start(record)
  await peer.gets('mcp_execute_tool')
  await peer.leaves()
  const state = async () => (await scene.actors.taskService.task(scene.workspaceId, taskId))?.state
  await eventually(async () => (await state()) === 'waitingForBrowser', 'the task waits')
  await scene.turn(14_999)
  assert.is(await state(), 'waitingForBrowser')
  await scene.turn(1)
  await scene.ended(taskId)
  assert.is(read(asked)?.text, 'Error: Relay not connected')
  await scene.close()
})

test('[T50] a browser that is back within 15 s goes on with the task', async () => {
  const { model } = playing(calling('find', { query: 'a' }), calling('find', { query: 'b' }), done)
  const scene = await openScene(model)
  const { peer, record, token } = await scene.browser()
  const taskId = await scene.start(record)
  await peer.gets('mcp_execute_tool')
  await peer.leaves()
  await eventually(
    async () => (await scene.actors.taskService.task(scene.workspaceId, taskId))?.state === 'waitingForBrowser',
    'the task waits',
  )
  await scene.turn(10_000)
  const back = await scene.register(token)
  const call = await back.gets('mcp_execute_tool')
  assert.equal(call.input, { query: 'b' })
  await answer(back, call.requestId)
  assert.is((await scene.ended(taskId)).status, 'complete')
  await scene.close()
})

test('[R41] a take-over by a browser that remembers settles its calls by what it remembers', async () => {
  for (const [state, sentAgain] of [
    ['running', 0],
    ['done', 1],
    [null, 1],
  ] as const) {
    const { scene, peer, token, call, taskId } = await acting()
    const calls = state === null ? [] : [{ requestId: call.requestId, state }]
    const newer = await scene.register(token, { protocol: 2, calls })
    assert.is(peer.closed?.code, 4409)
    assert.is(newer.of('mcp_execute_tool').length, sentAgain, `${state}`)
    if (sentAgain) assert.is(newer.of('mcp_execute_tool')[0]?.requestId, call.requestId)
    await answer(newer, call.requestId)
    assert.is((await scene.ended(taskId)).status, 'complete')
    await scene.close()
  }
})

test('[R41] a take-over by a protocol 1 browser fails the calls as a disconnect does', async () => {
  const { scene, record, token, taskId, asked } = await acting('find', { query: 'x' }, 1)
  await scene.register(token, {})
  await scene.ended(taskId)
  assert.is(read(asked)?.text, `Error: Browser session ${record.id} disconnected`)
  await scene.close()
})

test('[S12] a session that is removed fails its pending calls, and the task goes on without it', async () => {
  const { scene, record, taskId, asked } = await acting()
  await scene.actors.taskService.removeSession(scene.workspaceId, null, record.id)
  await scene.ended(taskId)
  assert.is(read(asked)?.text, `Error: Browser session ${record.id} disconnected`)
  await scene.close()
})

test.run()
