import { StoreUnwritable } from '../errors.ts'
import { MONGODB_CALL_MS_MAX } from '../limits.ts'
import {
  type ClientSession,
  type Db,
  type Document,
  isOutOfTime,
  type MongoDatabase,
  refusalOf,
  UUID,
} from './client.ts'
import { END_AGAIN_MS, RAISE_TRY_MS } from './limits.ts'
import { limited } from './stuck-monitor.ts'
import { noAnswer } from './wording.ts'

/** Who may write: nobody under an older epoch than that of its documents. */
export interface MongoFence {
  readonly collection: string
  /**
   * Documents that have the epoch, and are raised together. A commit changes one of them, and no two commits of a moment
   * the same, which would make one of them run again: so many are made at a time, and the others wait.
   */
  readonly ids: readonly string[]
  readonly epoch: number
  /** Another process has raised it. */
  lost(): void
  isLost(): boolean
}

interface FenceDoc {
  _id: string
  epoch: number
  /** Counts what was committed. */
  commits?: number
  /** Of the driver's session that commits with it, in hexadecimal. */
  session?: string
}

/** How many commits one process makes at a time. */
const PLACES = 16
const FENCES = 'fences'
/** Of the one process that owns the whole store. */
export const STORE_FENCE = 'store'
const NODE = 'node/'
/** Of a node, for all its shards. */
export const nodeFence = (node: string) => `${NODE}${node}`
export const fenceOf = (name: string): Pick<MongoFence, 'collection' | 'ids'> => ({
  collection: FENCES,
  ids: Array.from({ length: PLACES }, (_, n) => `${name}/${n}`),
})

const fencesOf = (db: Db, collection: string) => db.collection<FenceDoc>(collection)

/** What `$toInt` fails with. */
const CONVERSION_FAILURE = 241

/**
 * The first write of a transaction. It fails, and the whole transaction with it, unless the document has this epoch and
 * has the name of this session. One that only matched nothing would let the rest be carried out: a commit that
 * arrives after its session was ended begins anew, and would lock what it writes until the server ends it, a minute later.
 */
export function fenceStep({ id }: Place, session: ClientSession, epoch: number) {
  const isOwn = { $and: [{ $eq: ['$epoch', epoch] }, { $eq: ['$session', nameOf(session)] }] }
  const counted = { $add: [{ $ifNull: ['$commits', 0] }, 1] }
  // The name of a type is no number. A constant would be looked at before the document is.
  const fails = { $toInt: { $type: '$epoch' } }
  const update: Document[] = [{ $set: { commits: { $cond: [isOwn, counted, fails] } } }]
  return { filter: { _id: id } as Document, update, upsert: true }
}

/** Whether it is the step of the fence that failed. */
export const isFenced = (error: unknown): boolean => refusalOf(error).code === CONVERSION_FAILURE

/**
 * Raises a fence to an epoch. Once this resolves, a process with an older epoch cannot commit. A process that died during a
 * commit leaves its transaction open, and the server would lock its documents for a minute or more: it is ended first.
 */
export async function raiseFence(
  { present }: Pick<MongoDatabase, 'present'>,
  { collection, ids, epoch }: Pick<MongoFence, 'collection' | 'ids' | 'epoch'>,
): Promise<void> {
  const { db } = present()
  const fences = fencesOf(db, collection)
  const all = { _id: { $in: [...ids] } }
  for (;;) {
    const there = await fences.find(all).toArray()
    const missing = ids.filter((id) => !there.some(({ _id }) => _id === id))
    const upserts = missing.map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { epoch } }, upsert: true },
    }))
    if (upserts.length > 0) await fences.bulkWrite(upserts)
    const older = there.filter((each) => each.epoch < epoch)
    const lower = { ...all, epoch: { $lt: epoch } }
    const raise = () => fences.updateMany(lower, { $set: { epoch } }, { maxTimeMS: RAISE_TRY_MS })
    if (!(await changed(db, older, raise))) continue
    const ended = older.flatMap(({ session }) => session ?? [])
    setTimeout(() => void endSessions(db, ...ended), END_AGAIN_MS).unref()
    return
  }
}

/** Removes the fences of these nodes. What they would still commit is refused, as by one that was raised. */
export async function removeFences(
  { present }: Pick<MongoDatabase, 'present'>,
  isOver: (node: string) => boolean,
): Promise<void> {
  const { db } = present()
  const fences = fencesOf(db, FENCES)
  for (;;) {
    const all = await fences.find({ _id: { $gte: NODE, $lt: 'node0' } }).toArray()
    const over = all.filter(({ _id }) => isOver(_id.slice(NODE.length, _id.lastIndexOf('/'))))
    const which = { _id: { $in: over.map(({ _id }) => _id) } }
    if (over.length === 0) return
    if (await changed(db, over, () => fences.deleteMany(which, { maxTimeMS: RAISE_TRY_MS }))) return
  }
}

