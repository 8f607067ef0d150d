import { type Collection, type MongoDatabase, MongoServerError } from '../../../src/stores/mongodb/client.ts'
import { Databases } from '../../support/mongo/commands.ts'
import type { Doc } from '../../support/mongo/doc.ts'
import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { StoreMood } from '../outside/store.ts'
import type { Random } from '../random.ts'
import type { Link } from './link.ts'

export interface DatabaseOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  /** A node dies at a write: asked before and after each is carried out. */
  readonly diesAt: (link: Link) => boolean
  /** The documents of a collection were written by this command. */
  readonly written: (collection: string, command: Doc) => void
}

/** How late a command may come to the database when its sender has given it up. */
const LATE_MS_MAX = 20_000
const DATABASE = 'simulation'
/** A node renews these again and again: it need not die at each. */
const RENEWED = ['nodes', 'leases']
const WRITES = ['insert', 'update', 'delete', 'findAndModify']

/**
 * A MongoDB server and the drivers of its nodes: the commands of the test server on simulated time. Each takes its time
 * there and back; it may come late, be cut short, or be carried out without a word.
 */
export class SimulatedDatabase {
  mood: StoreMood = 'well'
  readonly #options: DatabaseOptions
  readonly #server = new Databases()

  constructor(options: DatabaseOptions) {
    this.#options = options
  }

  /** As the server has it now. */
  find(collection: string, filter: Doc = {}): Doc[] {
    return (this.#server.run({ find: collection, $db: DATABASE, filter, batchSize: 1e9 }) as unknown as Answer).cursor
      .firstBatch
  }

  /** Puts documents there before anything begins. */
  put(collection: string, ...documents: Doc[]): void {
    this.#run({ insert: collection, $db: DATABASE, documents })
  }

  index(collection: string, key: Doc): void {
    const name = Object.keys(key).join('_')
    this.#server.run({ createIndexes: collection, $db: DATABASE, indexes: [{ key, name }] })
  }

  /** The database as one life of a node has it open. */
  open(link: Link): Pick<MongoDatabase, 'collection' | 'ping' | 'close'> {
    const send = (command: Doc) => this.#send(link, structuredClone(command))
    return {
      collection: <D extends { _id: string }>(name: string) => driver(name, send) as unknown as Collection<D>,
      ping: async () => this.mood !== 'down' && !link.storeCut,
      close: async () => {},
    }
  }

  #send(link: Link, command: Doc): Promise<Doc> {
    const { scheduler, random } = this.#options
    const { life } = link
    const [verb = '', name] = Object.entries(command)[0] ?? []
    const label = `${verb} ${name}`
    const isWrite = WRITES.includes(verb) && !RENEWED.includes(String(name))
    return new Promise((resolve, reject) => {
      const giveUp = (why: string) =>
        scheduler.after(this.#patience(), life, `store ${label} ${why}`, () => reject(new Error('The store is away')))
      const late = () => {
        if (random.chance(0.3))
          scheduler.after(random.between(0, LATE_MS_MAX), THE_WORLD, `late ${label}`, () => this.#run(command))
      }
      scheduler.after(this.#latency(), THE_WORLD, `store ${label}`, () => {
        if (!life.alive) return random.chance(0.6) ? void this.#run(command) : late()
        if (this.mood === 'down' || link.storeCut) {
          giveUp('refused')
          return late()
        }
        if (isWrite && this.#options.diesAt(link)) return
        if (this.mood === 'failing' && random.chance(0.3)) {
          if (random.chance(0.4)) this.#run(cutShort(command, random))
          return void giveUp('failed')
        }
        const answer = this.#run(command)
        if (isWrite && this.#options.diesAt(link)) return
        scheduler.after(this.#latency(), life, `store ${label} done`, () => {
          if (link.storeCut) return void giveUp('lost')
          const wrong = errorOf(answer)
          if (wrong) reject(wrong)
          else resolve(structuredClone(answer))
        })
      })
    })
  }

  #run(command: Doc): Doc {
    const answer = this.#server.run(command)
    const [verb = '', name] = Object.entries(command)[0] ?? []
    if (WRITES.includes(verb)) this.#options.written(String(name), command)
    return answer
  }

  #latency(): number {
    const { random } = this.#options
    return this.mood === 'slow' ? random.between(25, 2_000) : random.between(0.1, 3)
  }

  /** How long a driver tries before it gives up. */
  #patience(): number {
    const { random } = this.#options
    return random.chance(0.5) ? random.between(0.05, 1) : random.between(500, 3_500)
  }
}

interface Answer {
  readonly cursor: { readonly firstBatch: Doc[] }
  readonly n: number
  readonly value: Doc | null
}

/** A command of several writes of which not all are carried out. */
function cutShort(command: Doc, random: Random): Doc {
  const parts = (['updates', 'documents', 'deletes'] as const).find((each) => each in command)
  if (!parts) return command
  const all = command[parts] as Doc[]
  return { ...command, [parts]: all.slice(0, random.whole(0, all.length)) }
}

/** What the driver makes of an answer that is an error. */
function errorOf(answer: Doc): Error | null {
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
function driver(name: string, send: (command: Doc) => Promise<Doc>) {
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
