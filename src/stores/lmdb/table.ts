import { asBinary, type Database, open, type RangeOptions, type RootDatabase } from 'lmdb'

export type Root = RootDatabase

/**
 * Opens a file of tables, or makes it. A commit writes its pages, syncs them (`fdatasync`), writes the meta page through
 * a file that syncs by itself (`O_DSYNC`), and is reported after that. lmdb-js' own mode (`overlappingSync`) writes a meta
 * page before the sync, too, so that what is read after a loss of power depends on the boot id of the machine.
 * Its own batches (`eventTurnBatching`) have a promise that nobody hears, which ends the process when a commit fails; ours
 * are made by `write` and `transact`.
 * @throws Error of the file system or of lmdb
 */
export const openRoot = (path: string): Root =>
  open({ path, noSubdir: true, maxDbs: 128, encoding: 'json', overlappingSync: false, eventTurnBatching: false })

export type Key = string | number | readonly (string | number)[]

/** What a scan passes over: after the entry of `after` when it goes on. */
interface Bounds {
  readonly from?: Key
  readonly to?: Key
  readonly down?: boolean
  readonly after?: Key
}

/** Sorts after every id and number that a key may hold. */
export const LAST = '\uffff'
/** LMDB throws for longer keys; none of the tables has any. */
const KEY_CHARS_MAX = 300
const CHUNK = 1_000

/** One named table. Reads are synchronous and give a fresh copy; writes count only inside `write` or `transact` of its file. */
export class Table<V> {
  readonly #db: Database<V, Key & string>
  constructor(root: Root, name: string, encoding: 'json' | 'binary') {
    this.#db = root.openDB<V, Key & string>(name, { encoding })
  }

  get(key: Key): V | undefined {
    return fits(key) ? this.#db.get(key as string) : undefined
  }
  /** What is kept there, as it is kept. */
  getBytes(key: Key): Buffer | undefined {
    return fits(key) ? this.#db.getBinary(key as string) : undefined
  }
  has(key: Key): boolean {
    return fits(key) && this.#db.doesExist(key as string)
  }
  put(key: Key, value: V): void {
    heard(this.#db.put(key as string, value))
  }
  /** Puts a value whose JSON is at hand. The bytes must stay as they are until it is committed. */
  putBytes(key: Key, json: Buffer): void {
    heard(this.#db.put(key as string, asBinary(json) as never))
  }
  remove(key: Key): void {
    heard(this.#db.remove(key as string))
  }

  async drop(): Promise<void> {
    await this.#db.drop()
  }

  /** The entries from `from` (else the first) to before `to`, or down from before `from` to `to`; the thread is let go between chunks. */
  scan(bounds: Bounds): AsyncGenerator<{ key: Key; value: V }> {
    const read = (range: RangeOptions) => [...this.#db.getRange(range)] as { key: Key; value: V }[]
    return this.#chunks(bounds, read, ({ key }) => key)
  }

  /** The keys of those entries, without their values. */
  keys(bounds: Bounds): AsyncGenerator<Key> {
    return this.#chunks(
      bounds,
      (range) => [...this.#db.getKeys(range)],
      (key) => key,
    )
  }

  async *#chunks<T>(bounds: Bounds, read: (range: RangeOptions) => T[], keyOf: (entry: T) => Key): AsyncGenerator<T> {
    const { from, to, down = false } = bounds
    if (from !== undefined && !fits(from)) return
    let after = bounds.after
    for (;;) {
      const start = after ?? from
      const range = {
        ...(start === undefined ? {} : { start: start as string, exclusiveStart: down || after !== undefined }),
        ...(to === undefined ? {} : { end: to as string, inclusiveEnd: down }),
        reverse: down,
        limit: CHUNK,
      }
      const chunk = read(range)
      yield* chunk
      if (chunk.length < CHUNK) return
      after = keyOf(chunk.at(-1) as T)
      await new Promise(setImmediate)
    }
  }

  all(): AsyncGenerator<{ key: Key; value: V }> {
    return this.scan({})
  }
}

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
