import { createHash } from 'node:crypto'
import {
  AUTH_INDEXED,
  AUTH_UNIQUE,
  type AuthCondition,
  type AuthRow,
  type AuthTables,
  compare,
  matches,
  plainFields,
} from '../auth-tables.ts'
import { UniqueConflict } from '../errors.ts'
import type { LmdbFile } from './database.ts'
import type { Tables } from './tables.ts'

type Patch = Readonly<Record<string, unknown>>

const INDEXED_CHARS_MAX = 200

/** The tables of the sign-in library. Every write is one transaction. */
export function authTablesOf(file: LmdbFile, tables: Pick<Tables, 'authRows' | 'authIndex'>): AuthTables {
  const rows = new AuthRows(tables)
  return {
    async insert(table, row) {
      const kept = { ...plainFields(row).kept, id: row.id }
      await file.transact(() => rows.put(table, null, kept)).then(orThrow)
      return kept
    },

    async find(table, where, { limit, offset = 0, sortBy } = {}) {
      const found = rows.select(table, where)
      if (sortBy) {
        const sign = sortBy.direction === 'asc' ? 1 : -1
        found.sort((a, b) => sign * compare(a[sortBy.field], b[sortBy.field]))
      }
      return found.slice(offset, limit === undefined ? undefined : offset + limit)
    },

    count: async (table, where) => rows.select(table, where).length,

    async update(table, where, patch) {
      const changed = await file.transact(() => rows.change(table, where, 1, () => patch)).then(orThrow)
      return changed[0] ?? null
    },

    async updateAll(table, where, patch) {
      const changed = await file.transact(() => rows.change(table, where, Number.POSITIVE_INFINITY, () => patch))
      return orThrow(changed).length
    },

    take: (table, where) =>
      file.transact(() => {
        const row = rows.select(table, where)[0] ?? null
        if (row) rows.remove(table, row)
        return row
      }),

    removeAll: (table, where) =>
      file.transact(() => {
        const found = rows.select(table, where)
        for (const row of found) rows.remove(table, row)
        return found.length
      }),

    async increment(table, where, by, set) {
      const sums = (row: AuthRow) =>
        Object.entries(by).map(([field, delta]) => [field, (Number(row[field] ?? 0) || 0) + delta])
      const patchOf = (row: AuthRow) => ({ ...Object.fromEntries(sums(row)), ...set })
      const changed = await file.transact(() => rows.change(table, where, 1, patchOf)).then(orThrow)
      return changed[0] ?? null
    },
  }
}

/** A transaction must not throw, so a conflict leaves it as a value. */
function orThrow<T>(outcome: T | UniqueConflict): T {
  if (outcome instanceof UniqueConflict) throw outcome
  return outcome
}

/** Rows with their indexes; to be changed inside a transaction only. */
class AuthRows {
  readonly #rows: Tables['authRows']
  readonly #index: Tables['authIndex']
  constructor({ authRows, authIndex }: Pick<Tables, 'authRows' | 'authIndex'>) {
    this.#rows = authRows
    this.#index = authIndex
  }

  select(table: string, where: readonly AuthCondition[]): AuthRow[] {
    const rows = this.#indexed(table, where) ?? this.#rows.under([table]).map(({ value }) => value)
    return rows.filter((row) => matches(row, where))
  }

  /** Writes a row over `old`, unless it would double a unique value. */
  put(table: string, old: AuthRow | null, row: AuthRow): UniqueConflict | null {
    if (!old && this.#rows.has([table, row.id])) return new UniqueConflict(table, 'id')
    for (const field of AUTH_UNIQUE[table] ?? []) {
      const taken = this.#having(table, field, row[field]).some((id) => id !== row.id)
      if (taken) return new UniqueConflict(table, field)
    }
    if (old) this.remove(table, old)
    this.#rows.put([table, row.id], row)
    for (const key of indexKeys(table, row)) this.#index.put(key, 1)
    return null
  }

  /** Patches the first `limit` rows that match, and gives them as they are then. All are changed, or none. */
  change(
    table: string,
    where: readonly AuthCondition[],
    limit: number,
    patchOf: (row: AuthRow) => Patch,
  ): AuthRow[] | UniqueConflict {
    const changes = this.select(table, where)
      .slice(0, limit)
      .map((old) => ({ old, patch: patchOf(old) }))
    // Found before the first write: several rows cannot all get one unique value.
    const doubled = (AUTH_UNIQUE[table] ?? []).find((field) => changes.some(({ patch }) => field in patch))
    if (changes.length > 1 && doubled !== undefined) return new UniqueConflict(table, doubled)
    const changed: AuthRow[] = []
    for (const { old, patch } of changes) {
      const row = { ...plainFields({ ...old, ...patch }).kept, id: old.id }
      const conflict = this.put(table, old, row)
      if (conflict) return conflict
      changed.push(row)
    }
    return changed
  }

  remove(table: string, row: AuthRow): void {
    this.#rows.remove([table, row.id])
    for (const key of indexKeys(table, row)) this.#index.remove(key)
  }

  /** The rows that an equality on an indexed field leaves, or `null` when every row is to be looked at. */
  #indexed(table: string, where: readonly AuthCondition[]): AuthRow[] | null {
    for (const { field, operator, value, connector, mode } of where) {
      if (operator !== 'eq' || connector === 'OR' || mode === 'insensitive' || typeof value !== 'string') continue
      if (field !== 'id' && !fieldsOf(table).includes(field)) continue
      const ids = field === 'id' ? [value] : this.#having(table, field, value)
      return ids.flatMap((id) => this.#rows.get([table, id]) ?? [])
    }
    return null
  }

  #having(table: string, field: string, value: unknown): string[] {
    if (typeof value !== 'string') return []
    return this.#index.under([table, field, short(value)]).map(({ key }) => String(key[3]))
  }
}

const fieldsOf = (table: string) => [...(AUTH_UNIQUE[table] ?? []), ...(AUTH_INDEXED[table] ?? [])]

const indexKeys = (table: string, row: AuthRow) =>
  fieldsOf(table).flatMap((field) => {
    const value = row[field]
    return typeof value === 'string' ? [[table, field, short(value), row.id]] : []
  })

/** A value as part of a key, whose length is limited. What a hash finds is compared in full afterwards. */
const short = (value: string) =>
  value.length <= INDEXED_CHARS_MAX ? value : createHash('sha256').update(value).digest('hex')
