import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulateNodes } from './nodes/simulation.ts'

/**
 * Three nodes over one store, each from one seed: the real cluster, machines, actors, relay and MongoDB store on simulated time,
 * with a simulated driver, bus, model, browsers and clients. After every event the promises of docs/growth.md are looked
 * after. One seed again, with every line of what happens: `SEEDS=7 npm test -- test/simulation/nodes.test.ts`. A range:
 * `SEEDS=1-5000`.
 */
const [first = 1, last = first] = (process.env.SEEDS ?? '7-9').split('-').map(Number)

const test = suite('simulation of nodes')

test(`[M2 M3 M4 M5 M7 M9 D2 D8 D16 T9 T33 B3] seeds ${first} to ${last} of three nodes break no promise`, async () => {
  const sum = { seeds: 0, lives: 0, moves: 0, tasks: 0, completed: 0, executions: 0, steps: 0 }
  const heard = first === last ? { heard: (line: string) => console.log(line) } : {}
  for (let seed = first; seed <= last; seed++) {
    const outcome = await simulateNodes(seed, heard)
    sum.seeds++
    for (const key of ['lives', 'moves', 'tasks', 'completed', 'executions', 'steps'] as const) sum[key] += outcome[key]
  }
  console.log(JSON.stringify(sum))
  // Nothing was proven if nothing happened.
  assert.ok(sum.completed > 0 && sum.executions > 0 && sum.moves > sum.seeds)
})

test('a seed of three nodes happens again exactly', async () => {
  assert.equal(await simulateNodes(2), await simulateNodes(2))
})

test.run()
