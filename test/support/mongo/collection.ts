import { ObjectId } from 'bson'
import { Query } from 'mingo'
import { CommandError, type Doc } from './doc.ts'
import { type Overlay, type Transaction, writeConflict } from './transaction.ts'
import { applyUpdate, equalities, type Update } from './update.ts'

export interface IndexSpec {
  readonly name: string
  readonly key: Readonly<Record<string, 1 | -1>>
  readonly unique?: boolean
  readonly sparse?: boolean
  readonly partialFilterExpression?: Doc
  readonly expireAfterSeconds?: number
}

export interface Found {
  readonly sort?: Record<string, 1 | -1>
  readonly skip?: number
  readonly limit?: number
  readonly projection?: Doc
}

/** One collection. Documents are never changed in place: an update puts a new one, into the transaction that it is of. */
export class Collection {
  readonly #name: string
  readonly #open: ReadonlySet<Transaction>
  readonly #docs = new Map<string, Doc>()
  readonly #indexes: Index[] = []
  /** `open`: the transactions that may see it later, now or then. */
  constructor(name: string, open: ReadonlySet<Transaction>) {
    this.#name = name
    this.#open = open
  }

  get size(): number {
    return this.#docs.size
  }
  get specs(): IndexSpec[] {
    return [{ name: '_id_', key: { _id: 1 } }, ...this.#indexes.map(({ spec }) => spec)]
  }

  insert(doc: Doc, transaction: Transaction): void {
    const whole = doc._id === undefined ? { _id: new ObjectId(), ...doc } : doc
    const id = text(whole._id)
    if (this.#seen(id, transaction.at(this))) throw this.#duplicate('_id_', { _id: 1 }, { _id: whole._id })
    this.#put(id, whole, transaction)
  }

  find(filter: Doc, transaction: Transaction, { sort, skip = 0, limit = 0, projection }: Found = {}): Doc[] {
    const overlay = transaction.at(this)
    const names = Object.keys(filter)
    // A query takes far longer to make than an id to look up.
    if (!sort && !projection && (names.length === 0 || (names.length === 1 && valuesWanted(filter._id)))) {
      return this.#candidates(filter, overlay).slice(skip, limit ? skip + limit : undefined)
    }
    const query = queryOf(filter)
    if (!sort && !projection) return this.#first(query, this.#candidates(filter, overlay), skip, limit)
    let cursor = query.find<Doc>(this.#candidates(filter, overlay), (projection ?? {}) as never)
    if (sort) cursor = cursor.sort(sort)
    if (skip) cursor = cursor.skip(skip)
    return (limit ? cursor.limit(limit) : cursor).all()
  }

  #first(query: Query, candidates: Doc[], skip: number, limit: number): Doc[] {
    const found: Doc[] = []
    for (const doc of candidates) {
      if (query.test(doc)) found.push(doc)
      if (limit && found.length === skip + limit) break
    }
    return skip ? found.slice(skip) : found
  }

  /** Updates what matches (the first, or all), else inserts when `upsert` says so. */
  update(
    filter: Doc,
    update: Update,
    transaction: Transaction,
    options: { upsert?: boolean; multi?: boolean; sort?: Found['sort'] } = {},
  ) {
    const { upsert, multi, sort } = options
    const before = this.find(filter, transaction, { ...(sort ? { sort } : {}), limit: multi ? 0 : 1 })
    if (before.length === 0 && upsert) {
      const doc = applyUpdate(equalities(filter), update, true).doc
      const whole = { _id: doc._id ?? new ObjectId(), ...doc }
      this.insert(whole, transaction)
      return { before: null, after: whole, matched: 1, modified: 0, upserted: whole._id }
    }
    let modified = 0
    let after: Doc | null = null
    for (const old of before) {
      const { doc, changed } = applyUpdate(old, update, false)
      after = doc
      if (text(doc._id) !== text(old._id)) throw new CommandError(66, "the field '_id' is immutable")
      if (changed) this.#put(text(old._id), doc, transaction)
      if (changed) modified++
    }
    return { before: before.at(-1) ?? null, after, matched: before.length, modified, upserted: undefined }
  }

  remove(doc: Doc, transaction: Transaction): void {
    this.#put(text(doc._id), null, transaction)
  }

  /** What a transaction has written is there from now on; the others see what they saw before. */
  apply(written: Overlay['own'], writer: Transaction): void {
    for (const id of written.keys()) {
      const before = this.#docs.get(id)
      for (const index of this.#indexes) if (before) index.remove(id, before)
      for (const other of this.#open) {
        const { old } = other.at(this)
        if (other !== writer && !old.has(id)) old.set(id, before ?? null)
      }
    }
    for (const [id, doc] of written) {
      if (doc) this.#docs.set(id, doc)
      else this.#docs.delete(id)
      for (const index of this.#indexes) if (doc) index.add(id, doc)
    }
  }

  /** Whether it is new. */
  createIndex(spec: IndexSpec): boolean {
    const same = this.specs.find(({ name }) => name === spec.name)
    if (same && !same.unique !== !spec.unique)
      throw new CommandError(86, `An existing index has the same name as the requested index: ${spec.name}`)
    if (same) return false
    const index = new Index(spec)
    for (const [id, doc] of this.#docs) {
      if (index.holder(index.uniqueKeyOf(doc))) throw this.#duplicate(spec.name, spec.key, {})
      index.add(id, doc)
    }
    this.#indexes.push(index)
    return true
  }
  dropIndex(dropped: string): void {
    const at = this.#indexes.findIndex(({ spec }) => spec.name === dropped)
    if (at < 0) throw new CommandError(27, `index not found with name [${dropped}]`)
    this.#indexes.splice(at, 1)
  }

  #put(id: string, doc: Doc | null, transaction: Transaction): void {
    const mine = transaction.at(this)
    const others = [...this.#open].filter((each) => each !== transaction).map((each) => each.at(this))
    if ((mine.old.has(id) && !mine.own.has(id)) || others.some(({ own }) => own.has(id))) throw writeConflict()
    const before = mine.own.get(id)
    const keys: string[] = []
    for (const index of this.#indexes) {
      const key = doc && index.uniqueKeyOf(doc)
      if (doc === null || key === null) continue
      const holder = mine.keys.get(key) ?? index.holder(key)
      const held = holder === undefined || holder === id ? null : this.#seen(holder, mine)
      const was = ([at, old]: [string, Doc | null]) =>
        old && at !== id && !mine.own.has(at) && index.uniqueKeyOf(old) === key
      if ((held && index.uniqueKeyOf(held) === key) || [...mine.old].some(was)) {
        throw this.#duplicate(index.spec.name, index.spec.key, index.valuesOf(doc))
      }
      // Others have it, out of its sight.
      const unseen = holder !== undefined && holder !== id && mine.old.has(holder) && !mine.own.has(holder)
      if (unseen || others.some((other) => other.keys.has(key))) throw writeConflict()
      keys.push(key)
    }
    for (const index of this.#indexes) {
      const key = before && index.uniqueKeyOf(before)
      if (key) mine.keys.delete(key)
    }
    for (const key of keys) mine.keys.set(key, id)
    mine.own.set(id, doc)
  }

  #seen(id: string, overlay: Overlay): Doc | null {
    const seen = overlay.get(id)
    return seen === undefined ? (this.#docs.get(id) ?? null) : seen
  }

  /** The documents that can match: by id, else by the index that leaves the fewest, else all. */
  #candidates(filter: Doc, overlay: Overlay): Doc[] {
    const ids = valuesWanted(filter._id)
    if (ids) return this.#having(ids.map(text), overlay)
    let best: Set<string> | null = null
    for (const index of this.#indexes) {
      const found = index.lookUp(filter)
      if (found && (!best || found.size < best.size)) best = found
    }
    const more = overlay.ids()
    if (more.size === 0) return best ? this.#having(best, overlay) : [...this.#docs.values()]
    return this.#having(new Set([...(best ?? this.#docs.keys()), ...more]), overlay)
  }

  #having(ids: Iterable<string>, overlay: Overlay): Doc[] {
    const found: Doc[] = []
    for (const id of ids) {
      const doc = this.#seen(id, overlay)
      if (doc) found.push(doc)
    }
    return found
  }

  #duplicate(index: string, keyPattern: Doc, keyValue: Doc): CommandError {
    const message = `E11000 duplicate key error collection: ${this.#name} index: ${index} dup key: ${JSON.stringify(keyValue)}`
    return new CommandError(11000, message, { keyPattern, keyValue })
  }
}

/** An index by hash of its first field, and of its whole key when that is unique. */
class Index {
  readonly spec: IndexSpec
  readonly #fields: string[]
  readonly #partial: Query | null
  readonly #byFirst = new Map<string, Set<string>>()
  readonly #byKey = new Map<string, string>()
  constructor(spec: IndexSpec) {
    this.spec = spec
    this.#fields = Object.keys(spec.key)
    this.#partial = spec.partialFilterExpression ? new Query(spec.partialFilterExpression as never, {}) : null
  }

