import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulate } from './simulation.ts'

/**
 * Whole services, each from one seed: the real machines, actors and relay on simulated time, with a simulated store,
 * network, model, browsers and clients, and with faults. After every event the promises of docs/durability.md are
 * looked after; the first that is broken ends the test with the seed, the step and what happened last.
 *
 * One seed again, with every line of what happens: `SEEDS=77 npm test -- test/simulation`. A range: `SEEDS=1-5000`.
 */
const [first, last = first] = (process.env.SEEDS ?? '1-200').split('-').map(Number)

const test = suite('simulation')

test(`[D2 D3 D4 D5 D6 D7 D8 D9 D12 D13 T8 T9 T33 B3 R32 R40] seeds ${first} to ${last} break no promise`, async () => {
  assert.ok(Number.isInteger(first) && Number.isInteger(last), 'SEEDS is a seed, or two with - between them')
  const sum = { seeds: 0, lives: 0, tasks: 0, completed: 0, executions: 0, steps: 0 }
  const heard = first === last ? { heard: (line: string) => console.log(line) } : {}
  for (let seed = Number(first); seed <= Number(last); seed++) {
    const outcome = await simulate(seed, heard)
    sum.seeds++
    for (const key of ['lives', 'tasks', 'completed', 'executions', 'steps'] as const) sum[key] += outcome[key]
  }
  console.log(JSON.stringify(sum))
  // Nothing was proven if nothing happened.
  assert.ok(sum.completed > 0 && sum.executions > 0)
})

test('a seed happens again exactly', async () => {
  for (const seed of [3, 44, 120]) assert.equal(await simulate(seed), await simulate(seed))
})

test('another seed is another world', async () => {
  const hashes = new Set<string>()
  for (let seed = 1; seed <= 5; seed++) hashes.add((await simulate(seed)).hash)
  assert.is(hashes.size, 5)
})

test.run()
