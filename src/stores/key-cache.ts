import type { Store } from '../../actors/runtime/ports.ts'
import type { KeyRecord } from '../../machines/records.ts'
import { AnswerCache } from '../config/answer-cache.ts'
import { KEY_CACHE_MS_MAX, KEYS_CACHED_MAX } from './limits.ts'

/**
 * [K6 Q4] Keys that are remembered for a moment, because every request looks one up. A key that was found is believed for
 * KEY_CACHE_MS_MAX more, since another process may revoke it; one that this process removes is invalid at once.
 */
export function remembered(keys: Store['keys'], now = () => performance.now()): Store['keys'] {
  const cache = new AnswerCache<KeyRecord>({ ttlMs: KEY_CACHE_MS_MAX, entriesMax: KEYS_CACHED_MAX, now })
  return {
    ...keys,
    async byHash(hash) {
      const record = await cache.get(hash, () => keys.byHash(hash))
      return record && { ...record }
    },
    lastFound: (hash) => cache.peek(hash),
    async remove(workspaceId, id) {
      try {
        return await keys.remove(workspaceId, id)
      } finally {
        cache.forget()
      }
    },
  }
}
