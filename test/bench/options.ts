import { parseArgs } from 'node:util'

export const MEASURES = ['steps', 'paced', 'reads', 'sessions', 'restart', 'growth', 'inspector'] as const
export type Measure = (typeof MEASURES)[number]

export interface Options {
  readonly store: 'lmdb' | 'mongodb'
  readonly transport: 'uws' | 'node'
  /** Tasks at a time. */
  readonly at: readonly number[]
  readonly only: readonly Measure[]
  /** Tiny sizes: to see that it works, not for figures. */
  readonly quick: boolean
  readonly rounds: number
  readonly leak: number
  /** Finished tasks in the store of a restart beside; 0 leaves that out. */
  readonly finished: number
  readonly profile: boolean
  readonly json: string | null
  readonly write: boolean
}

export const HELP = `npm run bench -- [options]
  --store lmdb|mongodb      the store (lmdb); mongodb is the test server in a process of its own
  --transport uws|node      the socket library (uws)
  --at 5,50,200             tasks at a time
  --only ${MEASURES.join(',')}
  --rounds 3                rounds of each measure
  --leak 2000               tasks through one process for the leak check
  --finished 100000         restart with so many finished tasks in the store, too (0: not measured)
  --quick                   tiny sizes, to see that it works
  --profile                 write a CPU profile of the service, and say where the time went
  --json <file>             write every figure as JSON
  --write                   put the tables and plots into docs/bench.md and docs/bench/`

/** Reads the command line. @throws Error with one line that names what is wrong */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: { type: 'string', default: 'lmdb' },
      transport: { type: 'string', default: 'uws' },
      at: { type: 'string' },
      only: { type: 'string' },
      rounds: { type: 'string' },
      leak: { type: 'string' },
      finished: { type: 'string', default: '0' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { quick } = values
  return {
    store: oneOf('--store', values.store, ['lmdb', 'mongodb']),
    transport: oneOf('--transport', values.transport, ['uws', 'node']),
    at: (values.at ?? (quick ? '5,20' : '5,50,200')).split(',').map((text) => whole('--at', text, 1, 1_000)),
    only: (values.only ?? MEASURES.join(',')).split(',').map((text) => oneOf('--only', text, MEASURES)),
    quick,
    rounds: whole('--rounds', values.rounds ?? (quick ? '1' : '3'), 1, 20),
    leak: whole('--leak', values.leak ?? (quick ? '100' : '2000'), 1, 1_000_000),
    finished: whole('--finished', values.finished, 0, 1_000_000),
    profile: values.profile,
    json: values.json ?? null,
    write: values.write,
  }
}

function oneOf<T extends string>(flag: string, text: string, accepted: readonly T[]): T {
  const found = accepted.find((name) => name === text)
  if (found === undefined) throw new Error(`${flag} ${text}: expected ${accepted.join(', ')}`)
  return found
}

function whole(flag: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < min || value > max || text.trim() === '') {
    throw new Error(`${flag} ${text}: expected a whole number from ${min} to ${max}`)
  }
  return value
}
