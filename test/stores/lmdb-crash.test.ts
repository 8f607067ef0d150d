import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DISK_FREE_BYTES_MIN } from '../../src/stores/limits.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { argsOf } from '../support/built.ts'
import { assertKept } from '../support/lmdb-kept.ts'
import { appending } from '../support/logs.ts'
import { aPairing, aTask, tempFolder } from '../support/stores.ts'

const test = suite('lmdb when things go wrong')
const WRITER = 'test/support/lmdb-writer.ts'
const ACKNOWLEDGED_MIN = 300

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  )

/** Lets a process write until `enough` writes are acknowledged, kills it, and gives what it had said by then. */
async function killedWriter(dataDir: string, enough: number): Promise<string[]> {
  const child = spawn(process.execPath, [...argsOf(WRITER), dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const said: string[] = []
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    said.push(line)
    if (said.length === enough) child.kill('SIGKILL')
  })
  const closed = once(lines, 'close')
  const [, signal] = await exited
  assert.is(signal, 'SIGKILL')
  await closed
  return said
}

test('[D2] all that a process acknowledged before SIGKILL is there, round after round', async () => {
  const dataDir = tempFolder()
  for (const enough of [1, 50, ACKNOWLEDGED_MIN]) {
    const said = await killedWriter(dataDir, enough)
    assert.ok(said.length >= enough)
    const store = await openLmdbStore({ dataDir })
    await assertKept(store, said)
    await store.close()
  }
})

test('[D2] what was kept is there after closing and opening', async () => {
  const dataDir = tempFolder()
  const record = aTask()
  const first = await openLmdbStore({ dataDir })
  await first.commit([{ kind: 'task.insert', record }])
  await first.close()
  const second = await openLmdbStore({ dataDir })
  assert.equal(await second.tasks.get(record.id), record)
  await second.close()
})

test('[N10] a data folder that cannot be written is refused with its name', async () => {
  const file = join(tempFolder(), 'file')
  writeFileSync(file, '')
  const beneath = join(file, 'data')
  assert.match(await reasonOf(openLmdbStore({ dataDir: beneath })), `Data folder ${beneath} cannot be written: `)
  const blocked = tempFolder()
  mkdirSync(join(blocked, 'store.mdb'))
  assert.match(await reasonOf(openLmdbStore({ dataDir: blocked })), `Data folder ${blocked} cannot be written: `)
})

test('[D13] a disk that is nearly full refuses writes, keeps what is there, and takes writes again', async () => {
  const dataDir = tempFolder()
  let free = DISK_FREE_BYTES_MIN
  const store = await openLmdbStore({ dataDir, freeBytes: () => free })
  const [kept, refused] = [aTask(), aTask()]
  await store.commit([{ kind: 'task.insert', record: kept }])
  free -= 1
  const isRefused = async () => !(await store.ping())
  while (!(await isRefused())) await new Promise((resolve) => setTimeout(resolve, 10))
  const reason = await reasonOf(store.commit([{ kind: 'task.insert', record: refused }]))
  assert.match(reason, `Data folder ${dataDir} cannot be written: 67 MB are left on its disk`)
  assert.match(await reasonOf(store.pairings.insert(aPairing())), 'cannot be written')
  assert.equal(await store.tasks.get(kept.id), kept)
  assert.is(await store.tasks.get(refused.id), null)
  free += 1
  while (await isRefused()) await new Promise((resolve) => setTimeout(resolve, 10))
  await store.commit([{ kind: 'task.insert', record: refused }])
  assert.equal(await store.tasks.get(refused.id), refused)
  await store.close()
})

test('[D13] screenshots that are on their way count as taken from the disk', async () => {
  const image = new Uint8Array(1_000_000)
  const store = await openLmdbStore({ dataDir: tempFolder(), freeBytes: () => DISK_FREE_BYTES_MIN + 2_500_000 })
  const shots = [0, 1, 2, 3].map((number) =>
    store.commit([{ kind: 'image.put', image: { taskId: 't', step: 1, number, image } }]),
  )
  const outcomes = await Promise.all(shots.map(reasonOf))
  assert.equal(
    outcomes.map((outcome) => outcome === 'no error'),
    [true, true, false, false],
  )
  await store.close()
})

test('[D12] two processes end, charge and consume as one', async () => {
  const dataDir = tempFolder()
  const said = killedWriter(dataDir, ACKNOWLEDGED_MIN)
  const store = await openLmdbStore({ dataDir })
  const workspaceId = 'w'
  await store.ledger.credit({ eventId: 'e', workspaceId, credits: 5 })
  for (let seq = 0; seq < 50; seq++) {
    await store.commit([appending('here', seq, String(seq))])
    await store.ledger.charge({ taskId: `t${seq}`, workspaceId, month: '2026-11', freePerMonth: 0 })
  }
  await assertKept(store, await said)
  assert.is((await store.log('here')).length, 50)
  assert.equal(await store.ledger.get(workspaceId, '2026-11'), { freeUsed: 0, credits: 0 })
  await store.close()
})

test.run()
