import type { Store } from '../../../actors/runtime/ports.ts'
import { insertOnce, recordOf } from './client.ts'
import type { Collections } from './collections.ts'

/** Webhook endpoints. */
export function endpointsOf({ endpoints }: Collections): Store['endpoints'] {
  return {
    async insert(record) {
      await endpoints.insertOne({ _id: record.id, ...record })
    },
    get: async (id) => recordOf(await endpoints.findOne({ _id: id })),
    async *all() {
      for await (const doc of endpoints.find()) yield recordOf(doc)
    },
    async list(workspaceId) {
      const docs = await endpoints.find({ workspaceId }).sort({ createdAt: 1, _id: 1 }).toArray()
      return docs.map((doc) => recordOf(doc))
    },
    async update(id, patch) {
      await endpoints.updateOne({ _id: id }, { $set: patch })
      return recordOf(await endpoints.findOne({ _id: id }))
    },
    remove: async (workspaceId, id) => (await endpoints.findOneAndDelete({ _id: id, workspaceId })) !== null,
  }
}

/** Deliveries: the key of each is its endpoint and message, so that there is one of them. */
export function deliveriesOf({ deliveries }: Collections): Store['deliveries'] {
  return {
    async add(record) {
      const _id = `${record.endpointId}:${record.messageId}`
      if (await insertOnce(deliveries, { _id, ...record })) return record
      return recordOf(await deliveries.findOne({ _id })) ?? record
    },
    get: async (id) => recordOf(await deliveries.findOne({ id })),
    async update(id, patch) {
      await deliveries.updateOne({ id }, { $set: patch })
    },
    async list({ endpointId, status, taskId, after, limit }) {
      if (limit < 1) return []
      const filter = {
        endpointId,
        ...(status === null ? {} : { status }),
        ...(taskId === undefined ? {} : { taskId }),
        ...(after && {
          createdAt: { $lte: after.createdAt },
          $or: [{ createdAt: { $lt: after.createdAt } }, { id: { $lt: after.id } }],
        }),
      }
      const docs = await deliveries.find(filter).sort({ createdAt: -1, id: -1 }).limit(limit).toArray()
      return docs.map((doc) => recordOf(doc))
    },
    async retire(before, limit) {
      if (limit < 1) return 0
      const old = { createdAt: { $lt: before } }
      const docs = await deliveries.find(old).sort({ createdAt: 1 }).limit(limit).toArray()
      if (docs.length === 0) return 0
      return (await deliveries.deleteMany({ _id: { $in: docs.map(({ _id }) => _id) } })).deletedCount
    },
  }
}
