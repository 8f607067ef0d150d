import { REFUSALS } from '../../machines/texts.ts'
import { KEPT_MS_MAX } from '../limits.ts'
import { within } from './effects.ts'
import { type Clock, StoreUnwritable } from './ports.ts'

/**
 * [D22] Waits until what a client asked for is durable, for KEPT_MS_MAX at most.
 * @throws StoreUnwritable when it is not by then: it may still come to be once the store is back.
 */
export async function keptInTime(clock: Clock, kept: Promise<unknown>): Promise<void> {
  const outcome = await within(clock, KEPT_MS_MAX, new AbortController().signal, () => kept)
  if (outcome === 'late') throw new StoreUnwritable(REFUSALS.store_away)
}
