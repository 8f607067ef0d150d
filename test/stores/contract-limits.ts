import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import { aTask } from '../support/stores.ts'
import type { Test } from './contract.ts'
import { anEvent } from './contract-events.ts'

export function limitsContract(test: Test): void {
  test('[O9] limits of a workspace are replaced as a whole, seen by others, and gone when none are set', async ({
    store,
    other,
    seen,
  }) => {
    const [workspaceId, unset] = [randomUUID(), randomUUID()]
    const ofAll = async () => {
      for await (const each of seen.limits.all()) if (each.workspaceId === workspaceId) return each.limits
      return null
    }
    assert.equal([await store.limits.get(unset), await ofAll()], [{}, null])
    await store.limits.put(workspaceId, { runningTasks: 0, maxCostUsdMax: 0.5 })
    assert.equal(await seen.limits.get(workspaceId), { runningTasks: 0, maxCostUsdMax: 0.5 })
    await other.limits.put(workspaceId, { startsPerMinute: 100 })
    assert.equal(
      [await seen.limits.get(workspaceId), await ofAll()],
      [{ startsPerMinute: 100 }, { startsPerMinute: 100 }],
    )
    await store.limits.put(workspaceId, {})
    await store.limits.put(unset, {})
    assert.equal([await seen.limits.get(workspaceId), await ofAll()], [{}, null])
  })

  test('[O14] what owners have lowered is kept beside what the operator sets, and neither replaces the other', async ({
    store,
    other,
    seen,
  }) => {
    const workspaceId = randomUUID()
    await store.limits.putOwn(workspaceId, { runningTasks: 2 })
    assert.equal(await seen.limits.get(workspaceId), { own: { runningTasks: 2 } })
    await other.limits.put(workspaceId, { runningTasks: 20, retentionDaysFiles: 3 })
    assert.equal(await seen.limits.get(workspaceId), {
      ...{ runningTasks: 20, retentionDaysFiles: 3, own: { runningTasks: 2 } },
    })
    await store.limits.putOwn(workspaceId, {})
    assert.equal(await seen.limits.get(workspaceId), { runningTasks: 20, retentionDaysFiles: 3 })
    await store.limits.put(workspaceId, {})
    for await (const each of seen.limits.all()) assert.is.not(each.workspaceId, workspaceId)
  })

  test('[O13] the pictures of a task, or its events, are removed without the task', async ({ store, seen }) => {
    const record = aTask()
    await store.commit([
      { kind: 'task.insert', record },
      { kind: 'log.append', record: anEvent(record.id, record.workspaceId, 1) },
    ])
    const image = { taskId: record.id, step: 1, number: 1, image: new Uint8Array([1]) }
    await store.commit([{ kind: 'image.put', image }])
    await store.tasks.strip([record.id], 'events')
    assert.equal(await seen.events.ofTask(record.id, 0, 10), [])
    assert.ok(await seen.image(record.id, 1))
    await store.tasks.strip([record.id, randomUUID()], 'files')
    assert.is(await seen.image(record.id, 1), null)
    assert.is((await seen.tasks.get(record.id))?.id, record.id)
  })
}
