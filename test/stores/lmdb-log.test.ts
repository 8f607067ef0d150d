import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Store, Write } from '../../actors/ports.ts'
import { LOG_BYTES_MAX, WRITE_BEHIND_MS_MAX } from '../../machines/limits.ts'
import { LmdbFile } from '../../src/stores/lmdb/database.ts'
import { tablesOf } from '../../src/stores/lmdb/tables.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { Random } from '../simulation/random.ts'
import { anEnding, anEntry, aTask, collected, THEN, tempFolder } from '../support/stores.ts'

const test = suite('lmdb and its log')

const put = (address: string, snapshot: unknown): Write => ({
  kind: 'actor.put',
  row: { address, version: 1, at: THEN, snapshot },
})
const entry = (taskId: string, seq: number): Write => ({
  kind: 'journal.append',
  taskId,
  seq,
  entry: anEntry(String(seq)),
})
const logsIn = (dataDir: string) => readdirSync(dataDir).filter((name) => name.endsWith('.wal'))
const rowsOf = async (store: Store) =>
  Object.fromEntries((await collected(store.actors())).map(({ address, snapshot }) => [address, snapshot]))

/** What is in the tables themselves, whatever the log says. */
async function inTables<T>(dataDir: string, look: (tables: ReturnType<typeof tablesOf>) => T | Promise<T>): Promise<T> {
  const file = new LmdbFile(join(dataDir, 'store.mdb'))
  try {
    return await look(tablesOf(file))
  } finally {
    await file.close()
  }
}

const ended = spawn(process.execPath, ['-e', ''])
await once(ended, 'exit')

/** The folder as a kill in this moment would leave it: copied in one go, with logs of a process that has ended. */
function killed(dataDir: string): string {
  const copy = tempFolder()
  cpSync(dataDir, copy, { recursive: true })
  for (const name of logsIn(copy)) renameSync(join(copy, name), join(copy, name.replace(/-\d+/, `-${ended.pid}`)))
  return copy
}

test('[D2] what only the log holds is there for the next process, and the log goes once it is taken over', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  await store.commit([put('task:a', { n: 1 }), put('task:b', { n: 1 }), entry('a', 0)])
  await store.commit([put('task:a', { n: 2 }), { kind: 'actor.remove', address: 'task:b' }, entry('a', 1)])
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

test('[D2] whenever it is killed all is there; a loss of power takes nothing back from before the last record', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const random = new Random(7)
  const rows: Record<string, unknown> = {}
  let entries = 0
  /** All states that there were, and the first that a loss of power may leave. */
  const states: string[] = ['{}0']
  let onDisk = 0
  let kills = 0
  let setBack = 0
  for (let n = 0; n < 400; n++) {
    const start = random.chance(1 / 12) ? store.commit([{ kind: 'task.insert', record: aTask() }]) : null
    if (start) onDisk = states.length - 1
    const address = `task:${random.whole(0, 5)}`
    const removes = random.chance(1 / 4)
    await store.commit([entry('a', entries++), removes ? { kind: 'actor.remove', address } : put(address, { n })])
    if (removes) delete rows[address]
    else rows[address] = { n }
    states.push(stateOf(rows, entries))
    await start
    if (random.chance(1 / 40)) await new Promise((resolve) => setTimeout(resolve, WRITE_BEHIND_MS_MAX))
    if (random.chance(1 / 20)) {
      await store.setting(`s${n}`, () => '')
      onDisk = states.length - 1
    }
    if (start === null && random.chance(11 / 12)) continue

    kills++
    const left = killed(dataDir)
    const unpowered = killed(dataDir)
    for (const log of logsIn(unpowered)) rmSync(join(unpowered, log))
    assert.is(await stateIn(left), states.at(-1))
    const state = states.indexOf(await stateIn(unpowered))
    assert.ok(state >= onDisk, `state ${state} of ${states.length}, at least ${onDisk}`)
    if (state < states.length - 1) setBack++
  }
  assert.ok(kills > 50 && setBack > 20, `${kills} kills, ${setBack} set back`)
  await store.close()
})

async function stateIn(dataDir: string): Promise<string> {
  const store = await openLmdbStore({ dataDir })
  const state = stateOf(await rowsOf(store), (await store.journal('a')).length)
  await store.close()
  return state
}
const stateOf = (rows: Record<string, unknown>, entries: number) =>
  JSON.stringify(Object.fromEntries(Object.entries(rows).sort())) + entries

test('[D2] each write of a record takes along all that was committed before it', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const record = aTask()
  await store.commit([{ kind: 'task.insert', record }])
  const writes = [
    () => store.tasks.end(anEnding(record.id)),
    () => store.ledger.credit({ eventId: 'e', workspaceId: 'w', credits: 1 }),
    () => store.commit([{ kind: 'task.insert', record: aTask() }]),
    () => store.setting('name', () => 'value'),
  ]
  for (const [n, write] of writes.entries()) {
    await store.commit([put('task:a', { n }), entry('a', n)])
    await write()
    const found = await inTables(dataDir, ({ actors, journal }) => [
      actors.get('task:a')?.snapshot,
      journal.under(['a']).length,
    ])
    assert.equal(found, [{ n }, n + 1])
  }
  await store.close()
})

test('[D2] the log of a process that lives stays where it is, and loses nothing to one that reads it', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const other = await openLmdbStore({ dataDir })
  for (let n = 0; n < 20; n++) {
    await store.commit([put('task:a', { n }), entry('a', n)])
    const [rows, journal] = await Promise.all([rowsOf(other), other.journal('a')])
    assert.equal([rows['task:a'], journal.length], [{ n }, n + 1])
    assert.is(logsIn(dataDir).length, 1)
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

test('[D2] a log that is full begins anew, and nothing is lost', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const text = 'x'.repeat(100_000)
  const commits = Math.ceil((2.5 * LOG_BYTES_MAX) / text.length)
  for (let n = 0; n < commits; n++) await store.commit([put(`task:${n % 7}`, { n, text }), entry('a', n)])
  const left = killed(dataDir)
  await store.close()
  const [log = ''] = logsIn(left)
  assert.ok(statSync(join(left, log)).size < LOG_BYTES_MAX + 2 * text.length)
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
  assert.is(logsIn(dataDir).length, 1)
  await store.close()
  assert.equal(logsIn(dataDir), [])
  assert.ok(await inTables(dataDir, ({ actors }) => actors.has('task:a')))
})

test.run()
