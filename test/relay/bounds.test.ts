import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { eventually } from '../support/eventually.ts'
import type { Peer } from './peer.ts'
import { calling, openScene, playing } from './scene.ts'

// What one browser, or one that has not proven itself, may ask of the service.

const test = suite('relay bounds')
const MB = 1024 * 1024
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]).toString('base64')

async function acting() {
  const played = playing(calling('find', { query: 'tea' }), { text: 'Done.' })
  const scene = await openScene(played.model)
  const { peer, record } = await scene.browser()
  const taskId = await scene.start(record)
  const { requestId } = await peer.gets('mcp_execute_tool')
  return { scene, peer, taskId, requestId: String(requestId), asked: played.asked }
}
const read = (asked: Awaited<ReturnType<typeof acting>>['asked']) => {
  const last = asked.at(-1)?.messages.findLast((message) => message.role === 'tool')
  return last?.role === 'tool' ? last.results.at(-1) : undefined
}
const result = (requestId: unknown, fields: object) => ({ type: 'tool_result', requestId, ...fields })
/** JSON of many values, and of many levels. */
const wide = (values: number) => `[${'[],'.repeat(values)}0]`
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const errors = (peer: Peer) => peer.of('error').map(({ error }) => String(error))

test('[R44] of the sockets of one address that do not register, the oldest are closed', async () => {
  const scene = await openScene(playing({ text: 'Hi' }).model)
  const { peer: registered } = await scene.browser()
  const silent: Peer[] = []
  for (let n = 0; n < 25; n++) silent.push(await scene.connect())
  await eventually(() => silent.filter(({ closed }) => closed !== null).length === 5, 'five to be closed')
  assert.equal(silent.map(({ closed }) => closed?.code).slice(0, 6), [4429, 4429, 4429, 4429, 4429, undefined])
  assert.is(registered.closed, null)
  const { peer } = await scene.browser()
  assert.is(peer.received[0]?.type, 'registered')
  await scene.close()
})

test('[R45] a browser that sends more than its budget is closed, and no other', async () => {
  const scene = await openScene(playing({ text: 'Hi' }).model)
  const [{ peer }, { peer: other }] = [await scene.browser(), await scene.browser()]
  const late = JSON.stringify(result('gone', { result: 'x'.repeat(15 * MB) }))
  await peer.says(late)
  await peer.says(late)
  assert.is(peer.closed, null)
  await peer.says(late)
  await eventually(() => peer.closed !== null, 'the socket closes')
  assert.is(peer.closed?.code, 4429)
  assert.is(other.closed, null)
  await scene.close()
})

test('[R45] the budget fills up again as time goes by', async () => {
  const scene = await openScene(playing({ text: 'Hi' }).model)
  const { peer } = await scene.browser()
  for (let n = 0; n < 6; n++) {
    await peer.says(JSON.stringify(result('gone', { result: 'x'.repeat(15 * MB) })))
    await scene.turn(10_000)
  }
  assert.is(peer.closed, null)
  await scene.close()
})

test('[R45] [R9] a clock that is set back or forward closes no browser', async () => {
  const scene = await openScene(playing({ text: 'Hi' }).model)
  const { peer } = await scene.browser()
  const says = async (frames: number) => {
    for (let n = 0; n < frames; n++) await peer.says({ type: 'ping' })
  }
  for (const hours of [-1, 1, 24, -24]) {
    await peer.says(JSON.stringify(result('gone', { result: 'x'.repeat(15 * MB) })))
    await says(40)
    scene.clock.move(hours * 3_600_000)
    await says(20)
    for (let n = 0; n < 3; n++) {
      await scene.turn(10_000)
      await says(30)
    }
    assert.is(peer.closed, null, `${hours} h`)
  }
  await scene.close()
})

test('[R46] the result of a pending call may be long; what nobody waits for is dropped unread', async () => {
  const { scene, peer, taskId, requestId, asked } = await acting()
  await peer.says(result('00000000-0000-4000-8000-000000000000', { result: 'x'.repeat(70_000) }))
  await peer.says({ type: 'llm_request', requestId: 'q', messages: [{ role: 'user', content: 'x'.repeat(70_000) }] })
  assert.match((await peer.gets('error')).error as string, /too long/)
  assert.is(peer.of('error')[0]?.requestId, 'q')
  await peer.says(result(requestId, { result: `start ${'x'.repeat(15 * MB)}` }))
  assert.is((await scene.ended(taskId)).status, 'complete')
  assert.match(read(asked)?.text ?? '', /start xxx/)
  assert.is(peer.closed, null)
  await scene.close()
})

