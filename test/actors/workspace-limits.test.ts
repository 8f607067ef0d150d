import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RETIRED_TASKS_BATCH_MAX } from '../../actors/limits.ts'
import { DAY_MS, MINUTE_MS, RETIRE_EVERY_MS, WORKSPACE_REST_EVERY_MS } from '../../machines/limits.ts'
import type { SetLimits } from '../../machines/workspace-limits.ts'
import { aScene, type Scene, saying, settled } from '../support/scene.ts'
import { aTask } from '../support/stores.ts'

const test = suite('limits of a workspace')

const set = (scene: Scene, limits: SetLimits) => scene.store.limits.set(scene.workspaceId, limits)
async function codes(scene: Scene, count: number) {
  const browser = scene.browser()
  const found: string[] = []
  for (let n = 0; n < count; n++) {
    const answer = await scene.start(browser)
    found.push(answer.ok ? 'granted' : `${answer.refusal.code}: ${answer.refusal.message}`)
  }
  return found
}

test('[O9] the next start of a running service keeps the limits that were just set, and its refusal names them', async () => {
  const scene = await aScene()
  assert.equal(await codes(scene, 1), ['granted'])
  set(scene, { startsPerMinute: 3, runningTasks: 2 })
  assert.equal(await codes(scene, 3), [
    'granted',
    'too_many_running: Concurrent task limit reached (2). Wait for running tasks to complete.',
    'rate_limited: Rate limit exceeded. Max 3 tasks per minute.',
  ])
  assert.equal(await scene.taskService.limitsLeft(scene.workspaceId), {
    ...{ starts: 0, resetMs: MINUTE_MS, slots: 0 },
    ...{ startsPerMinute: 3, runningTasks: 2 },
  })
  set(scene, { startsPerMinute: 12, runningTasks: 8 })
  assert.equal(await codes(scene, 2), ['granted', 'granted'])
  set(scene, {})
  assert.equal((await codes(scene, 2)).slice(-1), [
    'too_many_running: Concurrent task limit reached (5). Wait for running tasks to complete.',
  ])
})

test('[O9] [D5] they hold after a restart, also for what was started before', async () => {
  const scene = await aScene()
  set(scene, { runningTasks: 6, startsPerMinute: 20 })
  assert.equal(await codes(scene, 6), Array(6).fill('granted'))
  await scene.reopen()
  await settled()
  assert.match((await codes(scene, 1))[0] ?? '', /^too_many_running: .*\(6\)/)
  // Before anything was started there, too.
  const { runningTasks } = await scene.taskService.limitsLeft('another')
  assert.is(runningTasks, 5)
})

test('[O9] none may run: every start is refused until the operator allows it again', async () => {
  const scene = await aScene()
  set(scene, { runningTasks: 0 })
  assert.match((await codes(scene, 1))[0] ?? '', /^too_many_running: .*\(0\)/)
  set(scene, {})
  assert.equal(await codes(scene, 1), ['granted'])
})

test('[O9] [T59] starts that wait for a slot have it within two minutes of the limit that allows it', async () => {
  const scene = await aScene()
  set(scene, { runningTasks: 1, queuedTasks: 2 })
  const browser = scene.browser()
  const waiting = { onLimit: true, priority: 3, queueTtlMs: 10 * MINUTE_MS, onAway: false, waitTtlMs: 0 }
  const start = () => scene.start(browser, { waiting })
  for (let n = 0; n < 3; n++) assert.ok((await start()).ok)
  const over = await start()
  assert.is(!over.ok && over.refusal.message, 'The queue of this workspace is full (2).')
  await settled()
  assert.is(scene.model.waiting.length, 1)
  set(scene, { runningTasks: 3 })
  await scene.clock.advance(2 * WORKSPACE_REST_EVERY_MS)
  await settled()
  assert.is(scene.model.waiting.length, 3)
})

test('[O9] [L36] what a task may cost: its own limit, else the default, and never more than the most', async () => {
  const scene = await aScene()
  const cost = async (maxCostUsd: number | null) =>
    scene.record(await scene.task(scene.browser(), { maxCostUsd })).maxCostUsd
  assert.is((await cost(null)) ?? null, null)
  set(scene, { maxCostUsdDefault: 0.5 })
  assert.equal([await cost(null), await cost(0.75)], [0.5, 0.75])
  set(scene, { maxCostUsdMax: 0.6 })
  assert.equal([await cost(null), await cost(0.75)], [0.6, 0.6])
})

