import type { Store } from '../../../actors/runtime/ports.ts'
import { type Driver, insertOnce, removeEach } from '../port.ts'
import { CLAIMS } from '../tables.ts'

/** Requests with an Idempotency-Key. */
export const claimsOf = (driver: Driver): Store['claims'] => ({
  get: (id) => driver.get(CLAIMS, id),
  insert: (claim) => insertOnce(driver, (tx) => tx.insert(CLAIMS, claim)),
  replace: (id, holder, next) =>
    driver.transact(async (tx) => {
      if ((await tx.get(CLAIMS, id))?.holder !== holder) return false
      if (next === null) tx.remove(CLAIMS, id)
      else tx.put(CLAIMS, next)
      return true
    }),
  async sweep(now) {
    // A claim that was made anew meanwhile stays.
    await removeEach(driver, CLAIMS, driver.keys(CLAIMS, 'by-expiry', { to: now }), ({ expiresAt }) => expiresAt < now)
  },
})
