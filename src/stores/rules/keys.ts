import type { Store } from '../../../actors/runtime/ports.ts'
import type { KeyRecord, WorkspaceRecord } from '../../../machines/records.ts'
import { collected, type Driver, insertOnce, removeOwn } from '../port.ts'
import { KEYS, WORKSPACES } from '../tables.ts'

/** API keys. */
export const keysOf = (driver: Driver): Store['keys'] => ({
  insert: (record) => driver.transact((tx) => tx.insert(KEYS, record)),
  byHash: (hash) => driver.find(KEYS, 'hash', hash),
  list: (workspaceId) => collected<KeyRecord>(driver.range(KEYS, 'by-age', { of: [workspaceId] })),
  missing: (ids) => driver.missing(KEYS, ids),
  async touch(id, at) {
    await driver.patch(KEYS, [id], { lastUsedAt: at })
  },
  remove: (workspaceId, id) => removeOwn(driver, KEYS, workspaceId, id),
})

/** Workspaces: few, and seldom changed. */
export function workspacesOf(driver: Driver): Store['workspaces'] {
  const oldestFirst = (records: WorkspaceRecord[]) =>
    records.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const list = async () => oldestFirst(await collected(driver.range(WORKSPACES, null)))
  return {
    async insert(record) {
      await insertOnce(driver, (tx) => tx.insert(WORKSPACES, record))
      return (await driver.get(WORKSPACES, record.id)) ?? record
    },
    update: (id, decide) =>
      driver.transact(async (tx) => {
        const now = await tx.get(WORKSPACES, id)
        const next = now && decide(now)
        if (!next) return null
        const record = { ...next, id, version: (now.version ?? 0) + 1 }
        tx.put(WORKSPACES, record)
        return record
      }),
    get: (id) => driver.get(WORKSPACES, id),
    byName: async (name) => (await list()).find((record) => record.name === name) ?? null,
    ofMember: async (userId) => oldestFirst(await collected(driver.range(WORKSPACES, 'members', { of: [userId] }))),
    list,
  }
}
