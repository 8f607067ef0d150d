/** One row of a table of the sign-in library: plain JSON with a string `id`. A field that is `null` is absent: it is not kept. */
export interface AuthRow {
  readonly id: string
  readonly [field: string]: unknown
}

/** What a row has to fulfil. A `Date` counts as its ISO string; `in` takes a list; what is absent equals `null`, and is neither less nor greater. */
export interface AuthCondition {
  readonly field: string
  readonly operator: AuthOperator
  readonly value: string | number | boolean | string[] | number[] | Date | null
}
export const AUTH_OPERATORS = ['eq', 'in', 'lt', 'lte', 'gt', 'gte'] as const
type AuthOperator = (typeof AUTH_OPERATORS)[number]

export interface AuthFind {
  readonly limit?: number | undefined
  /** Absent values come first when ascending. */
  readonly sortBy?: { readonly field: string; readonly direction: 'asc' | 'desc' } | undefined
}

/**
 * The tables of the sign-in library, on either store. A row matches when every condition holds. Every call is atomic against
 * any number of callers in any number of processes. Rows that are returned are copies.
 */
export interface AuthTables {
  /** Rejects with `UniqueConflict` when the id or a unique field (AUTH_UNIQUE) is taken. */
  insert(table: string, row: AuthRow): Promise<AuthRow>
  find(table: string, where: readonly AuthCondition[], options?: AuthFind): Promise<AuthRow[]>
  /** Changes one row that matches; resolves to it as it is then, or to `null`. Rejects with `UniqueConflict`. */
  update(
    table: string,
    where: readonly AuthCondition[],
    patch: Readonly<Record<string, unknown>>,
  ): Promise<AuthRow | null>
  /** Changes every row that matches; resolves to how many. */
  updateAll(table: string, where: readonly AuthCondition[], patch: Readonly<Record<string, unknown>>): Promise<number>
  /** Takes one row that matches away: of any number of callers exactly one gets it. */
  take(table: string, where: readonly AuthCondition[]): Promise<AuthRow | null>
  /** Resolves to how many were removed. */
  removeAll(table: string, where: readonly AuthCondition[]): Promise<number>
  /** Adds to numbers of one row while it matches, and sets `set` with them; `null` when none matched. An absent number is 0. */
  increment(
    table: string,
    where: readonly AuthCondition[],
    by: Readonly<Record<string, number>>,
    set?: Readonly<Record<string, unknown>>,
  ): Promise<AuthRow | null>
}

/** Fields of which no two rows of a table may have the same value, `id` aside. Absent values do not count. */
export const AUTH_UNIQUE: Readonly<Record<string, readonly string[]>> = {
  user: ['email'],
  session: ['token'],
  rateLimit: ['key'],
  oauthGrant: ['accessHash', 'refreshHash'],
}

/** Fields by which rows are looked up often, besides the unique ones. */
export const AUTH_INDEXED: Readonly<Record<string, readonly string[]>> = {
  session: ['userId'],
  account: ['userId', 'accountId'],
  verification: ['identifier'],
  invitation: ['workspaceId'],
  oauthGrant: ['codeHash', 'familyHash', 'workspaceId'],
}

/** The row as it is kept: plain JSON, without what is absent. */
export const keptRow = (row: AuthRow): AuthRow => ({
  ...Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(row))).filter(([, value]) => value !== null)),
  id: row.id,
})

/** Whether a row fulfils every condition. */
export const matches = (row: AuthRow, where: readonly AuthCondition[]): boolean =>
  where.every((condition) => holds(row, condition))

function holds(row: AuthRow, { field, operator, value }: AuthCondition): boolean {
  const stored = row[field] ?? null
  const wanted = value instanceof Date ? value.toISOString() : value
  if (operator === 'eq') return stored === wanted
  if (operator === 'in') return (wanted as readonly unknown[]).includes(stored)
  if (stored === null || typeof stored !== typeof wanted) return false
  const order = compare(stored, wanted)
  return order === 0 ? operator.endsWith('e') : order < 0 === operator.startsWith('l')
}

/** Absent first, then by value; values of different types by the name of their type. */
export function compare(a: unknown, b: unknown): number {
  const [left, right] = [a ?? null, b ?? null]
  if (left === right) return 0
  if (left === null) return -1
  if (right === null) return 1
  if (typeof left !== typeof right) return typeof left < typeof right ? -1 : 1
  return (left as string) < (right as string) ? -1 : 1
}
