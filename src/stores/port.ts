import { UniqueConflict } from './errors.ts'

/**
 * What the rules of the store stand on: tables of rows, found by their key or by an index, and transactions. A driver
 * does this and knows no rule; a rule is written once, and knows no driver.
 */

/** Part of a key, or of an index. */
export type Value = string | number

/** A row is plain JSON. Only a table that `holds` bytes has one field of another kind. */
export interface TableSpec<Row extends object> {
  readonly name: string
  /** Its name on MongoDB, where that is another. */
  readonly collection?: string
  /** The fields that make its key. */
  readonly key: readonly (keyof Row & string)[]
  /** By name: the fields in their order; the key follows by itself. */
  readonly indexes?: Readonly<Record<string, IndexSpec<Row>>>
  /** Fields of objects whose names others choose: text on MongoDB, which takes not every name. */
  readonly text?: readonly (keyof Row & string)[]
  /** A field of bytes; the others are those of the key. */
  readonly bytes?: keyof Row & string
  /**
   * Its rows are large: they are kept apart from what tasks wait for, and on lmdb written by a commit of their own, before the
   * others of their transaction and without its guard. They stay where the rest is refused: never for what has to go with
   * a row of another table.
   */
  readonly large?: boolean
}

export interface IndexSpec<Row extends object> {
  /** A row whose first field is `null` or absent is not in it. Of an array, each element is. */
  readonly fields: readonly (keyof Row & string)[]
  /** No two rows have the same values. A row that has none lacks the field: `null` counts as one on MongoDB. */
  readonly unique?: boolean
  /** Only rows with these values are in it. */
  readonly only?: Partial<Row>
}

/** A table, and an index, of whatever rows. */
export interface AnyTable {
  readonly name: string
  readonly collection?: string
  readonly key: readonly string[]
  readonly indexes?: Readonly<Record<string, AnyIndex>>
  readonly text?: readonly string[]
  readonly bytes?: string
  readonly large?: boolean
}
export interface AnyIndex {
  readonly fields: readonly string[]
  readonly unique?: boolean
  readonly only?: object
}

/** Which rows of an index, or of a table by its key (`null`), in ascending order unless `down`. */
export interface Range {
  /** The values of its first fields. */
  readonly of?: readonly Value[]
  /** Of the field after those: from this one on, and before that one. */
  readonly from?: Value | undefined
  readonly to?: Value | undefined
  /** Only what comes behind a row, in this direction: the values of the fields after `of`, with those of its key. */
  readonly after?: readonly Value[] | undefined
  readonly down?: boolean
  readonly limit?: number
  /** Only rows with these values, whether or not a field is in the index. */
  readonly match?: Readonly<Record<string, unknown>>
  /** [D23] Is told of rows that cannot be read, which are passed over; without it the first one rejects. */
  readonly damaged?: ((key: string, error: Error) => void) | undefined
}

export type KeyRange = Omit<Range, 'match' | 'damaged'>

export interface Reader {
  get<Row extends object>(table: TableSpec<Row>, ...key: Value[]): Promise<Row | null>
  /** The row of a unique index with these values. */
  find<Row extends object>(table: TableSpec<Row>, index: string, ...values: Value[]): Promise<Row | null>
  /** Rows as they are while it reads on; what is returned is a copy. */
  range<Row extends object>(table: TableSpec<Row>, index: string | null, range?: Range): AsyncIterable<Row>
  /** The keys of those rows, in the same order. Their contents are not read. */
  keys<Row extends object>(table: TableSpec<Row>, index: string | null, range?: KeyRange): AsyncIterable<Value[]>
}

/**
 * What a transaction does. All that it reads by `get` and `find` is as it was at one moment. Of a row that it also writes
 * that is so still when its writes are made, and of a row that it missed and writes: else all of it runs again. A row
 * that it reads and does not write another may have changed meanwhile (MongoDB; lmdb finds that, too): a rule writes what
 * it checks. It reads what was there before it, not what it writes; of what it reads by `range` nothing is promised.
 */
export interface Transaction extends Reader {
  /** A row that is not there yet: else UniqueConflict. */
  insert<Row extends object>(table: TableSpec<Row>, row: Row): void
  /** In place of the row with the same key, if there is one. */
  put<Row extends object>(table: TableSpec<Row>, row: Row): void
  /** A row that is not there yet, or whose indexed fields are there just so: cheaper than `put` on lmdb, which looks for what it replaces. */
  add<Row extends object>(table: TableSpec<Row>, row: Row): void
  remove<Row extends object>(table: TableSpec<Row>, ...key: Value[]): void
}

