import type { Store } from '../../../actors/runtime/ports.ts'
import { UniqueConflict } from '../errors.ts'
import { collected, type Driver } from '../port.ts'
import { PROFILE_VALUES, PROFILES } from '../tables.ts'

/** [Z10] Profiles: one of each name in a workspace. */
export const profilesOf = (driver: Driver): Store['profiles'] => ({
  get: (id) => driver.get(PROFILES, id),
  byName: (workspaceId, name) => driver.find(PROFILES, 'names', workspaceId, name),
  list: (workspaceId) => collected(driver.range(PROFILES, 'by-age', { of: [workspaceId], down: true })),
  insert: (record) =>
    driver
      .transact(async (tx) => {
        tx.insert(PROFILES, record)
        return true
      })
      .catch((error: unknown) => {
        if (error instanceof UniqueConflict) return false
        throw error
      }),
  remove: (workspaceId, id) =>
    driver.transact(async (tx) => {
      if ((await tx.get(PROFILES, id))?.workspaceId !== workspaceId) return false
      tx.remove(PROFILES, id)
      tx.remove(PROFILE_VALUES, id)
      return true
    }),
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
