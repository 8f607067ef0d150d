import type { Store } from '../../../actors/runtime/ports.ts'
import type { RecipeRecord } from '../../../machines/recipe.ts'
import type { KeyRecord, WorkspaceRecord } from '../../../machines/records.ts'
import type { SetLimits } from '../../../machines/workspace-limits.ts'
import { UniqueConflict } from '../errors.ts'
import { collected, type Driver, insertOnce, removeEach, removeOwn } from '../port.ts'
import {
  AUDIT,
  CLAIMS,
  KEYS,
  LIMITS,
  type LimitsRow,
  PAIRINGS,
  PROFILE_VALUES,
  PROFILES,
  RECIPES,
  SESSIONS,
  WORKSPACES,
} from '../tables.ts'

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

/** Paired browsers. */
export const sessionsOf = (driver: Driver): Store['sessions'] => ({
  insert: (record) => driver.transact((tx) => tx.insert(SESSIONS, record)),
  get: (id) => driver.get(SESSIONS, id),
  byTokenHash: (hash) => driver.find(SESSIONS, 'tokens', hash),
  list: (workspaceId, keyId) =>
    collected(
      driver.range(SESSIONS, 'by-age', { of: [workspaceId], down: true, match: keyId === null ? {} : { keyId } }),
    ),
  async update(id, patch) {
    if (Object.keys(patch).length > 0) await driver.patch(SESSIONS, [id], patch)
  },
  remove: (id) =>
    driver.transact(async (tx) => {
      if ((await tx.get(SESSIONS, id)) === null) return false
      tx.remove(SESSIONS, id)
      return true
    }),
  sweep: (before) => removeEach(driver, SESSIONS, driver.keys(SESSIONS, 'expiring', { to: before })),
})

/** Pairing tokens that wait for their browser. */
export const pairingsOf = (driver: Driver): Store['pairings'] => ({
  insert: (record) => driver.transact((tx) => tx.put(PAIRINGS, record)),
  get: (tokenHash) => driver.get(PAIRINGS, tokenHash),
  consume: (tokenHash) =>
    driver.transact(async (tx) => {
      const record = await tx.get(PAIRINGS, tokenHash)
      if (record) tx.remove(PAIRINGS, tokenHash)
      return record
    }),
  async sweep(now) {
    await removeEach(driver, PAIRINGS, driver.keys(PAIRINGS, 'expiring', { to: now }))
  },
})

/** Requests with an Idempotency-Key. */
export const claimsOf = (driver: Driver): Store['claims'] => ({
  get: (id) => driver.get(CLAIMS, id),
  insert: (claim) => insertOnce(driver, (tx) => tx.insert(CLAIMS, claim)),
  replace: (id, holder, next) =>
    driver.transact(async (tx) => {
      if ((await tx.get(CLAIMS, id))?.holder !== holder) return false
      if (next === null) tx.remove(CLAIMS, id)
      else tx.put(CLAIMS, next)
      return true
    }),
  async sweep(now) {
    // A claim that was made anew meanwhile stays.
    await removeEach(driver, CLAIMS, driver.keys(CLAIMS, 'by-expiry', { to: now }), ({ expiresAt }) => expiresAt < now)
  },
})

/** [O9] Limits of workspaces. */
export function limitsOf(driver: Driver): Store['limits'] {
  const change = (workspaceId: string, next: (kept: LimitsRow) => LimitsRow) =>
    driver.transact(async (tx) => tx.put(LIMITS, next((await tx.get(LIMITS, workspaceId)) ?? { workspaceId })))
  return {
    get: async (workspaceId) => limitsIn(await driver.get(LIMITS, workspaceId)),
    put: (workspaceId, { own, ...set }) => change(workspaceId, (kept) => ({ ...kept, set, ...(own ? { own } : {}) })),
    putOwn: (workspaceId, own) => change(workspaceId, (kept) => ({ ...kept, own })),
    async *all() {
      for await (const row of driver.range(LIMITS, null)) {
        const limits = limitsIn(row)
        if (Object.keys(limits).length > 0) yield { workspaceId: row.workspaceId, limits }
      }
    },
  }
}

