/** One row of a table of the sign-in library: plain JSON with a string `id`. A field that is `null` is absent: it is not kept. */
export interface AuthRow {
  readonly id: string
  readonly [field: string]: unknown
}

/** A condition as the sign-in library hands it to an adapter (its `CleanedWhere`). A `Date` counts as its ISO string. */
export interface AuthCondition {
  readonly field: string
  readonly operator:
    | 'eq'
    | 'ne'
    | 'lt'
    | 'lte'
    | 'gt'
    | 'gte'
    | 'in'
    | 'not_in'
    | 'contains'
    | 'starts_with'
    | 'ends_with'
  readonly value: string | number | boolean | string[] | number[] | Date | null
  readonly connector: 'AND' | 'OR'
  readonly mode: 'sensitive' | 'insensitive'
}

export interface AuthFind {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** Absent values come first when ascending. */
  readonly sortBy?: { readonly field: string; readonly direction: 'asc' | 'desc' } | undefined
}

/**
 * The tables of the sign-in library, on either store. A row matches when every `AND` condition holds and, where there
 * are `OR` conditions, one of them. Every call is atomic against any number of callers in any number of processes
 * (MongoDB: `updateAll` and `removeAll` row by row). Rows that are returned are copies.
 */
export interface AuthTables {
  /** Rejects with `UniqueConflict` when the id or a unique field (AUTH_UNIQUE) is taken. */
  insert(table: string, row: AuthRow): Promise<AuthRow>
  find(table: string, where: readonly AuthCondition[], options?: AuthFind): Promise<AuthRow[]>
  count(table: string, where: readonly AuthCondition[]): Promise<number>
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
  oauthGrant: ['codeHash', 'usedRefreshHash', 'workspaceId'],
}

/** The fields of a row as they are kept, and the names of those that are absent. */
export function plainFields(row: Readonly<Record<string, unknown>>): {
  kept: Record<string, unknown>
  absent: string[]
} {
  const fields: [string, unknown][] = Object.entries(JSON.parse(JSON.stringify(row)))
  return {
    kept: Object.fromEntries(fields.filter(([, value]) => value !== null)),
    absent: fields.flatMap(([field, value]) => (value === null ? [field] : [])),
  }
}

/** The value of a condition as it is compared with a stored one. */
export function plainValue(value: AuthCondition['value']): Exclude<AuthCondition['value'], Date> {
  return value instanceof Date ? value.toISOString() : value
}

/** Whether a row matches, as `AuthTables` says. */
export function matches(row: AuthRow, where: readonly AuthCondition[]): boolean {
  const either = where.filter((condition) => condition.connector === 'OR')
  return (
    where.every((condition) => condition.connector === 'OR' || holds(row, condition)) &&
    (either.length === 0 || either.some((condition) => holds(row, condition)))
  )
}

function holds(row: AuthRow, condition: AuthCondition): boolean {
  const stored = row[condition.field] ?? null
  const fold = (value: unknown) =>
    condition.mode === 'insensitive' && typeof value === 'string' ? value.toLowerCase() : value
  const kept = fold(stored)
  const value = plainValue(condition.value)
  if (Array.isArray(value)) {
    const listed = (value as readonly unknown[]).some((one) => fold(one) === kept)
    return condition.operator === 'not_in' ? !listed : listed
  }
  const wanted = fold(value)
  const texts = typeof kept === 'string' && typeof wanted === 'string'
  switch (condition.operator) {
    case 'ne':
    case 'not_in':
      return kept !== wanted
    case 'contains':
      return texts && kept.includes(wanted)
    case 'starts_with':
      return texts && kept.startsWith(wanted)
    case 'ends_with':
      return texts && kept.endsWith(wanted)
    case 'lt':
      return comparable(stored, value) && compare(stored, value) < 0
    case 'lte':
      return comparable(stored, value) && compare(stored, value) <= 0
    case 'gt':
      return comparable(stored, value) && compare(stored, value) > 0
    case 'gte':
      return comparable(stored, value) && compare(stored, value) >= 0
    default:
      return kept === wanted
  }
}

const comparable = (a: unknown, b: unknown) => a !== null && b !== null && typeof a === typeof b

/** Absent first, then by value; values of different types by the name of their type. */
export function compare(a: unknown, b: unknown): number {
  const [left, right] = [a ?? null, b ?? null]
  if (left === right) return 0
  if (left === null) return -1
  if (right === null) return 1
  if (typeof left !== typeof right) return typeof left < typeof right ? -1 : 1
  return (left as string) < (right as string) ? -1 : 1
}
