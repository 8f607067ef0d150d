import { beforeRoot, ROOT } from './harness/cache.ts'
import { type Outcome, openStage, type Stage } from './harness/stage.ts'
import type { EvalTask } from './harness/task.ts'
import { miniwobTasks } from './miniwob/tasks.ts'
import { HELP, type Options, readOptions, type SuiteName } from './options.ts'
import { OWN } from './own/tasks.ts'
import { asKept, keepFigures, keptFigures, line, regressions, summary, timings } from './report.ts'
import { WIDGETS } from './widgets/tasks.ts'

/** `npm run eval`: how well tasks can be done with the browser tools. docs/eval.md explains it. */
const TASKS: Readonly<Record<SuiteName, (options: Options) => Promise<readonly EvalTask[]> | readonly EvalTask[]>> = {
  own: () => OWN,
  miniwob: ({ seeds }) => miniwobTasks(seeds),
  widgets: () => WIDGETS,
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
async function again(stage: Stage, tasks: readonly EvalTask[], outcomes: Outcome[], failed: readonly Outcome[]) {
  for (const { name } of failed) {
    const task = tasks.find((each) => each.name === name)
    if (!task) continue
    const outcome = await stage.run(task)
    console.log(`Once more: ${line(outcome)}`)
    if (outcome.ok) outcomes[outcomes.findIndex((each) => each.name === name)] = outcome
  }
}

async function main(options: Options): Promise<boolean> {
  const root = options.root ?? (options.before ? await beforeRoot() : ROOT)
  const kept = keptFigures()
  const now: Record<string, ReturnType<typeof asKept>> = { ...kept }
  const stage = await openStage(root, options.verbose)
  let regressed = 0
  try {
    for (const suite of options.suites) {
      const all = await TASKS[suite](options)
      const tasks = all.filter(({ name }) => name.includes(options.only))
      const outcomes = await runAll(stage, tasks, options.jobs)
      const compares = root === ROOT
      if (compares) await again(stage, tasks, outcomes, regressions(kept[suite], outcomes))
      const worse = compares ? regressions(kept[suite], outcomes) : []
      regressed += worse.length
      console.log(`\n${summary(suite, outcomes)}`)
      for (const { name } of worse) console.log(`Regression: ${name} passed when the figures were kept.`)
      if (options.only === '') now[suite] = asKept(outcomes)
    }
    console.log(`\n${timings(stage.timings)}`)
  } finally {
    await stage.close()
  }
  if (options.write) keepFigures(now)
  return regressed === 0
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') console.log(HELP)
  else if (!(await main(options))) process.exitCode = 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
