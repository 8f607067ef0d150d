import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { TaskPart } from '../../actors/runtime/ports.ts'
import { anEnding, aTask, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'
import { anEvent } from './contract-events.ts'

const PAGE = { status: null, browserSessionId: null, after: null, limit: 10 }

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
    const strip = (what: TaskPart, before = THEN + 1) => store.tasks.strip(record.workspaceId, what, before, 10)
    assert.is(await strip('events'), 0)
    await store.tasks.end(anEnding(record.id, { completedAt: THEN }))
    const ended = await seen.tasks.get(record.id)
    assert.is(await strip('events', THEN), 0)
    assert.is(await strip('events'), 1)
    assert.equal(await seen.events.ofTask(record.id, 0, 10), [])
    assert.ok(await seen.image(record.id, 1))
    assert.is(await strip('files'), 1)
    assert.is(await seen.image(record.id, 1), null)
    assert.equal(await seen.tasks.get(record.id), ended)
  })

  test('[O13] the retention finds a task once for each of its parts, and those of its own workspace alone', async ({
    store,
    seen,
  }) => {
    const [workspaceId, another] = [randomUUID(), randomUUID()]
    const records = Array.from({ length: 5 }, (_, n) => aTask({ workspaceId, createdAt: THEN + n }))
    for (const record of [...records, aTask({ workspaceId: another })]) {
      await store.commit([
        { kind: 'task.insert', record },
        { kind: 'log.append', record: anEvent(record.id, record.workspaceId, 1) },
      ])
      await store.tasks.end(anEnding(record.id, { completedAt: record.createdAt }))
    }
    const strip = (what: TaskPart) => store.tasks.strip(workspaceId, what, THEN + 4, 3)
    assert.equal([await strip('events'), await strip('events'), await strip('events')], [3, 1, 0])
    assert.equal([await strip('files'), await strip('files'), await strip('files')], [3, 1, 0])
    const left = await seen.events.ofWorkspace(workspaceId, 0, Number.MAX_SAFE_INTEGER, 10)
    assert.equal(
      left.map(({ event }) => event.seq),
      [1],
    )
    assert.is((await seen.events.ofWorkspace(another, 0, Number.MAX_SAFE_INTEGER, 10)).length, 1)
    assert.is((await seen.tasks.list({ ...PAGE, workspaceId })).length, 5)
  })

  test('[V5] a workspace that keeps its tasks for a shorter time misses their events, and knows it', async ({
    store,
    seen,
  }) => {
    const workspaceId = randomUUID()
    const aTaskAt = (createdAt: number) => aTask({ workspaceId, createdAt })
    const [old, running, younger] = [aTaskAt(THEN), aTaskAt(THEN + 1), aTaskAt(THEN + 2)]
    const event = anEvent(old.id, workspaceId, 1)
    for (const record of [old, running, younger]) await store.commit([{ kind: 'task.insert', record }])
    await store.commit([{ kind: 'log.append', record: event }])
    for (const { id, createdAt } of [old, younger]) await store.tasks.end(anEnding(id, { completedAt: createdAt }))
    assert.is(await store.tasks.retire(THEN + 2, 10, randomUUID()), 0)
    assert.is(await store.tasks.retire(THEN + 2, 10, workspaceId), 1)
    assert.is(await store.tasks.retire(THEN + 2, 10, workspaceId), 0)
    assert.equal(
      (await seen.tasks.list({ ...PAGE, workspaceId })).map(({ id }) => id),
      [younger.id, running.id],
    )
    assert.is(await seen.events.expired(workspaceId), event.position)
  })
}
