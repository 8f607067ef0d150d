import { QUIET_FRAMES } from '../plan.ts'
import { calm, QUIET_BUS } from './plan.ts'
import type { Moment, Strike } from './strikes.ts'

/** Plans in which a scene is common that is rare in all others: mutations are found by them. */

/** A node stands still after it has read that there is a webhook, until another one has taken over. */
export const STOPPED_AT_A_WEBHOOK = calm({
  ...{ pauseMs: 250, troubleMs: 25_000, bus: QUIET_BUS },
  strikes: { kinds: ['freeze'], chance: 0.04, restMs: 300, focus: 'webhook', only: true },
})

/** Nodes hand over while the word of the store is late, and so is the release of the shard. */
export const SLOW_HAND_OVERS = calm({
  ...{ stopEveryMs: 4_000, pauseMs: 250, troubleMs: 25_000, bus: QUIET_BUS },
  strikes: { kinds: ['limbo'], chance: 0.03, restMs: 300, focus: 'shards', only: true },
})

/** Browsers connect again and again, and their owners hear of it late. */
export const SLOW_BINDS = calm({
  ...{ browserTroubleEveryMs: 1_500, frames: QUIET_FRAMES },
  bus: { lost: 0, doubled: 0, delayMs: 1_500 },
})

/** A node is killed when the journal has a reply with a call that is wrong in itself, and the row of its task does not know of it. */
export const KILLED_AT_THE_JOURNAL = calm({
  ...{ pauseMs: 250, troubleMs: 25_000 },
  strikes: { kinds: ['kill'], chance: 0.02, restMs: 1_500, focus: 'log' },
})

/** A node stands still with a start that it has begun, and goes on when it has been sent again to another node. */
export const STOPPED_WITH_A_START = calm({
  ...{ pauseMs: 250, troubleMs: 40_000, bus: QUIET_BUS },
  strikes: { kinds: ['freeze'], chance: 0.04, restMs: 0, focus: 'claims', only: true },
})

const at = (moment: Moment, focus: string, kind: Strike) => ({
  strikes: { kinds: [kind], chance: 0.2, restMs: 500, focus, only: true, moment },
})

/** Starts wait for their browser, which is on its way when an owner changes; so few come that most pass the rate check. */
const WAITING = { queueing: 1, workspaces: 2, pauseMs: 800, browserTroubleEveryMs: null }
const LONG = { troubleMs: 30_000 }

/** Somebody cancels what runs while a former owner stands still. */
export const CANCELLED_AT_A_FORMER_OWNER = calm({
  ...WAITING,
  ...LONG,
  ...at('call', 'call', 'freeze'),
  cancelEveryMs: 3_000,
})

/** Nodes stand still for so long that the owners of their browsers give these up. */
export const STOPPED_WITH_BROWSERS = calm({ freezeEveryMs: 6_000, troubleMs: 20_000, browserTroubleEveryMs: null })

/** Nodes reach the store and not the bus; nothing else is lost. */
export const CUT_FROM_THE_BUS = calm({
  ...{ cutEveryMs: 3_000, cutFrom: ['the bus'], troubleMs: 20_000, browserTroubleEveryMs: null },
  ...{ frames: QUIET_FRAMES, bus: QUIET_BUS },
})

/** An owner keeps the first part of a start, and does not reach the store any more. */
export const CUT_AT_A_START = calm({ ...WAITING, ...LONG, ...at('before', 'events', 'cut'), cutFrom: ['the store'] })

/** Nodes stand still before a start of theirs is kept; and after it is. */
export const STOPPED_BEFORE_A_START = calm({ ...WAITING, ...LONG, ...at('before', 'tasks', 'freeze') })
export const STOPPED_AFTER_A_START = calm({ ...WAITING, ...LONG, ...at('after', 'tasks', 'freeze'), keyless: true })

/** Nodes hand over while somebody cancels, and what starts and endings write is late. */
export const CANCELLED_AT_A_HAND_OVER = calm({
  ...{ ...WAITING, ...LONG, stopEveryMs: 2_500, cancelEveryMs: 1_000 },
  strikes: { kinds: ['limbo'], chance: 0.04, restMs: 300, focus: 'tasks', only: true, moment: 'before' },
})

/** Every second write of rows is late: starts fail, and are sent again while what they left is still being ended. */
export const STARTS_THAT_FAIL = calm({
  ...WAITING,
  strikes: { kinds: ['limbo'], chance: 0.2, restMs: 0, focus: 'actors', only: true, moment: 'before' },
})

/**
 * One node comes and goes. Another one is stopped when it hears of it; when it goes on it hands over to a node that is gone,
 * with what it was about to write, finds that its shards were taken, and has them again a second later.
 */
export const HAND_OVERS_TO_A_NODE_THAT_IS_GONE = calm({
  ...{ workspaces: 4, browsersEach: 2, browserTroubleEveryMs: null, pauseMs: 800, troubleMs: 30_000 },
  ...{ queueing: 0, asking: 0, billing: null, bus: QUIET_BUS, stopEveryMs: 1_000, oneStops: true },
  strikes: { kinds: ['freeze'], chance: 0.2, restMs: 0, focus: 'newcomer', only: true, moment: 'newcomer' },
})

/** Few tasks: most owners that stand still have nothing to write when they go on. */
export const STOPPED_WHEN_IDLE = calm({ freezeEveryMs: 4_000, pauseMs: 6_000, brief: true, troubleMs: 30_000 })

/** What a node writes to a journal comes when another one owns its task. */
export const LATE_AT_THE_JOURNAL = calm({
  strikes: { kinds: ['limbo', 'kill'], chance: 0.2, restMs: 500, focus: 'log', only: true },
  troubleMs: 25_000,
})

/** Every second message comes twice, and late. */
export const MESSAGES_TWICE = calm({
  ...{ pauseMs: 250, troubleMs: 20_000 },
  bus: { lost: 0, doubled: 0.5, delayMs: 1_500 },
})

/**
 * Owners stand still when they are called, just long enough for another node to take over, and have their shards back a moment
 * later: a node that asks again may never have seen the other one. Between two of them all is well for a while.
 */
export const BACK_IN_A_MOMENT = calm({
  ...{ troubleMs: 40_000, pauseMs: 400, workspaces: 2, browsersEach: 2, queueing: 0, asking: 0 },
  ...{ browserTroubleEveryMs: 700, frames: QUIET_FRAMES, bus: QUIET_BUS },
  strikes: {
    ...{ kinds: ['freeze'], chance: 0.04, restMs: 2_000, focus: 'call', only: true, moment: 'call' },
    freezeMs: [4_800, 5_200, 5_600],
  },
})
