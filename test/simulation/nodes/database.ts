import type { Collection, MongoDatabase } from '../../../src/stores/mongodb/client.ts'
import { Databases } from '../../support/mongo/commands.ts'
import type { Doc } from '../../support/mongo/doc.ts'
import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { StoreMood } from '../outside/store.ts'
import type { Random } from '../random.ts'
import { type Answer, copied, cutShort, DATABASE, driver, errorOf } from './driver.ts'
import { Limbo } from './limbo.ts'
import type { Link } from './link.ts'
import type { Fate } from './strikes.ts'

export interface DatabaseOptions {
  readonly scheduler: Scheduler
  readonly random: Random
  /** What becomes of a command of a node: asked before each write is carried out, and before its answer leaves. */
  readonly strike: (link: Link, moment: 'before' | 'after' | 'newcomer', what: string) => Fate
  /** The documents of a collection were written by this command. */
  readonly written: (collection: string, command: Doc) => void
  /** One document was to be written under an epoch; `before` and `after` are the same when nothing came of it. */
  readonly put: (put: Put) => void
}

export interface Put {
  readonly collection: string
  readonly id: string
  readonly epoch: number
  readonly before: Doc | undefined
  readonly after: Doc | undefined
}

/** An answer on its way to a node that stands still. */
const HELD_UP_MS = 1_000
/** A node renews these again and again: none is struck, and none comes late. */
const RENEWED = ['nodes', 'leases']
const WRITES = ['insert', 'update', 'delete', 'findAndModify']
/** What carries the epoch of its writer. */
const FENCED = ['actors', 'tasks', 'journal', 'events']
/** Reads after which the world may be another one by the time that their answers are there. */
const STRUCK_READS = ['actors', 'tasks', 'journal', 'ledger', 'claims']

/**
 * A MongoDB server and the drivers of its nodes: the commands of the test server on simulated time. Each takes its time
 * there and back; it may come late, be cut short, or be carried out without a word.
 */
export class SimulatedDatabase {
  mood: StoreMood = 'well'
  /** Until when a sender may wait for an answer that does not come. */
  owesUntil = 0
  readonly limbo: Limbo
  readonly #options: DatabaseOptions
  readonly #server = new Databases()
  /** The nodes that each has heard of last. */
  readonly #nodes = new WeakMap<Link, ReadonlySet<unknown>>()

  constructor(options: DatabaseOptions) {
    this.#options = options
    this.limbo = new Limbo(options.scheduler, options.random)
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
    const send = (command: Doc) => this.#send(link, copied(command))
    return {
      collection: <D extends { _id: string }>(name: string) => driver(name, send) as unknown as Collection<D>,
      ping: async () => this.mood !== 'down' && !link.storeCut,
      close: async () => {},
    }
  }

