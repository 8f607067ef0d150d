import { setTimeout as pause } from 'node:timers/promises'
import {
  type Collection,
  type Db,
  type DbOptions,
  MongoClient,
  MongoClientBulkWriteError,
  MongoError,
  MongoServerError,
  MongoServerSelectionError,
  ReadConcern,
} from 'mongodb'
import { PING_STORE_MS_MAX, STORE_RETRY_MS } from '../../../machines/limits.ts'
import { reasonOf } from '../errors.ts'
import {
  MONGODB_LOOK_EVERY_MS,
  MONGODB_LOOK_MS_MAX,
  MONGODB_SELECTION_MS_MAX,
  MONGODB_SOCKET_MS_MAX,
} from '../limits.ts'
import { WRITE_CONCERN_MS_MAX } from './limits.ts'
import { always, limited, whenStuck } from './stuck-monitor.ts'

export {
  type AnyBulkWriteOperation,
  type AnyClientBulkWriteModel,
  BSON,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  MongoClientBulkWriteError,
  MongoError,
  MongoServerError,
  ReadConcern,
  UUID,
} from 'mongodb'

const DATABASE_DEFAULT = 'browser_task_service'
/** Whatever the URL says. What a majority has not acknowledged can be rolled back, and is never read. */
export const SAFE: DbOptions = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: WRITE_CONCERN_MS_MAX },
  readConcern: new ReadConcern('majority'),
  readPreference: 'primary',
}
const DUPLICATE_KEY = 11_000
const MAX_TIME_EXPIRED = 50

/** The URL is not one of a MongoDB server that will do, or its user is refused there: retrying cannot help. */
export class MongoUrlInvalid extends Error {
  override readonly name = 'MongoUrlInvalid'
}

/**
 * A connected database. The driver reconnects by itself; what cannot be sent meanwhile is refused within seconds. A
 * driver that no longer looks for its server is replaced, under the collections that have been given out.
 */
export interface MongoDatabase {
  collection<Doc extends { _id: string }>(name: string): Collection<Doc>
  /** Whether its server takes writes to several collections in one command, as from 8.0 on. */
  readonly writesTogether: boolean
  /** The driver as it is at this moment. A transaction keeps to one: its session is of the client that began it. */
  present(): { readonly client: MongoClient; readonly db: Db }
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
 * [N10] Connects. The database is the one that the URL names, else `browser_task_service`.
 * Writes are acknowledged once they are in the journal of a majority.
 * @throws MongoUrlInvalid, or an error of the driver
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
  let writesTogether: boolean
  try {
    await client.connect()
    const hello = await client.db(name).command({ hello: 1 })
    // A router of a sharded cluster has sets behind it.
    if (hello.setName === undefined && hello.msg !== 'isdbgrid') throw new MongoUrlInvalid(standalone(hostsOf(url)))
    writesTogether = await takesWritesTogether(client, client.db(name))
  } catch (error) {
    await close()
    throw error
  }
  return {
    collection: <Doc extends { _id: string }>(collection: string) =>
      always(() => client.db(name, SAFE).collection<Doc>(collection)),
    writesTogether,
    present: () => ({ client, db: client.db(name, SAFE) }),
    ping: () => ping(client.db(name)),
    close,
  }
}

const standalone = (hosts: string) =>
  `MongoDB at ${hosts} is a standalone server, which has no transactions: start it with "mongod --replSet rs0", and run "rs.initiate()" there once`

/** Asked by removing what is not there: a server of 8.0 that still keeps the format of 7.0 refuses it, whatever it says of itself. */
const takesWritesTogether = (client: MongoClient, { databaseName }: Db): Promise<boolean> =>
  client.bulkWrite([{ name: 'deleteOne', namespace: `${databaseName}.settings`, filter: { _id: '' as never } }]).then(
    () => true,
    () => false,
  )

function clientOf(url: string): MongoClient {
  try {
    return new MongoClient(url, {
      serverSelectionTimeoutMS: MONGODB_SELECTION_MS_MAX,
      connectTimeoutMS: MONGODB_SELECTION_MS_MAX,
      waitQueueTimeoutMS: MONGODB_SELECTION_MS_MAX,
      socketTimeoutMS: MONGODB_SOCKET_MS_MAX,
      heartbeatFrequencyMS: MONGODB_LOOK_EVERY_MS,
      ignoreUndefined: true,
      promoteBuffers: true,
    })
  } catch (error) {
    throw new MongoUrlInvalid(`MONGODB_URL is not valid: ${reasonOf(error)}`)
  }
}

/** What a ping answers: `false` when that takes longer than PING_STORE_MS_MAX. */
export const inTime = (answer: Promise<boolean>): Promise<boolean> =>
  limited(answer, PING_STORE_MS_MAX, () => new Error('late')).catch(() => false)

async function ping(db: Db): Promise<boolean> {
  const answer = db.command({ ping: 1 }).then(
    () => true,
    () => false,
  )
  return inTime(answer)
}

/** Whether an insert met a document with the same key. */
const isDuplicate = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY

/** What the server said of a command, or of the first of its writes that it refused. */
export function refusalOf(error: unknown): { readonly code?: unknown; readonly codeName?: unknown; message?: string } {
  if (!(error instanceof MongoClientBulkWriteError)) return error as object
  const [first] = error.writeErrors.values()
  return first ?? (error.cause as object | undefined) ?? error
}

/** Which unique index of which collection had the value already, when it was that. The message alone says so of every command. */
export function duplicateOf(error: unknown): { readonly collection: string; readonly index: string } | null {
  const { code, message = '' } = refusalOf(error)
  if (code !== DUPLICATE_KEY) return null
  const [, collection, index] = /collection: (?:[^\s.]+\.)?(\S+) index: (\S+) dup key/.exec(message) ?? []
  return collection && index ? { collection, index } : null
}

/** Whether an error, or what a command with several writes has it from, has a label. */
export const hasLabel = (error: unknown, label: string): boolean =>
  error instanceof MongoError &&
  !(error instanceof MongoServerSelectionError) &&
  (error.hasErrorLabel(label) || hasLabel(error.cause, label))

/** Whether the server has given it up after the time that it was to take at most. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === MAX_TIME_EXPIRED

/** Whether the same may well succeed in a moment: others have written the same, or the server has changed. */
export const isConflicting = (error: unknown): boolean =>
  hasLabel(error, 'TransientTransactionError') || duplicateOf(error) !== null

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
