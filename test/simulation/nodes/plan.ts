import { MINUTE_MS, SECOND_MS } from '../../../machines/limits.ts'
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
  readonly cutEveryMs: number | null
}

export const QUIET_BUS: BusTrouble = { lost: 0, doubled: 0, delayMs: 0 }

export function nodesPlanOf(random: Random): NodesPlan {
  const often = (likelihood: number, least: number, most: number) =>
    random.chance(likelihood) ? random.between(least, most) : null
  return {
    store: 'mongodb',
    billing: random.chance(0.6) ? { freePerMonth: random.whole(0, 6) } : null,
    workspaces: random.whole(1, 2),
    browsersEach: random.whole(1, 2),
    rivals: false,
    troubleMs: random.between(10, 30) * SECOND_MS,
    pauseMs: random.between(0.6, 3) * SECOND_MS,
    brief: true,
    deathAtWrite: random.pick([0, 0, 0.001, 0.004]),
    deathEveryMs: often(0.7, 5 * SECOND_MS, 30 * SECOND_MS),
    stopEveryMs: null,
    secondStartEveryMs: null,
    storeMoodEveryMs: null,
    browserTroubleEveryMs: often(0.5, 3 * SECOND_MS, MINUTE_MS),
    clockJumpEveryMs: null,
    frames: QUIET_FRAMES,
    modelFaults: 0,
    slowCalls: random.pick([0, 0.05]),
    bugs: 0,
    queueing: 0,
    asking: 0,
    skewsMs: [0, 0, 0],
    bus: QUIET_BUS,
    freezeEveryMs: null,
    cutEveryMs: null,
  }
}
