import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const test = suite('bench, a quick run')

test('it measures, and prints each figure beside its budget', () => {
  const args = ['--import', 'tsx', 'bench/run.ts', '--quick', '--only', 'steps']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 50_000 })
  assert.is(status, 0, stdout + stderr)
  assert.match(stdout, /\| CPU \| ≤ 50 \| [\d.]+ \| % of a core \|/)
})

test.run()
