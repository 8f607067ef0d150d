import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { StoreDamaged, UniqueConflict } from '../errors.ts'
import {
  type AnyIndex,
  type AnyTable,
  type Driver,
  indexKeys,
  type KeyRange,
  keyOf,
  matchesAll,
  type Range,
  readable,
  type Settings,
  type TableSpec,
  type Transaction,
  type Value,
} from '../port.ts'
import { ALL_TABLES } from '../tables.ts'
import type { LmdbFile } from './database.ts'
import { type Key, LAST, type Table } from './table.ts'

/** A table as it is open: its rows, and one table for each index, which says under the index's values where the row is. */
interface Opened {
  readonly spec: AnyTable
  readonly file: LmdbFile
  readonly rows: Table<Buffer>
  /** What the checksums of its rows begin with: its name's. */
  readonly checksum: number
  readonly indexes: readonly { readonly name: string; readonly spec: AnyIndex; readonly table: Table<1> }[]
}

type Row = Record<string, unknown>
interface Put {
  readonly opened: Opened
  readonly key: Key
  /** `null`: it is removed. */
  readonly row: Row | null
  readonly how: 'insert' | 'put' | 'add'
}
interface Seen {
  readonly table: Table<Buffer>
  readonly key: Key
  readonly bytes: Buffer | undefined
}

/** A row begins with it, then its checksum, then its JSON. A row of an earlier version is JSON alone. */
const CHECKED = 1
const HEAD_BYTES = 5
const INDEXED_CHARS_MAX = 200

/**
 * The embedded driver. A transaction reads and decides first, without holding up anybody; its writes are then made by one
 * transaction of lmdb, which finds what was read as it was, or has it run again.
 */
export class LmdbDriver implements Driver {
  readonly #main: LmdbFile
  readonly #large: LmdbFile
  readonly #opened = new Map<string, Opened>()

  /**
   * Opens the tables at once: to open one that is missing takes the lock of the file, which waits for ever when a
   * transaction that has it waits for this thread.
   */
  constructor(main: LmdbFile, large: LmdbFile) {
    this.#main = main
    this.#large = large
    for (const table of ALL_TABLES) this.#open(table)
  }

  async get<R extends object>(spec: TableSpec<R>, ...key: Value[]): Promise<R | null> {
    const opened = this.#open(spec)
    const keyed = keyFrom(key)
    return rowOf<R>(opened, keyed, opened.rows.getBytes(keyed))
  }

  async find<R extends object>(spec: TableSpec<R>, index: string, ...values: Value[]): Promise<R | null> {
    const key = this.#entryOf(spec, index, values)
    return key === null ? null : this.get(spec, ...key)
  }

  async *range<R extends object>(spec: TableSpec<R>, index: string | null, range: Range = {}): AsyncGenerator<R> {
    const { limit = Number.POSITIVE_INFINITY, match } = range
    if (limit < 1) return
    const opened = this.#open(spec)
    let left = limit
    for await (const [key, bytes] of index === null ? ofRows(opened, range) : ofIndex(opened, index, range)) {
      const row = readable(range, String(key), () => rowOf<R>(opened, key, bytes))
      if (row === null || !matchesAll(row as Row, match)) continue
      yield row
      if (--left === 0) return
    }
  }

  async *keys<R extends object>(
    spec: TableSpec<R>,
    index: string | null,
    range: KeyRange = {},
  ): AsyncGenerator<Value[]> {
    let left = range.limit ?? Number.POSITIVE_INFINITY
    if (left < 1) return
    const opened = this.#open(spec)
    const found = index === null ? opened.rows.keys(boundsOf(range)) : keysOfIndex(opened, index, range)
    for await (const key of found) {
      yield [key].flat() as Value[]
      if (--left === 0) return
    }
  }

