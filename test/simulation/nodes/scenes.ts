import { QUIET_FRAMES } from '../plan.ts'
import { calm, QUIET_BUS } from './plan.ts'

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
  strikes: { kinds: ['kill'], chance: 0.02, restMs: 1_500, focus: 'journal' },
})

/** A node stands still with a start that it has begun, and goes on when it has been sent again to another node. */
export const STOPPED_WITH_A_START = calm({
  ...{ pauseMs: 250, troubleMs: 40_000, bus: QUIET_BUS },
  strikes: { kinds: ['freeze'], chance: 0.04, restMs: 0, focus: 'claims', only: true },
})
