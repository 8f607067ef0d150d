import { MongoServerError } from '../../../src/stores/mongodb/client.ts'
import type { Doc } from '../../support/mongo/doc.ts'
import type { Random } from '../random.ts'

export const DATABASE = 'simulation'

export interface Answer {
  readonly cursor: { readonly firstBatch: Doc[] }
  readonly n: number
  readonly value: Doc | null
}

/** A command of several writes of which not all are carried out. */
export function cutShort(command: Doc, random: Random): Doc {
  const parts = (['updates', 'documents', 'deletes'] as const).find((each) => each in command)
  if (!parts) return command
  const all = command[parts] as Doc[]
  return { ...command, [parts]: all.slice(0, random.whole(0, all.length)) }
}

/** What the driver makes of an answer that is an error. */
export function errorOf(answer: Doc): Error | null {
  const { writeErrors } = answer as { writeErrors?: Doc[] }
  const wrong = answer.ok === 1 ? writeErrors?.[0] : answer
  if (!wrong) return null
  return new MongoServerError({
    message: String(wrong.errmsg),
    code: wrong.code as number,
    writeErrors: writeErrors ?? [],
  })
}

/** What the stores use of the driver's collections. */
export function driver(name: string, send: (command: Doc) => Promise<Doc>) {
  const run = async (command: Doc) => (await send({ ...command, $db: DATABASE })) as unknown as Answer
  const found = async (filter: Doc, options: Doc = {}) =>
    (await run({ find: name, filter, ...options, batchSize: 1e9 })).cursor.firstBatch
  const update = async (q: Doc, u: Doc, options: Doc = {}) => {
    const { n, ...rest } = await run({ update: name, updates: [{ q, u, ...options }] })
    return { matchedCount: 'upserted' in rest ? 0 : n, modifiedCount: n }
  }
  const remove = async (q: Doc, limit: number) => ({
    deletedCount: (await run({ delete: name, deletes: [{ q, limit }] })).n,
  })
  const modify = async (query: Doc, rest: Doc) => (await run({ findAndModify: name, query, ...rest })).value
  const cursor = (read: (options: Doc) => Promise<Doc[]>) => {
    const options: Doc = {}
    const self = {
      sort: (sort: Doc) => Object.assign(options, { sort }) && self,
      limit: (limit: number) => Object.assign(options, { limit }) && self,
      project: (projection: Doc) => Object.assign(options, { projection }) && self,
      toArray: () => read(options),
      async *[Symbol.asyncIterator]() {
        yield* await read(options)
      },
    }
    return self
  }
  return {
    find: (filter: Doc = {}, given: Doc = {}) => cursor((options) => found(filter, { ...given, ...options })),
    aggregate: (pipeline: Doc[]) =>
      cursor(async () => (await run({ aggregate: name, pipeline, cursor: { batchSize: 1e9 } })).cursor.firstBatch),
    findOne: async (filter: Doc = {}, options: Doc = {}) => (await found(filter, { ...options, limit: 1 }))[0] ?? null,
    countDocuments: async (filter: Doc = {}) => (await found(filter)).length,
    insertOne: (doc: Doc) => run({ insert: name, documents: [doc] }),
    updateOne: (q: Doc, u: Doc, options?: Doc) => update(q, u, options),
    updateMany: (q: Doc, u: Doc) => update(q, u, { multi: true }),
    replaceOne: (q: Doc, u: Doc, options?: Doc) => update(q, u, options),
    deleteOne: (q: Doc) => remove(q, 1),
    deleteMany: (q: Doc) => remove(q, 0),
    findOneAndUpdate: (query: Doc, update: Doc, { returnDocument, ...rest }: Doc = {}) =>
      modify(query, { update, new: returnDocument === 'after', ...rest }),
    findOneAndDelete: (query: Doc) => modify(query, { remove: true }),
    bulkWrite(operations: Record<string, Doc>[], { ordered = true }: Doc = {}) {
      const updates = operations.map((operation) => {
        const { filter, update: u, replacement, ...options } = operation.updateOne ?? operation.replaceOne ?? {}
        if (filter === undefined) throw new Error(`No such operation here: ${Object.keys(operation)}`)
        return { q: filter, u: u ?? replacement, ...options }
      })
      return run({ update: name, updates, ordered })
    },
  }
}

/** As `structuredClone`, of what documents have, and several times faster. */
export function copied<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied) as T
  if (Object.getPrototypeOf(value) !== Object.prototype) return value instanceof Date ? (new Date(+value) as T) : value
  const copy: Doc = {}
  for (const [key, field] of Object.entries(value)) copy[key] = copied(field)
  return copy as T
}
