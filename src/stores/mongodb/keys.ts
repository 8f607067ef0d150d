import type { Store } from '../../../actors/runtime/ports.ts'
import { insertOnce, recordOf } from './client.ts'
import type { Collections } from './collections.ts'

/** API keys. */
export function keysOf({ keys }: Collections): Store['keys'] {
  return {
    async insert(record) {
      await keys.insertOne({ _id: record.id, ...record })
    },
    byHash: async (hash) => recordOf(await keys.findOne({ keyHash: hash })),
    async list(workspaceId) {
      const docs = await keys.find({ workspaceId }).sort({ createdAt: 1, _id: 1 }).toArray()
      return docs.map((doc) => recordOf(doc))
    },
    async missing(ids) {
      const docs = await keys.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray()
      const found = new Set(docs.map(({ _id }) => _id))
      return ids.filter((id) => !found.has(id))
    },
    async touch(id, at) {
      await keys.updateOne({ _id: id }, { $set: { lastUsedAt: at } })
    },
    remove: async (workspaceId, id) => (await keys.findOneAndDelete({ _id: id, workspaceId })) !== null,
  }
}

/** Workspaces: few, and seldom changed. */
export function workspacesOf({ workspaces }: Collections): Store['workspaces'] {
  const oldestFirst = { createdAt: 1, _id: 1 } as const
  const get = async (id: string) => recordOf(await workspaces.findOne({ _id: id }))
  return {
    async insert(record) {
      await insertOnce(workspaces, { _id: record.id, ...record })
      return (await get(record.id)) ?? record
    },
    async update(id, decide) {
      for (;;) {
        const now = await get(id)
        const next = now === null ? null : decide(now)
        if (now === null || next === null) return null
        const record = { ...next, id, version: (now.version ?? 0) + 1 }
        const asRead = { _id: id, version: now.version ?? { $exists: false } }
        const { matchedCount } = await workspaces.replaceOne(asRead as never, record as never)
        if (matchedCount > 0) return record
      }
    },
    get,
    async byName(name) {
      const [oldest = null] = await workspaces.find({ name }).sort(oldestFirst).limit(1).toArray()
      return recordOf(oldest)
    },
    async ofMember(userId) {
      const docs = await workspaces.find({ members: userId }).sort(oldestFirst).toArray()
      return docs.map((doc) => recordOf(doc))
    },
    async list() {
      const docs = await workspaces.find().sort(oldestFirst).toArray()
      return docs.map((doc) => recordOf(doc))
    },
  }
}
