import type { Store } from '../../actors/runtime/ports.ts'
import type { KeyRecord } from '../../machines/records.ts'
import { KEY_CACHE_MS_MAX, KEYS_CACHED_MAX } from './limits.ts'

/**
 * [K6 Q4] Keys that are remembered for a moment: every request asks for one. A key that was found is good for
 * KEY_CACHE_MS_MAX more, because another process may revoke it; one that this process removes is dead at once, also for
 * a question that was under way. What was not found is not remembered.
 */
export function remembered(keys: Store['keys'], now = () => performance.now()): Store['keys'] {
  const cache = new Map<string, { readonly record: KeyRecord; readonly until: number }>()
  let removals = 0

  const remember = (record: KeyRecord | null, hash: string, askedAt: number, removalsBefore: number) => {
    if (record === null || removalsBefore !== removals) return record
    if (cache.size >= KEYS_CACHED_MAX) cache.clear()
    // From before the question: an answer that is old when it comes is not kept longer for it.
    cache.set(hash, { record, until: askedAt + KEY_CACHE_MS_MAX })
    return { ...record }
  }
  const forget = () => {
    removals++
    cache.clear()
  }

  return {
    ...keys,
    byHash(hash) {
      const at = now()
      const cached = cache.get(hash)
      if (cached !== undefined && cached.until > at) return { ...cached.record }
      cache.delete(hash)
      const before = removals
      const found = keys.byHash(hash)
      return found instanceof Promise
        ? found.then((record) => remember(record, hash, at, before))
        : remember(found, hash, at, before)
    },
    async remove(workspaceId, id) {
      try {
        return await keys.remove(workspaceId, id)
      } finally {
        forget()
      }
    },
  }
}
