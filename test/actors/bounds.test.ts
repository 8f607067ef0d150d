import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isDeeperThan } from '../../actors/conversation/reply-checks.ts'
import { EXPIRED_SESSION_KEPT_MS, TASK_JOURNAL_CHARS_MAX, TASK_SCREENSHOTS_BYTES_MAX } from '../../actors/limits.ts'
import { taskAddress } from '../../machines/addresses.ts'
import {
  CALLS_PER_REPLY_MAX,
  OUTPUT_CHARS_MAX,
  RETIRE_EVERY_MS,
  TOOL_INPUT_BYTES_MAX,
  TOOL_INPUT_DEPTH_MAX,
  TOOL_NAME_CHARS_MAX,
} from '../../machines/limits.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, saying, settled } from '../support/scene.ts'

const test = suite('bounds of what a model and a browser give')

/** Nested so deep, below the value itself. */
const nested = (levels: number): Record<string, unknown> => {
  let value: Record<string, unknown> = {}
  for (let n = 0; n < levels; n++) value = { a: value }
  return value
}

test('[L29] the depth of a value is told without a stack of calls', () => {
  assert.equal([isDeeperThan('x', 0), isDeeperThan({}, 0), isDeeperThan({ a: {} }, 0)], [false, false, true])
  assert.equal([isDeeperThan(nested(32), 32), isDeeperThan(nested(33), 32)], [false, true])
  assert.ok(isDeeperThan(nested(200_000), 32))
  let list: unknown[] = []
  for (let n = 0; n < 200_000; n++) list = [list]
  assert.ok(isDeeperThan(list, 100))
})

for (const [what, input, reason] of [
  ['nested 200,000 levels deep', nested(200_000), 'nested more than 32 levels deep'],
  ['nested one level too deep', nested(TOOL_INPUT_DEPTH_MAX + 1), 'nested more than 32 levels deep'],
  ['larger than 64 KB', { text: 'x'.repeat(TOOL_INPUT_BYTES_MAX) }, 'larger than 64 KB'],
] as const)
  test(`[L29 L8] an input ${what} is a failed call: the task goes on, and every row is written`, async () => {
    const scene = await aScene()
    const browser = scene.browser()
    const neighbour = await scene.task(scene.browser())
    const [waiting] = scene.model.waiting.splice(0)
    const id = await scene.task(browser)
    scene.model.answer(calling(['find', input]))
    await scene.reaches(id, 'thinking')
    assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), reason)
    assert.equal(browser.executed, [])
    scene.model.answer(saying('Done.'))
    waiting?.answer(saying('Unhurt.'))
    await settled()
    assert.equal([scene.record(id).status, scene.record(neighbour).status], ['complete', 'complete'])
    nothingLeft(scene)
  })

test('[L29] the name of a tool that a model makes up is kept to 128 characters, and the model is told that there is none', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.model.answer(calling(['x'.repeat(1_000_000), {}]))
  await scene.reaches(id, 'thinking')
  const kept = JSON.stringify(scene.model.last?.messages)
  assert.ok(kept.includes('x'.repeat(TOOL_NAME_CHARS_MAX)) && kept.length < 10_000, String(kept.length))
  scene.model.answer(saying('Done.'))
  await settled()
  assert.ok(JSON.stringify(scene.record(id)).length < 10_000)
  nothingLeft(scene)
})

test('[L29] the calls of a reply beyond the thirty-second are not run, and the model is told', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const id = await scene.task(browser)
  const calls = Array.from({ length: CALLS_PER_REPLY_MAX + 3 }, (_, n) => ['find', { query: String(n) }] as const)
  scene.model.answer(calling(...calls.map(([tool, input]): [string, object] => [tool, input])))
  await settled(400)
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, CALLS_PER_REPLY_MAX)
  assert.match(JSON.stringify(scene.model.last?.messages), '3 more tool calls of this reply were not run')
})

for (const [what, output] of [
  ['a text', 'é'.repeat(1_000_000)],
  ['a value', { rows: Array.from({ length: 40 }, () => 'é'.repeat(25_000)) }],
] as const)
  test(`[L29] of an output of a million characters, ${what}, no more goes on than the model reads`, async () => {
    const scene = await aScene()
    const browser = scene.browser()
    browser.result = () => ({ output })
    await scene.task(browser)
    const heard: unknown[] = []
    const { post } = scene.system.registry
    scene.system.registry.post = function (address, event, from) {
      if (event.type === 'call.answered') heard.push(event.outcome.output)
      return post.call(this, address, event, from)
    }
    scene.model.answer(calling(['find', { query: 'tea' }]))
    await settled()
    assert.equal(
      heard.map((each) => typeof each === 'string' && each.length),
      [OUTPUT_CHARS_MAX],
    )
  })

