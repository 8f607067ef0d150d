import { setTimeout as pause } from 'node:timers/promises'
import { StoreDamaged, UniqueConflict } from '../errors.ts'
import { MONGODB_CALL_MS_MAX } from '../limits.ts'
import {
  type AnyIndex,
  type AnyTable,
  type Driver,
  type KeyRange,
  keyOf,
  type Range,
  readable,
  type Settings,
  type TableSpec,
  type Transaction,
  type Value,
} from '../port.ts'
import {
  type AnyBulkWriteOperation,
  type AnyClientBulkWriteModel,
  BSON,
  type ClientSession,
  type Db,
  type Document,
  duplicateOf,
  hasLabel,
  insertOnce,
  isConflicting,
  MongoClientBulkWriteError,
  type MongoDatabase,
  MongoServerError,
  ReadConcern,
  SAFE,
  upserting,
} from './client.ts'
import { fenceStep, isFenced, type MongoFence, type Place, Places, replaced } from './fencing.ts'
import { GroupCommit, type Writes } from './group-commit.ts'
import { PAUSE_MS_MAX, TRANSACTION_MS_MAX } from './limits.ts'
import { limited } from './stuck-monitor.ts'
import { noAnswer } from './wording.ts'

type Row = Record<string, unknown>
type Bare = Pick<MongoDatabase, 'present' | 'writesTogether'>

/** What came of `work`, and how many documents that it changed were there. */
interface Outcome<T> {
  readonly result: T
  readonly matched: number
  /** Its writes, which are still to be made: it has read nothing. */
  readonly unmade?: Writes<Write>
}

/** One write, with what the driver wants to know of it, which is the same for one collection and for several. */
interface Write {
  readonly spec: AnyTable
  readonly name: 'insertOne' | 'replaceOne' | 'deleteOne' | 'updateOne'
  readonly what: Document
}

const UNKNOWN_COMMIT = 'UnknownTransactionCommitResult'
/** It sees what others have committed before its first read, and none of what comes later. */
const TRANSACTION = { ...SAFE, readConcern: new ReadConcern('snapshot') }

/**
 * The driver for MongoDB. The reads and writes of a transaction are of one snapshot; one that writes what another has
 * written since runs again. One write that nothing was read for needs no transaction.
 */
export class MongoDriver implements Driver {
  readonly #database: Bare
  readonly #fence: MongoFence | null
  readonly #places: Places
  /** Of transactions that have read nothing; where the server takes several collections in a command. */
  readonly #commits: GroupCommit<Write> | null
  #again: Promise<unknown> = Promise.resolve()

  constructor(database: Bare, fence: MongoFence | null = null) {
    this.#database = database
    this.#fence = fence
    this.#places = new Places(fence)
    const commit = (all: Writes<Write>, until: number) => this.#run((attempt) => attempt.writeAll(all), until)
    this.#commits = fence && database.writesTogether ? new GroupCommit({ commit, isRefused }) : null
  }

