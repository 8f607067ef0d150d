import type { ProfileUse } from './profiles.ts'

/** [Z1] A connected browser of a pool. Each task in it has a context of its own, and takes one of its places. */
export interface PoolBrowser {
  readonly pool: string
  readonly places: number
}

/** What a workspace knows of its pools. */
export interface Pools {
  /** The connected browsers, by session id. */
  readonly browsers: Readonly<Record<string, PoolBrowser>>
  /** The session in which each running task of a pool has its place, by task id. */
  readonly places: Readonly<Record<string, string>>
  /** [Z5] Running tasks whose browser is gone, the one that has waited longest first. They hold no place. */
  readonly moving: readonly { readonly taskId: string; readonly pool: string }[]
  /** [Z11] The task that will save each profile, by profile id: running, or ended and not saved yet. */
  readonly writers: Readonly<Record<string, string>>
}

export const NO_POOLS: Pools = { browsers: {}, places: {}, moving: [], writers: {} }

const without = <Value>(of: Readonly<Record<string, Value>>, key: string): Readonly<Record<string, Value>> => {
  const { [key]: _, ...others } = of
  return others
}

/** How many places of a browser are used. */
const usedIn = ({ places }: Pools, sessionId: string): number =>
  Object.values(places).filter((each) => each === sessionId).length

/** [Z2] The connected browser of a pool that has most free places; `undefined`: none has any. */
export function freeBrowser(pools: Pools, pool: string): string | undefined {
  let best: { readonly sessionId: string; readonly free: number } | undefined
  for (const [sessionId, browser] of Object.entries(pools.browsers)) {
    if (browser.pool !== pool) continue
    const free = browser.places - usedIn(pools, sessionId)
    if (free > (best?.free ?? 0)) best = { sessionId, free }
  }
  return best?.sessionId
}

/** Whether any browser of the pool is connected. */
export const hasBrowser = ({ browsers }: Pools, pool: string): boolean =>
  Object.values(browsers).some((browser) => browser.pool === pool)

/** A browser has connected. */
export const withBrowser = (pools: Pools, sessionId: string, browser: PoolBrowser): Pools => ({
  ...pools,
  browsers: { ...pools.browsers, [sessionId]: browser },
})

/** A browser is gone. Its tasks keep their places in it until they ask for others: it may come back. */
export const withoutBrowser = (pools: Pools, sessionId: string): Pools =>
  sessionId in pools.browsers ? { ...pools, browsers: without(pools.browsers, sessionId) } : pools

/** The task takes a place of the browser that has most free ones. Nothing changes when there is none. */
export function withPlace(pools: Pools, taskId: string, pool: string): Pools {
  const sessionId = freeBrowser(pools, pool)
  return sessionId === undefined ? pools : { ...pools, places: { ...pools.places, [taskId]: sessionId } }
}

/** The task has ended. */
export function withoutTask(pools: Pools, taskId: string): Pools {
  const isMoving = pools.moving.some((each) => each.taskId === taskId)
  if (!(taskId in pools.places) && !isMoving) return pools
  const moving = pools.moving.filter((each) => each.taskId !== taskId)
  return { ...pools, places: without(pools.places, taskId), moving }
}

/** [Z5] The task has left its browser, and waits for another one. */
export function withMove(pools: Pools, taskId: string, pool: string): Pools {
  const rest = withoutTask(pools, taskId)
  return { ...rest, moving: [...rest.moving, { taskId, pool }] }
}

/** [Z11] Whether a task must wait for a profile: another one will save it, or has ended and is being saved. */
export function isProfileBusy(
  { writers }: Pools,
  running: Readonly<Record<string, unknown>>,
  { id, save }: ProfileUse,
): boolean {
  const writer = writers[id]
  return writer !== undefined && (save || !(writer in running))
}

/** [Z11] The task will save its profile. */
export const withWriter = (pools: Pools, taskId: string, profile: ProfileUse | undefined): Pools =>
  profile?.save ? { ...pools, writers: { ...pools.writers, [profile.id]: taskId } } : pools

/** [Z12] The profile of the task was saved, or will not be. */
export function withoutWriter(pools: Pools, taskId: string): Pools {
  const writers = Object.entries(pools.writers).filter(([, writer]) => writer !== taskId)
  return { ...pools, writers: Object.fromEntries(writers) }
}

/** A place that was given to a task that waited for one. */
export interface Move {
  readonly taskId: string
  readonly sessionId: string
}

/** [Z5] Gives free places to the tasks that have left their browsers, in their order. */
export function moved(pools: Pools): { readonly pools: Pools; readonly moves: readonly Move[] } {
  const moves: Move[] = []
  let now = pools
  for (const { taskId, pool } of pools.moving) {
    const sessionId = freeBrowser(now, pool)
    if (sessionId === undefined) continue
    moves.push({ taskId, sessionId })
    now = withPlace(withoutTask(now, taskId), taskId, pool)
  }
  return { pools: now, moves }
}

/** [Z3] Why a start gets no place in a pool: none is free, or its profile is in use. */
export function poolRefusal(pools: Pools, pool: string): 'pool_empty' | 'pool_busy' | 'profile_busy' {
  if (freeBrowser(pools, pool) !== undefined) return 'profile_busy'
  return hasBrowser(pools, pool) ? 'pool_busy' : 'pool_empty'
}

/** [Z9] How many places the connected browsers of a pool have, how many are used, and how many tasks wait for one. */
export interface PoolCount {
  places: number
  used: number
  waiting: number
}

/** [Z9] By pool. `queued`: the pools of the starts that wait in the queue. */
export function poolCounts(pools: Pools, queued: readonly string[]): ReadonlyMap<string, PoolCount> {
  const counts = new Map<string, PoolCount>()
  const of = (pool: string) => {
    const known = counts.get(pool) ?? { places: 0, used: 0, waiting: 0 }
    counts.set(pool, known)
    return known
  }
  for (const [sessionId, { pool, places }] of Object.entries(pools.browsers)) {
    const count = of(pool)
    count.places += places
    count.used += usedIn(pools, sessionId)
  }
  for (const pool of [...pools.moving.map(({ pool }) => pool), ...queued]) of(pool).waiting++
  return counts
}
