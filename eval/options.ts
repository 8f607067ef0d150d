import { parseArgs } from 'node:util'

export const SUITES = ['own', 'miniwob', 'widgets', 'agent', 'injection'] as const
/** Real applications: they take minutes to install and to run, so they are run when they are named. */
export const NIGHTLY = ['apps'] as const
export type SuiteName = (typeof SUITES)[number] | (typeof NIGHTLY)[number]

export interface Options {
  readonly suites: readonly SuiteName[]
  readonly only: string
  readonly seeds: number
  readonly jobs: number
  /** Measures the first version instead. */
  readonly before: boolean
  /** Another folder of the project to measure. */
  readonly root: string | null
  /** Compares what a look and a click cost with Playwright MCP, on typical pages, and nothing else. */
  readonly pages: boolean
  /** Measures how long looks, clicks, typing and navigations take, and nothing else. */
  readonly hands: boolean
  /** Has Playwright MCP do the own tasks beside these tools, and nothing else. */
  readonly beside: boolean
  /** Has each task of the suites on pages and of the applications done by its solver and then by its recipe, and nothing else. */
  readonly recipes: boolean
  readonly verbose: boolean
  readonly write: boolean
}

export const HELP = `npm run eval -- [options]
  --suite ${SUITES.join(',')}   (these), ${NIGHTLY.join(',')}
  --only <text>      tasks whose name contains it
  --seeds 3          of each MiniWoB++ task
  --jobs 2           tasks at a time
  --before           the first version of the project instead of this one
  --root <folder>    another folder of the project instead
  --pages            what a look and a click cost on typical pages, beside Playwright MCP; nothing else
  --hands            how long looks, clicks, typing and navigations take; with --root in both versions, alternately; nothing else
  --beside           the own tasks with Playwright MCP, page by page; nothing else
  --recipes          each task of own, miniwob, widgets and apps by its solver and then by its recipe: shares; nothing else
  --verbose          every call and its answer
  --write            keep these figures in docs/eval.json`

/** Reads the command line. @throws Error with one line that names what is wrong */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: { type: 'string' },
      only: { type: 'string', default: '' },
      seeds: { type: 'string', default: '3' },
      jobs: { type: 'string', default: '2' },
      before: { type: 'boolean', default: false },
      root: { type: 'string' },
      pages: { type: 'boolean', default: false },
      hands: { type: 'boolean', default: false },
      beside: { type: 'boolean', default: false },
      recipes: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { only, before, pages, hands, beside, recipes, verbose, write } = values
  const suites = (values.suite ?? SUITES.join(',')).split(',').map(suiteNamed)
  const count = (flag: 'seeds' | 'jobs') => whole(`--${flag}`, values[flag])
  return {
    suites,
    only,
    seeds: count('seeds'),
    jobs: count('jobs'),
    before,
    root: values.root ?? null,
    pages,
    hands,
    beside,
    recipes,
    verbose,
    write,
  }
}

function suiteNamed(text: string): SuiteName {
  const all = [...SUITES, ...NIGHTLY]
  const found = all.find((name) => name === text)
  if (found === undefined) throw new Error(`--suite ${text}: expected ${all.join(', ')}`)
  return found
}

function whole(flag: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 100) throw new Error(`${flag} ${text}: expected 1 to 100`)
  return value
}
