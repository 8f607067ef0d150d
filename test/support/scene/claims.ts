import type { Claims } from '../../../actors/runtime/ports.ts'
import type { ClaimRecord } from '../../../machines/records.ts'

/** Idempotency keys in memory. */
export function memoryClaims(): Claims {
  const kept = new Map<string, ClaimRecord>()
  return {
    get: async (id) => kept.get(id) ?? null,
    insert: async (claim) => !kept.has(claim.id) && kept.set(claim.id, claim).size > 0,
    replace: async (id, holder, next) => {
      if (kept.get(id)?.holder !== holder) return false
      if (next === null) kept.delete(id)
      else kept.set(id, next)
      return true
    },
    sweep: async () => {},
  }
}
