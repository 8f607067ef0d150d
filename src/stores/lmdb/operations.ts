import type { Store } from '../../../actors/runtime/ports.ts'
import type { LmdbFile } from './database.ts'
import type { Tables } from './tables.ts'

/** [O9] Limits of workspaces. */
export const limitsOf = (file: LmdbFile, { limits }: Tables): Store['limits'] => ({
  get: async (workspaceId) => limits.get(workspaceId) ?? {},
  put: (workspaceId, set) =>
    file.write(() => {
      if (Object.keys(set).length > 0) limits.put(workspaceId, set)
      else limits.remove(workspaceId)
    }),
  async *all() {
    for await (const { key, value } of limits.all()) yield { workspaceId: String(key), limits: value }
  },
})
