/** One figure that was measured, in its rounds, beside what is asked of it. */
export interface Figure {
  readonly what: string
  readonly unit: string
  /** One value for each round. */
  readonly rounds: readonly number[]
  /** The budget, if there is one. The median is held against it. */
  readonly atMost?: number
  readonly atLeast?: number
}

/** The value below which this share (0 to 1) of the values lies; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] ?? 0) + upper) / 2
}

/** A number with about three significant digits, thousands set apart. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (Number.isInteger(value) || size >= 1_000) return Math.round(value).toLocaleString('en')
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3)
}

/** Whether the median keeps the budget; `null` without a budget. */
export function keepsBudget({ rounds, atMost, atLeast }: Figure): boolean | null {
  if (atMost === undefined && atLeast === undefined) return null
  const value = median(rounds)
  return value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? Number.NEGATIVE_INFINITY)
}

const KEPT = new Map([
  [true, 'yes'],
  [false, '**no**'],
  [null, ''],
])

/** The figures as a Markdown table: medians, and the smallest and largest round where there were several. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { what, unit, rounds, atMost, atLeast } = figure
    const budget = atMost === undefined ? (atLeast === undefined ? '' : `≥ ${short(atLeast)}`) : `≤ ${short(atMost)}`
    const spread = rounds.length > 1 ? ` (${short(Math.min(...rounds))}–${short(Math.max(...rounds))})` : ''
    return [what, budget, `${short(median(rounds))}${spread}`, unit, KEPT.get(keepsBudget(figure)) ?? '']
  })
  const lines = [['what', 'budget', 'measured', 'unit', 'kept'], ['---', '---:', '---:', '---', '---'], ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
