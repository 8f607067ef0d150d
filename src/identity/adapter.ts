import type { AuthCondition, AuthFind, AuthRow, AuthTables } from '../stores/auth-tables.ts'

/**
 * What the sign-in library asks of a database, answered by our own tables, whichever store keeps them.
 * The library is generic in its rows and cannot know them; what it wrote is what it gets back.
 */
export const adapterOf = (tables: AuthTables) => ({
  create: async <T extends object>({ model, data }: { model: string; data: T }) =>
    (await tables.insert(model, present(data) as AuthRow)) as unknown as T,
  findOne: async <T>({ model, where }: Selection) =>
    ((await tables.find(model, conditions(where), { limit: 1 }))[0] ?? null) as T | null,
  findMany: async <T>({ model, where, limit, offset, sortBy }: Page) =>
    (await tables.find(model, conditions(where), { limit, offset, sortBy })) as T[],
  count: ({ model, where }: Selection) => tables.count(model, conditions(where)),
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
  readonly [Option in 'operator' | 'connector' | 'mode']?: AuthCondition[Option] | undefined
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

const conditions = (where: readonly Where[] = []): AuthCondition[] =>
  where.map(({ field, value, operator = 'eq', connector = 'AND', mode = 'sensitive' }) => ({
    field,
    value,
    operator,
    connector,
    mode,
  }))

/** Absent fields are left out rather than kept as `undefined`, which no store keeps alike. */
const present = (row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined))
