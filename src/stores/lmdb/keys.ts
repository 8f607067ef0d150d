import type { Store } from '../../../actors/runtime/ports.ts'
import type { KeyRecord, WorkspaceRecord } from '../../../machines/records.ts'
import type { LmdbFile } from './database.ts'
import type { Tables } from './tables.ts'

/** API keys, read from the file each time. */
export function keysOf(file: LmdbFile, tables: Tables): Store['keys'] {
  const byId = (id: string): KeyRecord | null => {
    const hash = tables.keyHashes.get(id)
    return hash === undefined ? null : (tables.keys.get(hash) ?? null)
  }
  return {
    insert: (record) =>
      file.write(() => {
        tables.keys.put(record.keyHash, record)
        tables.keyHashes.put(record.id, record.keyHash)
        tables.keysByAge.put([record.workspaceId, record.createdAt, record.id], record.keyHash)
      }),
    byHash: async (hash) => tables.keys.get(hash) ?? null,
    list: async (workspaceId) =>
      tables.keysByAge.under([workspaceId]).flatMap(({ value }) => tables.keys.get(value) ?? []),
    missing: async (ids) => ids.filter((id) => tables.keyHashes.get(id) === undefined),
    touch: (id, at) =>
      file.transact(() => {
        const record = byId(id)
        if (record) tables.keys.put(record.keyHash, { ...record, lastUsedAt: at })
      }),
    remove: (workspaceId, id) =>
      file.transact(() => {
        const record = byId(id)
        if (record?.workspaceId !== workspaceId) return false
        tables.keys.remove(record.keyHash)
        tables.keyHashes.remove(id)
        tables.keysByAge.remove([workspaceId, record.createdAt, id])
        return true
      }),
  }
}

/** Workspaces: few, and seldom changed. */
export function workspacesOf(file: LmdbFile, tables: Tables): Store['workspaces'] {
  const all = async () => {
    const found: WorkspaceRecord[] = []
    for await (const { value } of tables.workspaces.all()) found.push(value)
    return found.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  }
  return {
    insert: (record) =>
      file.transact(() => {
        const kept = tables.workspaces.get(record.id)
        if (kept) return kept
        tables.workspaces.put(record.id, record)
        for (const user of record.members) tables.members.put([user, record.id], record.id)
        return structuredClone(record)
      }),
    update: (id, decide) =>
      file.transact(() => {
        const now = tables.workspaces.get(id)
        const next = now === undefined ? null : decide(structuredClone(now))
        if (now === undefined || next === null) return null
        const record = { ...next, id, version: (now.version ?? 0) + 1 }
        for (const user of now.members) tables.members.remove([user, id])
        for (const user of record.members) tables.members.put([user, id], id)
        tables.workspaces.put(id, record)
        return structuredClone(record)
      }),
    get: async (id) => tables.workspaces.get(id) ?? null,
    byName: async (name) => (await all()).find((record) => record.name === name) ?? null,
    ofMember: async (userId) =>
      tables.members
        .under([userId])
        .flatMap(({ value }) => tables.workspaces.get(value) ?? [])
        .sort((a, b) => a.createdAt - b.createdAt),
    list: all,
  }
}
