import { type Database, IF_EXISTS, keyValueToBuffer, type Key as LmdbKey, open, type RootDatabase } from 'lmdb'
import { reasonOf, StoreDamaged } from '../errors.ts'
import { binaryRows, jsonRows, type RowFormat } from './row-sum.ts'

// It is exported, and its types do not say so.
declare module 'lmdb' {
  function keyValueToBuffer(key: LmdbKey): Buffer
}

export type Root = RootDatabase

/**
 * Opens a file of tables, or makes it. A commit writes its pages, syncs them (`fdatasync`), writes the meta page through
 * a file that syncs by itself (`O_DSYNC`), and is reported after that. lmdb-js' own mode (`overlappingSync`) writes a meta
 * page before the sync, too, so that what is read after a loss of power depends on the boot id of the machine.
 * Its own batches (`eventTurnBatching`) have a promise that nobody hears, which ends the process when a commit fails; ours
 * are made by `write`, `writeIf` and `transact`.
 * @throws Error of the file system or of lmdb
 */
export const openRoot = (path: string): Root =>
  open({ path, noSubdir: true, maxDbs: 64, encoding: 'json', overlappingSync: false, eventTurnBatching: false })

export type Key = string | number | readonly (string | number)[]

/** Sorts after every id and number that a key may hold. */
const LAST = '\uffff'
/** LMDB throws for longer keys; none of the tables has any. */
const KEY_CHARS_MAX = 300
const CHUNK = 1_000

/** Does the writes of an action where it holds at the moment of the commit; resolves to whether it held. */
export type Condition = (action: () => void) => Promise<boolean>

/** Makes the error that a damaged table is reported with; `why` is a part of a sentence about the table. */
export type Damage = (table: string, why: string) => Error

/**
 * One named table. Reads are synchronous and give a fresh copy; writes count only inside `write` or `transact` of its file.
 * [D18] All reads throw what `damage` makes when they meet a row that is not as it was written, and where the rows beside
 * one that is missing show that it was lost.
 */
export class Table<V> {
  readonly #db: Database<Buffer, Key & string>
  readonly #name: string
  readonly #rows: RowFormat<V>
  readonly #damage: Damage
  constructor(root: Root, name: string, encoding: 'json' | 'binary', damage: Damage) {
    this.#db = root.openDB<Buffer, Key & string>(name, { encoding: 'binary' })
    this.#name = name
    this.#rows = encoding === 'json' ? jsonRows<V>(name) : (binaryRows(name) as unknown as RowFormat<V>)
    this.#damage = damage
  }