export interface Driver extends Reader {
  /**
   * Runs `work`, and makes its writes: all of them, or none. Once it resolves they outlive the process and a loss of
   * power. `work` may run several times. Without a write nothing is guarded. One that failed may have been made still,
   * until another one of this driver has read or written.
   * @throws UniqueConflict when a value of a unique index, or the key of what is inserted, is another row's
   * @throws StoreUnwritable when nothing is kept now
   */
  transact<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T>
  /** Changes fields of a row, which stays away if it does not exist. Resolves to whether it does. */
  patch<Row extends object>(
    table: TableSpec<Row>,
    key: readonly Value[],
    fields: Partial<NoInfer<Row>>,
  ): Promise<boolean>
  /** Those of these ids that no row has, in one question. The key of the table is one field. */
  missing<Row extends object, Id extends Value>(table: TableSpec<Row>, ids: readonly Id[]): Promise<Id[]>
}

/** What the service makes for itself once, such as a sign-in secret: text by name. */
export interface Settings {
  get(name: string): Promise<string | null>
  /** The first writer wins; resolves to what is kept. */
  propose(name: string, value: string): Promise<string>
  put(name: string, value: string): Promise<void>
}

/** All rows of a range. */
export async function collected<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}

const REMOVED_AT_ONCE = 100

/** Removes the rows with these keys, a few in each transaction, but for those that `mayGo` keeps; resolves to how many keys there were. */
export async function removeEach<Row extends object>(
  driver: Driver,
  spec: TableSpec<Row>,
  keys: AsyncIterable<Value[]>,
  mayGo?: (row: Row) => boolean,
): Promise<number> {
  const all = await collected(keys)
  for (let at = 0; at < all.length; at += REMOVED_AT_ONCE) {
    await driver.transact(async (tx) => {
      for (const key of all.slice(at, at + REMOVED_AT_ONCE)) {
        if (mayGo) {
          const row = await tx.get(spec, ...key)
          if (row === null || !mayGo(row)) continue
        }
        tx.remove(spec, ...key)
      }
    })
  }
  return all.length
}

/** Removes the rows of a range in this transaction, and reads none of them. */
export async function removeRange<Row extends object>(
  tx: Transaction,
  spec: TableSpec<Row>,
  index: string | null,
  range: KeyRange,
): Promise<void> {
  for await (const key of tx.keys(spec, index, range)) tx.remove(spec, ...key)
}

/**
 * Makes these writes, unless the key or a unique value of a row that they insert is another row's: then none of them.
 * Resolves to whether it made them.
 */
export async function insertOnce(driver: Driver, insert: (tx: Transaction) => void): Promise<boolean> {
  try {
    await driver.transact(insert)
    return true
  } catch (error) {
    if (error instanceof UniqueConflict) return false
    throw error
  }
}

/** Removes a row of this workspace, and what `also` does; resolves to whether there was one. */
export const removeOwn = <Row extends { readonly workspaceId: string }>(
  driver: Driver,
  spec: TableSpec<Row>,
  workspaceId: string,
  id: string,
  also: (tx: Transaction) => void = () => {},
): Promise<boolean> =>
  driver.transact(async (tx) => {
    if ((await tx.get(spec, id))?.workspaceId !== workspaceId) return false
    tx.remove(spec, id)
    also(tx)
    return true
  })

/** The row that `read` gives; `null` when it cannot be read, and the range passes over such rows. */
export function readable<Row>({ damaged }: Range, key: string, read: () => Row | null): Row | null {
  try {
    return read()
  } catch (error) {
    if (!damaged) throw error
    damaged(key, error as Error)
    return null
  }
}

/** Declares a table. */
export const table = <Row extends object>(spec: TableSpec<Row>): TableSpec<Row> => spec

export const keyOf = (spec: AnyTable, row: object): Value[] => spec.key.map((field) => fieldOf(row, field) as Value)

const fieldOf = (row: object, field: string): unknown => (row as Record<string, unknown>)[field]

/** What a row is found by in an index: several where its first field is an array, none where the index leaves it out. */
export function indexKeys({ fields, only = {} }: AnyIndex, row: object): Value[][] {
  if (!matchesAll(row, only)) return []
  const [first, ...rest] = fields.map((field) => fieldOf(row, field))
  if (first === null || first === undefined) return []
  return [first].flat().map((each) => [each, ...rest] as Value[])
}

/** Whether the row has these values; `null` is absent. */
export const matchesAll = (row: object, values: object = {}): boolean =>
  Object.entries(values).every(([field, value]) => (fieldOf(row, field) ?? null) === value)
