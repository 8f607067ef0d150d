import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { taskAddress, workspaceAddress } from '../../machines/addresses.ts'
import { MINUTE_MS, QUEUED_STARTS_MAX, RUNNING_TASKS_MAX, START_WINDOW_MS } from '../../machines/limits.ts'
import type { WorkspaceContext } from '../../machines/workspace-types.ts'
import { answerAll, full, queuedTask, queueing } from '../support/scene/queue.ts'
import { nothingLeft } from '../support/scene/ways.ts'
import { saying, settled } from '../support/scene.ts'

const test = suite('the order of a queue')

test('[T59] a workspace has room for 1,000; its row stays small', async () => {
  const { scene, browser } = await full()
  for (let i = 0; i < QUEUED_STARTS_MAX; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, () => scene.start(browser, { task: 'x'.repeat(10_000), waiting: queueing() })),
    )
  const refused = await scene.start(browser, { waiting: queueing() })
  assert.is(!refused.ok && refused.refusal.code, 'queue_full')
  await settled()
  const bytes = JSON.stringify(scene.store.rows.get(workspaceAddress(scene.workspaceId))).length
  assert.ok(bytes < 250 * QUEUED_STARTS_MAX, `${bytes} bytes`)
})

test('[T59 T8 T9 D7] 120 queued, five slots, two keys, priorities, kill -9 in the middle: the order holds, and so do the limits', async () => {
  const { scene, browser, running } = await full()
  const plan = Array.from({ length: 120 }, (_, i) => ({ key: i % 5 === 0 ? 'b' : 'a', priority: 1 + (i % 3) }))
  const ids: string[] = []
  for (const { key, priority } of plan)
    ids.push(await queuedTask(scene, browser, { priority, queueTtlMs: 24 * 60 * MINUTE_MS }, { apiKeyId: key }))
  // Two keys take turns within each priority.
  const expected: string[] = []
  for (const priority of [1, 2, 3]) {
    const of = (key: string) => ids.filter((_, i) => plan[i]?.key === key && plan[i]?.priority === priority)
    const [a, b] = [of('a'), of('b')]
    const firstIsB = ids.indexOf(b[0] ?? '') < ids.indexOf(a[0] ?? '')
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      // Of one round, who came first.
      const round = [a[i], b[i]].filter((id) => id !== undefined)
      if (i === 0 && firstIsB) round.reverse()
      else round.sort((x, y) => ids.indexOf(x) - ids.indexOf(y))
      expected.push(...round)
    }
  }
  const begun: { id: string; at: number }[] = running.map((id) => ({ id, at: scene.clock.now() }))
  const seen = new Set(running)
  const look = () => {
    const context = scene.system.registry.snapshot(workspaceAddress(scene.workspaceId))?.context as WorkspaceContext
    assert.ok(Object.keys(context.running).length <= RUNNING_TASKS_MAX)
    const now = ids.filter((id) => {
      const value = scene.system.registry.snapshot(taskAddress(id))?.value
      return value !== undefined && value !== 'queued'
    })
    assert.ok(now.length <= RUNNING_TASKS_MAX, `${now.length} run`)
    const fresh = now.filter((id) => !seen.has(id)).sort((x, y) => expected.indexOf(x) - expected.indexOf(y))
    for (const id of fresh) {
      seen.add(id)
      begun.push({ id, at: scene.clock.now() })
    }
    const { at } = begun.at(-1) ?? { at: 0 }
    const within = begun.filter((start) => at - start.at < START_WINDOW_MS)
    assert.ok(within.length <= 10, `${within.length} began within a minute`)
  }
  for (let round = 0; seen.size < ids.length + RUNNING_TASKS_MAX; round++) {
    assert.ok(round < 100, `only ${seen.size} began`)
    if (round === 5 || round === 15) {
      await scene.reopen()
      browser.connect()
      await settled()
      look()
    }
    for (let i = scene.model.waiting.length; i > 0; i--) {
      scene.model.answer(saying('Done.'))
      await settled(12)
      look()
    }
    await scene.clock.advance(20_000)
    look()
  }
  assert.equal(
    begun.slice(5).map(({ id }) => ids.indexOf(id)),
    expected.map((id) => ids.indexOf(id)),
  )
  await answerAll(scene)
  nothingLeft(scene)
})

test.run()
