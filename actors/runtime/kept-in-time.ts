import { REFUSALS } from '../../machines/failures.ts'
import { KEPT_MS_MAX } from '../limits.ts'
import type { Clock } from './ports.ts'
import { StoreUnwritable } from './store-types.ts'

/**
 * [D22] Waits until what a client asked for is durable, for KEPT_MS_MAX at most.
 * @throws StoreUnwritable when it is not by then: it may still come to be once the store is back.
 */
export async function keptInTime(clock: Clock, kept: Promise<unknown>): Promise<void> {
  let timer: unknown
  const late = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(new StoreUnwritable(REFUSALS.store_away)), KEPT_MS_MAX)
  })
  await Promise.race([kept, late]).finally(() => clock.clearTimeout(timer))
}