/** Changes documents of fences, whose commits are ended first; `false`: their owner lives, and has begun others since. */
async function changed(db: Db, docs: readonly FenceDoc[], change: () => Promise<unknown>): Promise<boolean> {
  await endSessions(db, ...docs.flatMap(({ session }) => session ?? []))
  return change().then(
    () => true,
    (error) => {
      if (isOutOfTime(error)) return false
      throw error
    },
  )
}

/** Without it what they have begun ends by itself, later. */
const endSessions = async (db: Db, ...ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await db.command({ killSessions: ids.map((id) => ({ id: new UUID(id) })) }).catch(() => {})
}

const nameOf = ({ id }: ClientSession): string => id?.id.toString('hex') ?? ''

type Present = ReturnType<MongoDatabase['present']>

/** One document of a fence, and the session of the transaction that changes it. */
export class Place {
  readonly id: string
  #client: unknown = null
  #session: ClientSession | null = null
  /** Those that may have begun something which is not known to be over. */
  readonly #former = new Set<string>()
  #naming: Promise<ClientSession> | null = null
  constructor(id: string) {
    this.id = id
  }

  get isStuck(): boolean {
    return this.#former.size > 0
  }

  /** A session of this client, which can be found by who raises the fence. What was begun here before is over then. */
  enter(present: Present, fence: MongoFence): Promise<ClientSession> {
    this.#naming ??= this.#named(present, fence).finally(() => {
      this.#naming = null
    })
    return this.#naming
  }

  async #named({ client, db }: Present, fence: MongoFence): Promise<ClientSession> {
    if (this.#session && !this.isStuck && this.#client === client) return this.#session
    if (this.#session) this.#former.add(nameOf(this.#session))
    const session = client.startSession()
    this.#client = client
    this.#session = session
    const former = [...this.#former]
    this.#former.add(nameOf(session))
    const own = { _id: this.id, epoch: fence.epoch }
    const fences = fencesOf(db, fence.collection)
    const name = async () => {
      const set = { $set: { session: nameOf(session) } }
      const { matchedCount } = await fences.updateOne(own, set, { maxTimeMS: RAISE_TRY_MS })
      if (matchedCount !== 1) lose(fence)
    }
    // A commit of a former session that arrives late may hold the document.
    const docs = former.map((each) => ({ ...own, session: each }))
    while (!(await changed(db, docs, name)));
    this.#former.clear()
    return session
  }

  /**
   * Its transaction was refused: another process has raised the fence, or a session that was given up has come late and
   * named the document, which this one names again then.
   */
  async refused({ db }: Present, fence: MongoFence): Promise<void> {
    const found = await fencesOf(db, fence.collection).findOne({ _id: this.id, epoch: fence.epoch })
    if (!found) lose(fence)
    if (found.session) this.#former.add(found.session)
  }

  /** Ends what it has begun, if it is not known to have ended. */
  async clear(isStuck: boolean, present: Present, fence: MongoFence): Promise<void> {
    const session = this.#session
    if (!isStuck && !this.isStuck && session?.inTransaction())
      await limited(session.abortTransaction(), MONGODB_CALL_MS_MAX, noAnswer).catch(() => {
        isStuck = true
      })
    if (isStuck && session) this.#former.add(nameOf(session))
    // Where that fails, who enters next tries again.
    if (this.isStuck && !fence.isLost())
      await limited(this.enter(present, fence), MONGODB_CALL_MS_MAX, noAnswer).catch(() => {})
  }
}

/** Places that are taken in turns: the one that was free for the longest time is next. */
export class Places {
  readonly #all: readonly Place[]
  readonly #free: Place[]
  readonly #waiting: ((place: Place) => void)[] = []
  constructor(fence: MongoFence | null) {
    this.#all = (fence?.ids ?? []).map((id) => new Place(id))
    this.#free = [...this.#all]
  }
  /** Ends what was given up, at whatever place. */
  async clear(...[present, fence]: Parameters<Place['enter']>): Promise<void> {
    const stuck = this.#all.filter(({ isStuck }) => isStuck)
    await Promise.all(stuck.map((place) => place.enter(present, fence)))
  }
  async enter(): Promise<Place> {
    return this.#free.shift() ?? new Promise((resolve) => this.#waiting.push(resolve))
  }
  leave(place: Place): void {
    const next = this.#waiting.shift()
    if (next) next(place)
    else this.#free.push(place)
  }
}

export const replaced = () => new StoreUnwritable('Another process owns the store.')

export function lose(fence: MongoFence): never {
  fence.lost()
  throw replaced()
}
