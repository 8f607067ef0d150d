import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './harness/cache.ts'
import type { Outcome } from './harness/stage.ts'
import type { Timings } from './harness/tools.ts'

const FIGURES = join(ROOT, 'docs', 'eval.json')

/** What is kept of a suite: what passed then must pass now. */
export interface Kept {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  /** Of the agent suite. */
  readonly totals?: Totals
}
export interface Totals {
  readonly modelCalls: number
  readonly inputTokens: number
  readonly toolCalls: number
  /** Of a real model. */
  readonly costUsd?: number
}
/** By suite, `before/…` for the first version, and `real/…` for a real model. */
export type Figures = Readonly<Record<string, Kept>>

export const keptFigures = (): Figures => (existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : {})

export function keepFigures(figures: Figures): void {
  writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`)
}

/** Tasks that passed when the figures were kept and fail now. */
export function regressions(kept: Kept | undefined, outcomes: readonly Outcome[]): readonly Outcome[] {
  const passed = new Set(kept?.passed ?? [])
  return outcomes.filter(({ ok, name }) => !ok && passed.has(name))
}

export const asKept = (outcomes: readonly Outcome[]): Kept => ({
  passed: names(outcomes.filter(({ ok }) => ok)),
  failed: names(outcomes.filter(({ ok }) => !ok)),
})
const names = (outcomes: readonly Outcome[]): string[] => outcomes.map(({ name }) => name).sort()

/** One line for a task, and why it failed. */
export function line({ name, ok, calls, chars, ms, why }: Outcome): string {
  const head = `${ok ? '✔' : '✘'} ${name.padEnd(34)} ${String(calls).padStart(3)} calls ${String(chars).padStart(8)} characters ${(ms / 1000).toFixed(1).padStart(6)} s`
  return ok ? head : `${head}\n    ${why.replaceAll('\n', '\n    ')}`
}

/** The figures of a suite in one line. */
export function summary(suite: string, outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(({ ok }) => ok)
  const sum = (pick: (outcome: Outcome) => number) => passed.reduce((total, outcome) => total + pick(outcome), 0)
  const share = ((100 * passed.length) / Math.max(1, outcomes.length)).toFixed(1)
  const mean = (total: number) => (total / Math.max(1, passed.length)).toFixed(1)
  if (suite === 'agent' || suite === 'injection') return `${suite}: ${passed.length} of ${outcomes.length} (${share} %)`
  return `${suite}: ${passed.length} of ${outcomes.length} (${share} %); a solved task takes ${mean(sum(({ calls }) => calls))} calls, ${Math.round(sum(({ chars }) => chars) / Math.max(1, passed.length))} characters, ${mean(sum(({ ms }) => ms) / 1000)} s`
}

/** Time for a call, by tool and action. */
export function timings(all: Timings): string {
  const rows = [...all].map(([name, times]) => {
    const sorted = [...times].sort((a, b) => a - b)
    const at = (share: number) =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
    return { name, calls: sorted.length, p50: at(0.5), p99: at(0.99) }
  })
  const shown = rows.sort((a, b) => b.calls - a.calls).slice(0, 16)
  return shown
    .map(
      ({ name, calls, p50, p99 }) =>
        `  ${name.padEnd(28)} ${String(calls).padStart(6)} calls  p50 ${p50} ms  p99 ${p99} ms`,
    )
    .join('\n')
}
