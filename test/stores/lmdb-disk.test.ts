import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { Random } from '../simulation/random.ts'
import { assertKept } from '../support/lmdb-kept.ts'
import { afterPowerLoss, canWatch, watched } from '../support/power.ts'
import { aTask, tempFolder } from '../support/stores.ts'

const test = suite('lmdb and the disk')
const WRITER = 'test/support/lmdb-writer.ts'
const POWER_LOSSES = 60
const ACKNOWLEDGED = 100
/** strace is on Linux alone, and not everywhere. */
const onLinux = canWatch() ? test : test.skip

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  )

onLinux(
  '[D2] what was acknowledged outlives a loss of power at any moment, whatever of the rest is on the disk',
  async () => {
    const calls = await watched(WRITER, tempFolder(), ACKNOWLEDGED, /^\d+\.\d+ \d+\n$/)
    const first = calls.findIndex(({ kind }) => kind === 'said')
    assert.ok(calls.filter(({ kind }) => kind === 'said').length >= ACKNOWLEDGED)
    const random = new Random(2)
    for (let loss = 0; loss < POWER_LOSSES; loss++) {
      const count = random.whole(first + 1, calls.length)
      const dataDir = tempFolder()
      for (const [name, image] of afterPowerLoss(calls, count, () => random.chance(0.5))) {
        writeFileSync(join(dataDir, name), image)
      }
      const store = await openLmdbStore({ dataDir })
      await assertKept(
        store,
        calls.slice(0, count).flatMap((call) => (call.kind === 'said' ? [call.text] : [])),
      )
      await store.close()
    }
  },
)

/** A folder with a task in it. */
async function aFolder(): Promise<string> {
  const dataDir = tempFolder()
  const store = await openLmdbStore({ dataDir })
  for (let n = 0; n < 50; n++) await store.commit([{ kind: 'task.insert', record: aTask() }])
  await store.close()
  return dataDir
}

test('[D18] a file that was cut off, overwritten or emptied is said in one line, and left as it is', async () => {
  const dataDir = await aFolder()
  const whole = statSync(join(dataDir, 'store.mdb')).size
  const damages: readonly [how: (path: string) => void, said: string][] = [
    [(path) => truncateSync(path, 0), 'store.mdb is empty'],
    [(path) => truncateSync(path, 4_000), 'store.mdb does not begin as a file of lmdb does'],
    [(path) => truncateSync(path, 8_192), 'store.mdb was cut off at 8192 bytes'],
    [(path) => truncateSync(path, whole / 2), `store.mdb was cut off at ${whole / 2} bytes`],
    [(path) => writeFileSync(path, Buffer.alloc(whole, 7)), 'store.mdb does not begin as a file of lmdb does'],
    [(path) => writeFileSync(path, 'no database'), 'store.mdb does not begin as a file of lmdb does'],
  ]
  for (const [damage, said] of damages) {
    const copy = tempFolder()
    cpSync(dataDir, copy, { recursive: true })
    damage(join(copy, 'store.mdb'))
    const bytes = readFileSync(join(copy, 'store.mdb'))
    const error = await errorOf(openLmdbStore({ dataDir: copy }))
    assert.match(error, `Data folder ${copy} is damaged: ${said}. `)
    assert.not.match(error, '\n')
    assert.equal(readFileSync(join(copy, 'store.mdb')), bytes)
  }
})

test('[D18] a log of the version before is not passed over in silence', async () => {
  const dataDir = await aFolder()
  const name = 'actors-77-6f1c9a3e-0000-4000-8000-000000000000.0.wal'
  writeFileSync(join(dataDir, name), '')
  assert.match(await errorOf(openLmdbStore({ dataDir })), `its log (${name}), which only that version reads`)
})

test('[D19] the folder and its files are their owner’s alone, also those that an earlier version made', async () => {
  const parent = tempFolder()
  const dataDir = join(parent, 'data')
  const modesOf = () => [dataDir, ...readdirSync(dataDir).map((name) => join(dataDir, name))].map(modeOf)
  const open = async () => (await openLmdbStore({ dataDir, owner: { address: '' } })).close()
  await open()
  const wanted = [0o700, 0o600, 0o600, 0o600, 0o600, 0o600]
  assert.equal(modesOf(), wanted)
  chmodSync(dataDir, 0o755)
  for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o644)
  await open()
  assert.equal(modesOf(), wanted)
  // Where something else is, too, the folder is not ours to close.
  mkdirSync(join(dataDir, 'photos'))
  chmodSync(dataDir, 0o755)
  await open()
  assert.is(modeOf(dataDir), 0o755)
})

const modeOf = (path: string) => statSync(path).mode & 0o777

test.run()