  async transact<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> {
    for (;;) {
      // lmdb reads as of one moment for a turn of the process: another handle may have written since.
      this.#main.readAnew()
      this.#large.readAnew()
      const seen: Seen[] = []
      const puts = new Map<string, Put>()
      const write = (spec: AnyTable, key: readonly Value[], row: Row | null, how: Put['how']) => {
        puts.set(`${spec.name} ${JSON.stringify(key)}`, { opened: this.#open(spec), key: keyFrom(key), row, how })
      }
      const get = async <R extends object>(spec: TableSpec<R>, ...key: Value[]) => {
        const opened = this.#open(spec)
        const keyed = keyFrom(key)
        const bytes = opened.rows.getBytes(keyed)
        seen.push({ table: opened.rows, key: keyed, bytes })
        return rowOf<R>(opened, keyed, bytes)
      }
      const result = await work({
        get,
        find: async (spec, index, ...values) => {
          const key = this.#entryOf(spec, index, values)
          return key === null ? null : get(spec, ...key)
        },
        range: (spec, index, range) => this.range(spec, index, range),
        keys: (spec, index, range) => this.keys(spec, index, range),
        insert: (spec, row) => write(spec, keyOf(spec, row), row as Row, 'insert'),
        put: (spec, row) => write(spec, keyOf(spec, row), row as Row, 'put'),
        add: (spec, row) => write(spec, keyOf(spec, row), row as Row, 'add'),
        remove: (spec, ...key) => write(spec, key, null, 'put'),
      })
      const writes = [...puts.values()]
      if (writes.length === 0) return result
      const large = writes.filter(({ opened }) => opened.file === this.#large)
      const small = writes.filter(({ opened }) => opened.file !== this.#large)
      const isKept =
        (large.length === 0 || (await this.#commit(this.#large, large, small.length === 0 ? seen : []))) &&
        (small.length === 0 || (await this.#commit(this.#main, small, seen)))
      if (isKept) return result
    }
  }

  patch<R extends object>(spec: TableSpec<R>, key: readonly Value[], fields: Partial<NoInfer<R>>): Promise<boolean> {
    return this.transact(async (tx) => {
      const row = await tx.get(spec, ...key)
      if (row === null) return false
      tx.put(spec, { ...row, ...fields })
      return true
    })
  }

  async missing<R extends object, Id extends Value>(spec: TableSpec<R>, ids: readonly Id[]): Promise<Id[]> {
    const { rows } = this.#open(spec)
    return ids.filter((id) => !rows.has(keyFrom([id])))
  }

  /** Resolves to false when something is not as it was read. All that may throw comes before anything is written. */
  async #commit(file: LmdbFile, puts: readonly Put[], seen: readonly Seen[]): Promise<boolean> {
    const made = puts.map((put) => ({ ...put, bytes: put.row && bytesOf(put.opened, put.key, put.row) }))
    const size = made.reduce((sum, { bytes, opened }) => sum + (opened.spec.large ? (bytes?.length ?? 0) : 0), 0)
    const write = (replaced: readonly (Row | null)[] = []) => {
      for (const [n, { opened, key, row, bytes }] of made.entries()) {
        const old = replaced[n]
        for (const index of old ? opened.indexes : [])
          for (const entry of entriesOf(opened, index.spec, old as Row)) index.table.remove(entry)
        if (row === null || bytes === null) {
          opened.rows.remove(key)
          continue
        }
        opened.rows.putBytes(key, bytes)
        for (const index of opened.indexes)
          for (const entry of entriesOf(opened, index.spec, row)) index.table.put(entry, entryFor(index.spec, key) as 1)
      }
    }
    const isBlind = ({ how, opened: { indexes } }: Put) =>
      indexes.length === 0 ? how !== 'insert' : how === 'add' && !indexes.some(({ spec }) => spec.unique)
    if (seen.length === 0 && made.every(isBlind)) {
      await file.write(() => write(), size)
      return true
    }
    const outcome = await file.transact(() => {
      for (const { table, key, bytes } of seen) if (!same(table.getBytes(key), bytes)) return false
      for (const { opened, key, row, how } of made) {
        if (how === 'insert' && opened.rows.has(key)) return new UniqueConflict(opened.spec.name, 'key')
        if (row === null) continue
        for (const { name, spec, table } of opened.indexes) {
          if (!spec.unique) continue
          for (const values of indexKeys(spec, row)) {
            const held = table.get(keyFrom(values.map(short)))
            if (held !== undefined && String(held) !== String(key)) return new UniqueConflict(opened.spec.name, name)
          }
        }
      }
      // A damaged row throws here, before anything is written.
      write(
        made.map(({ opened, key, how }) =>
          how !== 'put' || opened.indexes.length === 0 ? null : rowOf<Row>(opened, key, opened.rows.getBytes(key)),
        ),
      )
      return true
    })
    if (outcome instanceof Error) throw outcome
    return outcome
  }

  /** The key of the row that a unique index has under these values. */
  #entryOf(spec: AnyTable, index: string, values: readonly Value[]): Value[] | null {
    const found = indexOf(this.#open(spec), index).table.get(keyFrom(values.map(short))) as Key | undefined
    return found === undefined ? null : [found].flat()
  }

  #open(spec: AnyTable): Opened {
    const known = this.#opened.get(spec.name)
    if (known) return known
    const file = spec.large ? this.#large : this.#main
    const indexes = Object.entries(spec.indexes ?? {}).map(([name, each]) => ({
      name,
      spec: each,
      table: file.table<1>(`${spec.name}.${name}`),
    }))
    const rows = file.table<Buffer>(spec.name, 'binary')
    const opened = { spec, file, rows, checksum: crc32(spec.name), indexes }
    this.#opened.set(spec.name, opened)
    return opened
  }
}

/** One value is a key by itself, as earlier versions have it. */
const keyFrom = (values: readonly Value[]): Key => (values.length === 1 ? (values[0] as Value) : values)

/** A value in an index, whose length is limited. */
const short = (value: Value): Value =>
  typeof value === 'string' && value.length > INDEXED_CHARS_MAX
    ? createHash('sha256').update(value).digest('hex')
    : value

const indexOf = (opened: Opened, name: string) => {
  const index = opened.indexes.find((each) => each.name === name)
  if (!index) throw new Error(`${opened.spec.name} has no index ${name}`)
  return index
}

/** A unique index has the key of the row as what it holds; another one has it behind its own values. */
const entriesOf = (opened: Opened, spec: AnyIndex, row: Row): Key[] =>
  indexKeys(spec, row).map((values) =>
    spec.unique ? keyFrom(values.map(short)) : [...values.map(short), ...behind(opened, spec, row)],
  )
const entryFor = (spec: AnyIndex, key: Key): unknown => (spec.unique ? key : 1)

/** The fields of the key that are not in the index already. */
const behind = (opened: Opened, spec: AnyIndex, row: Row): Value[] =>
  opened.spec.key.filter((field) => !spec.fields.includes(field)).map((field) => row[field] as Value)

/** Where the fields of a row's key are in an entry of an index. */
function keyIn({ spec }: Opened, index: AnyIndex, entry: readonly Value[]): Value[] {
  const rest = spec.key.filter((field) => !index.fields.includes(field))
  return spec.key.map((field) => {
    const at = index.fields.indexOf(field)
    return entry[at < 0 ? index.fields.length + rest.indexOf(field) : at] as Value
  })
}

async function* ofRows({ rows }: Opened, range: Range): AsyncGenerator<[Key, Buffer]> {
  for await (const { key, value } of rows.scan(boundsOf(range))) yield [key, value]
}

async function* ofIndex(opened: Opened, name: string, range: Range): AsyncGenerator<[Key, Buffer | undefined]> {
  for await (const key of keysOfIndex(opened, name, range)) yield [key, opened.rows.getBytes(key)]
}

async function* keysOfIndex(opened: Opened, name: string, range: KeyRange): AsyncGenerator<Key> {
  const { spec, table } = indexOf(opened, name)
  const { of = [], after } = range
  // The key is not in a unique one.
  const behind = after && spec.unique ? after.slice(0, spec.fields.length - of.length) : after
  for await (const { key, value } of table.scan(boundsOf({ ...range, after: behind })))
    yield spec.unique ? (value as unknown as Key) : keyFrom(keyIn(opened, spec, [key].flat() as Value[]))
}

/** A range as lmdb has it: a start that counts and an end that does not; going down, an end that counts and a start that does not. */
function boundsOf({ of = [], from, to, after, down = false }: Range): Parameters<Table<1>['scan']>[0] {
  const low = keyFrom(from === undefined ? of : [...of, from])
  const high = keyFrom(to === undefined ? [...of, LAST] : [...of, to])
  const isOpen = of.length === 0 && from === undefined
  return {
    ...(isOpen && !down ? {} : { from: down ? high : low }),
    ...(isOpen && down ? {} : { to: down ? low : high }),
    ...(after ? { after: keyFrom([...of, ...after]) } : {}),
    down,
  }
}

const checksumOf = (opened: Opened, key: Key, bytes: Uint8Array): number =>
  crc32(bytes, crc32(String(key), opened.checksum))

function bytesOf(opened: Opened, key: Key, row: Row): Buffer {
  const { bytes: field } = opened.spec
  const content = field === undefined ? JSON.stringify(row) : (row[field] as Uint8Array)
  const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length
  const kept = Buffer.allocUnsafe(HEAD_BYTES + length)
  if (typeof content === 'string') kept.write(content, HEAD_BYTES)
  else kept.set(content, HEAD_BYTES)
  kept[0] = CHECKED
  kept.writeUInt32LE(checksumOf(opened, key, kept.subarray(HEAD_BYTES)), 1)
  return kept
}

/** What is kept, without its checksum. */
export const contentOf = (bytes: Buffer): Buffer => (bytes[0] === CHECKED ? bytes.subarray(HEAD_BYTES) : bytes)

/** @throws StoreDamaged when the row is not what was written there */
function rowOf<R>(opened: Opened, key: Key, bytes: Buffer | undefined): R | null {
  if (bytes === undefined) return null
  const content = contentOf(bytes)
  if (content !== bytes && bytes.readUInt32LE(1) !== checksumOf(opened, key, content))
    throw new StoreDamaged(opened.spec.name, String(key))
  const { bytes: field, key: fields } = opened.spec
  if (field === undefined) return JSON.parse(content.toString()) as R
  const values = [key].flat()
  return { ...Object.fromEntries(fields.map((name, n) => [name, values[n]])), [field]: content } as R
}

const same = (a: Buffer | undefined, b: Buffer | undefined) => (a && b ? a.equals(b) : a === b)

/** Settings, which also earlier versions read: they refuse a folder of a newer one by what is there. */
export function settingsOf(file: LmdbFile): Settings {
  const settings = file.table<string>('settings')
  return {
    get: async (name) => settings.get(name) ?? null,
    propose: (name, value) =>
      file.transact(() => {
        const kept = settings.get(name)
        if (kept === undefined) settings.put(name, value)
        return kept ?? value
      }),
    put: (name, value) => file.write(() => settings.put(name, value)),
  }
}
