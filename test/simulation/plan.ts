import { MINUTE_MS, SECOND_MS } from '../../machines/limits.ts'
import type { Random } from './random.ts'

/** What one seed makes of the system: who is in it, and what goes wrong how often. */
export interface Plan {
  readonly billing: { readonly freePerMonth: number } | null
  readonly workspaces: number
  readonly browsersEach: number
  /** Whether one session has two browsers, which take it over from each other. */
  readonly rivals: boolean
  /** From here on nothing goes wrong any more and nobody asks for anything new. */
  readonly troubleMs: number
  /** How long clients wait between two requests, on average. */
  readonly pauseMs: number
  /** Tasks are short: many begin within a minute. */
  readonly brief: boolean
  /** How likely the process dies at a write, each time. */
  readonly deathAtWrite: number
  /** Milliseconds between two of each, on average; `null`: never. */
  readonly deathEveryMs: number | null
  readonly stopEveryMs: number | null
  readonly secondStartEveryMs: number | null
  readonly storeMoodEveryMs: number | null
  readonly browserTroubleEveryMs: number | null
  readonly clockJumpEveryMs: number | null
  readonly frames: { readonly lost: number; readonly doubled: number; readonly delayMs: number }
  readonly modelFaults: number
  readonly slowCalls: number
  /** How likely a port throws what it never should. */
  readonly bugs: number
  /** How likely a start waits in the queue, and how likely a task's actions need an approval: waiting.test.ts. */
  readonly queueing: number
  readonly asking: number
}

export const QUIET_FRAMES = { lost: 0, doubled: 0, delayMs: 0 } as const

export function planOf(random: Random): Plan {
  const sometimes = <T>(likelihood: number, value: () => T) => (random.chance(likelihood) ? value() : null)
  const calm = random.chance(0.05)
  // Starts follow each other so closely, and so many processes die in between, that a lost stamp shows.
  const hasty = random.chance(0.15)
  const often = (likelihood: number, least: number, most: number) =>
    calm ? null : sometimes(likelihood, () => random.between(least, most))
  return {
    billing: sometimes(0.75, () => ({ freePerMonth: random.whole(0, 6) })),
    workspaces: random.whole(1, 2),
    browsersEach: random.whole(1, 3),
    rivals: random.chance(0.2),
    troubleMs: random.between(0.5, 2.2) * MINUTE_MS,
    pauseMs: (hasty ? random.between(0.5, 1.2) : random.between(1.5, 9)) * SECOND_MS,
    brief: hasty,
    deathAtWrite: calm || random.chance(0.3) ? 0 : random.pick(hasty ? [0.01, 0.02] : [0.001, 0.004, 0.015]),
    deathEveryMs: often(0.6, 20 * SECOND_MS, 4 * MINUTE_MS),
    stopEveryMs: often(0.2, MINUTE_MS, 5 * MINUTE_MS),
    secondStartEveryMs: often(0.2, 20 * SECOND_MS, 2 * MINUTE_MS),
    storeMoodEveryMs: often(0.5, 20 * SECOND_MS, 3 * MINUTE_MS),
    browserTroubleEveryMs: often(0.8, 3 * SECOND_MS, MINUTE_MS),
    clockJumpEveryMs: often(0.15, 30 * SECOND_MS, 3 * MINUTE_MS),
    frames:
      calm || random.chance(0.4)
        ? QUIET_FRAMES
        : { lost: random.pick([0, 0.01, 0.04]), doubled: random.pick([0, 0.05]), delayMs: random.pick([0, 50, 800]) },
    modelFaults: calm ? 0 : random.pick([0, 0.03, 0.2]),
    slowCalls: calm ? 0 : random.pick([0, 0.05, 0.2]),
    bugs: calm || random.chance(0.8) ? 0 : 0.01,
    queueing: 0,
    asking: 0,
  }
}
