import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { simulate } from './simulation.ts'

/** One test: these seeds break no promise. A single one prints every line of what happens. */
export function holds(first: number, last: number): void {
  const test = suite('simulation')
  test(`[D2 D3 D4 D5 D6 D7 D8 D9 D12 D13 T8 T9 T33 B3 R32 R40] seeds ${first} to ${last} break no promise`, async () => {
    assert.ok(Number.isInteger(first) && Number.isInteger(last), 'SEEDS is a seed, or two with - between them')
    const sum = { seeds: 0, lives: 0, tasks: 0, completed: 0, executions: 0, steps: 0 }
    const heard = first === last ? { heard: (line: string) => console.log(line) } : {}
    for (let seed = first; seed <= last; seed++) {
      const outcome = await simulate(seed, heard)
      sum.seeds++
      for (const key of ['lives', 'tasks', 'completed', 'executions', 'steps'] as const) sum[key] += outcome[key]
    }
    console.log(JSON.stringify(sum))
    // Nothing was proven if nothing happened.
    assert.ok(sum.completed > 0 && sum.executions > 0)
  })
  test.run()
}
