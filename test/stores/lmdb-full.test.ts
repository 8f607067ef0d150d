import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openLmdbStore } from '../../src/stores/lmdb.ts'
import { argsOf } from '../support/built.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('lmdb when the disk takes no more')
const FILLER = 'test/support/lmdb-filler.ts'

test('[D13] a commit that the disk refuses is rejected, ends no process, and takes nothing that was kept', async () => {
  const dataDir = tempFolder()
  const command = `trap '' XFSZ; ulimit -f 4096; exec "$0" "$@"`
  const args = ['-c', command, process.execPath, ...argsOf(FILLER), dataDir]
  const { status, stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' })
  assert.is(status, 0, stderr)
  const { refused, others, ping, kept } = JSON.parse(stdout)
  assert.match(refused, `StoreUnwritable: Data folder ${dataDir} cannot be written until a restart: `)
  assert.equal(others, [refused, refused, refused])
  assert.equal([ping, kept], [false, true])
  const store = await openLmdbStore({ dataDir })
  assert.ok((await store.log('task')).length > 0)
  assert.is(await store.ping(), true)
  await store.close()
})

test.run()
