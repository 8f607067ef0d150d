import type { Store } from '../../../actors/runtime/ports.ts'
import type { LmdbFile } from './database.ts'
import type { Tables } from './tables.ts'

const SWEPT_AT_ONCE = 500

/** Requests with an Idempotency-Key. */
export function claimsOf(file: LmdbFile, { claims, claimsByExpiry }: Tables): Store['claims'] {
  return {
    get: async (id) => claims.get(id) ?? null,
    insert: (claim) =>
      file.writeIf(claims.absent(claim.id), () => {
        claims.put(claim.id, claim)
        claimsByExpiry.put([claim.expiresAt, claim.id], 1)
      }),
    replace: (id, holder, next) =>
      file.transact(() => {
        const kept = claims.get(id)
        if (kept?.holder !== holder) return false
        claimsByExpiry.remove([kept.expiresAt, id])
        if (next === null) claims.remove(id)
        else {
          claims.put(id, next)
          claimsByExpiry.put([next.expiresAt, id], 1)
        }
        return true
      }),
    async sweep(now) {
      const expired: [number, string][] = []
      for await (const { key } of claimsByExpiry.scan({ from: [0], to: [now] })) expired.push(key as [number, string])
      for (let at = 0; at < expired.length; at += SWEPT_AT_ONCE) {
        await file.transact(() => {
          for (const [expiresAt, id] of expired.slice(at, at + SWEPT_AT_ONCE)) {
            claimsByExpiry.remove([expiresAt, id])
            if (claims.get(id)?.expiresAt === expiresAt) claims.remove(id)
          }
        })
      }
    },
  }
}
