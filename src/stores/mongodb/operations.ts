import type { Store } from '../../../actors/runtime/ports.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import { upserting } from './client.ts'
import type { Collections } from './collections.ts'

const limitsIn = ({ set, own = {} }: { set?: SetLimits; own?: SetLimits['own'] }): SetLimits =>
  Object.keys(own).length > 0 ? { ...set, own } : { ...set }

/** [O9] Limits of workspaces. */
export const limitsOf = ({ limits }: Collections): Store['limits'] => ({
  get: async (workspaceId) => limitsIn((await limits.findOne({ _id: workspaceId })) ?? {}),
  async put(workspaceId, { own, ...set }) {
    const $set = own === undefined ? { set } : { set, own }
    await upserting(() => limits.updateOne({ _id: workspaceId }, { $set }, { upsert: true }))
  },
  async putOwn(workspaceId, own) {
    await upserting(() => limits.updateOne({ _id: workspaceId }, { $set: { own } }, { upsert: true }))
  },
  async *all() {
    for await (const doc of limits.find()) {
      const set = limitsIn(doc)
      if (Object.keys(set).length > 0) yield { workspaceId: doc._id, limits: set }
    }
  },
})
