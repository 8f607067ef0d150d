import { MINUTE_MS, START_WINDOW_MS } from '../../machines/limits.ts'
import type { SessionRecord } from '../../machines/records.ts'
import { Windows } from '../net/windows.ts'
import { MODEL_REQUESTS_PER_MINUTE_MAX, PUBLISHABLE_STARTS_PER_WINDOW_MAX } from './limits.ts'
import type { RelayContext } from './relay.ts'

/** What browsers did of themselves, in the windows of their own. */
export const createUse = () => ({
  /** By publishable key. */
  starts: new Windows(START_WINDOW_MS, PUBLISHABLE_STARTS_PER_WINDOW_MAX),
  /** By session. */
  modelRequests: new Windows(MINUTE_MS, MODEL_REQUESTS_PER_MINUTE_MAX),
})

/** [S18] What the session may do of itself, as its record says now; `null` when it is gone. */
export const rightsOf = async (
  { store }: Pick<RelayContext, 'store'>,
  sessionId: string,
): Promise<Pick<SessionRecord, 'keyId'> & { readonly allowTasks: boolean; readonly byPublishableKey: boolean }> => {
  const record = await store.sessions.get(sessionId)
  const { keyId = null, allowTasks = true, byPublishableKey = false } = record ?? { allowTasks: false }
  return { keyId, allowTasks, byPublishableKey }
}
