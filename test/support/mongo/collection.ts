import { ObjectId } from 'bson'
import { Query } from 'mingo'
import { CommandError, type Doc } from './doc.ts'
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

/** One collection. Documents are never changed in place: an update puts a new one. */
export class Collection {
  readonly #name: string
  readonly #docs = new Map<string, Doc>()
  readonly #indexes: Index[] = []
  constructor(name: string) {
    this.#name = name
  }

  get size(): number {
    return this.#docs.size
  }
  get specs(): IndexSpec[] {
    return [{ name: '_id_', key: { _id: 1 } }, ...this.#indexes.map(({ spec }) => spec)]
  }

  insert(doc: Doc): void {
    const whole = doc._id === undefined ? { _id: new ObjectId(), ...doc } : doc
    const id = text(whole._id)
    if (this.#docs.has(id)) throw this.#duplicate('_id_', { _id: 1 }, { _id: whole._id })
    this.#put(id, whole, null)
  }

  find(filter: Doc, { sort, skip = 0, limit = 0, projection }: Found = {}): Doc[] {
    const names = Object.keys(filter)
    // A query takes far longer to make than an id to look up.
    if (!sort && !projection && (names.length === 0 || (names.length === 1 && valuesWanted(filter._id)))) {
      return this.#candidates(filter).slice(skip, limit ? skip + limit : undefined)
    }
    const query = queryOf(filter)
    if (!sort && !projection) return this.#first(query, filter, skip, limit)
    let cursor = query.find<Doc>(this.#candidates(filter), (projection ?? {}) as never)
    if (sort) cursor = cursor.sort(sort)
    if (skip) cursor = cursor.skip(skip)
    return (limit ? cursor.limit(limit) : cursor).all()
  }

  #first(query: Query, filter: Doc, skip: number, limit: number): Doc[] {
    const found: Doc[] = []
    for (const doc of this.#candidates(filter)) {
      if (query.test(doc)) found.push(doc)
      if (limit && found.length === skip + limit) break
    }
    return skip ? found.slice(skip) : found
  }

  /** Updates what matches (the first, or all), else inserts when `upsert` says so. */
  update(filter: Doc, update: Update, options: { upsert?: boolean; multi?: boolean; sort?: Found['sort'] } = {}) {
    const { upsert, multi, sort } = options
    const before = this.find(filter, { ...(sort ? { sort } : {}), limit: multi ? 0 : 1 })
    if (before.length === 0 && upsert) {
      const doc = applyUpdate(equalities(filter), update, true).doc
      const whole = { _id: doc._id ?? new ObjectId(), ...doc }
      this.insert(whole)
      return { before: null, after: whole, matched: 1, modified: 0, upserted: whole._id }
    }
    let modified = 0
    let after: Doc | null = null
    for (const old of before) {
      const { doc, changed } = applyUpdate(old, update, false)
      after = doc
      if (text(doc._id) !== text(old._id)) throw new CommandError(66, "the field '_id' is immutable")
      if (changed) this.#put(text(old._id), doc, old)
      if (changed) modified++
    }
    return { before: before.at(-1) ?? null, after, matched: before.length, modified, upserted: undefined }
  }

  remove(doc: Doc): void {
    const id = text(doc._id)
    for (const index of this.#indexes) index.remove(id, doc)
    this.#docs.delete(id)
  }

  createIndex(spec: IndexSpec): void {
    if (this.specs.some(({ name }) => name === spec.name)) return
    const index = new Index(spec)
    for (const [id, doc] of this.#docs) {
      if (index.taken(doc, id)) throw this.#duplicate(spec.name, spec.key, {})
      index.add(id, doc)
    }
    this.#indexes.push(index)
  }

  #put(id: string, doc: Doc, old: Doc | null): void {
    for (const index of this.#indexes) {
      if (index.taken(doc, id)) throw this.#duplicate(index.spec.name, index.spec.key, index.valuesOf(doc))
    }
    for (const index of this.#indexes) {
      if (old) index.remove(id, old)
      index.add(id, doc)
    }
    this.#docs.set(id, doc)
  }

  /** The documents that can match: by id, else by the index that leaves the fewest, else all. */
  #candidates(filter: Doc): Doc[] {
    const ids = valuesWanted(filter._id)
    if (ids) return this.#having(ids.map(text))
    let best: Set<string> | null = null
    for (const index of this.#indexes) {
      const found = index.lookUp(filter)
      if (found && (!best || found.size < best.size)) best = found
    }
    return best ? this.#having(best) : [...this.#docs.values()]
  }

  #having(ids: Iterable<string>): Doc[] {
    const found: Doc[] = []
    for (const id of ids) {
      const doc = this.#docs.get(id)
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

  /** Whether another document has the key of this one. */
  taken(doc: Doc, id: string): boolean {
    if (!this.spec.unique || !this.#covers(doc)) return false
    const holder = this.#byKey.get(this.#keyOf(doc))
    return holder !== undefined && holder !== id
  }

  add(id: string, doc: Doc): void {
    if (!this.#covers(doc)) return
    if (this.spec.unique) this.#byKey.set(this.#keyOf(doc), id)
    for (const first of this.#firstsOf(doc)) {
      const ids = this.#byFirst.get(first) ?? new Set()
      this.#byFirst.set(first, ids.add(id))
    }
  }

  remove(id: string, doc: Doc): void {
    if (!this.#covers(doc)) return
    if (this.spec.unique) this.#byKey.delete(this.#keyOf(doc))
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
  #keyOf(doc: Doc): string {
    return this.#fields.map((field) => text(at(doc, field) ?? null)).join('\u0000')
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