  get(key: Key): V | undefined {
    if (!fits(key)) return undefined
    return this.#whole(() => {
      const bytes = this.#db.get(key as string)
      if (bytes === undefined) this.#checkBeside(key)
      return bytes && this.#rows.valueOf(key, bytes)
    })
  }
  has(key: Key): boolean {
    if (!fits(key)) return false
    return this.#whole(() => {
      const isThere = this.#db.doesExist(key as string)
      if (!isThere) this.#checkBeside(key)
      return isThere
    })
  }
  /**
   * The row that an entry of an index names; `undefined` when both were removed since the entry was read.
   * @throws Error when the entry is there, and the row is not
   */
  named(key: Key, index: { has(key: Key): boolean }, entry: Key): V | undefined {
    const row = this.get(key)
    if (row === undefined && index.has(entry)) throw this.damaged('a row that an index names is missing')
    return row
  }
  /** The error for a table that does not fit what is in others. */
  damaged(why: string): Error {
    return this.#damage(this.#name, why)
  }

  put(key: Key, value: V): void {
    this.prepared(key, value)()
  }
  /** Makes the row, and returns what puts it: what may throw does so before the transaction. */
  prepared(key: Key, value: V): () => void {
    const bytes = this.#rows.bytesOf(key, value)
    return () => heard(this.#db.put(key as string, bytes))
  }
  /** Puts JSON without a checksum, as services before tables 2 read it. */
  putPlain(key: Key, value: V): void {
    heard(this.#db.put(key as string, Buffer.from(JSON.stringify(value))))
  }
  remove(key: Key): void {
    heard(this.#db.remove(key as string))
  }

  /** That the entry is there, for `writeIf`. */
  present(key: Key): Condition {
    return (action) => this.#db.ifVersion(key as Key & string, IF_EXISTS, action)
  }
  /** That it is not. */
  absent(key: Key): Condition {
    return (action) => this.#db.ifNoExists(key as Key & string, action)
  }

  /** The entries whose key begins with `prefix`, at once. Only for what is known to be few. */
  under(prefix: readonly (string | number)[]): { key: (string | number)[]; value: V }[] {
    if (!fits(prefix)) return []
    const range = { start: prefix, end: [...prefix, LAST], limit: Number.POSITIVE_INFINITY, reverse: false }
    return this.#entries(range) as never
  }

  /** The keys that begin with `prefix`, without what they hold. Only for what is known to be few. */
  keysUnder(prefix: readonly (string | number)[]): Key[] {
    if (!fits(prefix)) return []
    const range = { start: prefix as Key as string, end: [...prefix, LAST] as Key as string }
    return this.#whole(() => [...this.#db.getKeys(range)] as Key[])
  }

  /** The first entries from `from` to before `to`, or down from `from` to after `to`, at once. */
  range({ from, to, limit, down = false }: { from: Key; to: Key; limit: number; down?: boolean }): Entry<V>[] {
    if (!fits(from)) return []
    return this.#entries({ start: from, end: to, limit, reverse: down })
  }

  /** The entries from `from` (else the first) to before `to`, or down from `from` to after `to`; the thread is let go between chunks. */
  async *scan(bounds: { from?: Key; to?: Key; down?: boolean; after?: Key }): AsyncGenerator<Entry<V>> {
    const { from, to, down = false } = bounds
    if (from !== undefined && !fits(from)) return
    let after = bounds.after
    for (;;) {
      const start = after ?? from
      const chunk = this.#entries({
        ...(start === undefined ? {} : { start, exclusiveStart: after !== undefined }),
        ...(to === undefined ? {} : { end: to }),
        reverse: down,
        limit: CHUNK,
      })
      yield* chunk
      if (chunk.length < CHUNK) return
      after = chunk.at(-1)?.key
      await new Promise(setImmediate)
    }
  }

  all(): AsyncGenerator<Entry<V>> {
    return this.scan({})
  }

  #entries(range: Range): Entry<V>[] {
    return this.#whole(() => {
      const found = this.#read(range)
      if (range.start !== undefined) this.#checkBeside(range.start)
      if (found.length < range.limit) this.#checkEnd(range, found.at(-1))
      return found
    })
  }

  #read(range: Range): Entry<V>[] {
    const rows = [...this.#db.getRange(range as object)] as unknown as Entry<Buffer>[]
    return rows.map(({ key, value }) => ({ key, value: this.#rows.valueOf(key, value) }))
  }

  /**
   * A search that goes astray ends beside the row whose key is damaged, or in a page where its own key does not belong: so
   * the rows beside where a key would be must be whole, and one below it, one above.
   */
  #checkBeside(key: Key): void {
    // Of a page that cannot be read, lmdb tells this; to a range it is the end.
    this.#db.get(key as string)
    for (const reverse of [false, true]) {
      for (const beside of this.#read({ start: key, limit: 1, reverse })) {
        const order = compare(beside.key, key)
        if (reverse ? order > 0 : order < 0) throw new Error('its rows are not in order')
      }
    }
  }

  /** That a range ended where it should: seen from there, its last row is the first. */
  #checkEnd({ start, end, reverse, exclusiveStart = false }: Range, last: Entry<V> | undefined): void {
    if (end !== undefined) this.#checkBeside(end)
    const back = end === undefined ? {} : { start: end, exclusiveStart: true }
    const [row] = this.#read({ ...back, limit: 1, reverse: !reverse })
    const isEnd =
      last === undefined ? this.#isBefore(row, start, reverse, exclusiveStart) : compare(row?.key, last.key) === 0
    if (!isEnd) throw new Error('some of its rows cannot be read')
  }

  #isBefore(row: Entry<V> | undefined, start: Key | undefined, reverse: boolean, orAt: boolean): boolean {
    if (start === undefined)
      return row === undefined && (this.#db.getStats() as { entryCount: number }).entryCount === 0
    const order = row === undefined ? -1 : compare(row.key, start) * (reverse ? -1 : 1)
    return order < 0 || (orAt && order === 0)
  }

  /** What lmdb, the keys and the rows throw while a table is read is damage. */
  #whole<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw error instanceof StoreDamaged ? error : this.damaged(reasonOf(error))
    }
  }
}

export interface Entry<V> {
  key: Key
  value: V
}
interface Range {
  start?: Key
  end?: Key
  limit: number
  reverse: boolean
  exclusiveStart?: boolean
}

/** As lmdb sorts them; nothing comes before every key. */
function compare(a: Key | undefined, b: Key): number {
  return a === undefined ? -1 : Buffer.compare(keyValueToBuffer(a as LmdbKey), keyValueToBuffer(b as LmdbKey))
}

/** Keys that begin with these parts: the bounds of a scan, upwards and downwards. */
export const upwards = (...parts: (string | number)[]) => ({ from: parts, to: [...parts, LAST] })
export const downwards = (...parts: (string | number)[]) => ({ from: [...parts, LAST], to: parts, down: true })

/**
 * A write is reported by the promise of its transaction. Each put within one has a promise of its own, and one that nobody
 * hears would end the process when the commit fails, as on a disk that is full.
 */
function heard(promise: unknown): void {
  if (promise instanceof Promise) promise.catch(() => {})
}

function fits(key: Key): boolean {
  if (typeof key === 'number') return true
  if (typeof key === 'string') return key !== '' && key.length <= KEY_CHARS_MAX
  return key.every((part) => typeof part === 'number' || part.length <= KEY_CHARS_MAX)
}
