import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sync, syncFlags } from '../../src/stores/lmdb/database.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('what waits for the disk')

test('[D1] files are opened for writing, which Windows wants, and folders are not synced there', () => {
  assert.equal(
    (['linux', 'darwin', 'win32'] as const).map((platform) => [syncFlags(false, platform), syncFlags(true, platform)]),
    [
      ['r+', 'r'],
      ['r+', 'r'],
      ['r+', null],
    ],
  )
})

test('[D1] a file, a folder and a file that only its owner may touch are synced and keep what they have', () => {
  const folder = tempFolder()
  const file = join(folder, 'store.mdb')
  writeFileSync(file, 'kept')
  chmodSync(file, 0o600)
  mkdirSync(join(folder, 'inside'))
  for (const path of [file, folder, join(folder, 'inside')]) sync(path)
  assert.throws(() => sync(join(folder, 'none')), /ENOENT/)
})

test.run()
