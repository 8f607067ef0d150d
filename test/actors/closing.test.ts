import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Ending } from '../../machines/records.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { aScene, calling, type Fault, failing, type Scene, saying, settled } from '../support/scene.ts'

const test = suite('closing of a task')

const URL = 'https://hook.test/'
/** A task that is about to complete, with billing and a webhook. */
async function completing(fault: Scene['store']['fault'] = () => null): Promise<{ scene: Scene; id: string }> {
  const scene = await aScene((scene) => {
    scene.billing = { freePerMonth: 1 }
  })
  const id = await scene.task(scene.browser(), { webhookUrl: URL })
  scene.store.fault = fault
  scene.model.answer(saying('Bought.'))
  await settled()
  return { scene, id }
}
const on = (call: string, fault: Fault) => (name: string) => (name === call ? fault : null)

/** All that must have happened exactly once when a task has completed. */
function closedOnce({ store, browsers, ...scene }: Scene, id: string): void {
  assert.equal([store.tasks.get(id)?.status, store.tasks.get(id)?.answer], ['complete', 'Bought.'])
  assert.equal([store.charges.size, store.freeUsed, store.usage.size], [1, 1, 1])
  assert.ok(scene.webhooks.length <= 1, 'webhook')
  assert.ok((browsers[0]?.of('task_complete').length ?? 0) <= 1, 'task_complete')
}

test('[D3] nothing is paid for, recorded or written before its ending is kept', async () => {
  const { scene, id } = await completing(on('commit', 'hangs'))
  await scene.reaches(id, 'charging')
  const { store } = scene
  assert.not(store.rows.has(`closing:${id}`))
  assert.equal([store.charges.size, store.usage.size, store.tasks.get(id)?.status], [0, 0, 'running'])
  store.fault = () => null
  await scene.reopen()
  await scene.reaches(id, 'thinking')
  scene.model.answer(saying('Bought.'))
  await settled()
  closedOnce(scene, id)
})

const STAGES = { charging: 'ledger.charge', recordingUsage: 'usage.record', writing: 'tasks.end' } as const

for (const [state, call] of Object.entries(STAGES)) {
  test(`[D7 B3 B13 D12] a crash while ${state}: the ending goes on, everything once`, async () => {
    const { scene, id } = await completing(on(call, 'hangs'))
    await scene.reaches(id, state)
    scene.store.fault = () => null
    await scene.reopen()
    await settled()
    closedOnce(scene, id)
    assert.is(scene.webhooks.length, 1)
    nothingLeft(scene)
  })

  test(`[D7 B3 B13 T33] a crash after ${call} was done and before anybody heard: everything once all the same`, async () => {
    const { scene, id } = await completing()
    closedOnce(scene, id)
    const again = await completing(on(call, 'hangs'))
    await again.scene.reaches(again.id, state)
    // It was done, and its answer was lost.
    const { store } = again.scene.store.connect()
    const row = again.scene.store.rows.get(`closing:${again.id}`)
    const { ending } = (row?.snapshot as { context: { ending: Ending } } | undefined)?.context ?? {}
    assert.ok(ending)
    again.scene.store.fault = () => null
    if (state === 'charging')
      await store.ledger.charge({ taskId: again.id, workspaceId: '', month: '', freePerMonth: 1 })
    if (state === 'writing') await store.tasks.end(ending)
    await again.scene.reopen()
    await settled()
    closedOnce(again.scene, again.id)
    assert.is(again.scene.webhooks.length, 1)
    nothingLeft(again.scene)
  })

  test(`[D13 D14] ${call} rejects for a while: it is tried again until it does not`, async () => {
    const { scene, id } = await completing(on(call, 'rejects'))
    await scene.clock.advance(5_500)
    assert.is(scene.record(id).status, 'running')
    assert.equal(scene.webhooks, [])
    scene.store.fault = () => null
    await scene.clock.advance(1_000)
    closedOnce(scene, id)
    assert.is(scene.webhooks.length, 1)
    nothingLeft(scene)
  })
}

test('[T32 W6] both final writes fail: it stays running and unannounced; a crash there loses nothing', async () => {
  const { scene, id } = await completing(on('tasks.end', 'rejects'))
  await scene.clock.advance(1_000)
  await scene.reaches(id, 'finalWriteFailed')
  assert.equal([scene.webhooks, scene.record(id).status], [[], 'running'])
  scene.store.fault = () => null
  await scene.reopen()
  await scene.reaches(id, 'finalWriteFailed')
  await scene.clock.advance(1_000)
  closedOnce(scene, id)
  assert.is(scene.webhooks.length, 1)
})

