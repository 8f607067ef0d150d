import type { Store } from '../../../actors/runtime/ports.ts'
import type { SessionRecord } from '../../../machines/records.ts'
import type { LmdbFile } from './database.ts'
import { downwards } from './table.ts'
import type { Tables } from './tables.ts'

const ageOf = (record: SessionRecord) => [record.workspaceId, record.createdAt, record.id]

/** Paired browsers. */
export function sessionsOf(file: LmdbFile, tables: Tables): Store['sessions'] {
  return {
    insert: (record) =>
      file.write(() => {
        tables.sessions.put(record.id, record)
        tables.sessionTokens.put(record.tokenHash, record.id)
        tables.sessionsByAge.put(ageOf(record), record.id)
      }),
    get: async (id) => tables.sessions.get(id) ?? null,
    async byTokenHash(hash) {
      const id = tables.sessionTokens.get(hash)
      return id === undefined ? null : (tables.sessions.get(id) ?? null)
    },
    async list(workspaceId, keyId) {
      const found: SessionRecord[] = []
      for await (const { value: id } of tables.sessionsByAge.scan(downwards(workspaceId))) {
        const record = tables.sessions.get(id)
        if (record && (keyId === null || record.keyId === keyId)) found.push(record)
      }
      return found
    },
    update: (id, patch) =>
      file.transact(() => {
        const record = tables.sessions.get(id)
        if (record) tables.sessions.put(id, { ...record, ...patch })
      }),
    remove: (id) =>
      file.transact(() => {
        const record = tables.sessions.get(id)
        if (!record) return false
        removeSession(tables, record)
        return true
      }),
    async sweep(before) {
      const expired: SessionRecord[] = []
      for await (const { value } of tables.sessions.all()) if (value.expiresAt < before) expired.push(value)
      if (expired.length > 0) {
        await file.write(() => {
          for (const record of expired) removeSession(tables, record)
        })
      }
      return expired.length
    },
  }
}

/** Takes a session out of its table and its indexes, within a write. */
function removeSession(tables: Tables, record: SessionRecord): void {
  tables.sessions.remove(record.id)
  tables.sessionTokens.remove(record.tokenHash)
  tables.sessionsByAge.remove(ageOf(record))
}

/** Pairing tokens that wait for their browser. */
export function pairingsOf(file: LmdbFile, tables: Tables): Store['pairings'] {
  return {
    insert: (record) => file.write(() => tables.pairings.put(record.tokenHash, record)),
    get: async (tokenHash) => tables.pairings.get(tokenHash) ?? null,
    consume: (tokenHash) =>
      file.transact(() => {
        const record = tables.pairings.get(tokenHash)
        if (!record) return null
        tables.pairings.remove(tokenHash)
        return record
      }),
    async sweep(now) {
      const expired: string[] = []
      for await (const { value } of tables.pairings.all()) if (value.expiresAt < now) expired.push(value.tokenHash)
      if (expired.length === 0) return
      await file.write(() => {
        for (const tokenHash of expired) tables.pairings.remove(tokenHash)
      })
    },
  }
}
