import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keepsBudget, median, quantile, table } from '../../bench/figures.ts'

const test = suite('bench')

test('an option that does not parse is named', () => {
  const args = ['--import', 'tsx', 'bench/run.ts', '--only', 'steps,speed']
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 50_000 })
  assert.is(status, 1)
  assert.match(stderr, '--only speed: expected steps, cpu, reads, sessions, restart, viewers, heap')
})

test('the median of the rounds is held against the budget', () => {
  assert.is(median([3, 1, 2]), 2)
  assert.is(median([4, 1, 2, 3]), 2.5)
  assert.is(quantile([5, 1, 4, 2, 3], 0.5), 3)
  const figure = { what: 'steps', unit: 'per s', rounds: [240, 230, 1_250] }
  assert.is(keepsBudget(figure), null)
  assert.is(keepsBudget({ ...figure, atLeast: 240 }), true)
  assert.is(keepsBudget({ ...figure, atMost: 239 }), false)
  assert.match(table([{ ...figure, atMost: 239 }]), '| steps | ≤ 239 | 240 (230–1,250) | per s | **no** |')
})

test.run()
