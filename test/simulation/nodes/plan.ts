import { SECOND_MS } from '../../../machines/limits.ts'
import { type Plan, QUIET_FRAMES } from '../plan.ts'
import type { Random } from '../random.ts'
import type { BusTrouble } from './bus.ts'
import { FOCI, type Strike, type StrikePlan } from './strikes.ts'

/** What a node can be cut off from. */
export type Cut = 'the bus' | 'the store' | 'both'

/** What one seed makes of three nodes over one store. */
export interface NodesPlan extends Plan {
  /** How much the clock of each node is off. */
  readonly skewsMs: readonly number[]
  readonly bus: BusTrouble
  /** Nodes start within so long of each other. */
  readonly startMs: number
  /** What happens to a node at a write, an answer, a call or a frame of its own. */
  readonly strikes: StrikePlan
  /** A node is stopped as by SIGSTOP, and goes on later. */
  readonly freezeEveryMs: number | null
  /** A node is cut off from the bus, the store, or both. */
  readonly cutEveryMs: number | null
  /** From what, when it is cut off; any of them when left out. */
  readonly cutFrom?: readonly Cut[]
  /** Somebody cancels all that runs, so often. */
  readonly cancelEveryMs?: number
  /** The bus server ends and is started again: every node knows it at once. */
  readonly busRestartEveryMs: number | null
}

export const QUIET_BUS: BusTrouble = { lost: 0, doubled: 0, delayMs: 0 }
const NO_STRIKES: StrikePlan = { kinds: [], chance: 0, restMs: 0, focus: null }

/**
 * One seed has few kinds of trouble, and enough of each: what one fault hides another seed shows. In most of them trouble
 * comes where it hurts, at a write, an answer, a call or a frame; in the others at any time.
 */
export function nodesPlanOf(random: Random): NodesPlan {
  const skewed = random.chance(0.25)
  const struck = random.chance(0.75)
  const often = (likelihood: number, least: number, most: number) =>
    random.chance(struck ? likelihood / 5 : likelihood) ? random.between(least, most) : null
  return {
    billing: random.chance(0.6) ? { freePerMonth: random.whole(0, 6) } : null,
    workspaces: random.pick([1, 1, 2]),
    browsersEach: random.pick([1, 1, 2]),
    rivals: false,
    troubleMs: random.between(7, 16) * SECOND_MS,
    pauseMs: random.between(0.25, 1) * SECOND_MS,
    brief: true,
    deathAtWrite: 0,
    deathEveryMs: often(0.4, 4 * SECOND_MS, 20 * SECOND_MS),
    stopEveryMs: often(0.3, 4 * SECOND_MS, 20 * SECOND_MS),
    secondStartEveryMs: null,
    storeMoodEveryMs: random.chance(0.3) ? random.between(3 * SECOND_MS, 12 * SECOND_MS) : null,
    browserTroubleEveryMs: random.chance(0.5) ? random.between(SECOND_MS, 10 * SECOND_MS) : null,
    clockJumpEveryMs: null,
    frames: random.chance(0.7)
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
      : { lost: random.pick([0, 0.02]), doubled: random.pick([0, 0.3]), delayMs: random.pick([0, 50, 1_500]) },
    startMs: random.pick([10, 10, 500, 3_000]),
    strikes: struck
      ? {
          kinds: random.pick([
            ['freeze'],
            ['freeze'],
            ['limbo'],
            ['limbo', 'freeze'],
            ['kill'],
            ['stop'],
            ['cut'],
            ANY,
          ]),
          chance: random.pick([0.02, 0.06, 0.2]),
          restMs: random.pick([300, 1_500, 4_000]),
          focus: random.pick(FOCI),
        }
      : NO_STRIKES,
    freezeEveryMs: often(0.4, 3 * SECOND_MS, 15 * SECOND_MS),
    cutEveryMs: often(0.4, 3 * SECOND_MS, 15 * SECOND_MS),
    busRestartEveryMs: often(0.15, 4 * SECOND_MS, 15 * SECOND_MS),
  }
}

const ANY = ['freeze', 'limbo', 'kill', 'stop', 'cut'] as const

/** Nothing happens to nodes and to the store but this. */
export const calm = (change: Partial<NodesPlan>): Partial<NodesPlan> => ({
  ...{ strikes: NO_STRIKES, storeMoodEveryMs: null, brief: false },
  ...{ deathEveryMs: null, stopEveryMs: null, freezeEveryMs: null, cutEveryMs: null, busRestartEveryMs: null },
  ...change,
})

/** Trouble of these kinds at this kind of moment, and no other: a rare scene is common then. */
export const struck = (focus: string, ...kinds: Strike[]): Partial<NodesPlan> =>
  calm({ strikes: { kinds, chance: 0.2, restMs: 500, focus } })
