import type { Collection } from '../../../src/stores/mongodb/client.ts'
import { MongoServerError } from '../../../src/stores/mongodb/client.ts'
import { type Collections, collectionsOf } from '../../../src/stores/mongodb/collections.ts'
import { Databases } from '../../support/mongo/commands.ts'
import type { Doc } from '../../support/mongo/doc.ts'
import type { SimulatedDatabase } from '../database/database.ts'
import { copied } from '../database/rows.ts'
import type { Link } from './link.ts'

const DATABASE = 'simulation'
/** A node renews these again and again. */
const RENEWED = ['nodes', 'leases']

interface Answer extends Doc {
  readonly cursor: { readonly firstBatch: Doc[] }
  readonly n: number
}

/** Who owns what: the commands of the test server, on simulated time. */
export class SimulatedCollections {
  readonly #server = new Databases()
  readonly #database: SimulatedDatabase<Link>
  readonly #written: (collection: string) => void

  constructor(database: SimulatedDatabase<Link>, written: (collection: string) => void) {
    this.#database = database
    this.#written = written
  }

  /** As the server has it now. */
  find(collection: string): Doc[] {
    return (this.#server.run({ find: collection, $db: DATABASE, filter: {}, batchSize: 1e9 }) as Answer).cursor
      .firstBatch
  }

  put(collection: string, document: Doc): void {
    this.#server.run({ insert: collection, $db: DATABASE, documents: [document] })
  }

  /** As one life of a node has them. */
  open(link: Link): Collections {
    const collection = <D extends { _id: string }>(name: string) =>
      this.#collection(link, name) as unknown as Collection<D>
    return collectionsOf({ collection })
  }

  async #send(link: Link, name: string, command: Doc): Promise<Answer> {
    const given = copied({ ...command, $db: DATABASE })
    const [verb = ''] = Object.keys(command)
    const isRenewal = RENEWED.includes(name)
    const isWrite = ['insert', 'update', 'delete', 'findAndModify'].includes(verb)
    const ofOneShard = name === 'shards' && 'epoch' in ((command.filter ?? {}) as Doc)
    const answer = await this.#database.ask(link, {
      ...{ label: `${verb} ${name}`, writes: isWrite ? [name] : [], isRenewal },
      struckAt: (moment) => (!isRenewal && (isWrite || (moment === 'after' && ofOneShard)) ? [name] : []),
      run: () => {
        const reply = this.#server.run(given)
        if (isWrite) this.#written(name)
        return copied(reply)
      },
    })
    const { writeErrors = [] } = answer as { writeErrors?: Doc[] }
    const wrong = answer.ok === 1 ? writeErrors[0] : answer
    if (!wrong) return answer as Answer
    throw new MongoServerError({ message: String(wrong.errmsg), code: wrong.code as number, writeErrors })
  }

  /** What a node uses of the collections of the driver. */
  #collection(link: Link, name: string) {
    const run = (command: Doc) => this.#send(link, name, command)
    const found = async (filter: Doc) => (await run({ find: name, filter, batchSize: 1e9 })).cursor.firstBatch
    const update = async (q: Doc, u: Doc, options: Doc = {}) => {
      const { n, ...rest } = await run({ update: name, updates: [{ q, u, ...options }] })
      return { matchedCount: 'upserted' in rest ? 0 : n, modifiedCount: n }
    }
    return {
      find: (filter: Doc = {}) => ({ toArray: () => found(filter) }),
      aggregate: (pipeline: Doc[]) => ({
        toArray: async () => (await run({ aggregate: name, pipeline, cursor: { batchSize: 1e9 } })).cursor.firstBatch,
      }),
      findOne: async (filter: Doc = {}) => (await found(filter))[0] ?? null,
      insertOne: (doc: Doc) => run({ insert: name, documents: [doc] }),
      updateOne: update,
      deleteOne: (q: Doc) => run({ delete: name, deletes: [{ q, limit: 1 }] }),
      bulkWrite(operations: { updateOne: Doc & { filter: Doc; update: Doc } }[], { ordered = true }: Doc = {}) {
        const updates = operations.map(({ updateOne: { filter: q, update: u, ...options } }) => ({ q, u, ...options }))
        return run({ update: name, updates, ordered })
      },
    }
  }
}
