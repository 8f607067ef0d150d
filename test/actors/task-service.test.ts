import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Write } from '../../actors/runtime/ports.ts'
import { MINUTE_MS } from '../../machines/limits.ts'
import { ANSWERS } from '../../machines/texts.ts'
import { INTO, nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, saying, settled } from '../support/scene.ts'

const test = suite('taskService')

test('[T25 L1 D4 D5 W1] a task from its start to its end: thinks, acts, thinks, answers', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const timers = scene.clock.pending
  const id = await scene.task(browser, { webhookUrl: 'https://hook.test/' })
  assert.is(await scene.stateOf(id), 'thinking')
  scene.onFrame = ({ type }) => {
    if (type !== 'mcp_execute_tool') return
    // Before the frame leaves the reply and the intent are kept.
    assert.is(scene.store.journal(id)[0]?.kind, 'reply')
    assert.match(JSON.stringify(scene.store.rows.get(`task:${id}`)), '"persistingIntent"')
  }
  scene.model.answer(calling(['find', { query: 'tea' }], ['read_page', {}]))
  await scene.reaches(id, 'thinking')
  assert.is(browser.executed.length, 2)
  const tools = scene.model.last?.messages.at(-1)
  assert.ok(tools?.role === 'tool' && tools.results.every(({ text }) => text.includes('<page_content>\nseen')))
  scene.model.answer(saying('Bought.'))
  await settled()
  const { status, answer, steps, usage, endedBy, failure, completedAt } = scene.record(id)
  assert.equal([status, answer, steps, endedBy, failure], ['complete', 'Bought.', 2, 'completed', null])
  assert.equal(usage, { inputTokens: 200, outputTokens: 20, apiCalls: 2 })
  assert.is(completedAt, scene.clock.now())
  assert.is(scene.webhooks.length, 1)
  assert.is(scene.store.usage.size, 1)
  assert.is(scene.clock.pending, timers)
  nothingLeft(scene)
})

test('[T51 T52] what is asked again of a log is read on from where it was', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const shown = ['Zmlyc3Q=', 'c2Vjb25k', 'dGhpcmQ=']
  browser.result = () => ({ screenshot: shown[browser.executed.length - 1] ?? null, output: null })
  const id = await scene.task(browser)
  const looks = async () => {
    scene.model.answer(calling(['computer', { action: 'screenshot' }]))
    await settled()
  }
  const read: unknown[] = []
  scene.store.fault = (name, [taskId, part]) => {
    if (name === 'log' && taskId === id) read.push(part ?? 'all')
    return null
  }
  const steps = async () =>
    (await scene.taskService.steps(scene.workspaceId, id))?.map(({ step, status }) => `${step} ${status}`)
  const picture = async (step: number) => {
    const image = await scene.taskService.screenshot(scene.workspaceId, id, step)
    return image && Buffer.from(image).toString('base64')
  }
  await looks()
  assert.is(await picture(1), shown[0])
  assert.equal(read.splice(0), [{ step: 1 }])
  const first = ['1 thinking', '1 tool_use', '1 screenshot', '1 tool_result']
  assert.equal(await steps(), first)
  await looks()
  assert.equal(await steps(), [...first, ...first.map((each) => each.replace('1', '2'))])
  assert.equal(await steps(), [...first, ...first.map((each) => each.replace('1', '2'))])
  await looks()
  // Also what came after it was asked for.
  assert.equal([await picture(1), await picture(2), await picture(3), await picture(4)], [...shown, null])
  scene.model.answer(saying('Done.'))
  await settled()
  assert.equal(
    (await scene.taskService.turns(id)).map(({ step }) => step),
    [1, 2, 3, 4],
  )
  assert.is((await steps())?.at(-1), '4 complete')
  assert.is(read.filter((part) => part === 'all').length, 1)
  // Another workspace's, and one that was removed, is nobody's.
  assert.is(await scene.taskService.steps('another', id), null)
  assert.is(await scene.taskService.removeTask(scene.workspaceId, id), 'removed')
  assert.equal([await picture(1), await steps()], [null, undefined])
})

test('[T40 T38 T51] its records are in order, those of each call together', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  browser.result = ({ tool }) => (tool === 'computer' ? { screenshot: 'aGk=', output: null } : {})
  const id = await scene.task(browser)
  scene.model.answer(calling(['find', {}], ['computer', { action: 'screenshot' }], ['unknown', {}]))
  await settled()
  scene.model.answer(saying('Done.'))
  await settled()
  const steps = (await scene.taskService.steps(scene.workspaceId, id)) ?? []
  assert.equal(
    steps.map(({ step, status, toolName }) => `${step} ${status} ${toolName ?? ''}`.trim()),
    [
      '1 thinking',
      '1 tool_use find',
      '1 tool_output find',
      '1 tool_result find',
      '1 tool_use computer',
      '1 screenshot computer',
      '1 tool_result computer',
      '1 tool_use unknown',
      '1 tool_output unknown',
      '1 tool_result unknown',
      '2 thinking',
      '2 complete',
    ],
  )
  assert.equal(Buffer.from((await scene.taskService.screenshot(scene.workspaceId, id, 1)) ?? []).toString(), 'hi')
  const [turn] = await scene.taskService.turns(id)
  assert.equal(
    turn?.tools.map(({ name }) => name),
    ['find', 'computer', 'unknown'],
  )
})

