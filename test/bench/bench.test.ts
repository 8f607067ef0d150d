import { spawnSync } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { keepsBudget, median, quantile, table } from '../../bench/figures.ts'

const test = suite('bench')

const bench = (...args: string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], { encoding: 'utf8', timeout: 50_000 })

test('a quick run measures, and prints each figure beside its budget', () => {
  const { status, stdout, stderr } = bench('--quick', '--only', 'steps')
  assert.is(status, 0, stdout + stderr)
  assert.match(stdout, /\| CPU \| ≤ 50 \| [\d.]+ \| % of a core \|/)
})

test('an option that does not parse is named', () => {
  for (const [args, message] of [
    [['--only', 'steps,speed'], '--only speed: expected steps, cpu, reads, sessions, restart, viewers, heap'],
    [['--rounds', '0'], '--rounds 0: expected a whole number from 1 to 20'],
    [['--tasks', '1e3'], '--tasks 1e3: expected a whole number from 1 to 10000000'],
    [['--fast'], '--fast'],
  ] as const) {
    const { status, stderr } = bench(...args)
    assert.is(status, 1)
    assert.ok(stderr.includes(message), stderr)
  }
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
