import type { Store } from '../../../actors/runtime/ports.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import type { LmdbFile } from './database.ts'
import type { Tables } from './tables.ts'

/** [O9] Limits of workspaces. */
export function limitsOf(file: LmdbFile, { limits }: Tables): Store['limits'] {
  const keep = (workspaceId: string, set: SetLimits, own: SetLimits['own'] = {}) => {
    const kept = Object.keys(own).length > 0 ? { ...set, own } : set
    if (Object.keys(kept).length > 0) limits.put(workspaceId, kept)
    else limits.remove(workspaceId)
  }
  return {
    get: async (workspaceId) => limits.get(workspaceId) ?? {},
    put: (workspaceId, { own, ...set }) =>
      file.transact(() => keep(workspaceId, set, own ?? limits.get(workspaceId)?.own)),
    putOwn: (workspaceId, own) =>
      file.transact(() => {
        const { own: _, ...set } = limits.get(workspaceId) ?? {}
        keep(workspaceId, set, own)
      }),
    async *all() {
      for await (const { key, value } of limits.all()) yield { workspaceId: String(key), limits: value }
    },
  }
}
