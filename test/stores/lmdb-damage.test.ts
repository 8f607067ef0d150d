import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreDamaged } from '../../src/stores/errors.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { aFile, aTask, THEN, tempFolder } from '../support/stores.ts'

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

test('[D18] what is damaged can be removed: a row is not read for that', async () => {
  const dataDir = tempFolder()
  const [content, picture] = [Buffer.from('a page that was downloaded'), Buffer.from('what the tab showed')]
  const record = aTask({ status: 'complete', completedAt: THEN })
  const file = aFile({ taskId: record.id, size: content.length })
  const store = await openLmdbStore({ dataDir })
  await store.commit([{ kind: 'task.insert', record }])
  await store.files.put(file, content, THEN)
  await store.commit([{ kind: 'image.put', image: { taskId: record.id, step: 1, number: 0, image: picture } }])
  await store.close()
  for (const name of readdirSync(dataDir).filter((each) => each.endsWith('.mdb'))) {
    const bytes = readFileSync(join(dataDir, name))
    for (const what of [content, picture])
      for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) bytes[at] = 0
    writeFileSync(join(dataDir, name), bytes)
  }
  const damaged = await openLmdbStore({ dataDir })
  assert.instance(await damaged.files.read(file.id).catch((error: Error) => error), StoreDamaged)
  assert.instance(await damaged.image(record.id, 0).catch((error: Error) => error), StoreDamaged)
  assert.is(await damaged.tasks.remove(record.id), 'removed')
  assert.is(await damaged.files.read(file.id), null)
  assert.is(await damaged.image(record.id, 0), null)
  await damaged.close()
})

test.run()
