import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreInUse } from '../../src/stores/errors.ts'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { argsOf } from '../support/built.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('one process for one store')
const owner = { address: 'http://127.0.0.1:1' }
const OWNER = 'test/support/lmdb-owner.ts'

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => new Error('no error'),
    (error: Error) => error,
  )

/** A process that owns the folder. */
async function ownerOf(dataDir: string) {
  const args = [...argsOf(OWNER), dataDir, 'http://127.0.0.1:2']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

test('[D16] a second owner is refused in one line that names the first; who only looks is not', async () => {
  const dataDir = tempFolder()
  const first = await openLmdbStore({ dataDir, owner })
  const error = await errorOf(openLmdbStore({ dataDir, owner }))
  assert.instance(error, StoreInUse)
  assert.is(
    error.message,
    `Data folder ${dataDir} is in use by process ${process.pid}, which listens at http://127.0.0.1:1`,
  )
  const beside = await openLmdbStore({ dataDir })
  assert.is(await beside.ping(), true)
  await beside.close()
  await first.close()
  await (await openLmdbStore({ dataDir, owner })).close()
})

test('[D16] another process is refused until the owner was killed', async () => {
  const dataDir = tempFolder()
  const child = await ownerOf(dataDir)
  const error = await errorOf(openLmdbStore({ dataDir, owner }))
  assert.match(error.message, `is in use by process ${child.pid}, which listens at http://127.0.0.1:2`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await (await openLmdbStore({ dataDir, owner })).close()
})

test('[D16] an opening that fails leaves the folder to the next', async () => {
  const dataDir = tempFolder()
  mkdirSync(join(dataDir, 'store.mdb'))
  const error = await errorOf(openLmdbStore({ dataDir, owner }))
  assert.match(error.message, `Data folder ${dataDir} cannot be written: `)
  rmdirSync(join(dataDir, 'store.mdb'))
  await (await openLmdbStore({ dataDir, owner })).close()
})

test.run()
