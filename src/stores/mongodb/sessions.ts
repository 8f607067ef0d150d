import type { Store } from '../../../actors/runtime/ports.ts'
import { recordOf } from './client.ts'
import type { Collections } from './collections.ts'

/** Paired browsers. */
export function sessionsOf({ sessions }: Collections): Store['sessions'] {
  return {
    async insert(record) {
      await sessions.insertOne({ _id: record.id, ...record })
    },
    get: async (id) => recordOf(await sessions.findOne({ _id: id })),
    byTokenHash: async (hash) => recordOf(await sessions.findOne({ tokenHash: hash })),
    async list(workspaceId, keyId) {
      const filter = { workspaceId, ...(keyId === null ? {} : { keyId }) }
      const docs = await sessions.find(filter).sort({ createdAt: -1, _id: -1 }).toArray()
      return docs.map((doc) => recordOf(doc))
    },
    async update(id, patch) {
      if (Object.keys(patch).length > 0) await sessions.updateOne({ _id: id }, { $set: patch })
    },
    remove: async (id) => (await sessions.deleteOne({ _id: id })).deletedCount > 0,
    sweep: async (before) => (await sessions.deleteMany({ expiresAt: { $lt: before } })).deletedCount,
  }
}

/** Pairing tokens that wait for their browser. */
export function pairingsOf({ pairings }: Collections): Store['pairings'] {
  return {
    async insert(record) {
      await pairings.insertOne({ _id: record.tokenHash, ...record })
    },
    get: async (tokenHash) => recordOf(await pairings.findOne({ _id: tokenHash })),
    consume: async (tokenHash) => recordOf(await pairings.findOneAndDelete({ _id: tokenHash })),
    async sweep(now) {
      await pairings.deleteMany({ expiresAt: { $lt: now } })
    },
  }
}
