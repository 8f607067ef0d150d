import { type AuthCondition, type AuthRow, type AuthTables, plainFields, plainValue } from '../auth-tables.ts'
import { UniqueConflict } from '../errors.ts'
import { type Filter, isDuplicate, recordOf } from './client.ts'
import type { Collections, Kept } from './collections.ts'

type Patch = Readonly<Record<string, unknown>>

/** The tables of the sign-in library, one collection each. Every call that changes a row is one command with its guard in the filter. */
export function authTablesOf(collections: Collections): AuthTables {
  const rows = (table: string) => collections.auth(table)

  async function changeOne(table: string, where: readonly AuthCondition[], change: object): Promise<AuthRow | null> {
    if (Object.keys(change).length === 0) return recordOf(await rows(table).findOne(filterOf(where))) as AuthRow | null
    const changed = await conflicts(table, () =>
      rows(table).findOneAndUpdate(filterOf(where), change, { returnDocument: 'after' }),
    )
    return recordOf(changed) as AuthRow | null
  }

  return {
    async insert(table, row) {
      const kept = { ...plainFields(row).kept, id: row.id }
      await conflicts(table, () => rows(table).insertOne({ _id: row.id, ...kept } as never))
      return kept
    },

    async find(table, where, { limit, offset = 0, sortBy } = {}) {
      if (limit === 0) return []
      let cursor = rows(table).find(filterOf(where)).skip(offset)
      if (sortBy) cursor = cursor.sort({ [sortBy.field]: sortBy.direction === 'asc' ? 1 : -1 })
      if (limit !== undefined) cursor = cursor.limit(limit)
      return (await cursor.toArray()).map((doc) => recordOf(doc) as AuthRow)
    },

    count: (table, where) => rows(table).countDocuments(filterOf(where)),
    update: (table, where, patch) => changeOne(table, where, changeOf(patch)),

    async updateAll(table, where, patch) {
      const change = changeOf(patch)
      if (Object.keys(change).length === 0) return rows(table).countDocuments(filterOf(where))
      return (await conflicts(table, () => rows(table).updateMany(filterOf(where), change))).matchedCount
    },

    take: async (table, where) => recordOf(await rows(table).findOneAndDelete(filterOf(where))) as AuthRow | null,
    removeAll: async (table, where) => (await rows(table).deleteMany(filterOf(where))).deletedCount,
    increment: (table, where, by, set = {}) => changeOne(table, where, { $inc: by, ...changeOf(set) }),
  }
}

/** The update that a patch is. An id never changes, and an update without a field is none. */
function changeOf(patch: Patch): object {
  const { id, ...fields } = patch
  const { kept, absent } = plainFields(fields)
  return {
    ...(Object.keys(kept).length > 0 ? { $set: kept } : {}),
    ...(absent.length > 0 ? { $unset: Object.fromEntries(absent.map((field) => [field, ''])) } : {}),
  }
}

async function conflicts<T>(table: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isDuplicate(error)) throw error
    const [field = 'id'] = Object.keys(error.keyPattern ?? {})
    throw new UniqueConflict(table, field === '_id' ? 'id' : field)
  }
}

function filterOf(where: readonly AuthCondition[]): Filter<Kept<AuthRow>> {
  const all = where.filter(({ connector }) => connector === 'AND').map(conditionOf)
  const either = where.filter(({ connector }) => connector === 'OR').map(conditionOf)
  const clauses = [...all, ...(either.length > 0 ? [either.length === 1 ? either[0] : { $or: either }] : [])]
  return (clauses.length > 1 ? { $and: clauses } : (clauses[0] ?? {})) as Filter<Kept<AuthRow>>
}

const OPERATORS = { ne: '$ne', lt: '$lt', lte: '$lte', gt: '$gt', gte: '$gte', in: '$in', not_in: '$nin' } as const

function conditionOf(condition: AuthCondition): object {
  const field = condition.field === 'id' ? '_id' : condition.field
  const { operator, mode } = condition
  const value = plainValue(condition.value)
  const options = mode === 'insensitive' ? 'i' : ''
  const is = (test: unknown) => ({ [field]: test })
  const exactly = (one: unknown) =>
    mode === 'insensitive' && typeof one === 'string' ? new RegExp(`^${escaped(one)}$`, 'i') : one
  switch (operator) {
    case 'contains':
      return is({ $regex: escaped(value), $options: options })
    case 'starts_with':
      return is({ $regex: `^${escaped(value)}`, $options: options })
    case 'ends_with':
      return is({ $regex: `${escaped(value)}$`, $options: options })
    case 'in':
    case 'not_in':
      return is({ [OPERATORS[operator]]: (Array.isArray(value) ? [...value] : [value]).map(exactly) })
    case 'eq':
      return is({ $in: [exactly(value)] })
    case 'ne':
      return is({ $nin: [exactly(value)] })
    default:
      return is({ [OPERATORS[operator]]: value })
  }
}

const escaped = (value: unknown) => String(value).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
