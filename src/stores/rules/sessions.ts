import type { Store } from '../../../actors/runtime/ports.ts'
import { collected, type Driver, removeEach } from '../port.ts'
import { PAIRINGS, SESSIONS } from '../tables.ts'

/** Paired browsers. */
export const sessionsOf = (driver: Driver): Store['sessions'] => ({
  insert: (record) => driver.transact((tx) => tx.insert(SESSIONS, record)),
  get: (id) => driver.get(SESSIONS, id),
  byTokenHash: (hash) => driver.find(SESSIONS, 'tokens', hash),
  list: (workspaceId, keyId) =>
    collected(
      driver.range(SESSIONS, 'by-age', { of: [workspaceId], down: true, match: keyId === null ? {} : { keyId } }),
    ),
  async update(id, patch) {
    if (Object.keys(patch).length > 0) await driver.patch(SESSIONS, [id], patch)
  },
  remove: (id) =>
    driver.transact(async (tx) => {
      if ((await tx.get(SESSIONS, id)) === null) return false
      tx.remove(SESSIONS, id)
      return true
    }),
  sweep: (before) => removeEach(driver, SESSIONS, driver.keys(SESSIONS, 'expiring', { to: before })),
})

/** Pairing tokens that wait for their browser. */
export const pairingsOf = (driver: Driver): Store['pairings'] => ({
  insert: (record) => driver.transact((tx) => tx.put(PAIRINGS, record)),
  get: (tokenHash) => driver.get(PAIRINGS, tokenHash),
  consume: (tokenHash) =>
    driver.transact(async (tx) => {
      const record = await tx.get(PAIRINGS, tokenHash)
      if (record) tx.remove(PAIRINGS, tokenHash)
      return record
    }),
  async sweep(now) {
    await removeEach(driver, PAIRINGS, driver.keys(PAIRINGS, 'expiring', { to: now }))
  },
})
