import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulate } from './simulation.ts'

/**
 * Seeds in which starts wait in queues and for browsers, and tasks for approvals: answered late, twice or never, and
 * while processes die. After every event no more than five tasks of a workspace have a slot, no more than ten began within
 * a minute, and no browser lets go of anything that was not approved, or of anything twice.
 */
const [first = 1, last = first] = (process.env.SEEDS ?? '1-2').split('-').map(Number)

const test = suite('simulation of waiting')
for (const [name, change] of Object.entries({
  '[T59 T60 T8 T9 D7] queues': { queueing: 0.8, brief: true, pauseMs: 700 },
  '[I5 I7 D7] approvals': { asking: 0.8 },
}))
  test(`${name}: seeds ${first} to ${last}`, async () => {
    let tasks = 0
    for (let seed = first; seed <= last; seed++) tasks += (await simulate(seed, { change })).tasks
    assert.ok(tasks > 0)
  })
test.run()
