import type { Store } from '../../../actors/runtime/ports.ts'
import { recordOf, upserting } from './client.ts'
import type { Collections } from './collections.ts'

/** [O11] The audit log. Every node writes what it was asked to do. */
export const auditOf = ({ audit }: Collections): Store['audit'] => ({
  async append(records) {
    if (records.length === 0) return
    const writes = records.map((record) => ({
      replaceOne: { filter: { _id: record.id } as never, replacement: record as never, upsert: true },
    }))
    await upserting(() => audit.bulkWrite(writes))
  },

  async list({ workspaceId, action, keyId, from, to, after, limit }) {
    if (limit < 1) return []
    const at = { ...(from === undefined ? {} : { $gte: from }), ...(to === undefined ? {} : { $lt: to }) }
    const conditions = [
      ...(workspaceId === undefined ? [] : [{ workspaceId }]),
      ...(action === undefined ? [] : [{ action }]),
      ...(keyId === undefined ? [] : [{ keyId }]),
      ...(Object.keys(at).length === 0 ? [] : [{ at }]),
      ...(after === null
        ? []
        : [{ at: { $lte: after.createdAt } }, { $or: [{ at: { $lt: after.createdAt } }, { _id: { $lt: after.id } }] }]),
    ]
    const filter = conditions.length === 0 ? {} : { $and: conditions }
    const docs = await audit.find(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray()
    return docs.map((doc) => recordOf(doc))
  },

  async retire(before, limit, workspaceId) {
    if (limit < 1) return 0
    const old = { at: { $lt: before }, ...(workspaceId === undefined ? {} : { workspaceId }) }
    const docs = await audit.find(old).sort({ at: 1 }).limit(limit).toArray()
    if (docs.length === 0) return 0
    return (await audit.deleteMany({ _id: { $in: docs.map(({ _id }) => _id) } })).deletedCount
  },
})