  valuesOf(doc: Doc): Doc {
    return Object.fromEntries(this.#fields.map((field) => [field, at(doc, field)]))
  }

  /** The key that no other document may have, told apart from those of other indexes; `null` when there is none. */
  uniqueKeyOf(doc: Doc): string | null {
    if (!this.spec.unique || !this.#covers(doc)) return null
    return [this.spec.name, ...this.#fields.map((field) => text(at(doc, field) ?? null))].join('\u0000')
  }
  /** The document that has a key. */
  holder(key: string | null): string | undefined {
    return key === null ? undefined : this.#byKey.get(key)
  }

  add(id: string, doc: Doc): void {
    if (!this.#covers(doc)) return
    const key = this.uniqueKeyOf(doc)
    if (key !== null) this.#byKey.set(key, id)
    for (const first of this.#firstsOf(doc)) {
      const ids = this.#byFirst.get(first) ?? new Set()
      this.#byFirst.set(first, ids.add(id))
    }
  }

  remove(id: string, doc: Doc): void {
    if (!this.#covers(doc)) return
    const key = this.uniqueKeyOf(doc)
    if (key !== null) this.#byKey.delete(key)
    for (const first of this.#firstsOf(doc)) {
      const ids = this.#byFirst.get(first)
      ids?.delete(id)
      if (ids?.size === 0) this.#byFirst.delete(first)
    }
  }

  /** The documents that an equality on the first field leaves; `null` when this index cannot say. */
  lookUp(filter: Doc): Set<string> | null {
    const wanted = valuesWanted(filter[this.#fields[0] ?? ''])
    if (!wanted || this.#partial || (this.spec.sparse && wanted.includes(null))) return null
    const [only] = wanted
    if (wanted.length === 1) return this.#byFirst.get(text(only)) ?? new Set()
    return new Set(wanted.flatMap((value) => [...(this.#byFirst.get(text(value)) ?? [])]))
  }

  #covers(doc: Doc): boolean {
    if (this.#partial && !this.#partial.test(doc)) return false
    return !this.spec.sparse || this.#fields.some((field) => at(doc, field) !== undefined)
  }
  /** A list is found by each of its members. */
  #firstsOf(doc: Doc): string[] {
    const value = at(doc, this.#fields[0] ?? '') ?? null
    return [...new Set((Array.isArray(value) ? value : [value]).map(text))]
  }
}

/** The values that an equality or `$in` asks for; `null` for any other condition. */
function valuesWanted(condition: unknown): readonly unknown[] | null {
  if (condition === undefined) return null
  if (condition === null || typeof condition !== 'object' || condition instanceof ObjectId) return [condition]
  const { $in, $eq } = condition as Doc
  if (Array.isArray($in)) return $in.some((value) => value instanceof RegExp) ? null : $in
  return $eq === undefined ? null : [$eq]
}

/** Queries that were made lately: one takes far longer to make than to answer. Those with an expression know the time that it was. */
const known = new Map<string, Query>()
const KNOWN_MAX = 200

function queryOf(filter: Doc): Query {
  const key = JSON.stringify(filter)
  const query = known.get(key) ?? new Query(filter as never, {})
  if (key.length > 300 || key.includes('$expr') || key.includes('$in') || hasObjects(filter)) return query
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(key, query)
  return query
}

/** Whether something of it does not read the same in JSON. */
const hasObjects = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value)
    ? Object.values(value).some(hasObjects)
    : true)

export const at = (doc: Doc, path: string) =>
  path.split('.').reduce<unknown>((value, key) => (value as Doc | undefined)?.[key], doc)

/** A value as the key of a map. */
const text = (value: unknown) =>
  value instanceof ObjectId
    ? `o${value.toHexString()}`
    : typeof value === 'string'
      ? `s${value}`
      : JSON.stringify(value)
