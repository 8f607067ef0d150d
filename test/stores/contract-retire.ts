import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import { DAY_MS } from '../../machines/limits.ts'
import { anEnding, aTask, aUsage, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

/** Long before everything else that the contract keeps. */
const OLD = THEN - 2_000 * DAY_MS
const MONTH = '2026-11'

export function retireContract(test: Test): void {
  test('[D15 B13] usage of retired tasks and requests is rolled up by day, model, key and outcome, and the sums stay', async ({
    store,
    seen,
  }) => {
    const workspaceId = randomUUID()
    const records = Array.from({ length: 30 }, (_, n) => aTask({ workspaceId, createdAt: OLD + n }))
    await store.ledger.credit({ eventId: randomUUID(), workspaceId, credits: 100 })
    for (const [n, record] of records.entries()) {
      const { id } = record
      await store.commit([{ kind: 'task.insert', record }])
      await store.ledger.charge({ taskId: id, workspaceId, month: MONTH, freePerMonth: 2 })
      const [at, model] = [OLD + (n % 2) * DAY_MS, `m${n % 3}`]
      await store.usage.record(
        aUsage({
          id,
          taskRunId: id,
          workspaceId,
          at,
          model,
          cachedTokens: n % 4,
          ...(n % 3 === 0 ? {} : { outcome: 'error' }),
        }),
      )
      await store.tasks.end(anEnding(id, { completedAt: OLD + n }))
    }
    for (const [n, model] of ['m0', 'm0', 'm4'].entries()) {
      await store.usage.record(aUsage({ id: randomUUID(), taskRunId: null, workspaceId, at: OLD + n, model }))
    }
    const sums = await seen.usage.totals(workspaceId, 0)
    assert.is(sums.length, 7)
    const apart = await seen.usage.totals(workspaceId, 0, ['key', 'outcome'])
    assert.is(apart.length, 33)
    for (const limit of [7, 7, 100]) {
      assert.is(await store.tasks.retire(OLD + 100, limit), Math.min(limit, 16))
      assert.equal(await seen.usage.totals(workspaceId, 0), sums)
    }
    assert.is(await store.usage.retire(OLD, 10), 0)
    for (const retired of [2, 1, 0]) {
      assert.is(await store.usage.retire(OLD + 3, 2), retired)
      assert.equal(await seen.usage.totals(workspaceId, 0), sums)
    }
    assert.equal(await seen.usage.totals(workspaceId, 0, ['key', 'outcome']), apart)
    assert.is((await seen.usage.totals(workspaceId, OLD + DAY_MS)).length, 0)
    assert.equal(await seen.ledger.get(workspaceId, MONTH), { freeUsed: 2, credits: 72 })
  })

  test('[B10 D15] an event of a payment is forgotten after its time, and the credits stay', async ({ store, seen }) => {
    const event = { eventId: randomUUID(), workspaceId: randomUUID(), credits: 5 }
    const began = Date.now()
    assert.is(await store.ledger.credit(event), 'applied')
    assert.is(await store.ledger.credit({ ...event, eventId: randomUUID() }), 'applied')
    while ((await store.ledger.retire(began, 10)) > 0);
    assert.is(await store.ledger.credit(event), 'already')
    const after = Date.now() + 1
    assert.equal([await store.ledger.retire(after, 1), await store.ledger.retire(after, 10)], [1, 1])
    assert.is(await store.ledger.retire(after, 10), 0)
    assert.equal(await seen.ledger.get(event.workspaceId, MONTH), { freeUsed: 0, credits: 10 })
  })
}