test('[O9] [D15] ended tasks of a workspace that keeps them for a shorter time are removed then', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.model.answer(saying('Done.'))
  await settled()
  const younger = await scene.task(scene.browser())
  scene.model.answer(saying('Done.'))
  await settled()
  const { createdAt, completedAt } = scene.record(id)
  scene.store.tasks.set(id, {
    ...scene.record(id),
    ...{ createdAt: createdAt - 2 * DAY_MS, completedAt: (completedAt ?? 0) - 2 * DAY_MS },
  })
  await scene.clock.advance(RETIRE_EVERY_MS)
  await settled()
  assert.ok(scene.store.tasks.has(id))
  set(scene, { retentionDays: 1 })
  await scene.clock.advance(RETIRE_EVERY_MS)
  await settled()
  assert.equal([scene.store.tasks.has(id), scene.store.tasks.has(younger)], [false, true])
})

test('[O13] parts of ended tasks and the audit log are removed when the workspace keeps them for a shorter time', async () => {
  const scene = await aScene()
  const id = await scene.task(scene.browser())
  scene.model.answer(saying('Done.'))
  await settled()
  const { createdAt, completedAt } = scene.record(id)
  scene.store.tasks.set(id, {
    ...scene.record(id),
    ...{ createdAt: createdAt - 5 * DAY_MS, completedAt: (completedAt ?? 0) - 5 * DAY_MS },
  })
  const entry = (workspaceId: string, at: number) =>
    scene.store.audit.set(`${workspaceId} ${at}`, { id: `${workspaceId} ${at}`, workspaceId, at } as never)
  const now = scene.clock.now()
  for (const workspaceId of [scene.workspaceId, 'another'])
    for (const days of [1, 4, 400]) entry(workspaceId, now - days * DAY_MS)
  // Batches are a turn of the clock apart.
  const sweep = async () => {
    for (const ms of [RETIRE_EVERY_MS, 1, 1, 1, 1, 1, 1]) {
      await scene.clock.advance(ms)
      await settled()
    }
  }
  const { stripped } = scene.store
  await sweep()
  assert.equal([stripped, scene.store.audit.size], [[], 4])
  set(scene, { retentionDaysFiles: 6, retentionDaysEvents: 3, retentionDaysAudit: 2 })
  await sweep()
  assert.equal([stripped, scene.store.audit.size, scene.store.tasks.has(id)], [[`${id} events`], 3, true])
})

test('[D15 O13] the retention takes few tasks at a time, each part of one once, and asks for no list of them', async () => {
  const scene = await aScene()
  const at = scene.clock.now() - 5 * DAY_MS
  const stranger = randomUUID()
  const strangers = Array.from({ length: RETIRED_TASKS_BATCH_MAX + 5 }, () => stranger)
  for (const workspaceId of [...strangers, scene.workspaceId]) {
    const record = aTask({ workspaceId, status: 'complete', createdAt: at, completedAt: at })
    scene.store.tasks.set(record.id, record)
  }
  scene.store.limits.set(stranger, { retentionDays: 1 })
  set(scene, { retentionDaysFiles: 1, retentionDaysEvents: 1 })
  const asked: string[] = []
  scene.store.fault = (name, args) => {
    if (name.startsWith('tasks.'))
      asked.push(name === 'tasks.retire' && args[2] === stranger ? `${name} ${args[1]}` : name)
    return null
  }
  const sweep = async () => {
    for (const ms of [RETIRE_EVERY_MS, 1, 1, 1]) {
      await scene.clock.advance(ms)
      await settled()
    }
  }
  await sweep()
  const batch = `tasks.retire ${RETIRED_TASKS_BATCH_MAX}`
  assert.equal(
    asked.filter((each) => each.startsWith(batch)),
    [batch, batch],
  )
  assert.equal([scene.store.tasks.size, scene.store.stripped.length], [1, 2])
  await sweep()
  assert.is(scene.store.stripped.length, 2)
  assert.not(asked.includes('tasks.list'))
})

test('[O14] what owners have lowered holds at the next start, and never more than the operator allows', async () => {
  const scene = await aScene()
  set(scene, { runningTasks: 3, own: { runningTasks: 1 } })
  assert.equal(
    (await codes(scene, 2)).map((code) => code.split(':')[0]),
    ['granted', 'too_many_running'],
  )
  set(scene, { runningTasks: 2, own: { runningTasks: 9 } })
  assert.equal(
    (await codes(scene, 2)).map((code) => code.split(':')[0]),
    ['granted', 'too_many_running'],
  )
})

test.run()
