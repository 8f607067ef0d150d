import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { EventRecord } from '../../machines/task-log.ts'
import { connect, type Db, type MongoDatabase } from '../../src/stores/mongodb/client.ts'
import { MongoDriver, settingsOf } from '../../src/stores/mongodb/driver.ts'
import { isOfEarlierVersion, upgradeDatabase, upgradeLogs } from '../../src/stores/mongodb/upgrade.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { type Rules, rulesOver } from '../../src/stores/rules/store.ts'
import { ALL_TABLES } from '../../src/stores/tables.ts'
import { answersOf, type Known, type Readable } from '../stores/version-2-mongodb/answers.ts'
import { loadDocuments } from '../support/mongo/load.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { collected } from '../support/stores.ts'

/**
 * Documents as cdfb5c9 left them (`make.ts` made them): first one process had the store, whose bookings, files and sums were
 * cut short; then two nodes, one of which still wrote when the other had taken its shard. And what it answered then.
 */
const FROM = 'test/stores/version-2-mongodb'
const { known, changes, answers } = JSON.parse(readFileSync(join(FROM, 'answers.json'), 'utf8')) as {
  readonly known: Known
  readonly changes: { readonly charges: readonly string[]; readonly half: string; readonly credits: readonly string[] }
  readonly answers: unknown
}
const MONTH = '2026-11'

const test = suite('MongoDB: upgrade')
const server = await startMongoServer()
let databases = 0

/** A database with the documents and indexes of a file. */
async function opened(file: string) {
  const url = `${server.url}/upgrade_${++databases}`
  const connected = await connect(url)
  const { db } = connected.present()
  await loadDocuments(db, file)
  return { ...of(connected), url }
}

type EventDoc = Omit<EventRecord, 'event'> & { readonly record: EventRecord['event'] }
/** What three collections had before there were logs. */
const OLD = ['journal', 'steps', 'events']

function of(connected: MongoDatabase) {
  const { db } = connected.present()
  const driver = new MongoDriver(connected)
  const rules = (shard?: number) => rulesOver(driver, settingsOf(connected), shard)
  /** With what belongs to tasks as it stands before it is made their logs. */
  const readable = (own: Rules): Readable => {
    const found = async (name: string, filter: object, by: string) =>
      (await db.collection(name).find(filter).sort(by, 1).toArray()).map(({ record, ...doc }) => ({
        ...doc,
        record: JSON.parse(record),
      }))
    const recordsOf = async (name: string, taskId: string) =>
      (await found(name, { taskId }, 'seq')).map(({ record }) => record)
    const events = async (filter: object, by = 'seq') =>
      (await found('events', filter, by)).map((doc) => {
        const { taskId, workspaceId, seq, position, record: event } = doc as unknown as EventDoc
        return { taskId, workspaceId, seq, position, event }
      })
    return {
      ...own,
      journal: (taskId) => recordsOf('journal', taskId),
      steps: { list: (taskId) => recordsOf('steps', taskId), screenshotNumbered: own.image },
      events: {
        ...own.events,
        ofTask: (taskId) => events({ taskId }),
        newest: async (taskId, limit) => (await events({ taskId })).slice(-limit),
        ofWorkspace: (workspaceId) => events({ workspaceId }, 'position'),
      },
    }
  }
  return {
    db,
    driver,
    rules,
    async contents() {
      await driver.makeIndexes(ALL_TABLES)
      return answersOf(
        readable(rules()),
        known.shards.map((shard) => readable(rules(shard))),
        known,
      )
    },
    async documents() {
      const all: Record<string, unknown[]> = {}
      for (const name of [...ALL_TABLES.map(({ collection, name }) => collection ?? name), ...OLD])
        all[name] = await db.collection(name).find().sort({ _id: 1 }).toArray()
      return JSON.parse(JSON.stringify(all)) as typeof all
    },
    connected,
    close: () => connected.close(),
  }
}

test('[O10] all that the earlier version read is read, and nothing else', async () => {
  const { db, contents, close, ...store } = await opened(join(FROM, 'documents.bson'))
  assert.is(await isOfEarlierVersion(db), true)
  await upgradeDatabase(db)
  assert.is(await isOfEarlierVersion(db), false)
  assert.equal(await contents(), answers)

  const rules = store.rules()
  const { ledger, files, traces } = rules
  const [workspaceId = '', other = ''] = known.workspaces
  const charged = (taskId: string) => ledger.charge({ taskId, workspaceId, month: MONTH, freePerMonth: 0 })
  const [noted = '', booked = '', ...refunded] = changes.charges
  const before = await ledger.get(workspaceId, MONTH)
  assert.equal([await charged(booked), await charged(noted)], ['already', 'credit'])
  for (const each of [noted, ...refunded, ...refunded]) await ledger.refund(each)
  assert.equal(await ledger.get(workspaceId, MONTH), before)
  const credited = changes.credits.map((eventId) => ledger.credit({ eventId, workspaceId: other, credits: 1 }))
  assert.equal(await Promise.all(credited), ['already', 'already', 'applied'])

  const half = { id: changes.half, workspaceId, taskId: null, name: 'a', mediaType: 'a/b', size: 1 }
  assert.is(await files.put({ ...half, origin: 'given', createdAt: 0 }, new Uint8Array([1]), 1), true)
  assert.equal([...((await files.read(changes.half)) ?? [])], [1])
  const [ended = ''] = Object.keys(known.tasks).slice(1)
  assert.is(await rules.tasks.remove(ended), 'removed')
  assert.is(await traces.get(ended, 'transitions'), null)
  await close()
})

