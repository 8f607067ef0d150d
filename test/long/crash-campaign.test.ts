import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argsOf } from '../support/built.ts'

const test = suite('the crash campaign')

test('[D2 D7 D8] a few rounds of it, and nothing is wrong', () => {
  const args = argsOf('test/crash/campaign.ts')
  const run = spawnSync(process.execPath, [...args, '--rounds', '2', '--tenants', '4', '--seed', '1'], {
    encoding: 'utf8',
  })
  assert.is(run.status, 0, `${run.stdout}${run.stderr}`)
  assert.match(run.stdout, /round 2\/2 .* 0 wrong\n$/)
})

test('a campaign of no rounds is refused', () => {
  const args = [...argsOf('test/crash/campaign.ts'), '--rounds', '0']
  const run = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.is.not(run.status, 0)
  assert.match(run.stderr, '--rounds and --seed are whole')
})

test.run()
