import { BUDGET_WARNED_PERCENT, STEPS_MAX } from './limits.ts'
import { type Usage, withUsage } from './usage.ts'

/** [L35] The limits of a task; `null`: none of its own. */
export interface Budget {
  /** Model calls. */
  readonly steps: number | null
  /** Of input and output together, cached ones included. */
  readonly tokens: number | null
  readonly costUsd: number | null
}
export const NO_BUDGET: Budget = { steps: null, tokens: null, costUsd: null }

/** What a task has used so far. */
interface Spending {
  readonly budget: Budget
  readonly step: number
  readonly usage: Usage
  readonly costUsd: number
}

/** What is left for the next model call. */
export interface Left {
  /** It is the last one. */
  readonly lastStep: boolean
  /** [L2] The deadline is near: it is the last one, too. */
  readonly lastMinute: boolean
  readonly tokens: number | null
  readonly costUsd: number | null
}

/** A limit that is nearly reached, as clients read it. */
export interface BudgetWarning {
  readonly budget: 'max_steps' | 'max_tokens' | 'max_cost_usd'
  readonly used: number
  readonly limit: number
}

export const stepsMax = ({ budget }: Pick<Spending, 'budget'>): number => budget.steps ?? STEPS_MAX

const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens

export const leftOf = ({
  budget,
  step,
  usage,
  costUsd,
  endsSoon,
}: Spending & { readonly endsSoon: boolean }): Left => ({
  lastStep: step + 1 >= stepsMax({ budget }),
  lastMinute: endsSoon,
  tokens: budget.tokens === null ? null : budget.tokens - tokensOf(usage),
  costUsd: budget.costUsd === null ? null : budget.costUsd - costUsd,
})

/** The limit of which most is used, once that is BUDGET_WARNED_PERCENT; else `null`. */
export function warningOf({ budget, step, usage, costUsd }: Spending): BudgetWarning | null {
  const limits = [
    { budget: 'max_steps', used: step, limit: budget.steps },
    { budget: 'max_tokens', used: tokensOf(usage), limit: budget.tokens },
    { budget: 'max_cost_usd', used: costUsd, limit: budget.costUsd },
  ] as const
  let most: BudgetWarning | null = null
  for (const { budget, used, limit } of limits) {
    if (limit === null || used * 100 < limit * BUDGET_WARNED_PERCENT) continue
    if (most === null || used / limit > most.used / most.limit) most = { budget, used, limit }
  }
  return most
}

/** What is spent after one more reply, and the step at which most of a limit was used. */
export function settled(
  { warnedAt, ...before }: Spending & { readonly warnedAt: number | null },
  reply: { readonly usage: Usage; readonly costUsd?: number },
) {
  const step = before.step + 1
  const usage = withUsage(before.usage, reply.usage)
  const costUsd = before.costUsd + (reply.costUsd ?? 0)
  const isNear = warningOf({ budget: before.budget, step, usage, costUsd }) !== null
  return { step, usage, costUsd, warnedAt: warnedAt ?? (isNear ? step : null) }
}
