import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { parseArgs } from 'node:util'
import { type Figure, table } from './figures.ts'
import { measureContexts } from './measures/contexts.ts'
import { measureCpu } from './measures/cpu.ts'
import { measureHeap } from './measures/heap.ts'
import { measureNodes } from './measures/nodes.ts'
import { measurePaced } from './measures/paced.ts'
import { measureReads } from './measures/reads.ts'
import { measureRestart } from './measures/restart.ts'
import { measureSchemas } from './measures/schemas.ts'
import { measureSessions } from './measures/sessions.ts'
import { measureSteps } from './measures/steps.ts'
import { measureStore } from './measures/store.ts'
import { measureViewers } from './measures/viewers.ts'
import { type Options, Testbed } from './testbed.ts'

/** `npm run bench`: one measure for each budget of docs/bench.md, each printed as a table beside its budget. */
const MEASURES: Readonly<Record<string, (bed: Testbed) => Promise<Figure[]>>> = {
  steps: measureSteps,
  paced: measurePaced,
  cpu: measureCpu,
  store: measureStore,
  reads: measureReads,
  sessions: measureSessions,
  restart: measureRestart,
  viewers: measureViewers,
  heap: measureHeap,
  schemas: measureSchemas,
  contexts: measureContexts,
  nodes: measureNodes,
}

const HELP = `npm run bench -- [options]
  --only ${Object.keys(MEASURES).join(',')}
  --rounds 3       rounds of each measure
  --tasks 100000   tasks through one process for its heap
  --quick          tiny sizes, to see that it works; the figures mean nothing
  --profile        write CPU profiles of the service to dist/bench`

class UsageError extends Error {}

/** @throws UsageError that names the option that is wrong */
function readOptions(args: string[]): Options & { readonly only: readonly string[]; readonly help: boolean } {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: Object.keys(MEASURES).join(',') },
      rounds: { type: 'string' },
      tasks: { type: 'string', default: '100000' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { only, rounds, tasks, quick, profile, help } = values
  const names = only.split(',')
  const unknown = names.find((name) => !(name in MEASURES))
  if (unknown !== undefined) throw new UsageError(`--only ${unknown}: expected ${Object.keys(MEASURES).join(', ')}`)
  return {
    only: names,
    rounds: wholeNumber('--rounds', rounds ?? (quick ? '1' : '3'), 20),
    tasks: wholeNumber('--tasks', tasks, 10_000_000),
    quick,
    profile,
    help,
  }
}

function wholeNumber(option: string, text: string, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw new UsageError(`${option} ${text}: expected a whole number from 1 to ${max}`)
}

const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')

async function bench(options: ReturnType<typeof readOptions>): Promise<number> {
  let bed: Testbed | null = null
  const clear = async () => {
    await bed?.end()
    bed?.remove()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void clear().finally(() => process.exit(130)))
  }
  const memory = Math.round(totalmem() / 2 ** 30)
  console.log(`${cpus().length} × ${cpus()[0]?.model}, ${memory} GB, ${type()} ${release()}, Node ${process.version}\n`)
  let failed = 0
  for (const name of options.only) {
    const [from, loadBefore] = [performance.now(), load()]
    bed = new Testbed(options)
    try {
      const figures = await MEASURES[name]?.(bed)
      const seconds = Math.round((performance.now() - from) / 1_000)
      console.log(`${table(figures ?? [])}\n\n${name}: ${seconds} s, load of the machine before it ${loadBefore}\n`)
    } catch (error) {
      failed++
      console.error(`${name}: ${error instanceof Error ? error.message : error}\n`)
    } finally {
      await clear()
    }
  }
  return failed === 0 ? 0 : 1
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) console.log(HELP)
  else process.exit(await bench(options))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
