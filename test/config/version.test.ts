import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildVersion, COMMIT_FILE } from '../../src/config/version.ts'
import { tempFolder } from '../support/stores.ts'

const test = suite('the version of what runs')

/** A package with these files. */
function packageOf(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

test('[H3] the version of the package, with the commit where it is known; dev where nothing is', () => {
  const manifest = '{"version":"1.2.3"}'
  for (const [files, version] of [
    [{ 'package.json': manifest }, '1.2.3'],
    [{ 'package.json': manifest, [COMMIT_FILE]: '0123abcd\n' }, '1.2.3+0123abcd'],
    [{ 'package.json': manifest, [COMMIT_FILE]: 'not a commit' }, '1.2.3'],
    // A repository without a commit, or one that cannot be read.
    [{ 'package.json': manifest, '.git/HEAD': 'nothing', [COMMIT_FILE]: '0123abcd' }, '1.2.3'],
    [{ 'package.json': '{' }, 'dev'],
    [{ 'package.json': '{"version":3}', [COMMIT_FILE]: '0123abcd' }, 'dev'],
    [{}, 'dev'],
  ] as const)
    assert.is(buildVersion(packageOf(files)), version, JSON.stringify(files))
})

test('[H3] this checkout says its own version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  assert.ok(buildVersion().split('+')[0] === version)
})

test.run()
