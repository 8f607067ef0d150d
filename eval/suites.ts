import { realModel, runReal } from './agent/real.ts'
import { type AgentOutcome, runAgent } from './agent/run.ts'
import { AGENT_TASKS } from './agent/tasks.ts'
import type { Outcome } from './harness/stage.ts'
import { HOSTILE } from './injection/pages.ts'
import { runInjection } from './injection/run.ts'
import { keepFigures, keptFigures, type Totals } from './report.ts'

/** Runs the agent suite through the service of `root`. Its outcomes count model calls and tokens. */
export async function agentSuite(
  root: string,
  only: string,
  write: boolean,
): Promise<{ outcomes: Outcome[]; totals: Totals }> {
  const tasks = AGENT_TASKS.filter(({ name }) => name.includes(only))
  const real = realModel()
  if (real) {
    const name = `real/${real.LLM_MODEL ?? 'default'}`
    const now = await runReal(root, tasks, real)
    const last = keptFigures()[name]
    if (now.totals) console.log(compared(now.totals, last?.totals, 'last time'))
    if (write && only === '') keepFigures({ ...keptFigures(), [name]: now })
  }
  const all = await runAgent(root, tasks, (outcome) => console.log(agentLine(outcome)))
  const sum = (pick: (outcome: AgentOutcome) => number) => all.reduce((total, outcome) => total + pick(outcome), 0)
  const totals = {
    modelCalls: sum(({ modelCalls }) => modelCalls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    toolCalls: sum(({ toolCalls }) => toolCalls),
  }
  return { outcomes: all.map(asOutcome), totals }
}

const agentLine = ({ name, ok, why, modelCalls, inputTokens, toolCalls, looks, ms }: AgentOutcome): string =>
  `${ok ? '✔' : '✘'} ${name.padEnd(24)} ${modelCalls} model calls, ${inputTokens} tokens, ${toolCalls} tool calls (${looks} looks), ${(ms / 1000).toFixed(1)} s${ok ? '' : `\n    ${why}`}`

const asOutcome = ({ name, ok, why, modelCalls, inputTokens, ms }: AgentOutcome): Outcome => ({
  name,
  about: 'agent',
  ok,
  why,
  calls: modelCalls,
  chars: inputTokens,
  ms,
})

/** Runs the injection suite: what pages wrote reaches the model as marked content only. */
export async function injectionSuite(root: string, only: string): Promise<Outcome[]> {
  const pages = HOSTILE.filter(({ name }) => name.includes(only))
  const all = await runInjection(root, pages, ({ name, ok, why, reached }) =>
    console.log(
      `${ok ? '✔' : '✘'} ${name}${reached ? '' : ' (the model never heard of it)'}${ok ? '' : `\n    ${why}`}`,
    ),
  )
  return all.map(({ name, ok, why }) => ({ name, about: 'injection', ok, why, calls: 0, chars: 0, ms: 0 }))
}

/** The agent's totals beside earlier ones. */
export function compared(now: Totals, before: Totals | undefined, when = 'the first version'): string {
  const share = (field: keyof Totals) =>
    before?.[field] ? ` (${((now[field] ?? 0) / before[field]).toFixed(2)} of ${when})` : ''
  return `agent: ${now.modelCalls} model calls${share('modelCalls')}, ${now.inputTokens} tokens${share('inputTokens')}, ${now.toolCalls} tool calls${share('toolCalls')}`
}
