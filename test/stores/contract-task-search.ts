import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { TaskFilter, TaskPage } from '../../actors/runtime/ports.ts'
import { appending } from '../support/logs.ts'
import { anEnding, aTask, aUsage, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'
import { insert, page, pages } from './contract-tasks.ts'

/** Further conditions of a list, and the removal of one task. */
export function taskSearchContract(test: Test): void {
  test('[T56] finds tasks by metadata, end, time and text, over pages, and by nothing else', async ({ store }) => {
    const workspaceId = randomUUID()
    const records = Array.from({ length: 40 }, (_, n) =>
      aTask({
        workspaceId,
        createdAt: THEN + n,
        task: n % 4 === 0 ? 'Find the (best) tea.*' : `Task ${n}`,
        metadata: n % 2 ? { order: `o$${n % 5}`, env: 'prod', constructor: 'c' } : null,
      }),
    )
    await insert(store, records)
    for (const [n, { id }] of records.entries()) {
      if (n % 3 === 0)
        await store.tasks.end(anEnding(id, { answer: n % 2 ? 'Ärger: TEA' : 'Nothing', endedBy: 'completed' }))
      if (n % 3 === 1) await store.tasks.end(anEnding(id, { status: 'error', endedBy: 'cancelled', answer: 'x' }))
    }
    const found = async (filter: TaskFilter, fields: Partial<TaskPage> = {}) =>
      (await pages(store, page(workspaceId, { filter, limit: 3, ...fields }))).map(({ createdAt }) => createdAt - THEN)
    const where = (holds: (n: number) => boolean) =>
      records
        .map((_, n) => n)
        .filter(holds)
        .reverse()
    assert.equal(
      await found({ metadata: { order: 'o$3', constructor: 'c' } }),
      where((n) => n % 2 === 1 && n % 5 === 3),
    )
    assert.equal(await found({ metadata: { order: 'o$3', env: 'test' } }), [])
    assert.equal(await found({ metadata: { nothing: '' } }), [])
    assert.equal(
      await found({ endedBy: 'cancelled' }),
      where((n) => n % 3 === 1),
    )
    assert.equal(await found({ createdAfter: THEN + 5, createdBefore: THEN + 9 }), [8, 7, 6])
    assert.equal(await found({ createdBefore: THEN + 2 }, { status: 'running' }), [])
    assert.equal(await found({ createdAfter: THEN + 36 }, { status: 'running' }), [38])
    assert.equal(
      await found({ text: '(BEST) tea.*' }),
      where((n) => n % 4 === 0),
    )
    assert.equal(await found({ text: 'tea.+' }), [])
    assert.equal(
      await found({ text: 'ärger: tea' }),
      where((n) => n % 6 === 3),
    )
    assert.equal(
      await found({ text: 'tea', metadata: { env: 'prod' }, endedBy: 'completed', createdAfter: THEN + 9 }),
      where((n) => n % 6 === 3 && n > 9),
    )
  })

  test('[T57] one task goes with all of it; a running one stays, what was used stays known', async ({
    store,
    seen,
  }) => {
    const workspaceId = randomUUID()
    const [task, other] = [aTask({ workspaceId }), aTask({ workspaceId })]
    await insert(store, [task, other])
    for (const { id } of [task, other]) {
      const image = { taskId: id, step: 1, number: 0, image: new Uint8Array([1]) }
      await store.commit([appending(id, 1, 'x', 0), { kind: 'image.put', image }])
      await store.usage.record(aUsage({ id, taskRunId: id, workspaceId }))
    }
    const used = await store.usage.totals(workspaceId, 0)
    assert.is(await store.tasks.remove(task.id), 'running')
    await store.tasks.end(anEnding(task.id))
    assert.is(await store.tasks.remove(task.id), 'removed')
    assert.is(await store.tasks.remove(task.id), 'missing')
    assert.is(await store.tasks.remove(randomUUID()), 'missing')
    assert.is(await seen.tasks.get(task.id), null)
    assert.equal([await store.log(task.id), await store.image(task.id, 0)], [[], null])
    assert.is((await store.log(other.id)).length, 1)
    assert.equal(
      (await seen.tasks.list(page(workspaceId))).map(({ id }) => id),
      [other.id],
    )
    assert.equal(await store.usage.totals(workspaceId, 0), used)
    assert.is(await store.tasks.end(anEnding(task.id)), 'missing')
    assert.is(await store.events.expired(workspaceId), 0)
  })
}
