import { SECOND_MS } from '../../../machines/limits.ts'
import { type Plan, QUIET_FRAMES } from '../plan.ts'
import type { Random } from '../random.ts'
import type { BusTrouble } from './bus.ts'

/** What one seed makes of three nodes over one store. */
export interface NodesPlan extends Plan {
  /** How much the clock of each node is off. */
  readonly skewsMs: readonly number[]
  readonly bus: BusTrouble
  /** A node is stopped as by SIGSTOP, and goes on later. */
  readonly freezeEveryMs: number | null
  /** A node is cut off from the bus, the store, or both. */
  readonly cutEveryMs: number | null
  /** The bus server ends and is started again: every node knows it at once. */
  readonly busRestartEveryMs: number | null
}

export const QUIET_BUS: BusTrouble = { lost: 0, doubled: 0, delayMs: 0 }

/** One seed has few kinds of trouble, and enough of each: what one fault hides another seed shows. */
export function nodesPlanOf(random: Random): NodesPlan {
  const often = (likelihood: number, least: number, most: number) =>
    random.chance(likelihood) ? random.between(least, most) : null
  const skewed = random.chance(0.3)
  return {
    store: 'mongodb',
    billing: random.chance(0.6) ? { freePerMonth: random.whole(0, 6) } : null,
    workspaces: random.whole(1, 2),
    browsersEach: random.whole(1, 2),
    rivals: false,
    troubleMs: random.between(8, 25) * SECOND_MS,
    pauseMs: random.between(0.4, 2) * SECOND_MS,
    brief: true,
    deathAtWrite: random.pick([0, 0, 0.002, 0.01]),
    deathEveryMs: often(0.4, 4 * SECOND_MS, 20 * SECOND_MS),
    stopEveryMs: often(0.3, 4 * SECOND_MS, 20 * SECOND_MS),
    secondStartEveryMs: null,
    storeMoodEveryMs: often(0.3, 5 * SECOND_MS, 20 * SECOND_MS),
    browserTroubleEveryMs: often(0.5, 2 * SECOND_MS, 20 * SECOND_MS),
    clockJumpEveryMs: null,
    frames: random.chance(0.6)
      ? QUIET_FRAMES
      : { lost: random.pick([0, 0.02]), doubled: random.pick([0, 0.05]), delayMs: random.pick([0, 50, 800]) },
    modelFaults: random.pick([0, 0, 0.1]),
    slowCalls: random.pick([0, 0.05]),
    bugs: 0,
    queueing: random.pick([0, 0, 0.5]),
    asking: random.pick([0, 0, 0.5]),
    skewsMs: [0, 1, 2].map(() => (skewed ? random.pick([-90_000, -3_000, 0, 3_000, 90_000]) : 0)),
    bus: random.chance(0.5)
      ? QUIET_BUS
      : { lost: random.pick([0, 0.02]), doubled: random.pick([0, 0.05]), delayMs: random.pick([0, 50, 1_500]) },
    freezeEveryMs: often(0.4, 3 * SECOND_MS, 15 * SECOND_MS),
    cutEveryMs: often(0.4, 3 * SECOND_MS, 15 * SECOND_MS),
    busRestartEveryMs: often(0.15, 4 * SECOND_MS, 15 * SECOND_MS),
  }
}
