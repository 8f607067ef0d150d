import { setTimeout as pause } from 'node:timers/promises'
import { type Collection, type Db, MongoClient, MongoError, MongoServerError } from 'mongodb'
import {
  MONGODB_CALL_MS_MAX,
  MONGODB_LOOK_EVERY_MS,
  MONGODB_LOOK_MS_MAX,
  MONGODB_SELECTION_MS_MAX,
  MONGODB_SOCKET_MS_MAX,
  PING_STORE_MS_MAX,
  SECOND_MS,
  STORE_RETRY_MS,
} from '../../../machines/limits.ts'
import { reasonOf, StoreUnwritable } from '../errors.ts'
import { always, limited, whenStuck } from './renewing.ts'

export type { Collection, Filter } from 'mongodb'

const DATABASE_DEFAULT = 'browser_task_service'
const DUPLICATE_KEY = 11_000

/** The URL cannot be one of a MongoDB server, or not of one that is spoken with: trying again is no use. */
export class MongoUrlInvalid extends Error {
  override readonly name = 'MongoUrlInvalid'
}

/**
 * A connected database. The driver reconnects by itself; what cannot be sent meanwhile is refused within seconds. A
 * driver that no longer looks for its server is replaced, under the collections that have been given out.
 */
export interface MongoDatabase {
  collection<Doc extends { _id: string }>(name: string): Collection<Doc>
  /** Never rejects. */
  ping(): Promise<boolean>
  close(): Promise<void>
}

/** The hosts of a URL, fit for a log: no user, no password. */
export const hostsOf = (url: string) =>
  url
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^.*@/, '')
    .replace(/[/?].*$/s, '')

/**
 * Connects. The database is the one that the URL names, else `browser_task_service`.
 * Writes are acknowledged once they are in the journal of a majority (a standalone server: in its own).
 * @throws MongoUrlInvalid, or Error `MongoDB at <hosts> cannot be reached: …`
 */
export async function connect(url: string): Promise<MongoDatabase> {
  const name = /^[^/]+:\/\/[^/]+\/[^?]/.test(url) ? undefined : DATABASE_DEFAULT
  const limits = { ms: MONGODB_LOOK_MS_MAX, awaitedMs: MONGODB_LOOK_MS_MAX + MONGODB_LOOK_EVERY_MS }
  let closed = false
  let client = clientOf(url)
  let stopWatching = watch(client)
  function watch(watched: MongoClient): () => void {
    return whenStuck(watched, limits, () => {
      if (watched === client) void renew(watched)
    })
  }
  /** Another client takes over once it is connected: one that could not connect never tries again. */
  async function renew(stuck: MongoClient): Promise<void> {
    while (!closed) {
      const next = clientOf(url)
      const stopNext = watch(next)
      const connected = await next.connect().then(
        () => true,
        () => false,
      )
      if (connected && !closed) {
        client = next
        stopWatching = stopNext
        // What waits on the old one is refused; what it has lost for ever, by its own limit.
        stuck.close().catch(() => {})
        return
      }
      stopNext()
      await next.close().catch(() => {})
      await pause(STORE_RETRY_MS, undefined, { ref: false })
    }
  }
  const close = () => {
    closed = true
    stopWatching()
    return client.close()
  }
  try {
    await client.connect()
    await client.db(name).command({ ping: 1 })
  } catch (error) {
    await close()
    throw unreachable(hostsOf(url), error)
  }
  return {
    collection: <Doc extends { _id: string }>(collection: string) =>
      always(() => client.db(name).collection<Doc>(collection)),
    ping: () => ping(client.db(name)),
    close,
  }
}

function clientOf(url: string): MongoClient {
  try {
    return new MongoClient(url, {
      serverSelectionTimeoutMS: MONGODB_SELECTION_MS_MAX,
      connectTimeoutMS: MONGODB_SELECTION_MS_MAX,
      waitQueueTimeoutMS: MONGODB_SELECTION_MS_MAX,
      socketTimeoutMS: MONGODB_SOCKET_MS_MAX,
      heartbeatFrequencyMS: MONGODB_LOOK_EVERY_MS,
      writeConcern: { w: 'majority', journal: true },
      readPreference: 'primary',
      ignoreUndefined: true,
      promoteBuffers: true,
    })
  } catch (error) {
    throw new MongoUrlInvalid(`MONGODB_URL is not valid: ${reasonOf(error)}`)
  }
}

async function ping(db: Db): Promise<boolean> {
  const answer = db.command({ ping: 1 }).then(
    () => true,
    () => false,
  )
  return limited(answer, PING_STORE_MS_MAX, () => new Error('late')).catch(() => false)
}

const unreachable = (hosts: string, error: unknown) =>
  new StoreUnwritable(`MongoDB at ${hosts} cannot be reached: ${reasonOf(error)}`, { cause: error })

const noAnswer = (hosts: string) =>
  new StoreUnwritable(`MongoDB at ${hosts} cannot be reached: no answer within ${MONGODB_CALL_MS_MAX / SECOND_MS} s`)

/** Whether the server did not answer: what it answers has a number, what happens to sockets a word, if anything. */
function isOfTheWire(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code !== 'number' && (error instanceof MongoError || typeof code === 'string')
}

/** Whether an insert met a document with the same key. */
export const isDuplicate = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY

/** Inserts unless the id is taken. */
export async function insertOnce<Doc extends { _id: string }>(collection: Collection<Doc>, doc: Doc): Promise<boolean> {
  try {
    await collection.insertOne(doc as never)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Two upserts of one key can meet: one of them is refused, and then finds what the other made. */
export async function upserting<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert()
  } catch (error) {
    if (isDuplicate(error)) return upsert()
    throw error
  }
}

/** The same object, whose calls say in one sentence that the server is not to be reached. */
export function worded<Room extends object>(room: Room, hosts: string): Room {
  const rejected = (error: unknown): never => {
    throw isOfTheWire(error) ? unreachable(hosts, error) : error
  }
  async function* iterated(rows: AsyncIterable<unknown>) {
    try {
      yield* rows
    } catch (error) {
      rejected(error)
    }
  }
  const wrap = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) return worded(value, hosts)
    if (typeof value !== 'function') return value
    return (...args: unknown[]) => {
      const answer: unknown = value(...args)
      if (answer instanceof Promise) return limited(answer, MONGODB_CALL_MS_MAX, () => noAnswer(hosts)).catch(rejected)
      const rows = answer as AsyncIterable<unknown> | null
      return typeof rows === 'object' && rows?.[Symbol.asyncIterator] ? iterated(rows) : answer
    }
  }
  return Object.fromEntries(Object.entries(room).map(([name, value]) => [name, wrap(value)])) as Room
}

/** A record without the id that the database adds. */
export function recordOf<Doc extends { _id: string }>(doc: Doc): Omit<Doc, '_id'>
export function recordOf<Doc extends { _id: string }>(doc: Doc | null): Omit<Doc, '_id'> | null
export function recordOf<Doc extends { _id: string }>(doc: Doc | null): Omit<Doc, '_id'> | null {
  if (doc === null) return null
  const { _id, ...record } = doc
  return record
}
