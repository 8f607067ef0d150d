import type { Store } from '../../../actors/runtime/ports.ts'
import { collected, type Driver, insertOnce, removeOwn } from '../port.ts'
import { PROFILE_VALUES, PROFILES } from '../tables.ts'

/** [Z10] Profiles: one of each name in a workspace. */
export const profilesOf = (driver: Driver): Store['profiles'] => ({
  get: (id) => driver.get(PROFILES, id),
  byName: (workspaceId, name) => driver.find(PROFILES, 'names', workspaceId, name),
  list: (workspaceId) => collected(driver.range(PROFILES, 'by-age', { of: [workspaceId], down: true })),
  insert: (record) => insertOnce(driver, (tx) => tx.insert(PROFILES, record)),
  remove: (workspaceId, id) => removeOwn(driver, PROFILES, workspaceId, id, (tx) => tx.remove(PROFILE_VALUES, id)),
  values: async (id) => (await driver.get(PROFILE_VALUES, id))?.sealed ?? null,
  save: (id, sealed, at) =>
    driver.transact(async (tx) => {
      const now = await tx.get(PROFILES, id)
      if (now === null) return false
      tx.put(PROFILES, { ...now, savedAt: at })
      tx.put(PROFILE_VALUES, { profileId: id, sealed })
      return true
    }),
})
