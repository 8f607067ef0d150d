import { Long } from 'bson'
import { Aggregator } from 'mingo'
import { bulkWrite, type Writes } from './bulk-write.ts'
import { Collection, type Found, type IndexSpec } from './collection.ts'
import { CommandError, type Doc } from './doc.ts'
import { LIFETIME_MS, Sessions } from './sessions.ts'
import { isConflict, Transaction } from './transaction.ts'
import type { Update } from './update.ts'

const FIRST_BATCH = 101
const NEXT_BATCH = 1_000

type Handler = (command: Doc, transaction: Transaction) => Doc

export interface DatabasesOptions {
  /** Where clients reach this one member of a replica set; `null`: it is a standalone server. */
  readonly address?: string | null
  readonly version?: '7.0' | '8.0'
  /** How long a transaction may be open. */
  readonly lifetimeMs?: number
  readonly now?: () => number
}

/** Every database of the server, and its commands. One thread runs them one by one: each is atomic. */
export class Databases {
  readonly #sessions: Sessions
  readonly #collections = new Map<string, Collection>()
  readonly #cursors = new Map<number, { ns: string; rest: Doc[] }>()
  #cursorId = 0
  constructor(options: DatabasesOptions = {}) {
    const { address = '127.0.0.1:27017', version = '8.0', lifetimeMs = LIFETIME_MS, now = Date.now } = options
    this.#sessions = new Sessions({ now, lifetimeMs, standalone: address === null })
    const greet = () => hello(address, version)
    this.#commands = {
      ...this.#common,
      ...{ hello: greet, isMaster: greet, ismaster: greet },
      buildInfo: () => ({ version: `${version}.0`, versionArray: [...version.split('.').map(Number), 0, 0] }),
      ...(version === '8.0' && {
        bulkWrite: (command, transaction) => {
          const { results, counts } = bulkWrite(command, this.#writes(transaction), failure)
          return { ...this.#cursor('admin.$cmd.bulkWrite', results, results.length), ...counts }
        },
      }),
    }
  }

  /**
   * Answers a command. An error is an answer too. One outside a transaction that is answered by a write conflict was not
   * carried out, and waits for the end of a transaction: a real server does not answer it until then.
   */
  run(command: Doc): Doc {
    const [name = ''] = Object.keys(command)
    const handler = this.#commands[name]
    if (!handler) return failure(new CommandError(59, `no such command: '${name}'`, { codeName: 'CommandNotFound' }))
    try {
      return { ...this.#sessions.run(command, (transaction) => handler(command, transaction)), ok: 1 }
    } catch (error) {
      return failure(error)
    }
  }

  /** How long a transaction has been open at most, and how many are now. */
  transactions(): { longestMs: number; open: number } {
    return { longestMs: this.#sessions.longestMs(), open: this.#sessions.open.size }
  }

  /** Aborts the transaction of a command, as a write conflict does. */
  abort(command: Doc): void {
    this.#sessions.abortOf(command)
  }

  /** What is kept: one head for each collection, then its documents. */
  *dump(): Generator<Doc> {
    for (const [ns, collection] of this.#collections) {
      yield { ns, indexes: collection.specs.slice(1), count: collection.size }
      yield* collection.find({}, new Transaction(0))
    }
  }

  load(documents: readonly Doc[]): void {
    for (let at = 0; at < documents.length; ) {
      const { ns, indexes, count } = documents[at++] as { ns: string; indexes: IndexSpec[]; count: number }
      const collection = this.#at(ns)
      const transaction = new Transaction(0)
      for (const doc of documents.slice(at, at + count)) collection.insert(doc, transaction)
      transaction.commit()
      for (const spec of indexes) collection.createIndex(spec)
      at += count
    }
  }

  readonly #commands: Readonly<Record<string, Handler>>
  readonly #common: Readonly<Record<string, Handler>> = {
    ping: () => ({}),
    // The sessions do what is to be done.
    endSessions: () => ({}),
    killSessions: () => ({}),
    commitTransaction: () => ({}),
    abortTransaction: () => ({}),
    insert: (command, transaction) => this.#each(command, 'insert', 'documents', transaction),
    update: (command, transaction) => this.#each(command, 'update', 'updates', transaction),
    delete: (command, transaction) => this.#each(command, 'delete', 'deletes', transaction),
    findAndModify: (command, transaction) => this.#findAndModify(command, transaction),
    find: (command, transaction) => {
      const { filter = {}, limit = 0, batchSize, singleBatch } = command as { filter?: Doc } & Record<string, number>
      const found = this.#of(command).find(filter as Doc, transaction, {
        ...(command as Found),
        limit: Math.abs(limit),
      })
      return this.#cursor(this.#nameOf(command), found, singleBatch ? found.length : (batchSize ?? FIRST_BATCH))
    },
    aggregate: (command, transaction) => {
      const all = this.#of(command).find({}, transaction)
      const documents = new Aggregator(command.pipeline as never, {}).run<Doc>(all)
      const { batchSize } = command.cursor as { batchSize?: number }
      return this.#cursor(this.#nameOf(command), documents, batchSize ?? FIRST_BATCH)
    },
    count: (command, transaction) => ({ n: this.#of(command).find((command.query ?? {}) as Doc, transaction).length }),
    getMore: (command) => this.#getMore(command),
    killCursors: (command) => {
      for (const id of command.cursors as unknown[]) this.#cursors.delete(Number(id))
      return { cursorsKilled: command.cursors }
    },
    createIndexes: (command) => {
      const collection = this.#of(command)
      const before = collection.specs.length
      const made = (command.indexes as IndexSpec[]).filter((spec) => collection.createIndex(spec))
      // A real server waits for their ends.
      if (made.length > 0) this.#sessions.abort(() => true)
      return { numIndexesBefore: before, numIndexesAfter: collection.specs.length }
    },
    dropIndexes: (command) => {
      this.#of(command).dropIndex(String(command.index))
      return {}
    },
    listIndexes: (command) => this.#cursor(this.#nameOf(command), this.#of(command).specs as never, FIRST_BATCH),
    drop: (command) => {
      this.#sessions.abort(() => true)
      this.#collections.delete(this.#nameOf(command))
      return {}
    },
    dropDatabase: ({ $db }) => {
      this.#sessions.abort(() => true)
      for (const ns of this.#collections.keys()) if (ns.startsWith(`${$db}.`)) this.#collections.delete(ns)
      return { dropped: $db }
    },
  }

  #each(command: Doc, kind: keyof Writes, parts: string, transaction: Transaction): Doc {
    const write = this.#writes(transaction)[kind]
    return eachWrite(command[parts] as Doc[], command.ordered !== false, (part, index) => {
      const { upserted, ...done } = write(this.#nameOf(command), part)
      return { ...done, ...(upserted === undefined ? {} : { upserted: { index, _id: upserted } }) }
    })
  }

  /** What can be written, by the namespace of the collection. */
  #writes(transaction: Transaction): Writes {
    return {
      insert: (ns, document) => {
        this.#at(ns).insert(document, transaction)
        return { n: 1 }
      },
      update: (ns, { q, u, ...options }) => {
        const { matched, modified, upserted } = this.#at(ns).update(q as Doc, u as Update, transaction, options)
        return { n: matched, nModified: modified, upserted }
      },
      delete: (ns, { q, limit }) => {
        const collection = this.#at(ns)
        const found = collection.find(q as Doc, transaction, { limit: limit as number })
        for (const doc of found) collection.remove(doc, transaction)
        return { n: found.length }
      },
    }
  }

  #findAndModify(command: Doc, transaction: Transaction): Doc {
    const collection = this.#of(command)
    const { query = {}, update, remove, sort, upsert, fields } = command as Record<string, Doc | undefined>
    const shown = (doc: Doc | null) =>
      doc && fields ? (new Aggregator([{ $project: fields }], {}).run<Doc>([doc])[0] ?? null) : doc
    if (remove) {
      const one = { ...(sort ? { sort: sort as Found['sort'] & {} } : {}), limit: 1 }
      const [doc = null] = collection.find(query, transaction, one)
      if (doc) collection.remove(doc, transaction)
      return { value: shown(doc), lastErrorObject: { n: doc ? 1 : 0 } }
    }
    const options = { upsert: Boolean(upsert), ...(sort ? { sort: sort as Found['sort'] & {} } : {}) }
    const { before, after, matched, upserted } = collection.update(query, update as Update, transaction, options)
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
    const collection = this.#collections.get(ns) ?? new Collection(ns, this.#sessions.open)
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
      if (isConflict(error)) throw error
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

/** A member of a replica set that is the primary, and alone; without an address a standalone server. */
function hello(address: string | null, version: string): Doc {
  const member = { setName: 'rs0', setVersion: 1, hosts: [address], primary: address, me: address, secondary: false }
  return {
    ...(address && member),
    // A standalone server has sessions, too, and no transactions in them.
    logicalSessionTimeoutMinutes: 30,
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: 16 * 1024 * 1024,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    minWireVersion: 0,
    maxWireVersion: version === '8.0' ? 25 : 21,
    readOnly: false,
  }
}
