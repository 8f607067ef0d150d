import { randomBytes } from 'node:crypto'
import { openSite } from '../harness/site.ts'
import { openPlace, wrongWith } from './run.ts'
import { openService } from './service.ts'
import type { AgentTask } from './tasks.ts'

/** The settings of the environment that choose a model; `null` where no key is set. */
export function realModel(): Record<string, string> | null {
  const chosen = Object.entries(process.env).filter(([name]) => /^LLM_|_API_KEY$/.test(name))
  const env = Object.fromEntries(chosen.flatMap(([name, value]) => (value ? [[name, value] as const] : [])))
  return Object.keys(env).some((name) => name.endsWith('_API_KEY')) ? env : null
}

/** Has a real language model do the tasks, and prints success, steps, tokens, time for each, and the cost of all. */
export async function runReal(root: string, tasks: readonly AgentTask[], llm: Readonly<Record<string, string>>) {
  const [service, site] = await Promise.all([openService(root, llm), openSite()])
  let passed = 0
  try {
    for (const task of tasks) {
      const tag = randomBytes(4).toString('hex')
      const place = await openPlace(site, tag, task)
      const started = performance.now()
      const ended = await service.run(task.task, place.url)
      const why = wrongWith(task, ended, place.told)
      const { inputTokens, outputTokens } = ended.usage
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      if (why === '') passed += 1
      console.log(
        `${why === '' ? '✔' : '✘'} ${task.name.padEnd(24)} ${ended.steps} steps, ${inputTokens} tokens in, ${outputTokens} out, ${seconds} s${why === '' ? '' : `\n    ${why}`}`,
      )
      await place.close()
    }
    const { totalCostUsd } = await service.usage()
    const cost = totalCostUsd === null ? 'unknown' : `$${totalCostUsd.toFixed(4)}`
    console.log(`\nagent, real model: ${passed} of ${tasks.length}; cost ${cost}`)
  } finally {
    await Promise.all([service.close(), site.close()])
  }
}