test('[L29 L7] an output that is nested thousands deep is a failed call, and never the end of its task', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.result = () => ({ output: nested(200_000) })
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', {}]))
  await scene.reaches(id, 'thinking')
  assert.match(JSON.stringify(scene.model.last?.messages.at(-1)), 'nested more than 100 levels deep')
  scene.model.answer(saying('Done.'))
  await settled()
  assert.is(scene.record(id).status, 'complete')
})

test('[T54] a screenshot beyond what those of a task may take is left out, and the model is told', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const half = 'A'.repeat(Math.floor((TASK_SCREENSHOTS_BYTES_MAX / 2 / 3) * 4) - 1_000)
  const images = ['AAAA', half, half, half]
  browser.result = () => ({ screenshot: images.shift() ?? null, output: null })
  const id = await scene.task(browser)
  for (let n = 0; n < 4; n++) {
    scene.model.answer(calling(['computer', { action: 'screenshot' }]))
    await settled(60)
  }
  await scene.reaches(id, 'thinking')
  const results =
    scene.model.last?.messages.flatMap((message) => (message.role === 'tool' ? message.results : [])) ?? []
  assert.equal(
    results.map(({ text }) => text.includes('the screenshot was left out')),
    [false, false, false, true],
  )
})

test('[S23] a browser that is connected has a time of it, whatever became of its record', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  scene.store.sessions.set(browser.record.id, { ...browser.record, connectedAt: null })
  const [view] = await scene.taskService.sessions(scene.workspaceId, null)
  assert.equal([view?.status, view?.connectedAt], ['connected', scene.clock.now()])
})

test('[S22] sessions that expired a week ago are removed by the sweep', async () => {
  const scene = await aScene()
  const { record } = scene.browser()
  const now = scene.clock.now()
  scene.store.sessions.set('old', { ...record, id: 'old', expiresAt: now - EXPIRED_SESSION_KEPT_MS })
  scene.store.sessions.set('new', { ...record, id: 'new', expiresAt: now })
  await scene.clock.advance(RETIRE_EVERY_MS)
  await settled()
  assert.equal([scene.store.sessions.has('old'), scene.store.sessions.has('new')], [false, true])
})

test('[L30 D7] a row has the call at hand alone; a task that comes back has all that are left of its step', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.answers = false
  const id = await scene.task(browser)
  const texts = ['one', 'two', 'three'].map((query) => query.repeat(1_000))
  scene.model.answer(calling(...texts.map((query): [string, object] => ['find', { query }])))
  await scene.reaches(id, 'acting')
  const row = JSON.stringify(scene.store.rows.get(taskAddress(id)))
  assert.equal(
    texts.map((text) => row.includes(text)),
    [true, false, false],
  )
  await scene.reopen()
  browser.answers = true
  browser.connect()
  browser.finish()
  await settled(100)
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 3)
  scene.model.answer(saying('Done.'))
  await settled()
  const turns = await scene.taskService.turns(id)
  assert.equal(
    turns[0]?.tools.map(({ result }) => result !== ''),
    [true, true, true],
  )
})

test('[L30] a task whose journal is full ends at its next step', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  const reply = calling(['find', {}])
  scene.model.answer({ ...reply, text: 'x'.repeat(TASK_JOURNAL_CHARS_MAX) } as typeof reply)
  await settled(60)
  const { status, endedBy, failure, answer } = scene.record(id)
  assert.equal([status, endedBy, failure], ['error', 'step_limit', null])
  assert.is(answer, 'The task was ended because its record became too large.')
})

test('[S12 R1] a session that is removed while its browser registers is closed as removed', async () => {
  const scene = await aScene()
  const browser = scene.browser(2, {}, false)
  // Its record was read by the register; then it is removed; then it is bound.
  assert.ok(await scene.taskService.removeSession(scene.workspaceId, null, browser.record.id))
  browser.connect()
  await settled()
  assert.equal(
    browser.closed.map(({ code }) => code),
    [4403],
  )
  assert.is(scene.count('session'), 0)
})

test.run()
