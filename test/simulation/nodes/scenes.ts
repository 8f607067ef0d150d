import { QUIET_FRAMES } from '../plan.ts'
import { calm, QUIET_BUS } from './plan.ts'
import type { Moment, Strike } from './strikes.ts'

/** Plans in which a scene is common that is rare in all others: mutations are found by them. */

/** A node stands still after it has read that there is a webhook, until another one has taken over. */
export const STOPPED_AT_A_WEBHOOK = calm({
  ...{ pauseMs: 250, troubleMs: 25_000, bus: QUIET_BUS },
  strikes: { kinds: ['freeze'], chance: 0.04, restMs: 300, focus: 'webhook', only: true },
})

/** Browsers connect again and again, and their owners hear of it late. */
export const SLOW_BINDS = calm({
  ...{ browserTroubleEveryMs: 1_500, frames: QUIET_FRAMES },
  bus: { lost: 0, doubled: 0, delayMs: 1_500 },
})

const at = (moment: Moment, focus: string, kind: Strike) => ({
  strikes: { kinds: [kind], chance: 0.2, restMs: 500, focus, only: true, moment },
})

/** Starts wait for their browser, which is on its way when an owner changes; so few come that most pass the rate check. */
const WAITING = { queueing: 1, workspaces: 2, pauseMs: 800, browserTroubleEveryMs: null }
const LONG = { troubleMs: 30_000 }

/** An owner keeps a start, does not hear of it, and does not reach the store any more. */
export const CUT_AT_A_START = calm({ ...WAITING, ...LONG, ...at('after', 'tasks', 'cut'), cutFrom: ['the store'] })

/** Nodes hand over while somebody cancels, and what starts and endings write is late, or not heard of. */
export const CANCELLED_AT_A_HAND_OVER = calm({
  ...{ ...WAITING, ...LONG, stopEveryMs: 2_500, cancelEveryMs: 1_000 },
  strikes: { kinds: ['limbo'], chance: 0.04, restMs: 300, focus: 'tasks', only: true },
})

/** Every second message comes twice, and late. */
export const MESSAGES_TWICE = calm({
  ...{ pauseMs: 250, troubleMs: 20_000 },
  bus: { lost: 0, doubled: 0.5, delayMs: 1_500 },
})