  /** As somebody reads who waits for nothing. */
  get atOnce(): Pick<MongoDatabase, 'collection'> {
    const send = async (command: Doc) => copied(this.#server.run(copied(command)))
    return { collection: <D extends { _id: string }>(name: string) => driver(name, send) as unknown as Collection<D> }
  }

  #send(link: Link, command: Doc): Promise<Doc> {
    const { scheduler, random, strike } = this.#options
    const { life } = link
    const [verb = '', name = ''] = Object.entries(command)[0] as [string, string]
    const label = `${verb} ${name}`
    const isRenewal = RENEWED.includes(name)
    const isWrite = WRITES.includes(verb) && !isRenewal
    const read =
      name === 'shards' && 'epoch' in ((command.filter ?? {}) as Doc) ? 'shards' : STRUCK_READS.includes(name)
    const struck = (moment: 'before' | 'after', answer?: Doc) => {
      if (name === 'nodes' && moment === 'after' && this.#hasCome(link, answer)) return strike(link, 'newcomer', name)
      if (isWrite || (moment === 'after' && read === 'shards')) return strike(link, moment, name)
      return moment === 'after' && read ? strike(link, moment, isToCall(answer) ? 'webhook' : 'read') : 'none'
    }
    return new Promise((resolve, reject) => {
      const giveUp = (why: string) => {
        const ms = this.#patience()
        this.owesUntil = Math.max(this.owesUntil, scheduler.time + ms)
        scheduler.after(ms, life, `store ${label} ${why}`, () => reject(new Error('The store is away')))
      }
      const late = (likelihood: number) => {
        if (!isRenewal && random.chance(likelihood)) this.limbo.add(label, () => this.#run(command))
      }
      const done = (answer: Doc, ms = this.#latency()) =>
        scheduler.after(ms, life, `store ${label} done`, () => {
          if (link.storeCut) return void giveUp('lost')
          const wrong = errorOf(answer)
          if (wrong) reject(wrong)
          else resolve(copied(answer))
        })
      const carryOut = (fate: Fate) => {
        if (!life.alive) return random.chance(0.5) ? void this.#run(command) : late(0.6)
        if (this.mood === 'down' || link.storeCut) {
          giveUp('refused')
          return late(0.4)
        }
        if (fate === 'gone') return late(0.5)
        if (fate === 'held') return void scheduler.after(0, life, `store ${label} held`, () => carryOut('none'))
        if (fate === 'limbo') {
          giveUp('in limbo')
          return late(1)
        }
        if (this.mood === 'failing' && random.chance(0.3)) {
          if (random.chance(0.4)) this.#run(cutShort(command, random))
          else late(0.3)
          return void giveUp('failed')
        }
        const answer = this.#run(command)
        const after = struck('after', answer)
        if (after === 'unheard') giveUp('unheard')
        // It is read after all else that has come to the node while it stood still.
        else if (after === 'held' && isRenewal) done(answer, HELD_UP_MS)
        else if (after !== 'gone') done(answer)
      }
      scheduler.after(this.#latency(), THE_WORLD, `store ${label}`, () =>
        carryOut(life.alive ? struck('before') : 'none'),
      )
    })
  }

  #run(command: Doc): Doc {
    const [verb = '', name] = Object.entries(command)[0] ?? []
    if (!WRITES.includes(verb)) return this.#server.run(command)
    const collection = String(name)
    const fenced = FENCED.includes(collection) ? epochsOf(command) : []
    const before = fenced.map(([id]) => this.find(collection, { _id: id })[0])
    const answer = this.#server.run(command)
    this.#options.written(collection, command)
    for (const [n, [id, epoch]] of fenced.entries()) {
      const [after] = this.find(collection, { _id: id })
      this.#options.put({ collection, id, epoch, before: before[n], after })
    }
    return answer
  }

  /** Whether the node hears of another one for the first time. */
  #hasCome(link: Link, answer: Doc | undefined): boolean {
    const ids = new Set(batchOf(answer).map(({ _id }) => _id))
    const known = this.#nodes.get(link) ?? ids
    if (ids.size > 0) this.#nodes.set(link, ids)
    return [...ids].some((id) => !known.has(id))
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

/** Whether a read found a task that has ended and has a webhook: it is called next, or a client asks. */
const isToCall = (answer: Doc | undefined): boolean =>
  batchOf(answer).some(({ webhookUrl, status }) => webhookUrl && status !== 'running')

const batchOf = (answer: Doc | undefined): Doc[] => (answer as Partial<Answer> | undefined)?.cursor?.firstBatch ?? []

/** Which documents a command writes by their ids, and under which epochs. */
function epochsOf(command: Doc): (readonly [id: string, epoch: number])[] {
  const updates = (command.updates ?? []) as { q: Doc; u: Doc & { $set?: Doc; $setOnInsert?: Doc } }[]
  return updates.flatMap(({ q, u }) => {
    const epoch = u.epoch ?? u.$set?.epoch ?? u.$setOnInsert?.epoch
    return typeof q._id === 'string' && typeof epoch === 'number' ? [[q._id, epoch] as const] : []
  })
}
