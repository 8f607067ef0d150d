import { ACTION_SETTLE_MS_MAX, NETWORK_QUIET_MS, PICTURES_MS_MAX, TREE_STILL_MS } from '../limits.ts'
import type { Call } from './page.ts'
import { pause } from './waiting.ts'

const LOOK_MS = 10
const OPENING_LOOK_MS = 50
/** A page that changed so shortly before the action changes by itself: its changes are no evidence. */
const RESTLESS_MS = 150

/** What an action began with. */
export interface ActionStart {
  readonly at: number
  /** The page changes by itself. */
  readonly restless: boolean
  readonly moves: number
}

export function actionStart({ page }: Call): ActionStart {
  const at = performance.now()
  return { at, restless: at - page.activity.changedAt < RESTLESS_MS, moves: page.loading.moves }
}

/**
 * After an action: waits until what it set off has come to rest, ACTION_SETTLE_MS_MAX at most, and longer only for a
 * document that it opened. The network has to be quiet for NETWORK_QUIET_MS when the action started a request; without
 * one, and without a timer, it is enough that the documents stand still for TREE_STILL_MS.
 */
export async function settle(call: Call, start: ActionStart): Promise<void> {
  const { page, signal } = call
  const { loading, activity, patience, dialogs } = page
  let from = performance.now()
  activity.acted()
  await pause(LOOK_MS, signal)
  const isOpening = () =>
    loading.stage === 'navigating' || (loading.moves !== start.moves && loading.stage === 'committed')
  if (isOpening() || (loading.moves !== start.moves && loading.stage !== 'loaded')) {
    await opened(call, start.at, Math.min(patience.actionLoadMs, call.left() / 2), signal)
    from = performance.now()
  }
  const until = from + Math.min(ACTION_SETTLE_MS_MAX, patience.answerMs / 4, call.left() / 2)
  const isStopped = () => signal.aborted || dialogs.open || call.work.holds?.isPending
  while (performance.now() < until && !isStopped() && !isSettled()) await pause(LOOK_MS, signal)

  function isSettled(): boolean {
    const now = performance.now()
    if (isOpening()) return false
    if (activity.pendingSince(start.at).length > 0 || activity.timersSince(start.at) > 0) return false
    // Of a page that the action opened, only what goes on after its load counts.
    const since = loading.moves === start.moves ? start.at : from
    if (activity.networkAt >= since && now - activity.networkAt < NETWORK_QUIET_MS) return false
    const still = start.restless ? from : Math.max(from, activity.changedAt)
    return now - still >= TREE_STILL_MS
  }
}

/** Waits for a document that is asked for: until it has loaded, or lacks nothing but pictures and media. */
export async function opened({ page }: Call, since: number, ms: number, signal: AbortSignal): Promise<void> {
  const { loading, activity } = page
  const until = performance.now() + ms
  const lacksPictures = () => page.lacksOnlyPictures(since) && performance.now() - activity.networkAt >= PICTURES_MS_MAX
  while (loading.stage !== 'loaded' && !signal.aborted && performance.now() < until && !lacksPictures())
    await loading.reach(['loaded'], OPENING_LOOK_MS, signal)
}
