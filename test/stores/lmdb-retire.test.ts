import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DAY_MS } from '../../machines/limits.ts'
import { LmdbFile } from '../../src/stores/lmdb/database.ts'
import { tablesOf } from '../../src/stores/lmdb/tables.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { anEnding, anEntry, aTask, aUsage, collected, THEN, tempFolder } from '../support/stores.ts'

const test = suite('lmdb: what goes with old tasks')

test('[D15 B13] usage of retired tasks is rolled up by day and model, their charges go, and the sums stay', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const workspaceId = 'w'
  await store.ledger.credit({ eventId: 'e', workspaceId, credits: 100 })
  for (let n = 0; n < 30; n++) {
    const record = aTask({ workspaceId, id: `t${n}` })
    await store.commit([
      { kind: 'task.insert', record },
      { kind: 'journal.append', taskId: record.id, seq: 0, entry: anEntry('x') },
    ])
    await store.ledger.charge({ taskId: record.id, workspaceId, month: '2026-11', freePerMonth: 2 })
    const at = THEN + (n % 2) * DAY_MS
    await store.usage.record(
      aUsage({ id: record.id, taskRunId: record.id, workspaceId, at, model: `m${n % 3}`, cachedTokens: n % 4 }),
    )
    await store.tasks.end(anEnding(record.id))
  }
  await store.usage.record(aUsage({ id: 'request', taskRunId: null, workspaceId, at: THEN, model: 'm0' }))
  const sums = await store.usage.totals(workspaceId, 0)
  assert.is(sums.length, 6)
  const before = anEnding('t').completedAt + 1
  for (const limit of [7, 7, 100]) {
    await store.tasks.retire(before, limit)
    assert.equal(await store.usage.totals(workspaceId, 0), sums)
  }
  assert.is(await store.usage.retire(THEN, 10), 0)
  assert.is(await store.usage.retire(THEN + 1, 10), 1)
  assert.is(await store.usage.retire(THEN + 1, 10), 0)
  assert.equal(await store.usage.totals(workspaceId, 0), sums)
  assert.equal(await store.ledger.get(workspaceId, '2026-11'), { freeUsed: 2, credits: 72 })
  assert.equal(await store.journal('t0'), [])
  await store.close()

  const file = new LmdbFile(join(dataDir, 'store.mdb'))
  const tables = tablesOf(file)
  const count = async (rows: AsyncIterable<unknown>) => (await collected(rows)).length
  assert.equal([await count(tables.charges.all()), await count(tables.usage.all())], [0, 0])
  assert.is(await count(tables.usageByTime.all()), 6)
  await file.close()
})

test.run()
