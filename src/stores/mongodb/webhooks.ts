import type { Store } from '../../../actors/runtime/ports.ts'
import type { DeliveryRecord } from '../../../machines/webhook-records.ts'
import { insertOnce, recordOf } from './client.ts'
import type { Collections, Fenced, Kept } from './collections.ts'
import { type Fence, notAfter } from './fence.ts'

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

/**
 * Deliveries: the key of each is its endpoint and message, so that there is one of them. They change under the epoch of a
 * fence: what became of one is not undone by its former owner.
 */
export function deliveriesOf({ deliveries }: Collections, fence: Fence): Store['deliveries'] {
  return {
    async add(record) {
      const _id = `${record.endpointId}:${record.messageId}`
      if (await insertOnce(deliveries, { _id, ...record })) return record
      return deliveryOf(await deliveries.findOne({ _id })) ?? record
    },
    get: async (id) => deliveryOf(await deliveries.findOne({ id })),
    async update(id, patch) {
      const { epoch } = fence.next()
      const { matchedCount } = await deliveries.updateOne({ id, ...notAfter(epoch) }, { $set: { ...patch, epoch } })
      if (matchedCount === 0 && (await deliveries.findOne({ id }))) fence.refuse()
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
      return docs.flatMap((doc) => deliveryOf(doc) ?? [])
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

function deliveryOf(doc: (Kept<DeliveryRecord> & Fenced) | null): DeliveryRecord | null {
  if (doc === null) return null
  const { epoch, ...record } = recordOf(doc)
  return record
}