test('[R46] a task may have its whole context in characters that take the most space', async () => {
  const scene = await openScene(playing({ text: 'Done.' }).model)
  const { peer, record } = await scene.browser()
  const context = '\u0001'.repeat(50_000)
  await peer.says({ type: 'create_task', requestId: 'c', task: 'Buy tea', context, browserSessionId: record.id })
  assert.is((await peer.gets('task_complete')).status, 'complete')
  await scene.close()
})

for (const [what, json] of [
  ['100,000 values', wide(100_001)],
  ['15 MB of values', wide(5 * MB)],
  ['101 levels', deep(101)],
  ['7 million levels', deep(7 * MB)],
] as const) {
  for (const field of ['result', 'error']) {
    test(`[R47] a result whose ${field} has over ${what} is a failed call, at once`, async () => {
      const { scene, peer, taskId, requestId, asked } = await acting()
      await peer.says(`{"type":"tool_result","requestId":"${requestId}","${field}":${json}}`)
      assert.is((await scene.ended(taskId)).status, 'complete')
      assert.match(read(asked)?.text ?? '', /^Error: The frame is too complex/)
      await scene.close()
    })
  }
}

test('[R47] a result that does not name its call settles the only one that is pending', async () => {
  for (const requestId of [7, ['x'], { id: 'x' }, undefined]) {
    const { scene, peer, taskId, asked } = await acting()
    await peer.says(result(requestId, { result: 'ok' }))
    assert.is((await scene.ended(taskId)).status, 'complete')
    assert.match(read(asked)?.text ?? '', /^Error: Invalid requestId/)
    await scene.close()
  }
})

test('[R48] results that the service asked for are not counted among the frames of a second', async () => {
  const { scene, peer, taskId, requestId } = await acting()
  for (let n = 0; n < 100; n++) await peer.says({ type: 'pong' })
  await peer.says(result(requestId, { result: 'ok' }))
  assert.is(peer.closed, null)
  assert.is((await scene.ended(taskId)).status, 'complete')
  await peer.says(result(requestId, { result: 'again' }))
  await eventually(() => peer.closed !== null, 'the socket closes')
  assert.is(peer.closed?.code, 4429)
  await scene.close()
})

for (const [name, twice] of [
  ['a name that stands twice', '"type"'],
  ['a name in two spellings', '"\\u0074ype"'],
]) {
  test(`[R9] [R48] with ${name} another frame is not taken for a result that the service asked for`, async () => {
    const { scene, peer, requestId } = await acting()
    const frame = `{"type":"tool_result","requestId":"${requestId}",${twice}:"list_tasks"}`
    for (let n = 0; n < 3; n++) await peer.says(frame)
    await eventually(() => peer.closed !== null, 'the socket closes')
    assert.is(peer.closed?.code, 4400)
    assert.equal(peer.of('tasks'), [])
    await scene.close()
  })
}

for (const [what, screenshot, kept] of [
  ['a JPEG', JPEG, true],
  ['a JPEG as a data URL', `data:image/jpeg;base64,${JPEG}`, true],
  ['HTML', Buffer.from('<script>alert(1)</script>').toString('base64'), false],
  ['a JPEG of more than 2 MB', `/9j/${'A'.repeat(3 * MB)}`, false],
  ['what is not base64', '/9j/<script>', false],
] as const) {
  test(`[R49] a screenshot that is ${what} is ${kept ? 'kept' : 'left out, and the browser is told'}`, async () => {
    const { scene, peer, taskId, requestId } = await acting()
    await peer.says(result(requestId, { result: 'ok', screenshot }))
    assert.is((await scene.ended(taskId)).status, 'complete')
    const steps = (await scene.actors.taskService.steps(scene.workspaceId, taskId)) ?? []
    assert.is(
      steps.some(({ status }) => status === 'screenshot'),
      kept,
    )
    assert.equal(errors(peer), kept ? [] : ['Invalid screenshot: expected the base64 of a JPEG of at most 2 MB'])
    await scene.close()
  })
}

test.run()
