import { Long } from 'bson'
import { Aggregator } from 'mingo'
import { Collection, type Found, type IndexSpec } from './collection.ts'
import { CommandError, type Doc } from './doc.ts'
import type { Update } from './update.ts'

const FIRST_BATCH = 101
const NEXT_BATCH = 1_000

/** Every database of the server, and its commands. One thread runs them one by one: each is atomic. */
export class Databases {
  readonly #collections = new Map<string, Collection>()
  readonly #cursors = new Map<number, { ns: string; rest: Doc[] }>()
  #cursorId = 0

  /** Answers a command. An error is an answer too. */
  run(command: Doc): Doc {
    const [name = ''] = Object.keys(command)
    const handler = this.#commands[name]
    if (!handler) return failure(new CommandError(59, `no such command: '${name}'`))
    try {
      return { ...handler(command), ok: 1 }
    } catch (error) {
      return failure(error)
    }
  }

  /** What is kept: one head for each collection, then its documents. */
  *dump(): Generator<Doc> {
    for (const [ns, collection] of this.#collections) {
      yield { ns, indexes: collection.specs.slice(1), count: collection.size }
      yield* collection.find({})
    }
  }

  load(documents: readonly Doc[]): void {
    for (let at = 0; at < documents.length; ) {
      const { ns, indexes, count } = documents[at++] as { ns: string; indexes: IndexSpec[]; count: number }
      const collection = this.#at(ns)
      for (const doc of documents.slice(at, at + count)) collection.insert(doc)
      for (const spec of indexes) collection.createIndex(spec)
      at += count
    }
  }

  readonly #commands: Readonly<Record<string, (command: Doc) => Doc>> = {
    hello,
    isMaster: hello,
    ismaster: hello,
    ping: () => ({}),
    buildInfo: () => ({ version: '7.0.0', versionArray: [7, 0, 0, 0] }),
    endSessions: () => ({}),
    insert: (command) => this.#insert(command),
    update: (command) => this.#update(command),
    delete: (command) => this.#delete(command),
    findAndModify: (command) => this.#findAndModify(command),
    find: (command) => {
      const { filter = {}, limit = 0, batchSize, singleBatch } = command as { filter?: Doc } & Record<string, number>
      const found = this.#of(command).find(filter as Doc, { ...(command as Found), limit: Math.abs(limit) })
      return this.#cursor(this.#nameOf(command), found, singleBatch ? found.length : (batchSize ?? FIRST_BATCH))
    },
    aggregate: (command) => {
      const documents = new Aggregator(command.pipeline as never, {}).run<Doc>(this.#of(command).find({}))
      const { batchSize } = command.cursor as { batchSize?: number }
      return this.#cursor(this.#nameOf(command), documents, batchSize ?? FIRST_BATCH)
    },
    count: (command) => ({ n: this.#of(command).find((command.query ?? {}) as Doc).length }),
    getMore: (command) => this.#getMore(command),
    killCursors: (command) => {
      for (const id of command.cursors as unknown[]) this.#cursors.delete(Number(id))
      return { cursorsKilled: command.cursors }
    },
    createIndexes: (command) => {
      const collection = this.#of(command)
      const before = collection.specs.length
      for (const spec of command.indexes as IndexSpec[]) collection.createIndex(spec)
      return { numIndexesBefore: before, numIndexesAfter: collection.specs.length }
    },
    listIndexes: (command) => this.#cursor(this.#nameOf(command), this.#of(command).specs as never, FIRST_BATCH),
    drop: (command) => {
      this.#collections.delete(this.#nameOf(command))
      return {}
    },
    dropDatabase: ({ $db }) => {
      for (const ns of this.#collections.keys()) if (ns.startsWith(`${$db}.`)) this.#collections.delete(ns)
      return { dropped: $db }
    },
  }

  #insert(command: Doc): Doc {
    const collection = this.#of(command)
    return eachWrite(command.documents as Doc[], command.ordered !== false, (doc) => {
      collection.insert(doc)
      return { n: 1 }
    })
  }

  #update(command: Doc): Doc {
    const collection = this.#of(command)
    return eachWrite(command.updates as Doc[], command.ordered !== false, (one, index) => {
      const { q, u, ...options } = one as { q: Doc; u: Update }
      const { matched, modified, upserted } = collection.update(q, u, options)
      return {
        n: matched,
        nModified: modified,
        ...(upserted === undefined ? {} : { upserted: { index, _id: upserted } }),
      }
    })
  }

  #delete(command: Doc): Doc {
    const collection = this.#of(command)
    return eachWrite(command.deletes as Doc[], command.ordered !== false, (one) => {
      const found = collection.find(one.q as Doc, { limit: one.limit as number })
      for (const doc of found) collection.remove(doc)
      return { n: found.length }
    })
  }

