import type { Log } from '../../../actors/runtime/ports.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { JournalEntry } from '../../../machines/records.ts'
import type { LogEvent } from '../../../machines/task-log.ts'
import { type OldStep, putLog } from '../old-logs.ts'
import { ALL_TABLES, TASKS } from '../tables.ts'
import { type Db, type Document, type MongoDatabase, MongoServerError } from './client.ts'
import { indexesOf, MongoDriver, nameOf } from './driver.ts'

/** What is read, and written, in one command. */
const AT_ONCE = 1_000
/** The setting that says that documents are of this version, or were made so; and then, that logs are. */
const SETTING = 'tables_version'
const VERSION = '2'
const WITH_LOGS = '3'
const NAMESPACE_NOT_FOUND = 26

type Doc = Document & { readonly _id: string }
type Sort = Readonly<Record<string, 1 | -1>>
interface Setting {
  readonly _id: string
  readonly value: string
}

/** Whether a version up to 0.3.0 owned the store, and it is not upgraded yet. */
export async function isOfEarlierVersion(db: Db): Promise<boolean> {
  if ((await db.collection<Setting>('settings').findOne({ _id: SETTING })) !== null) return false
  return (await db.collection('leases').findOne({ settled: { $exists: true } })) !== null
}

/**
 * Makes the documents of versions up to 0.3.0 those of this one. The owner of the store calls it before anything is read.
 * Each step finds what is left to do by the documents themselves, so one that is cut short anywhere is begun anew.
 */
export async function upgradeDatabase(db: Db, log?: Log): Promise<void> {
  const from = performance.now()
  const settings = db.collection<Setting>('settings')
  if ((await settings.findOne({ _id: SETTING })) !== null) return
  const isEarlier = await isOfEarlierVersion(db)
  if (isEarlier) log?.info({}, 'The store is of an earlier version: it is upgraded before the service starts')

  await keepPositions(db)
  await removeLateOwners(db)
  await removeLateEntries(db, 'events', () => ({}))
  await removeLateEntries(db, 'journal', ({ inherited }) => inherited ?? {})
  await removeLateRecords(db)
  // Only now: what came late is known by what is taken from tasks here.
  await upgradeTasks(db)
  await each(db, 'actors', ['gone'], isGone, (some) => remove(db, 'actors', some))
  await removeFields(db, 'actors', 'epoch', 'seq')
  await removeFields(db, 'webhook_deliveries', 'epoch')
  await upgradeFiles(db)
  await upgradeLedger(db)
  await upgradeUsage(db)
  await each(
    db,
    'traces',
    ['taskId', 'kind'],
    ({ kind }) => kind === undefined,
    async (some) => {
      const kindOf = ({ _id, taskId }: Doc) => _id.slice(String(taskId).length + 1)
      const changes = some.map((doc) => ({
        updateOne: { filter: { _id: doc._id }, update: { $set: { kind: kindOf(doc) } } },
      }))
      await db.collection<Doc>('traces').bulkWrite(changes, { ordered: false })
    },
  )
  await dropIndexes(db)

  await settings.replaceOne({ _id: SETTING }, { value: VERSION }, { upsert: true })
  if (isEarlier) log?.info({ ms: Math.round(performance.now() - from) }, 'The store is upgraded')
}

/**
 * Makes the logs of tasks of what versions up to 0.3.0 kept of them in three collections, which go when all are made: one
 * that is cut short is begun anew. The owner of the store calls it before anything is read.
 */
export async function upgradeLogs(database: MongoDatabase): Promise<void> {
  const { db } = database.present()
  const recordsOf = async <Record>(name: string, taskId: string) => {
    const docs = await db.collection(name).find({ taskId }).sort({ seq: 1 }).toArray()
    return docs.map(({ position, record }) => ({ position: position as number, record: JSON.parse(record) as Record }))
  }
  const settings = db.collection<Setting>('settings')
  if ((await settings.findOne({ _id: SETTING }))?.value !== WITH_LOGS) {
    const driver = new MongoDriver(database)
    for await (const task of driver.range(TASKS, null)) {
      const parts = {
        journal: (await recordsOf<JournalEntry>('journal', task.id)).map(({ record }) => record),
        steps: (await recordsOf<OldStep>('steps', task.id)).map(({ record }) => record),
        events: await recordsOf<LogEvent>('events', task.id),
      }
      await driver.transact((tx) => putLog(tx, task, parts))
    }
    await settings.replaceOne({ _id: SETTING }, { value: WITH_LOGS }, { upsert: true })
  }
  for (const name of ['journal', 'steps', 'events']) await db.collection(name).drop()
}

/**
 * Runs on all documents that are so, some at a time. All are read, with these fields: a server that looks for few among
 * many millions would not answer in time.
 */
