import {
  AUTH_OPERATORS,
  type AuthCondition,
  type AuthFind,
  type AuthRow,
  type AuthTables,
} from '../stores/auth-tables.ts'

/**
 * What the sign-in library asks of a database, answered by our own tables, whichever store keeps them.
 * The library is generic in its rows and cannot know them; what it wrote is what it gets back.
 */
export const adapterOf = (tables: AuthTables) => ({
  create: async <T extends object>({ model, data }: { model: string; data: T }) =>
    (await tables.insert(model, present(data) as AuthRow)) as unknown as T,
  findOne: async <T>({ model, where }: Selection) =>
    ((await tables.find(model, conditions(where), { limit: 1 }))[0] ?? null) as T | null,
  findMany: async <T>({ model, where, limit, sortBy }: Page) =>
    (await tables.find(model, conditions(where), { limit, sortBy })) as T[],
  count: async ({ model, where }: Selection) => (await tables.find(model, conditions(where))).length,
  update: async <T>({ model, where, update }: Selection & { update: T }) =>
    (await tables.update(model, conditions(where), present(update as object))) as T | null,
  updateMany: ({ model, where, update }: Selection & { update: object }) =>
    tables.updateAll(model, conditions(where), present(update)),
  delete: async ({ model, where }: Selection) => {
    await tables.take(model, conditions(where))
  },
  deleteMany: ({ model, where }: Selection) => tables.removeAll(model, conditions(where)),
  consumeOne: async <T>({ model, where }: Selection) => (await tables.take(model, conditions(where))) as T | null,
  incrementOne: async <T>({ model, where, increment, set }: Increment) =>
    (await tables.increment(model, conditions(where), increment, set)) as T | null,
})

/** A condition, as the library writes it. */
type Where = Pick<AuthCondition, 'field' | 'value'> & {
  readonly [Option in 'operator' | 'connector' | 'mode']?: string | undefined
}
interface Selection {
  readonly model: string
  readonly where?: readonly Where[] | undefined
}
interface Page extends Selection, AuthFind {}
interface Increment extends Selection {
  readonly increment: Record<string, number>
  readonly set?: Record<string, unknown> | undefined
}

/** @throws Error for what the library could ask, and asks in no part of it that is used: alternatives, and texts in any case */
const conditions = (where: readonly Where[] = []): AuthCondition[] =>
  where.map(({ field, value, operator = 'eq', connector = 'AND', mode = 'sensitive' }) => {
    const known = AUTH_OPERATORS.find((each) => each === operator)
    if (!known || connector !== 'AND' || mode !== 'sensitive')
      throw new Error(`No table of the sign-in library is asked for ${field} by ${connector} ${operator} (${mode})`)
    return { field, value, operator: known }
  })

/** Absent fields are left out rather than kept as `undefined`, which no store keeps alike. */
const present = (row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
