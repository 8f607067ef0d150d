import type { Store } from '../../../actors/runtime/ports.ts'
import { upserting } from './client.ts'
import type { Collections } from './collections.ts'

/** [O9] Limits of workspaces. */
export const limitsOf = ({ limits }: Collections): Store['limits'] => ({
  get: async (workspaceId) => (await limits.findOne({ _id: workspaceId }))?.set ?? {},
  async put(workspaceId, set) {
    if (Object.keys(set).length === 0) await limits.deleteOne({ _id: workspaceId })
    else await upserting(() => limits.replaceOne({ _id: workspaceId }, { set }, { upsert: true }))
  },
  async *all() {
    for await (const { _id, set } of limits.find()) yield { workspaceId: _id, limits: set }
  },
})
