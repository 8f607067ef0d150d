import type { Store } from '../../actors/runtime/ports.ts'
import type { ProfileRecord } from '../../machines/profiles.ts'

export type KeptProfile = ProfileRecord & { readonly sealed?: string }

const record = ({ sealed: _, ...rest }: KeptProfile): ProfileRecord => rest

/** Profiles in memory, by their ids. */
export function profileMemory(kept: Map<string, KeptProfile>): Store['profiles'] {
  const own = (workspaceId: string) => [...kept.values()].filter((each) => each.workspaceId === workspaceId).map(record)
  const get = async (id: string) => {
    const found = kept.get(id)
    return found ? record(found) : null
  }
  return {
    get,
    byName: async (workspaceId, name) => own(workspaceId).find((each) => each.name === name) ?? null,
    list: async (workspaceId) => own(workspaceId).reverse(),
    async insert(made) {
      if (own(made.workspaceId).some(({ name }) => name === made.name)) return false
      kept.set(made.id, made)
      return true
    },
    remove: async (workspaceId, id) => kept.get(id)?.workspaceId === workspaceId && kept.delete(id),
    values: async (id) => kept.get(id)?.sealed ?? null,
    async save(id, sealed, at, since = null) {
      const found = kept.get(id)
      if (!found || (since !== null && (found.savedAt ?? 0) >= since)) return false
      kept.set(id, { ...found, savedAt: at, sealed })
      return true
    },
  }
}