test('[T49] a cancel while the ending is on its way comes too late', async () => {
  const { scene, id } = await completing(on('tasks.end', 'rejects'))
  const cancelled = scene.taskService.cancelTask(scene.workspaceId, id)
  await settled()
  scene.store.fault = () => null
  await scene.clock.advance(1_000)
  assert.is(await cancelled, 'not_running')
  closedOnce(scene, id)
})

test('[T33 D3 B3] somebody else ended it first: that ending stands, the place is given back, nothing is announced', async () => {
  const { scene, id } = await completing(on('tasks.end', 'hangs'))
  const swept = { ...scene.record(id), status: 'error' as const, answer: 'Swept.' }
  scene.store.tasks.set(id, swept)
  scene.store.fault = () => null
  await scene.reopen()
  await settled()
  assert.equal(scene.record(id), swept)
  assert.equal([scene.store.freeUsed, scene.webhooks.length], [0, 0])
  nothingLeft(scene)
})

test('[T40] when a task has its ending, what it did is there', async () => {
  const scene = await aScene()
  await scene.task(scene.browser())
  let last: string[] = []
  scene.store.fault = (name) => {
    if (name === 'tasks.end') last = scene.store.events.map(({ event }) => event.type)
    return null
  }
  scene.model.answer(saying('Bought.'))
  await settled()
  assert.is(last.at(-1), 'model.replied')
})

test('[W5] a webhook that breaks changes nothing', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser(), { webhookUrl: URL })
  scene.broken.add('webhook.post')
  scene.model.answer(saying('Bought.'))
  await settled()
  assert.is(scene.record(id).status, 'complete')
  nothingLeft(scene)
})

test('[W1 W2 W6 R29] what is announced, and by whom: only what came by http, and once', async () => {
  const scene = await aScene()
  const browser = scene.browser()
  const ends: [(id: string) => void, string, string][] = [
    [() => scene.model.answer(saying('Bought.')), 'task.completed', 'complete'],
    [() => scene.model.answer(failing('no', { retryable: false })), 'task.completed', 'error'],
    [() => scene.model.throws('a bug'), 'task.failed', 'error'],
  ]
  for (const [end, event, status] of ends) {
    const id = await scene.task(browser, { webhookUrl: URL })
    end(id)
    await settled()
    const body = scene.webhooks.at(-1)?.body as { event: string; task: Record<string, unknown> }
    const { answer, steps, usage, createdAt, completedAt } = scene.record(id)
    assert.is(body.event, event)
    const task = { id, status, answer, success: status === 'complete', output: null }
    const whole = { ...task, steps, usage, created_at: createdAt, completed_at: completedAt }
    assert.equal(body.task, event === 'task.failed' ? task : whole)
  }
  assert.is(scene.webhooks.length, 3)
  for (const fields of [
    {},
    { webhookUrl: URL, door: 'relay', requestId: 'q' },
    { webhookUrl: URL, door: 'internal' },
  ] as const) {
    await scene.task(browser, fields)
    scene.model.answer(saying('Bought.'))
    await settled()
  }
  assert.is(scene.webhooks.length, 3)
})

test('[R30 R31 R32 R33] what its browser hears: of its own starts everything, of others by its protocol', async () => {
  for (const [protocol, requestId, heard] of [
    [1, 'q', ['task_started', 'task_update', 'task_update', 'task_complete']],
    [2, 'q', ['task_started', 'task_update', 'task_update', 'task_complete']],
    [1, null, ['task_complete']],
    [2, null, ['task_started', 'task_update', 'task_update', 'task_complete']],
  ] as const) {
    const scene = await aScene()
    const browser = scene.browser(protocol)
    const id = await scene.task(browser, requestId === null ? {} : { door: 'relay', requestId })
    scene.model.answer(calling(['find', { query: 'tea' }]))
    await settled()
    scene.model.answer(saying('Bought.'))
    await settled()
    const frames = browser.frames.filter(({ type }) => type !== 'mcp_execute_tool')
    assert.equal(
      frames.map(({ type }) => type),
      heard,
    )
    for (const frame of frames) assert.equal([frame.requestId ?? null, frame.taskId], [requestId, id])
    assert.equal([frames.at(-1)?.answer, frames.at(-1)?.status], ['Bought.', 'complete'])
    if (heard.length > 1) assert.equal(frames[1]?.step, { tool: 'find', input: { query: 'tea' }, status: 'tool_use' })
  }
})

test('[R32] a loop that throws: `task_error` to the browser that started it, `task_complete` to no other', async () => {
  const scene = await aScene()
  const browser = scene.browser(1)
  const id = await scene.task(browser, { door: 'relay', requestId: 'q' })
  scene.model.throws('a bug')
  await settled()
  const error = { type: 'task_error', requestId: 'q', taskId: id, error: 'Agent loop crashed: a bug' }
  assert.equal(browser.of('task_error'), [error])
  assert.equal(browser.of('task_complete'), [])
})

test.run()
