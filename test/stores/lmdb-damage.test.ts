import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { aTask, tempFolder } from '../support/stores.ts'

const test = suite('lmdb: damage')

test('[D18] a row of which a byte was changed is reported, and never read as another one', async () => {
  const dataDir = tempFolder()
  const path = join(dataDir, 'store.mdb')
  const record = aTask({ task: 'Buy the tea that nobody else has' })
  const store = await openLmdbStore({ dataDir })
  await store.commit([{ kind: 'task.insert', record }])
  await store.close()
  const whole = readFileSync(path)
  const at = whole.indexOf(record.task)
  assert.ok(at > 0)
  let told = 0
  for (let n = 0; n < record.task.length; n++) {
    const changed = Buffer.from(whole)
    for (let from = whole.indexOf(record.task); from >= 0; from = whole.indexOf(record.task, from + 1))
      changed[from + n] = (whole[from + n] as number) ^ 1
    writeFileSync(path, changed)
    const damaged = await openLmdbStore({ dataDir })
    const read = await damaged.tasks.get(record.id).catch((error: Error) => error.message)
    await damaged.close()
    assert.is(read, `The store is damaged: tasks ${record.id} is not what was written. Restore a backup`)
    told++
  }
  assert.is(told, record.task.length)
})

test.run()
