import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LOG_BYTES_MAX, LOG_MS_MAX } from '../../machines/limits.ts'
import { LmdbFile } from '../../src/stores/lmdb/database.ts'
import { tablesOf } from '../../src/stores/lmdb/tables.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { syncsOf } from '../support/disk.ts'
import { broughtIn, entry, inTables, killed, logsIn, put, remove, rowsOf } from '../support/lmdb-folder.ts'
import { anEntry, collected, tempFolder } from '../support/stores.ts'

const test = suite('lmdb and its log')

test('[D2] what only the log holds is there for the next process, and the log goes once it is taken over', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  await store.commit([put('task:a', { n: 1 }), put('task:b', { n: 1 }), entry('a', 0)])
  await store.commit([put('task:a', { n: 2 }), remove('task:b'), entry('a', 1)])
  const left = killed(dataDir)
  await store.close()
  assert.not(await inTables(left, ({ actors }) => actors.has('task:a')))

  const next = await openLmdbStore({ dataDir: left })
  assert.equal(await rowsOf(next), { 'task:a': { n: 2 } })
  assert.equal(
    (await next.journal('a')).map(({ text }) => text),
    ['0', '1'],
  )
  assert.equal(logsIn(left), [])
  await next.close()
  assert.equal(await inTables(left, ({ logs }) => collected(logs.all())), [])
})

test('[D2] what came and went is never in the tables; what is left is, after a while', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const everPut = new Set<string>()
  await store.commit([put('task:kept', { n: 0 }), put('closing:short', {}), entry('a', 0), entry('a', 1)])
  await store.commit([put('task:kept', { n: 1 }), remove('closing:short'), entry('a', 2), entry('b', 7)])
  const look = () =>
    inTables(dataDir, async ({ actors, journal }) => {
      for await (const { key } of actors.all()) everPut.add(String(key))
      const keys: unknown[] = []
      for await (const { key } of journal.all()) keys.push(key)
      return [actors.get('task:kept')?.snapshot, keys]
    })
  assert.equal(await look(), [undefined, []])
  for (const until = Date.now() + 10 * LOG_MS_MAX; (await look())[0] === undefined && Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.equal(await look(), [
    { n: 1 },
    [
      ['a', 0],
      ['b', 7],
    ],
  ])
  assert.equal([...everPut], ['task:kept'])
  await store.commit([remove('task:kept'), entry('a', 3)])
  assert.is((await store.journal('a')).length, 4)
  await broughtIn(store)
  assert.is((await store.journal('a')).length, 4)
  assert.equal(await rowsOf(store), {})
  await store.close()
})

test('[D1] a journal is whole while it is on its way into the tables', async () => {
  const dataDir = tempFolder()
  const disk = syncsOf(dataDir, () => 100)
  const store = await openLmdbStore({ dataDir })
  await store.commit([entry('a', 0)])
  await broughtIn(store)
  await store.commit([entry('a', 1)])
  const bringing = broughtIn(store)
  await store.commit([entry('a', 2)])
  assert.equal(
    (await store.journal('a')).map(({ text }) => text),
    ['0', '1', '2'],
  )
  await bringing
  await store.close()
  disk.restore()
})

test('[D2] the log of a process that lives stays where it is, and loses nothing to one that reads it', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const other = await openLmdbStore({ dataDir })
  for (let n = 0; n < 20; n++) {
    // While the first part is brought into the tables, it goes on in the second.
    const bringing = n === 10 ? broughtIn(store) : null
    await store.commit([put('task:a', { n }), entry('a', n)])
    await bringing
    const [rows, journal] = await Promise.all([rowsOf(other), other.journal('a')])
    assert.equal([rows['task:a'], journal.length], [{ n }, n + 1])
    assert.is(logsIn(dataDir).length, n < 10 ? 1 : 2)
  }
  await Promise.all([store.close(), other.close()])
  assert.equal(logsIn(dataDir), [])
})

test('[D2] a process that saw the log of another goes on reading when that one has closed', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const other = await openLmdbStore({ dataDir })
  await store.commit([put('task:a', {}), entry('a', 0)])
  assert.equal(await rowsOf(other), { 'task:a': {} })
  await store.close()
  assert.is((await other.journal('a')).length, 1)
  assert.equal(await rowsOf(other), { 'task:a': {} })
  await other.close()
})

test('[D2] a log of an earlier version, which was one file and had rows of one entry, is taken over', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  await store.commit([put('task:a', {}), entry('a', 1)])
  const left = killed(dataDir)
  await store.close()
  for (const name of logsIn(left)) renameSync(join(left, name), join(left, name.replace('.0.wal', '.wal')))
  const file = new LmdbFile(join(left, 'store.mdb'))
  await file.write(() => tablesOf(file).journal.put(['a', 0], anEntry('0')))
  await file.close()
  const next = await openLmdbStore({ dataDir: left })
  assert.equal(await rowsOf(next), { 'task:a': {} })
  assert.equal(
    (await next.journal('a')).map(({ text }) => text),
    ['0', '1'],
  )
  assert.equal(logsIn(left), [])
  await next.close()
})

test('[D2] a log that is full begins anew, and nothing is lost', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const text = 'x'.repeat(100_000)
  const commits = Math.ceil((6.5 * LOG_BYTES_MAX) / text.length)
  for (let n = 0; n < commits; n++) await store.commit([put(`task:${n % 7}`, { n, text }), entry('a', n)])
  const left = killed(dataDir)
  await store.close()
  assert.is(logsIn(left).length, 2)
  for (const log of logsIn(left)) assert.ok(statSync(join(left, log)).size < 2 * LOG_BYTES_MAX + 2 * text.length)
  const next = await openLmdbStore({ dataDir: left })
  const rows = await rowsOf(next)
  for (let n = commits - 7; n < commits; n++) assert.is((rows[`task:${n % 7}`] as { n: number }).n, n)
  assert.is((await next.journal('a')).length, commits)
  await next.close()
})

test('[D2] a store that is closed leaves no log behind', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  await store.commit([put('task:a', {})])
  await broughtIn(store)
  await store.commit([put('task:b', {})])
  assert.is(logsIn(dataDir).length, 1)
  await broughtIn(store)
  await store.commit([put('task:c', {})])
  await store.close()
  assert.equal(logsIn(dataDir), [])
  assert.ok(await inTables(dataDir, ({ actors }) => ['a', 'b', 'c'].every((id) => actors.has(`task:${id}`))))
})

test.run()