async function each(
  db: Db,
  name: string,
  fields: readonly string[],
  isSo: (doc: Doc) => boolean,
  run: (some: Doc[]) => Promise<unknown>,
): Promise<void> {
  await inParts(read(db, name, fields, isSo), run)
}

async function* read(db: Db, name: string, fields: readonly string[], isSo: (doc: Doc) => boolean, sort?: Sort) {
  const projection = Object.fromEntries(['_id', ...fields].map((field) => [field, 1] as const))
  const options = { projection, batchSize: AT_ONCE, ...(sort ? { sort } : {}) }
  for await (const doc of db.collection<Doc>(name).find({}, options)) if (isSo(doc as Doc)) yield doc as Doc
}

/** A part ends where `isEnd` says so between two documents; it has AT_ONCE of them, or as many more as that takes. */
async function inParts(
  docs: AsyncIterable<Doc>,
  run: (some: Doc[]) => Promise<unknown>,
  isEnd: (last: Doc, next: Doc) => boolean = () => true,
): Promise<void> {
  let some: Doc[] = []
  for await (const doc of docs) {
    const last = some.at(-1)
    if (last && some.length >= AT_ONCE && isEnd(last, doc)) {
      await run(some)
      some = []
    }
    some.push(doc)
  }
  if (some.length > 0) await run(some)
}

/** What was left of a removed document for a while. */
const isGone = ({ gone }: Doc) => gone !== undefined

const idsOf = (some: readonly Doc[]) => ({ _id: { $in: some.map(({ _id }) => _id) } })

const remove = (db: Db, name: string, some: readonly Doc[]) => db.collection<Doc>(name).deleteMany(idsOf(some))

async function removeFields(db: Db, name: string, ...fields: string[]): Promise<void> {
  const hasOne = (doc: Doc) => fields.some((field) => field in doc)
  const $unset = Object.fromEntries(fields.map((field) => [field, ''] as const))
  await each(db, name, fields, hasOne, (some) => db.collection<Doc>(name).updateMany(idsOf(some), { $unset } as never))
}

/** The greatest position that was ever given: of an event that is there, or of what was removed. */
async function keepPositions(db: Db): Promise<void> {
  const greatest = async (name: string) => {
    const [last] = await db.collection(name).find().sort({ position: -1 }).limit(1).toArray()
    return Number(last?.position ?? 0)
  }
  const expired = db.collection<Doc>('events_expired')
  const position = Math.max(await greatest('events'), await greatest('events_expired'))
  if (position > 0) {
    const positions = db.collection<Doc>('positions')
    const before = Number((await positions.findOne({ _id: 'store' }))?.position ?? 0)
    await positions.replaceOne({ _id: 'store' }, { position: Math.max(position, before) } as never, { upsert: true })
  }
  // Of no workspace: up to where clients had deleted.
  await expired.deleteOne({ _id: 'deleted' })
}

/**
 * Removes actors and running tasks that former owners wrote too late: each owner stamped what it found with its epoch,
 * and said so in `settled`; what has an older one came after that.
 */
async function removeLateOwners(db: Db): Promise<void> {
  const all = Number((await db.collection<Doc>('leases').findOne({ _id: 'store' }))?.settled ?? 0)
  const settled = await db.collection<Doc>('shards').find().toArray()
  const shards = settled.filter(({ settled }) => Number(settled ?? 0) > all)
  const late = [
    { epoch: { $lt: all } },
    ...shards.map(({ _id, settled }) => ({ shard: Number(_id), epoch: { $lt: settled } })),
  ]
  for (const which of late) {
    await db.collection('actors').deleteMany(which)
    await db.collection('tasks').deleteMany({ status: 'running', ...which })
  }
}

interface Inherited {
  /** How many entries of its journal the last owner of a task found when it took it over. */
  readonly entries?: number
  readonly epoch?: number
  /** Of a task that has ended: what the step records and screenshots are stamped with that are its own. */
  readonly records?: number
  readonly stamp?: string
}

/**
 * Removes entries of a task that are of an older epoch than one before them, or than the owner that found fewer: they came
 * after that owner had taken over, and were never read.
 */
async function removeLateEntries(db: Db, name: string, inheritedBy: (task: Doc) => Inherited): Promise<void> {
  const found = read(db, name, ['taskId', 'seq', 'epoch'], () => true, { taskId: 1, seq: 1 })
  const removeLate = async (some: Doc[]) => {
    const ids = { _id: { $in: [...new Set(some.map(({ taskId }) => String(taskId)))] } }
    const tasks = await db
      .collection<Doc>('tasks')
      .find({ ...ids, inherited: { $exists: true } }, { projection: { inherited: 1 } })
      .toArray()
    const inherited = new Map(tasks.map((task) => [task._id, inheritedBy(task)]))
    let task: unknown
    let newest = 0
    const late = some.filter(({ taskId, seq, epoch = 0 }) => {
      if (task !== taskId) newest = 0
      task = taskId
      const by = inherited.get(taskId)
      if (by?.entries !== undefined && seq >= by.entries) newest = Math.max(newest, by.epoch ?? 0)
      if (epoch < newest) return true
      newest = epoch
      return false
    })
    if (late.length > 0) await remove(db, name, late)
  }
  await inParts(found, removeLate, (last, next) => last.taskId !== next.taskId)
}