  /**
   * The same database for one who may be replaced: each of its transactions that write changes a document of the fence
   * first. When another has raised it, nothing of that transaction is kept, and no other begins.
   */
  under(fence: MongoFence): MongoDriver {
    return new MongoDriver(this.#database, fence)
  }

  get<R extends object>(spec: TableSpec<R>, ...key: Value[]): Promise<R | null> {
    return one<R>(this.#database.present().db, spec, { _id: idOf(key) })
  }

  find<R extends object>(spec: TableSpec<R>, index: string, ...values: Value[]): Promise<R | null> {
    return one<R>(this.#database.present().db, spec, filterOf(spec, index, { of: values }))
  }

  range<R extends object>(spec: TableSpec<R>, index: string | null, range: Range = {}): AsyncGenerator<R> {
    return this.#rows(spec, index, range)
  }

  async *keys<R extends object>(
    spec: TableSpec<R>,
    index: string | null,
    range: KeyRange = {},
  ): AsyncGenerator<Value[]> {
    const fields = [...spec.key.map((field) => fieldIn(spec, field)), 'gone']
    const projection = Object.fromEntries(fields.map((field) => [field, 1]))
    for await (const row of this.#rows(spec, index, range, { projection })) yield keyOf(spec, row)
  }

  async *#rows<R extends object>(
    spec: TableSpec<R>,
    index: string | null,
    range: Range,
    only: { readonly projection?: Document } = {},
  ): AsyncGenerator<R> {
    const { of = [], down = false, limit = Number.POSITIVE_INFINITY } = range
    if (limit < 1) return
    const { fields } = indexOf(spec, index)
    const sort = Object.fromEntries(fields.slice(of.length).map((field) => [field, down ? -1 : 1] as const))
    const options = { ...only, sort, ...(Number.isFinite(limit) ? { limit } : {}) }
    const { db } = this.#database.present()
    for await (const doc of db.collection(nameOf(spec)).find(filterOf(spec, index, range), options)) {
      const row = readable(range, String(doc._id), () => rowOf<R>(spec, doc))
      if (row) yield row
    }
  }

  async transact<T>(work: (tx: Transaction) => Promise<T> | T): Promise<T> {
    return (await this.#run(work, undefined, this.#commits)).result
  }

  async patch<R extends object>(
    spec: TableSpec<R>,
    key: readonly Value[],
    fields: Partial<NoInfer<R>>,
  ): Promise<boolean> {
    const what = { filter: { _id: idOf(key) }, update: { $set: fieldsOf(spec, fields) } }
    const { matched } = await this.#run((attempt) => attempt.write(key, { spec, name: 'updateOne', what }))
    return matched > 0
  }

  async missing<R extends object, Id extends Value>(spec: TableSpec<R>, ids: readonly Id[]): Promise<Id[]> {
    const { db } = this.#database.present()
    const rows = db.collection<{ _id: Value }>(nameOf(spec))
    const found = await rows.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray()
    const there = new Set<Value>(found.map(({ _id }) => _id))
    return ids.filter((id) => !there.has(id))
  }

  /**
   * Makes the indexes of these tables that are missing. A majority of the set's members is enough: with all of them,
   * which is what a server waits for unless it is told, one member that is down would keep the service from starting.
   */
  async makeIndexes(specs: readonly AnyTable[]): Promise<void> {
    const { db } = this.#database.present()
    const make = (spec: AnyTable) =>
      indexesOf(spec).map(({ pattern, unique }) => {
        const options = unique ? { unique, sparse: true } : {}
        return db.collection(nameOf(spec)).createIndex(pattern, { ...options, commitQuorum: 'majority' })
      })
    await Promise.all(specs.flatMap(make))
  }

  async #run<T>(
    work: (attempt: Attempt) => Promise<T> | T,
    until = performance.now() + MONGODB_CALL_MS_MAX,
    commits: GroupCommit<Write> | null = null,
  ): Promise<Outcome<T>> {
    const run = async () => {
      const left = Math.min(until - performance.now(), TRANSACTION_MS_MAX)
      if (left < 0) throw noAnswer()
      const attempt = new Attempt(this, this.#database, this.#fence, this.#places, commits !== null)
      const outcome = await limited(attempt.run(work), left, noAnswer).finally(() => attempt.end())
      if (outcome.unmade) await commits?.add(outcome.unmade, until)
      return outcome
    }
    for (let tries = 1; ; tries++) {
      try {
        return await (tries === 1 ? run() : this.#alone(run))
      } catch (error) {
        if (!(isConflicting(error) || isFenced(error)) || performance.now() > until) throw error
        await pause(Math.random() * Math.min(PAUSE_MS_MAX, 2 ** tries))
      }
    }
  }

  /** Those that run again do so one after another: at once they would go on ending each other. */
  #alone<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#again.then(run)
    this.#again = turn.catch(() => {})
    return turn
  }
}

/** One run of a transaction. It begins with the first read, or with the commit. */
class Attempt implements Transaction {
  readonly #driver: MongoDriver
  readonly #present: ReturnType<Bare['present']>
  readonly #together: boolean
  readonly #fence: MongoFence | null
  readonly #places: Places
  /** Writes of one that has read nothing are left to others. */
  readonly #leaves: boolean
  readonly #writes = new Map<string, Write>()
  #place: Place | null = null
  #session: ClientSession | null = null
  /** A session does one thing after another. */
  #before: Promise<unknown> = Promise.resolve()
  #settled = false
  #over = false

  constructor(driver: MongoDriver, database: Bare, fence: MongoFence | null, places: Places, leaves: boolean) {
    this.#leaves = leaves
    this.#driver = driver
    this.#present = database.present()
    this.#together = database.writesTogether
    this.#fence = fence
    this.#places = places
  }

  get<R extends object>(spec: TableSpec<R>, ...key: Value[]): Promise<R | null> {
    return this.#read<R>(spec, { _id: idOf(key) })
  }
  find<R extends object>(spec: TableSpec<R>, index: string, ...values: Value[]): Promise<R | null> {
    return this.#read<R>(spec, filterOf(spec, index, { of: values }))
  }
  range<R extends object>(spec: TableSpec<R>, index: string | null, range?: Range): AsyncIterable<R> {
    return this.#driver.range(spec, index, range)
  }
  keys<R extends object>(spec: TableSpec<R>, index: string | null, range?: KeyRange): AsyncIterable<Value[]> {
    return this.#driver.keys(spec, index, range)
  }
  insert<R extends object>(spec: TableSpec<R>, row: R): void {
    const key = keyOf(spec, row)
    const document = { _id: idOf(key), ...fieldsOf(spec, row) }
    this.write(key, { spec, name: 'insertOne', what: { document } })
  }
  put<R extends object>(spec: TableSpec<R>, row: R): void {
    const key = keyOf(spec, row)
    const what = { filter: { _id: idOf(key) }, replacement: fieldsOf(spec, row), upsert: true }
    this.write(key, { spec, name: 'replaceOne', what })
  }
  /** A key that is taken would end the transaction. */
  add<R extends object>(spec: TableSpec<R>, row: R): void {
    this.put(spec, row)
  }
  remove<R extends object>(spec: TableSpec<R>, ...key: Value[]): void {
    this.write(key, { spec, name: 'deleteOne', what: { filter: { _id: idOf(key) } } })
  }
  write(key: readonly Value[], write: Write): void {
    this.#writes.set(`${nameOf(write.spec)} ${idOf(key)}`, write)
  }
  writeAll(writes: Writes<Write>): void {
    for (const [key, write] of writes) this.#writes.set(key, write)
  }

  async run<T>(work: (attempt: Attempt) => Promise<T> | T): Promise<Outcome<T>> {
    try {
      return await this.#made(await work(this))
    } finally {
      await this.#before
      this.#settled = true
    }
  }

  async #made<T>(result: T): Promise<Outcome<T>> {
    await this.#before
    if (this.#over) throw noAnswer()
    const writes = [...this.#writes.values()]
    if (writes.length === 0) return { result, matched: 0 }
    if (this.#leaves && !this.#session) return { result, matched: 0, unmade: this.#writes }
    try {
      if (writes.length === 1 && !this.#fence && !this.#session)
        return { result, matched: await this.#oneByOne(writes, {}) }
      const session = await this.#begun()
      const matched = this.#together
        ? await this.#allAtOnce(writes, session)
        : await this.#stepAlone(session).then(() => this.#oneByOne(writes, { session }))
      if (this.#over) {
        // It was ended when it was given up, and has begun anew with a write that was late.
        session.abortTransaction().catch(() => {})
        throw noAnswer()
      }
      await this.#commit(session)
      return { result, matched }
    } catch (error) {
      if (this.#fence && !this.#over && isFenced(error)) await this.#place?.refused(this.#present, this.#fence)
      throw conflictOf(error, writes)
    }
  }

  /** What was not committed is not kept: what may be under way still is ended. */
  end(): void {
    const isStuck = !this.#settled
    this.#over = true
    const place = this.#place
    this.#place = null
    if (place && this.#fence)
      void place.clear(isStuck, this.#present, this.#fence).then(() => this.#places.leave(place))
    else this.#session?.endSession().catch(() => {})
  }

  #read<R>(spec: AnyTable, filter: Document): Promise<R | null> {
    const read = this.#before.then(async () => one<R>(this.#present.db, spec, filter, await this.#begun()))
    this.#before = read.catch(() => {})
    return read
  }

  async #begun(): Promise<ClientSession> {
    if (this.#session) return this.#session
    const fence = this.#fence
    if (fence?.isLost()) throw replaced()
    this.#session = fence ? await this.#placed(fence) : this.#present.client.startSession()
    this.#session.startTransaction(TRANSACTION)
    return this.#session
  }

  async #placed(fence: MongoFence): Promise<ClientSession> {
    const place = await this.#places.enter()
    if (this.#over) {
      this.#places.leave(place)
      throw noAnswer()
    }
    this.#place = place
    await this.#places.clear(this.#present, fence)
    return place.enter(this.#present, fence)
  }

  /** Several collections in one command, the fence first. Resolves to how many documents were there. */
  async #allAtOnce(writes: readonly Write[], session: ClientSession): Promise<number> {
    const namespaceOf = (collection: string) => `${this.#present.db.databaseName}.${collection}`
    const models = writes.map(({ spec, name, what }) => ({ name, namespace: namespaceOf(nameOf(spec)), ...what }))
    const fence = this.#fence
    const first = fence && {
      ...{ name: 'updateOne', namespace: namespaceOf(fence.collection) },
      ...this.#step(fence, session),
    }
    const all = (first ? [first, ...models] : models) as AnyClientBulkWriteModel<Document>[]
    const { matchedCount } = await this.#present.client.bulkWrite(all, { session })
    return fence ? matchedCount - 1 : matchedCount
  }

  async #oneByOne(writes: readonly Write[], options: { session?: ClientSession }): Promise<number> {
    let matched = 0
    for (const collection of new Set(writes.map(({ spec }) => nameOf(spec)))) {
      const own = writes.filter(({ spec }) => nameOf(spec) === collection)
      const models = own.map(({ name, what }) => ({ [name]: what }) as unknown as AnyBulkWriteOperation<Document>)
      matched += (await this.#present.db.collection(collection).bulkWrite(models, options)).matchedCount
    }
    return matched
  }

  /** The document of the fence alone, first, for a server that takes one collection in a command. */
  async #stepAlone(session: ClientSession): Promise<void> {
    const fence = this.#fence
    if (!fence) return
    const { filter, update, upsert } = this.#step(fence, session)
    await this.#present.db.collection(fence.collection).updateOne(filter, update, { upsert, session })
  }

  #step({ epoch }: MongoFence, session: ClientSession) {
    if (!this.#place) throw noAnswer()
    return fenceStep(this.#place, session, epoch)
  }

  async #commit(session: ClientSession): Promise<void> {
    for (;;) {
      try {
        return await session.commitTransaction()
      } catch (error) {
        if (this.#over || !hasLabel(error, UNKNOWN_COMMIT)) throw error
        await pause(Math.random() * PAUSE_MS_MAX)
      }
    }
  }
}

/** Of a transaction that the server did not begin, or has ended: of any other it is not known what became of it. */
const isRefused = (error: unknown): boolean =>
  error instanceof UniqueConflict ||
  error instanceof BSON.BSONError ||
  (error instanceof MongoServerError && !hasLabel(error, UNKNOWN_COMMIT)) ||
  (error instanceof MongoClientBulkWriteError && error.writeErrors.size > 0)

/** What an error of these writes is to those who made them. */
function conflictOf(error: unknown, writes: readonly Write[]): unknown {
  const { collection, index } = duplicateOf(error) ?? {}
  const own = writes.filter(({ spec }) => nameOf(spec) === collection)
  const [first] = own
  if (!first) return error
  const { spec } = first
  // Two that put the same row can meet outside a transaction: the one that was refused then finds it.
  if (index === '_id_')
    return own.some(({ name }) => name === 'insertOne') ? new UniqueConflict(spec.name, 'key') : error
  const name = Object.keys(spec.indexes ?? {}).find((each) => patternName(indexOf(spec, each).pattern) === index)
  return new UniqueConflict(spec.name, name ?? String(index))
}

async function one<R>(db: Db, spec: AnyTable, filter: Document, session?: ClientSession): Promise<R | null> {
  return rowOf<R>(spec, await db.collection(nameOf(spec)).findOne(filter, session ? { session } : {}))
}

export const nameOf = ({ collection, name }: AnyTable): string => collection ?? name

/** One value is an id by itself. */
const idOf = (key: readonly Value[]): Value => (key.length === 1 ? (key[0] as Value) : key.join(':'))

/** A field as documents have it: a key of one field is the id. */
const fieldIn = ({ key }: AnyTable, field: string): string => (key.length === 1 && field === key[0] ? '_id' : field)

/**
 * The fields of an index, or of the key (`null`), in their order, with those of the key behind; and the pattern that
 * finds them. What all rows of the index have in common comes first in it: MongoDB has the other rows there, too.
 */
function indexOf(spec: AnyTable, name: string | null) {
  const index: AnyIndex | undefined = name === null ? { fields: spec.key } : spec.indexes?.[name]
  if (!index) throw new Error(`${spec.name} has no index ${name}`)
  const { unique = false, only = {} } = index
  const own = index.fields.map((field) => fieldIn(spec, field))
  const key = spec.key.map((field) => fieldIn(spec, field))
  const fields = unique ? own : [...new Set([...own, ...key])]
  const pattern = Object.fromEntries(
    [...(unique ? [] : Object.keys(only)), ...fields].map((field) => [field, 1 as const] as const),
  )
  return { fields, own, only, unique, pattern }
}

/** What a server calls an index that was given no name. */
const patternName = (pattern: object): string =>
  Object.entries(pattern)
    .map(([field, direction]) => `${field}_${direction}`)
    .join('_')

/** What a table has indexes for, but for those of its ids; those that are unique are sparse. */
export function indexesOf(spec: AnyTable): { name: string; pattern: Record<string, 1>; unique: boolean }[] {
  const names = [...(spec.key.length > 1 ? [null] : []), ...Object.keys(spec.indexes ?? {})]
  return names.map((each) => {
    const { pattern, unique } = indexOf(spec, each)
    return { name: patternName(pattern), pattern, unique }
  })
}

function filterOf(spec: AnyTable, index: string | null, range: Range): Document {
  const { of = [], from, to, down = false, match } = range
  const { fields, own, only } = indexOf(spec, index)
  const rest = fields.slice(of.length)
  const after = range.after?.slice(0, rest.length) ?? []
  const next = rest[0] as string
  const named = Object.entries({ ...only, ...match }).map(([field, value]) => ({ [fieldIn(spec, field)]: value }))
  const conditions: Document[] = [...named, ...of.map((value, n) => ({ [fields[n] as string]: value }))]
  if (index !== null && of.length === 0) conditions.push({ [own[0] as string]: { $ne: null } })
  if (from !== undefined) conditions.push({ [next]: { $gte: from } })
  if (to !== undefined) conditions.push({ [next]: { $lt: to } })
  if (after.length > 0) {
    const same = (count: number) => Object.fromEntries(after.slice(0, count).map((value, n) => [rest[n], value]))
    const behind = (value: Value, n: number) => ({ ...same(n), [rest[n] as string]: { [down ? '$lt' : '$gt']: value } })
    // The first says what follows from the second, so that an index begins there.
    conditions.push({ [next]: { [down ? '$lte' : '$gte']: after[0] } }, { $or: after.map(behind) })
  }
  return conditions.length === 0 ? {} : { $and: conditions }
}

/** The fields of a document; its id comes from the key. */
function fieldsOf(spec: AnyTable, row: object): Row {
  const texts = (spec.text ?? []).filter((field) => (row as Row)[field] !== undefined)
  return { ...row, ...Object.fromEntries(texts.map((field) => [field, JSON.stringify((row as Row)[field])])) }
}

function rowOf<R>(spec: AnyTable, doc: Document | null): R | null {
  if (doc === null) return null
  const { _id, ...row } = doc
  try {
    for (const field of spec.text ?? []) if (typeof row[field] === 'string') row[field] = JSON.parse(row[field])
  } catch {
    throw new StoreDamaged(nameOf(spec), String(_id))
  }
  const [key, ...more] = spec.key
  return (more.length === 0 ? { [key as string]: _id, ...row } : row) as R
}

/** What the service makes for itself once. */
export function settingsOf(database: Bare): Settings {
  const settings = () => database.present().db.collection<{ _id: string; value: string }>('settings')
  const get = async (name: string) => (await settings().findOne({ _id: name }))?.value ?? null
  return {
    get,
    async propose(name, value) {
      if (await insertOnce(settings(), { _id: name, value })) return value
      return (await get(name)) ?? value
    },
    async put(name, value) {
      await upserting(() => settings().replaceOne({ _id: name }, { value }, { upsert: true }))
    },
  }
}
