import { MINUTE_MS, START_WINDOW_MS } from '../../machines/limits.ts'
import type { SessionRecord } from '../../machines/records.ts'
import { MODEL_REQUESTS_PER_MINUTE_MAX, PUBLISHABLE_STARTS_PER_WINDOW_MAX } from './limits.ts'
import type { RelayWorld } from './relay.ts'

/**
 * Counts what happened in a sliding window, by name. Names without anything in their window are forgotten.
 */
export class Windows {
  readonly #times = new Map<string, number[]>()
  readonly #windowMs: number
  readonly #max: number

  constructor(windowMs: number, max: number) {
    this.#windowMs = windowMs
    this.#max = max
  }

  /** Whether one more fits; it is counted when it does. What seems to come from the future (a clock set back) is not counted. */
  takes(name: string, now: number): boolean {
    const recent = (this.#times.get(name) ?? []).filter((at) => at <= now && now - at < this.#windowMs)
    if (recent.length >= this.#max) return false
    for (const [other, times] of this.#times) {
      if (now - (times.at(-1) ?? 0) < this.#windowMs) break
      this.#times.delete(other)
    }
    // To the end of the map: those that were quiet longest come first.
    this.#times.delete(name)
    this.#times.set(name, [...recent, now])
    return true
  }
}

/** What browsers did of themselves, in the windows of their own. */
export const createUse = () => ({
  /** By publishable key. */
  starts: new Windows(START_WINDOW_MS, PUBLISHABLE_STARTS_PER_WINDOW_MAX),
  /** By session. */
  modelRequests: new Windows(MINUTE_MS, MODEL_REQUESTS_PER_MINUTE_MAX),
})

/** [S18] What the session may do of itself, as its record says now; `null` when it is gone. */
export const rightsOf = async (
  { store }: Pick<RelayWorld, 'store'>,
  sessionId: string,
): Promise<Pick<SessionRecord, 'keyId'> & { readonly allowTasks: boolean; readonly byPublishableKey: boolean }> => {
  const record = await store.sessions.get(sessionId)
  const { keyId = null, allowTasks = true, byPublishableKey = false } = record ?? { allowTasks: false }
  return { keyId, allowTasks, byPublishableKey }
}
