import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { janitorMachine } from '../../machines/janitor.ts'
import type { JanitorEvent } from '../../machines/janitor-types.ts'
import { CALL_SWEEP_EVERY_MS, RETIRE_EVERY_MS, TASK_SWEEP_EVERY_MS } from '../../machines/limits.ts'
import { alone } from '../support/machine.ts'
import { walk } from '../support/walk.ts'

const test = suite('janitor')

for (const [region, effect, everyMs] of [
  ['tasks', 'sweepTasks', TASK_SWEEP_EVERY_MS],
  ['calls', 'sweepCalls', CALL_SWEEP_EVERY_MS],
  ['retention', 'retire', RETIRE_EVERY_MS],
] as const)
  test(`[T29 R20 D15] ${effect} every ${everyMs / 1_000} s, counted from the end of the last`, () => {
    const it = alone(janitorMachine, undefined)
    const swept: JanitorEvent = { type: `${region}.swept`, count: 0, at: 0 }
    const sweeps = () => it.did(effect).length
    for (const round of [1, 2, 3]) {
      it.clock.increment(everyMs - 1)
      assert.is(sweeps(), round - 1)
      it.clock.increment(1)
      assert.is(sweeps(), round)
      it.clock.increment(everyMs)
      assert.is(sweeps(), round, 'a sweep that is not over is not begun again')
      it.send(swept)
    }
  })

test('[T29] a region that is done leaves the others at work', () => {
  const it = alone(janitorMachine, undefined)
  it.clock.increment(RETIRE_EVERY_MS)
  it.send({ type: 'calls.swept', count: 0, at: 0 })
  assert.equal(it.snapshot().value, {
    tasks: 'sweeping',
    calls: 'resting',
    workspaces: 'sweeping',
    retention: 'sweeping',
  })
})

test('every combination of resting and sweeping is reached, and none is left for good', () => {
  const walked = walk(janitorMachine, {
    input: undefined,
    events: (['tasks', 'calls', 'retention'] as const).map((region) => ({ type: `${region}.swept`, count: 0, at: 0 })),
    check: ({ handles, path }) => assert.ok(Object.keys(handles).length > 0, path.join(' → ')),
  })
  assert.equal(walked.unreached, [])
})

test.run()
