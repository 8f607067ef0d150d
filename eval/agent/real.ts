import { randomBytes } from 'node:crypto'
import { openSite } from '../harness/site.ts'
import type { Kept } from '../report.ts'
import { openPlace, wrongWith } from './run.ts'
import { openService } from './service.ts'
import type { AgentTask } from './tasks.ts'

/** The settings of the environment that choose a model; `null` where no key is set. */
export function realModel(): Record<string, string> | null {
  const chosen = Object.entries(process.env).filter(([name]) => /^LLM_|_API_KEY$/.test(name))
  const env = Object.fromEntries(chosen.flatMap(([name, value]) => (value ? [[name, value] as const] : [])))
  return Object.keys(env).some((name) => name.endsWith('_API_KEY')) ? env : null
}

/** Has a real language model do the tasks, and prints success, steps, tokens, cost and time for each. */
export async function runReal(
  root: string,
  tasks: readonly AgentTask[],
  llm: Readonly<Record<string, string>>,
): Promise<Kept> {
  const [service, site] = await Promise.all([openService(root, llm), openSite()])
  const [passed, failed]: [string[], string[]] = [[], []]
  const totals = { modelCalls: 0, inputTokens: 0, toolCalls: 0, costUsd: 0 }
  try {
    for (const task of tasks) {
      const tag = randomBytes(4).toString('hex')
      const place = await openPlace(site, tag, task)
      const started = performance.now()
      const ended = await service.run(task.task, place.url)
      const why = wrongWith(task, ended, place.told)
      const { inputTokens, outputTokens, apiCalls } = ended.usage
      const costUsd = ended.cost_usd ?? null
      totals.modelCalls += apiCalls
      totals.inputTokens += inputTokens
      totals.toolCalls += ended.turns?.reduce((count, { tools }) => count + tools.length, 0) ?? 0
      totals.costUsd += costUsd ?? 0
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      const cost = costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`
      ;(why === '' ? passed : failed).push(task.name)
      console.log(
        `${why === '' ? '✔' : '✘'} ${task.name.padEnd(24)} ${ended.steps} steps, ${inputTokens} tokens in, ${outputTokens} out, ${cost}, ${seconds} s${why === '' ? '' : `\n    ${why}`}`,
      )
      await place.close()
    }
  } finally {
    await Promise.all([service.close(), site.close()])
  }
  console.log(`\nagent, real model: ${passed.length} of ${tasks.length}; cost $${totals.costUsd.toFixed(4)}`)
  return { passed, failed, totals }
}
