import type { Store } from '../../../actors/runtime/ports.ts'
import { insertOnce, recordOf } from './client.ts'
import type { Collections } from './collections.ts'

/** Requests with an Idempotency-Key. */
export function claimsOf({ claims }: Collections): Store['claims'] {
  return {
    get: async (id) => recordOf(await claims.findOne({ _id: id })),
    insert: (claim) => insertOnce(claims, { _id: claim.id, ...claim }),
    async replace(id, holder, next) {
      const held = { _id: id, holder }
      if (next === null) return (await claims.deleteOne(held)).deletedCount > 0
      return (await claims.replaceOne(held, next)).matchedCount > 0
    },
    async sweep(now) {
      await claims.deleteMany({ expiresAt: { $lt: now } })
    },
  }
}
