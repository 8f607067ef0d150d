import {
  AUTH_INDEXED,
  AUTH_UNIQUE,
  type AuthCondition,
  type AuthRow,
  type AuthTables,
  compare,
  keptRow,
  matches,
} from '../auth-tables.ts'
import { UniqueConflict } from '../errors.ts'
import { collected, type Driver, type Transaction } from '../port.ts'
import { authTable } from '../tables.ts'

type Patch = Readonly<Record<string, unknown>>
const ALL = Number.POSITIVE_INFINITY

/** The tables of the sign-in library. */
export function authTablesOf(driver: Driver): AuthTables {
  /** Rows that match, as they are now: read again by a transaction that changes them. */
  const select = async (table: string, where: readonly AuthCondition[]): Promise<AuthRow[]> =>
    (await collected(candidates(driver, table, where))).filter((row) => matches(row, where))

  /** Changes the first `limit` rows that match, and gives them as they are then. All are changed, or none. */
  const change = (
    table: string,
    where: readonly AuthCondition[],
    limit: number,
    next: (row: AuthRow, tx: Transaction) => AuthRow,
  ): Promise<AuthRow[]> =>
    driver.transact(async (tx) => {
      const changed: AuthRow[] = []
      for (const { id } of await select(table, where)) {
        if (changed.length === limit) break
        const row = await tx.get(authTable(table), id)
        if (row && matches(row, where)) changed.push(next(row, tx))
      }
      return changed
    })
  const patch = (table: string, where: readonly AuthCondition[], limit: number, patchOf: (row: AuthRow) => Patch) =>
    named(() =>
      change(table, where, limit, (row, tx) => {
        const changed = keptRow({ ...row, ...patchOf(row), id: row.id })
        tx.put(authTable(table), changed)
        return changed
      }),
    )
  const removing = (table: string) => (row: AuthRow, tx: Transaction) => {
    tx.remove(authTable(table), row.id)
    return row
  }

  return {
    async insert(table, row) {
      const kept = keptRow(row)
      await named(() => driver.transact((tx) => tx.insert(authTable(table), kept)))
      return kept
    },

    async find(table, where, { limit, sortBy } = {}) {
      const found = await select(table, where)
      if (sortBy) {
        const sign = sortBy.direction === 'asc' ? 1 : -1
        found.sort((a, b) => sign * compare(a[sortBy.field], b[sortBy.field]))
      }
      return found.slice(0, limit)
    },

    update: async (table, where, fields) => (await patch(table, where, 1, () => fields))[0] ?? null,

    async updateAll(table, where, fields) {
      // Several rows cannot all get one unique value.
      const doubled = (AUTH_UNIQUE[table] ?? []).find((field) => field in fields)
      if (doubled !== undefined && (await select(table, where)).length > 1) throw new UniqueConflict(table, doubled)
      return (await patch(table, where, ALL, () => fields)).length
    },

    take: async (table, where) => (await change(table, where, 1, removing(table)))[0] ?? null,
    removeAll: async (table, where) => (await change(table, where, ALL, removing(table))).length,

    async increment(table, where, by, set) {
      const sums = (row: AuthRow) =>
        Object.entries(by).map(([field, delta]) => [field, (Number(row[field] ?? 0) || 0) + delta])
      return (await patch(table, where, 1, (row) => ({ ...Object.fromEntries(sums(row)), ...set })))[0] ?? null
    },
  }
}

/** The rows that an equality on an indexed field leaves, or all. */
async function* candidates(driver: Driver, table: string, where: readonly AuthCondition[]): AsyncGenerator<AuthRow> {
  const spec = authTable(table)
  const [unique, indexed] = [AUTH_UNIQUE[table] ?? [], AUTH_INDEXED[table] ?? []]
  for (const { field, operator, value } of where) {
    if (operator !== 'eq' || typeof value !== 'string') continue
    if (indexed.includes(field)) return yield* driver.range(spec, field, { of: [value] })
    if (field !== 'id' && !unique.includes(field)) continue
    const row = field === 'id' ? await driver.get(spec, value) : await driver.find(spec, field, value)
    if (row) yield row
    return
  }
  yield* driver.range(spec, null)
}

/** A conflict names the table and the field as the sign-in library knows them. */
async function named<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof UniqueConflict)) throw error
    throw new UniqueConflict(error.table.replace(/^auth_/, ''), error.field === 'key' ? 'id' : error.field)
  }
}
