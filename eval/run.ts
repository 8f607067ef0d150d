import { beforeRoot, ROOT } from './harness/cache.ts'
import { openStage, type Outcome } from './harness/stage.ts'
import type { EvalTask } from './harness/task.ts'
import { HELP, readOptions } from './options.ts'
import { OWN } from './own/tasks.ts'

const options = readOptions(process.argv.slice(2))
if (options === 'help') {
  console.log(HELP)
  process.exit(0)
}
const root = options.before ? await beforeRoot() : ROOT
const stage = await openStage(root, options.verbose)
const queue: EvalTask[] = OWN.filter(({ name }) => name.includes(options.only))
const outcomes: Outcome[] = []
await Promise.all(
  Array.from({ length: options.jobs }, async () => {
    for (let task = queue.shift(); task; task = queue.shift()) {
      const outcome = await stage.run(task)
      outcomes.push(outcome)
      console.log(`${outcome.ok ? '✔' : '✘'} ${outcome.name} ${outcome.calls} calls ${outcome.chars} chars ${Math.round(outcome.ms)} ms${outcome.ok ? '' : `\n    ${outcome.why.replaceAll('\n', '\n    ')}`}`)
    }
  }),
)
await stage.close()
console.log(`${outcomes.filter(({ ok }) => ok).length} of ${outcomes.length}`)
