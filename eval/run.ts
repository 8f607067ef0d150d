import { appsSuite, playApps } from './apps/run.ts'
import { beforeRoot, installWidgets, ROOT } from './harness/cache.ts'
import { type Outcome, openStage, type Stage } from './harness/stage.ts'
import type { EvalTask } from './harness/task.ts'
import { miniwobTasks } from './miniwob/tasks.ts'
import { HELP, type Options, readOptions, type SuiteName } from './options.ts'
import { OWN } from './own/tasks.ts'
import { measureHands } from './pages/hands.ts'
import { compareOwn } from './pages/own.ts'
import { comparePages } from './pages/run.ts'
import { type Again, again, sharesOf } from './recipes.ts'
import {
  asKept,
  type Kept,
  keepFigures,
  keptFigures,
  line,
  regressions,
  summary,
  type Totals,
  timings,
} from './report.ts'
import { agentSuite, compared, injectionSuite } from './suites.ts'
import { WIDGETS } from './widgets/tasks.ts'

/** A suite grows dearer by this share before it counts as a regression: the machine's pace moves it a little. */
const DEARER_MAX = 1.1

interface Result {
  readonly outcomes: Outcome[]
  readonly totals?: Totals
}
interface Suite {
  run(only: string): Promise<Result>
  close(): Promise<void>
}
type Open = (root: string, options: Options) => Promise<Suite>

type TasksOf = (options: Options) => Promise<readonly EvalTask[]> | readonly EvalTask[]
const PAGES: Readonly<Record<'own' | 'miniwob' | 'widgets', TasksOf>> = {
  own: () => OWN,
  miniwob: ({ seeds }) => miniwobTasks(seeds),
  widgets: async () => {
    await installWidgets()
    return WIDGETS
  },
}

/** A suite of scripted solvers on pages. */
const onPages =
  (tasks: TasksOf): Open =>
  async (root, options) => {
    const stage = await openStage(root, options.verbose)
    const all = await tasks(options)
    return {
      run: async (only) => ({
        outcomes: await runAll(
          stage,
          all.filter(({ name }) => name.includes(only)),
          options.jobs,
        ),
      }),
      async close() {
        console.log(timings(stage.timings))
        await stage.close()
      },
    }
  }

const through = (run: (root: string, only: string, write: boolean) => Promise<Result>): Open => {
  return async (root, { write }) => ({ run: (only) => run(root, only, write), close: async () => {} })
}

/** `npm run eval`: how well tasks are done. docs/eval.md explains it. */
const SUITES: Readonly<Record<SuiteName, Open>> = {
  own: onPages(PAGES.own),
  miniwob: onPages(PAGES.miniwob),
  widgets: onPages(PAGES.widgets),
  agent: through(agentSuite),
  injection: through(async (root, only) => ({ outcomes: await injectionSuite(root, only) })),
  apps: async (root, { verbose }) => ({
    run: async (only) => ({ outcomes: await appsSuite(root, only, verbose) }),
    close: async () => {},
  }),
}

/** [J4, J6] Each task once by its solver and then by its recipe; no act may be a wrong one. */
async function playAgain(options: Options): Promise<boolean> {
  const stage = await openStage(ROOT, false)
  const shares: Record<string, Again[]> = {}
  const told = (suite: string, name: string, { how, why }: { readonly how: Again; readonly why: string }) => {
    shares[suite] = [...(shares[suite] ?? []), how]
    console.log(`${name.padEnd(34)} ${how}: ${why.replaceAll(/\s+/g, ' ').slice(0, 200)}`.replace(/: $/, ''))
  }
  try {
    for (const [suite, tasksOf] of Object.entries(PAGES)) {
      if (!options.suites.some((name) => name === suite)) continue
      const queue = (await tasksOf(options)).filter(({ name }) => name.includes(options.only))
      const work = async () => {
        for (let task = queue.shift(); task; task = queue.shift()) told(suite, task.name, await again(stage, task))
      }
      await Promise.all(Array.from({ length: options.jobs }, work))
    }
    if (options.suites.includes('apps'))
      await playApps(stage, options.only, (name, result) => told('apps', name, result))
  } finally {
    await stage.close()
  }
  console.log(`\n${sharesOf(shares)}`)
  return !Object.values(shares).flat().includes('wrong')
}

/** Runs all tasks, some at a time. */
async function runAll(stage: Stage, tasks: readonly EvalTask[], jobs: number): Promise<Outcome[]> {
  const queue = [...tasks]
  const outcomes: Outcome[] = []
  const work = async () => {
    for (let task = queue.shift(); task; task = queue.shift()) {
      const outcome = await stage.run(task)
      outcomes.push(outcome)
      console.log(line(outcome))
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return outcomes
}

/** What fails but passed before is tried once more, alone: a busy machine is no regression. */
async function onceMore(suite: Suite, outcomes: Outcome[], failed: readonly Outcome[]): Promise<void> {
  for (const { name } of failed) {
    const { outcomes: once } = await suite.run(name)
    const same = once.find((outcome) => outcome.name === name)
    if (same?.ok) outcomes[outcomes.findIndex((outcome) => outcome.name === name)] = same
  }
}

async function main(options: Options): Promise<boolean> {
  if (options.pages) {
    console.log(await comparePages(options.root ?? ROOT))
    return true
  }
  if (options.hands) {
    const other = options.root ?? (options.before ? await beforeRoot() : null)
    await measureHands(other, options.suites.includes('apps'))
    return true
  }
  if (options.beside) {
    await compareOwn(options.root ?? ROOT)
    return true
  }
  if (options.recipes) return playAgain(options)
  const root = options.root ?? (options.before ? await beforeRoot() : ROOT)
  const kept = keptFigures()
  const now: Record<string, Kept> = {}
  const problems: string[] = []
  for (const name of options.suites) {
    const key = options.before ? `before/${name}` : name
    const suite = await SUITES[name](root, options)
    try {
      const { outcomes, totals } = await suite.run(options.only)
      if (root === ROOT) {
        await onceMore(suite, outcomes, regressions(kept[name], outcomes))
        for (const worse of regressions(kept[name], outcomes)) problems.push(`${name}: ${worse.name} passed before.`)
      }
      console.log(`\n${summary(name, outcomes)}`)
      if (totals) console.log(compared(totals, kept[`before/${name}`]?.totals))
      if (options.only !== '') continue
      now[key] = { ...asKept(outcomes), ...(totals && { totals }) }
      const limit = (kept[name]?.totals?.modelCalls ?? Number.POSITIVE_INFINITY) * DEARER_MAX
      if (root === ROOT && totals && totals.modelCalls > limit)
        problems.push(`${name}: ${totals.modelCalls} model calls.`)
    } finally {
      await suite.close()
    }
  }
  for (const problem of problems) console.log(`Regression: ${problem}`)
  if (options.write) keepFigures({ ...keptFigures(), ...now })
  return problems.length === 0
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') console.log(HELP)
  else if (!(await main(options))) process.exitCode = 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