const limitsIn = (row: LimitsRow | null): SetLimits => {
  const { set = {}, own = {} } = row ?? {}
  return Object.keys(own).length > 0 ? { ...set, own } : { ...set }
}

/** [O11] The audit log: of a workspace by its time, and of all. */
export const auditOf = (driver: Driver): Store['audit'] => ({
  append: (records) =>
    driver.transact((tx) => {
      for (const record of records) tx.add(AUDIT, record)
    }),

  async list({ workspaceId, action, keyId, from, to, after, limit }) {
    const match = {
      ...(workspaceId === null ? { workspaceId } : {}),
      ...(action === undefined ? {} : { action }),
      ...(keyId === undefined ? {} : { keyId }),
    }
    const page = { from, to, match, limit, down: true, after: after ? [after.createdAt, after.id] : undefined }
    return collected(
      typeof workspaceId === 'string'
        ? driver.range(AUDIT, 'by-age', { ...page, of: [workspaceId] })
        : driver.range(AUDIT, 'by-time', page),
    )
  },

  retire(before, limit, workspaceId) {
    const old =
      workspaceId === undefined
        ? driver.keys(AUDIT, 'by-time', { to: before, limit })
        : driver.keys(AUDIT, 'by-age', { of: [workspaceId], to: before, limit })
    return removeEach(driver, AUDIT, old)
  },
})

/** [J5] Recipes: one of each template in a workspace. */
export const recipesOf = (driver: Driver): Store['recipes'] => ({
  get: (id) => driver.get(RECIPES, id),
  ofTemplate: (workspaceId, templateHash) => driver.find(RECIPES, 'templates', workspaceId, templateHash),
  list: ({ workspaceId, after, limit }) =>
    collected(
      driver.range(RECIPES, 'by-age', {
        ...{ of: [workspaceId], limit, down: true },
        after: after ? [after.createdAt, after.id] : undefined,
      }),
    ),
  async change(workspaceId, templateHash, decide) {
    const change = () =>
      driver.transact(async (tx): Promise<RecipeRecord | null> => {
        const found = await tx.find(RECIPES, 'templates', workspaceId, templateHash)
        // By its key it is guarded: nobody changes it until this is written.
        const now = found && (await tx.get(RECIPES, found.id))
        const next = decide(now)
        if (next === null) return now
        if (now === null) tx.insert(RECIPES, next)
        else tx.put(RECIPES, next)
        return next
      })
    // Two of them that find none insert one: the other one finds it then.
    return change().catch((error: unknown) => {
      if (error instanceof UniqueConflict) return change()
      throw error
    })
  },
  remove: (workspaceId, id) => removeOwn(driver, RECIPES, workspaceId, id),
})

/** [Z10] Profiles: one of each name in a workspace. */
export const profilesOf = (driver: Driver): Store['profiles'] => ({
  get: (id) => driver.get(PROFILES, id),
  byName: (workspaceId, name) => driver.find(PROFILES, 'names', workspaceId, name),
  list: (workspaceId) => collected(driver.range(PROFILES, 'by-age', { of: [workspaceId], down: true })),
  insert: (record) => insertOnce(driver, (tx) => tx.insert(PROFILES, record)),
  remove: (workspaceId, id) => removeOwn(driver, PROFILES, workspaceId, id, (tx) => tx.remove(PROFILE_VALUES, id)),
  values: async (id) => (await driver.get(PROFILE_VALUES, id))?.sealed ?? null,
  save: (id, sealed, at, since = null) =>
    driver.transact(async (tx) => {
      const now = await tx.get(PROFILES, id)
      if (now === null || (since !== null && (now.savedAt ?? 0) >= since)) return false
      tx.put(PROFILES, { ...now, savedAt: at })
      tx.put(PROFILE_VALUES, { profileId: id, sealed })
      return true
    }),
})