  #findAndModify(command: Doc): Doc {
    const collection = this.#of(command)
    const { query = {}, update, remove, sort, upsert, fields } = command as Record<string, Doc | undefined>
    const shown = (doc: Doc | null) =>
      doc && fields ? (new Aggregator([{ $project: fields }], {}).run<Doc>([doc])[0] ?? null) : doc
    if (remove) {
      const [doc = null] = collection.find(query, { ...(sort ? { sort: sort as Found['sort'] & {} } : {}), limit: 1 })
      if (doc) collection.remove(doc)
      return { value: shown(doc), lastErrorObject: { n: doc ? 1 : 0 } }
    }
    const options = { upsert: Boolean(upsert), ...(sort ? { sort: sort as Found['sort'] & {} } : {}) }
    const { before, after, matched, upserted } = collection.update(query, update as Update, options)
    const lastErrorObject = { n: matched, updatedExisting: before !== null, ...(before ? {} : { upserted }) }
    return { value: shown(command.new ? after : before), lastErrorObject }
  }

  #getMore(command: Doc): Doc {
    const id = Number(command.getMore)
    const cursor = this.#cursors.get(id)
    if (!cursor) throw new CommandError(43, `cursor id ${id} not found`)
    const nextBatch = cursor.rest.splice(0, (command.batchSize as number | undefined) ?? NEXT_BATCH)
    if (cursor.rest.length === 0) this.#cursors.delete(id)
    return { cursor: { id: Long.fromNumber(cursor.rest.length > 0 ? id : 0), ns: cursor.ns, nextBatch } }
  }

  #cursor(ns: string, documents: Doc[], batchSize: number): Doc {
    const firstBatch = documents.slice(0, batchSize)
    const rest = documents.slice(batchSize)
    if (rest.length > 0) this.#cursors.set(++this.#cursorId, { ns, rest })
    return { cursor: { id: Long.fromNumber(rest.length > 0 ? this.#cursorId : 0), ns, firstBatch } }
  }

  /** A command's first field names its collection (of getMore, another does). */
  #nameOf(command: Doc): string {
    return `${command.$db}.${Object.values(command)[0]}`
  }
  #of(command: Doc): Collection {
    return this.#at(this.#nameOf(command))
  }
  #at(ns: string): Collection {
    const collection = this.#collections.get(ns) ?? new Collection(ns)
    this.#collections.set(ns, collection)
    return collection
  }
}

/** Runs the parts of a write command. In order, the first that fails is the last that is tried. */
function eachWrite(
  parts: readonly Doc[],
  ordered: boolean,
  write: (part: Doc, index: number) => { n: number; nModified?: number; upserted?: Doc },
): Doc {
  const writeErrors: Doc[] = []
  const upserted: Doc[] = []
  let n = 0
  let nModified = 0
  for (const [index, part] of parts.entries()) {
    try {
      const done = write(part, index)
      n += done.n
      nModified += done.nModified ?? 0
      if (done.upserted) upserted.push(done.upserted)
    } catch (error) {
      const { ok, ...rest } = failure(error)
      writeErrors.push({ index, ...rest })
      if (ordered) break
    }
  }
  return {
    n,
    nModified,
    ...(upserted.length > 0 ? { upserted } : {}),
    ...(writeErrors.length > 0 ? { writeErrors } : {}),
  }
}

function failure(error: unknown): Doc {
  const known = error instanceof CommandError ? error : new CommandError(2, String(error))
  return { ok: 0, code: known.code, errmsg: known.message, ...known.details }
}

/** A standalone server of MongoDB 7. */
function hello(): Doc {
  return {
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: 16 * 1024 * 1024,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
  }
}