/** Removes step records and screenshots that came after a task had ended under another owner. */
async function removeLateRecords(db: Db): Promise<void> {
  const hasRecords = ({ inherited }: Doc) => inherited?.records !== undefined
  await each(db, 'tasks', ['inherited'], hasRecords, async (some) => {
    const late = some.map(({ _id, inherited }) => {
      const { records, stamp } = inherited as Inherited
      const older = { epoch: { $lt: records } }
      const unstamped = { stamps: { $exists: true, $ne: stamp } }
      const filter = { taskId: _id, $or: stamp === undefined ? [older] : [older, unstamped] }
      return { deleteMany: { filter } }
    })
    for (const name of ['steps', 'screenshots'])
      await db.collection<Doc>(name).bulkWrite(late as never, { ordered: false })
  })
}

async function upgradeTasks(db: Db): Promise<void> {
  const isUnplaced = ({ status, shard }: Doc) => status === 'running' && shard === undefined
  // What is left of one that was ended before it was kept.
  await each(db, 'tasks', ['gone'], isGone, (some) => remove(db, 'tasks', some))
  await each(db, 'tasks', ['status', 'workspaceId', 'shard'], isUnplaced, async (some) => {
    const placed = some.map(({ _id, workspaceId }) => ({
      updateOne: { filter: { _id }, update: { $set: { shard: shardOf(String(workspaceId)) } } },
    }))
    await db.collection<Doc>('tasks').bulkWrite(placed, { ordered: false })
  })
  await removeFields(db, 'tasks', 'epoch', 'inherited')
}

/** Files whose bytes were not all there were not there. */
async function upgradeFiles(db: Db): Promise<void> {
  await each(
    db,
    'files',
    ['whole'],
    ({ whole }) => whole === false,
    async (some) => {
      await db.collection('file_pieces').deleteMany({ fileId: { $in: some.map(({ _id }) => _id) } })
      await remove(db, 'files', some)
    },
  )
  await removeFields(db, 'files', 'whole')
}

/**
 * A booking was noted, made by one update of the ledger, which named it, and noted as done. One that the ledger names is
 * noted as done; one that was only noted was not made.
 */
async function upgradeLedger(db: Db): Promise<void> {
  const changes = db.collection<Doc>('ledger_changes')
  const done = (name: string) => {
    const [kind, task, month] = name.split(':')
    if (kind === 'event') return { filter: { _id: name }, update: { $set: { took: kind } } }
    const facts = kind === 'refund' ? { refunded: true } : { took: kind, month }
    return { filter: { _id: `task:${task}` }, update: { $set: facts } }
  }
  await each(
    db,
    'ledger',
    ['changes'],
    ({ changes = [] }) => changes.length > 0,
    async (some) => {
      const named = some.flatMap(({ changes }) => (changes as string[]).map((name) => ({ updateOne: done(name) })))
      await changes.bulkWrite(named, { ordered: false })
    },
  )
  await each(
    db,
    'ledger_changes',
    ['took'],
    ({ took }) => took === null,
    (some) => remove(db, 'ledger_changes', some),
  )
  await removeFields(db, 'ledger', 'changes', 'version', 'epoch')
}

/** A sum named the records that it took last: they may be there still. */
async function upgradeUsage(db: Db): Promise<void> {
  await each(
    db,
    'usage_sums',
    ['added'],
    ({ added = [] }) => added.length > 0,
    async (some) => {
      const added = some.flatMap(({ added }) => added as string[])
      for (let at = 0; at < added.length; at += AT_ONCE)
        await db.collection<Doc>('usage').deleteMany({ _id: { $in: added.slice(at, at + AT_ONCE) } })
    },
  )
  await removeFields(db, 'usage_sums', 'added', 'version', 'epoch')
}

/** Drops indexes that are no more, or would say otherwise under the same name. */
async function dropIndexes(db: Db): Promise<void> {
  for (const spec of ALL_TABLES) {
    const collection = db.collection(nameOf(spec))
    const wanted = indexesOf(spec)
    const made = await collection.indexes().catch((error: unknown) => {
      if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return []
      throw error
    })
    for (const { name = '', unique = false, sparse = false } of made) {
      const same = wanted.find((index) => index.name === name)
      if (name === '_id_' || (same && same.unique === unique && sparse === unique)) continue
      await collection.dropIndex(name)
    }
  }
}