for (const [state, into] of Object.entries(INTO))
  test(`[T48 T49 T34 L4] cancelled while ${state}: answered after the final write, everything let go`, async () => {
    const scene = await aScene((scene) => {
      scene.billing = { freePerMonth: 20 }
    })
    const id = await into(scene)
    await scene.reaches(id, state)
    const answer = scene.taskService.cancelTask(scene.workspaceId, id)
    await settled()
    // Before the store takes it, nobody is told.
    if (state === 'persistingIntent') {
      scene.store.fault = () => null
      await scene.clock.advance(1_000)
    }
    const view = await answer
    assert.ok(typeof view === 'object')
    assert.equal(
      [view.status, view.answer, view.failure, view.endedBy],
      ['error', 'Task was cancelled.', 'aborted', 'cancelled'],
    )
    assert.is(scene.record(id).status, 'error')
    await settled()
    assert.is(scene.model.waiting.length, 0)
    assert.is(scene.store.charges.size, 0)
    nothingLeft(scene)
    // What comes late changes nothing [T33].
    for (const browser of scene.browsers) if (browser.executed.length > 0) browser.finish()
    await scene.clock.advance(10 * MINUTE_MS)
    assert.is(scene.record(id).answer, 'Task was cancelled.')
    assert.is(await scene.taskService.cancelTask(scene.workspaceId, id), 'not_running')
  })

test('[T50] a task of nobody, or of another workspace, is not found', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  assert.is(await scene.taskService.cancelTask('other', id), 'not_found')
  assert.is(await scene.taskService.cancelTask(scene.workspaceId, 'nobody'), 'not_found')
  assert.is(await scene.stateOf(id), 'thinking')
})

test('[T48] two cancels at once are both answered with the ended task', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  const both = await Promise.all([1, 2].map(() => scene.taskService.cancelTask(scene.workspaceId, id)))
  for (const view of both) assert.is(typeof view === 'object' && view.endedBy, 'cancelled')
})

test('[T48 T33] a task that is kept and has not begun is cancelled as soon as it has', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const cancelled: ReturnType<typeof scene.taskService.cancelTask>[] = []
  // It is in the list from this commit on; whoever started it hears of it a moment later.
  scene.store.fault = (name, [writes]) => {
    const insert = name === 'commit' ? (writes as Write[]).find(({ kind }) => kind === 'task.insert') : undefined
    if (insert?.kind === 'task.insert' && cancelled.length === 0) {
      queueMicrotask(() => {
        cancelled.push(scene.taskService.cancelTask(scene.workspaceId, insert.record.id))
      })
    }
    return null
  }
  const id = await scene.task(browser)
  const view = await cancelled[0]
  assert.is(typeof view === 'object' && view?.endedBy, 'cancelled')
  assert.is(scene.record(id).status, 'error')
  nothingLeft(scene)
})

for (const [state, into] of Object.entries(INTO))
  test(`[T28 T36 L4] the deadline ends it after thirty minutes, not a millisecond earlier, also while ${state}`, async () => {
    const scene = await aScene()
    const id = await into(scene)
    await scene.reaches(id, state)
    scene.store.fault = () => null
    const { deadlineAt, createdAt } = scene.record(id)
    assert.is(deadlineAt, createdAt + 30 * MINUTE_MS)
    scene.clock.jump(deadlineAt - 1 - scene.clock.now())
    await scene.clock.advance(0)
    assert.is((await scene.view(id)).status, 'running')
    await scene.clock.advance(1)
    const { endedBy, failure, answer } = scene.record(id)
    assert.equal([endedBy, failure, answer], ['time_limit', 'timeout', ANSWERS.timeLimit])
    nothingLeft(scene)
  })

test('[T31 D10] a stop ends what runs with its text, in every state, and leaves no timer', async () => {
  const scene = await aScene()
  const ids = [await scene.task(scene.browser())]
  for (const state of ['acting', 'waitingForBrowser', 'backingOff'] as const) {
    const waiting = scene.model.waiting
    scene.model.waiting = []
    ids.push(await INTO[state](scene))
    await settled()
    scene.model.waiting = [...waiting, ...scene.model.waiting]
  }
  await scene.opened.stop()
  for (const id of ids) {
    const { answer, endedBy, failure } = scene.record(id)
    assert.equal([answer, endedBy, failure], [ANSWERS.shutdown, 'shutdown', 'aborted'])
  }
  assert.is(scene.clock.pending, 0)
  assert.equal(
    [...scene.store.rows.keys()].filter((address) => !address.startsWith('workspace:')),
    [],
  )
  const answer = await scene.start(scene.browsers[0]?.record.id ?? '')
  assert.is(!answer.ok && answer.refusal.code, 'service_stopping')
})

test('[T29] a task that nobody runs is found by the sweep, and ended', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.system.registry.stop(`task:${id}`)
  await scene.clock.advance(35 * 60_000)
  assert.is(scene.record(id).status, 'running')
  await scene.clock.advance(5 * 60_000)
  const { endedBy, failure, answer } = scene.record(id)
  assert.equal([endedBy, failure, answer], ['sweep', 'timeout', ANSWERS.sweep])
  nothingLeft(scene)
})

test.run()
