import type { Store } from '../../../actors/ports.ts'
import { KEY_CACHE_MS_MAX, KEYS_CACHED_MAX } from '../../../machines/limits.ts'
import type { KeyRecord } from '../../../machines/records.ts'
import { insertOnce, recordOf } from './client.ts'
import type { Collections } from './collections.ts'

/** API keys. A key that was found is good for KEY_CACHE_MS_MAX more: every request asks for one. */
export function keysOf({ keys }: Collections): Store['keys'] {
  const cache = new Map<string, { readonly record: KeyRecord; readonly until: number }>()

  async function read(hash: string): Promise<KeyRecord | null> {
    // From before the question: an answer that is old when it comes is not kept longer for it.
    const until = performance.now() + KEY_CACHE_MS_MAX
    const record = recordOf(await keys.findOne({ keyHash: hash }))
    if (!record) return null
    if (cache.size >= KEYS_CACHED_MAX) cache.clear()
    cache.set(hash, { record, until })
    return { ...record }
  }

  return {
    async insert(record) {
      await keys.insertOne({ _id: record.id, ...record })
    },
    byHash(hash) {
      const cached = cache.get(hash)
      if (cached && cached.until > performance.now()) return { ...cached.record }
      cache.delete(hash)
      return read(hash)
    },
    async list(workspaceId) {
      const docs = await keys.find({ workspaceId }).sort({ createdAt: 1, _id: 1 }).toArray()
      return docs.map((doc) => recordOf(doc))
    },
    async touch(id, at) {
      await keys.updateOne({ _id: id }, { $set: { lastUsedAt: at } })
    },
    async remove(workspaceId, id) {
      const removed = await keys.findOneAndDelete({ _id: id, workspaceId })
      if (removed) cache.delete(removed.keyHash)
      return removed !== null
    },
  }
}

/** Workspaces: few, and never changed. */
export function workspacesOf({ workspaces }: Collections): Store['workspaces'] {
  const oldestFirst = { createdAt: 1, _id: 1 } as const
  const get = async (id: string) => recordOf(await workspaces.findOne({ _id: id }))
  return {
    async insert(record) {
      await insertOnce(workspaces, { _id: record.id, ...record })
      return (await get(record.id)) ?? record
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
