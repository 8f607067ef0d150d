import { spawn } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

/**
 * Ten thousand seeds of the simulation (`SEEDS=20000` for more), five hundred a process, two processes at a time.
 * A seed that fails is named in the output; `SEEDS=<seed> npm test -- test/simulation/simulation.test.ts` shows all of it.
 */
const SEEDS = Number(process.env.SEEDS ?? 10_000)
const CHUNK = 500
const AT_ONCE = 2

const test = suite('simulation, long')

/** What a run of these seeds printed, and whether every promise held. */
function run(range: string): Promise<{ ok: boolean; output: string }> {
  const args = ['--conditions=development', '--import', 'tsx', 'test/simulation/simulation.test.ts']
  const child = spawn(process.execPath, args, { env: { ...process.env, SEEDS: range } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  return new Promise((resolve) => child.once('close', (code) => resolve({ ok: code === 0, output })))
}

test(`[D2 D7 D8] ${SEEDS} seeds break no promise`, async () => {
  const ranges: string[] = []
  for (let seed = 1; seed <= SEEDS; seed += CHUNK) ranges.push(`${seed}-${Math.min(SEEDS, seed + CHUNK - 1)}`)
  const failed: string[] = []
  const worker = async () => {
    for (let range = ranges.shift(); range !== undefined; range = ranges.shift()) {
      const { ok, output } = await run(range)
      console.log(`${range} ${/\{"seeds".*\}/.exec(output)?.[0] ?? 'failed'}`)
      if (!ok) failed.push(output)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  assert.equal(failed, [], failed.join('\n'))
})

test.run()