test('[O10] an upgrade that is cut short before any of its commands begins anew, and gives the same', async () => {
  const whole = await opened(join(FROM, 'documents.bson'))
  await upgradeDatabase(whole.db)
  const expected = await whole.documents()
  await whole.close()
  for (let cut = 0; ; cut++) {
    const { db, documents, contents, close } = await opened(join(FROM, 'documents.bson'))
    const isCut = await upgradeDatabase(cutAfter(db, cut)).then(
      () => false,
      ({ message }: Error) => message === 'cut',
    )
    await upgradeDatabase(db)
    assert.equal(await documents(), expected, `cut after ${cut} writes`)
    if (!isCut) assert.equal(await contents(), answers)
    await close()
    if (!isCut) {
      assert.ok(cut > 20, String(cut))
      break
    }
  }
})

test('[O10] logs are made of what three collections had, and those go; also when that is cut short', async () => {
  const made: { log: unknown; left: unknown }[] = []
  for (const cut of [0, 1, 2, 3, Number.POSITIVE_INFINITY]) {
    const store = await opened(join(FROM, 'documents.bson'))
    await upgradeDatabase(store.db)
    const { present } = store.connected
    const cutting = { ...store.connected, present: () => ({ ...present(), db: cutAfter(store.db, cut) }) }
    const error = await upgradeLogs(cutting).catch(({ message }: Error) => message)
    assert.is(error, cut < 4 ? 'cut' : undefined)
    await upgradeLogs(store.connected)
    const left = await Promise.all(OLD.map((name) => store.db.collection(name).countDocuments()))
    made.push({ log: (await store.documents()).log, left })
    await store.close()
  }
  const { log } = made.at(-1) as { log: unknown[] }
  assert.ok(log.length > 0)
  for (const each of made) assert.equal(each, { log, left: [0, 0, 0] })
})

/** The database, of which a write is refused when there were so many. */
function cutAfter(db: Db, writes: number): Db {
  let left = writes
  const WRITES = ['updateOne', 'updateMany', 'deleteOne', 'deleteMany', 'replaceOne', 'bulkWrite', 'dropIndex', 'drop']
  const cutting = (collection: object) =>
    new Proxy(collection, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          if (WRITES.includes(String(name)) && left-- <= 0) return Promise.reject(new Error('cut'))
          return value.apply(target, given)
        }
      },
    })
  const { databaseName } = db
  return { databaseName, collection: (name: string) => cutting(db.collection(name)) } as unknown as Db
}

test('[O10] the documents of one process: each actor is there, and each task that runs, by its shard, too', async () => {
  const { db, driver, rules, close } = await opened('test/upgrade/cdfb5c9/mongodb/documents.bson')
  const all = db.collection<{ _id: string; status: string; gone?: unknown }>('tasks')
  const running = (await all.find({ status: 'running', gone: { $exists: false } }).toArray()).map(({ _id }) => _id)
  await all.updateMany({}, { $unset: { shard: '' } })
  await upgradeDatabase(db)
  await driver.makeIndexes(ALL_TABLES)
  const ids = async (store: Rules) => (await collected(store.tasks.running())).map(({ id }) => id)
  assert.ok(running.length > 0)
  assert.equal((await ids(rules())).sort(), running.sort())
  const byShard = await Promise.all(Array.from({ length: 256 }, (_, shard) => ids(rules(shard))))
  assert.equal(byShard.flat().sort(), running)
  for (const row of await collected(rules().actors()))
    assert.equal(Object.keys(row).sort(), ['address', 'at', 'snapshot', 'version'])
  await close()
})

test('[O10] indexes are those of this version, and a new database is none of an earlier one', async () => {
  const { db, driver, close } = await opened(join(FROM, 'documents.bson'))
  await upgradeDatabase(db)
  await driver.makeIndexes(ALL_TABLES)
  const namesIn = async (of: Db) =>
    Promise.all(
      ALL_TABLES.map(async ({ collection, name }) =>
        (await of.collection(collection ?? name).indexes()).map((index) => [
          index.name,
          !!index.unique,
          !!index.sparse,
        ]),
      ),
    )
  const other = of(await connect(`${server.url}/fresh`))
  assert.is(await isOfEarlierVersion(other.db), false)
  await upgradeDatabase(other.db)
  await other.driver.makeIndexes(ALL_TABLES)
  const sorted = (indexes: unknown[][]) => indexes.map((each) => each.map(String).sort())
  assert.equal(sorted(await namesIn(db)), sorted(await namesIn(other.db)))
  await Promise.all([close(), other.close()])
})

test('[O10] a command beside the service does not upgrade it, and says what does', async () => {
  const { url, close } = await opened(join(FROM, 'documents.bson'))
  const reason = await openMongoStore({ url }).catch(({ message }: Error) => message)
  const where = new URL(server.url).host
  assert.is(reason, `MongoDB at ${where} is of an earlier version: start the service on it once, which upgrades it`)
  const owner = await openMongoStore({ url, owner: { address: 'http://127.0.0.1:3' } })
  assert.is((await owner.workspaces.list()).length, known.workspaces.length)
  await owner.close()
  await (await openMongoStore({ url })).close()
  await close()
})

test.after(() => server.kill())

test.run()
