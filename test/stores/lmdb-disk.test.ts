import { createHash, randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LOG_SYNC_MS_MAX } from '../../machines/limits.ts'
import { LogFile } from '../../src/stores/lmdb/log-file.ts'
import { logPath } from '../../src/stores/lmdb/other-logs.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { Random } from '../simulation/random.ts'
import { syncsOf } from '../support/disk.ts'
import { broughtIn, ended, entry, killed, logsIn, put, remove, rowsOf } from '../support/lmdb-folder.ts'
import { aTask, THEN, tempFolder } from '../support/stores.ts'

const test = suite('lmdb and the disk')

test('[D2] whenever it is killed all is there; a loss of power leaves what was at one moment, and takes nothing back from before a sync', async () => {
  const dataDir = tempFolder()
  const random = new Random(7)
  const disk = syncsOf(dataDir, () => random.between(0, 20))
  const store = await openLmdbStore({ dataDir })
  const rows = new Map<string, unknown>()
  let entries = 0
  /** All states that there were, and the first that a loss of power may leave. */
  const states = [stateOf(rows, 0)]
  let onDisk = 0
  let kills = 0
  let setBack = 0
  let bringing: Promise<unknown> = Promise.resolve()
  let underWay = false
  for (let n = 0; n < 300; n++) {
    const writes = [entry('a', entries++)]
    // More rows than are brought into the tables at a time.
    for (let times = random.whole(1, 150); times > 0; times--) {
      const address = `task:${random.whole(0, 5_000)}`
      const removes = random.chance(1 / 4)
      writes.push(removes ? remove(address) : put(address, { n }))
      if (removes) rows.delete(address)
      else rows.set(address, { n })
    }
    if (random.chance(1 / 40)) writes.push({ kind: 'task.insert', record: aTask() })
    states.push(stateOf(rows, entries))
    await store.commit(writes)
    if (random.chance(1 / 60)) await new Promise((resolve) => setTimeout(resolve, LOG_SYNC_MS_MAX))
    if (random.chance(1 / 20)) {
      const last = states.length - 1
      void store.sync().then(() => {
        onDisk = Math.max(onDisk, last)
      })
    }
    if (!underWay && random.chance(1 / 15)) {
      underWay = true
      bringing = broughtIn(store).then(() => {
        underWay = false
      })
    }
    // Others have their turn, so that what is under way is met at any point.
    for (let turns = random.whole(0, 5); turns > 0; turns--) await new Promise(setImmediate)
    if (random.chance(underWay ? 1 / 2 : 5 / 6)) continue

    kills++
    const [known, left, unpowered] = [onDisk, killed(dataDir), killed(dataDir)]
    for (const name of logsIn(unpowered)) rmSync(join(unpowered, name))
    for (const [name, bytes] of disk.synced()) {
      writeFileSync(join(unpowered, name.replace(/-\d+/, `-${ended.pid}`)), bytes)
    }
    assert.is(await stateIn(left), states.at(-1))
    const state = states.indexOf(await stateIn(unpowered))
    assert.ok(state >= known, `state ${state} of ${states.length}, at least ${known}`)
    if (state < states.length - 1) setBack++
  }
  assert.ok(kills > 50 && setBack > 20, `${kills} kills, ${setBack} set back`)
  await bringing
  await store.close()
  disk.restore()
})

async function stateIn(dataDir: string): Promise<string> {
  const store = await openLmdbStore({ dataDir })
  const state = stateOf(new Map(Object.entries(await rowsOf(store))), (await store.journal('a')).length)
  await store.close()
  return state
}
const stateOf = (rows: ReadonlyMap<string, unknown>, entries: number) =>
  createHash('sha1')
    .update(JSON.stringify([[...rows].sort(([a], [b]) => (a < b ? -1 : 1)), entries]))
    .digest('hex')

test('[D2] what a loss of power left behind a gap is not taken over', async () => {
  const dataDir = tempFolder()
  const id = randomUUID()
  const parts = ([0, 1] as const).map((part) => new LogFile(logPath(dataDir, id, part, ended.pid)))
  for (const [part, number] of [
    [1, 1],
    [1, 2],
    [0, 4],
  ] as const) {
    parts[part]?.append(number, [
      JSON.stringify([['task:a', { address: 'task:a', version: 1, at: THEN, snapshot: number }]]),
    ])
  }
  const store = await openLmdbStore({ dataDir })
  assert.equal(await rowsOf(store), { 'task:a': 2 })
  assert.equal(logsIn(dataDir), [])
  await store.close()
})

test('[D2] a start outlives a loss of power with the first row of its task, also when nothing of the log does', async () => {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  const record = aTask()
  const address = `task:${record.id}`
  await store.commit([{ kind: 'task.insert', record }, put(address, null), put('workspace:a', {})])
  const unpowered = killed(dataDir)
  for (const name of logsIn(unpowered)) rmSync(join(unpowered, name))
  const next = await openLmdbStore({ dataDir: unpowered })
  assert.equal(await next.tasks.get(record.id), record)
  assert.equal(await rowsOf(next), { [address]: null })
  await next.close()
  // Tried again, it changes nothing.
  await store.commit([put(address, { n: 1 })])
  await broughtIn(store)
  await store.commit([{ kind: 'task.insert', record }, put(address, { n: 2 })])
  const left = killed(dataDir)
  for (const name of logsIn(left)) rmSync(join(left, name))
  const later = await openLmdbStore({ dataDir: left })
  assert.equal((await rowsOf(later))[address], { n: 1 })
  await later.close()
  await store.close()
})

test('[D2] a disk that does not take the log stops all writes until a restart', async () => {
  const dataDir = tempFolder()
  const disk = syncsOf(dataDir)
  const store = await openLmdbStore({ dataDir })
  const reason = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.message)
  await store.commit([put('task:a', {})])
  disk.fail('EIO: i/o error')
  const said = `Data folder ${dataDir} cannot be written until a restart: EIO: i/o error`
  assert.is(await reason(store.sync()), said)
  disk.restore()
  for (const write of [store.commit([put('task:b', {})]), store.sync(), store.setting('a', () => 'b')]) {
    assert.is(await reason(write), said)
  }
  await store.close()
  // What was kept is still there for the next process.
  assert.is(logsIn(dataDir).length, 1)
})

test.run()
