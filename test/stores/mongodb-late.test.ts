import type { ClientSession } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreUnwritable } from '../../src/stores/errors.ts'
import { connect, type MongoDatabase } from '../../src/stores/mongodb/client.ts'
import { MongoDriver } from '../../src/stores/mongodb/driver.ts'
import { type MongoFence, raiseFence, removeFences } from '../../src/stores/mongodb/fencing.ts'
import { table } from '../../src/stores/port.ts'
import { eventually } from '../support/eventually.ts'
import type { Fault } from '../support/mongo/faults.ts'
import { startMongoServer } from '../support/mongo/start.ts'

// What a machine that is lost has sent reaches the server after another one has taken over. A real server does what ours
// does here: a command that begins a transaction begins one, although its session was ended.
const server = await startMongoServer()
const database = await connect(server.url)
const { db, client } = database.present()
const admin = client.db('admin')
const ROWS = table<{ readonly id: string; readonly by: string }>({ name: 'rows', key: ['id'] })
const MORE = table<{ readonly id: string; readonly by: string }>({ name: 'more', key: ['id'] })
/** Of a take-over: it waits for nothing that the lost machine has begun. */
const SOON_MS = 2_000

const test = suite('MongoDB: what arrives late')

test.after(async () => {
  await database.close()
  await server.kill()
})
test.before.each(async () => {
  await admin.command({ repair: 1 })
  await db.dropDatabase()
})

const fault = (what: Fault) => admin.command({ fault: what })
const transactions = async () =>
  (await admin.command({ transactions: 1 })) as unknown as { longestMs: number; open: number }
const raise = (epoch: number, ids = ['node/a/0']) => raiseFence(database, { collection: 'fences', ids, epoch })

function fenceAt(epoch: number, ids = ['node/a/0']): MongoFence & { losses: number } {
  const fence = {
    collection: 'fences',
    ids,
    epoch,
    losses: 0,
    lost: () => void fence.losses++,
    isLost: () => fence.losses > 0,
  }
  return fence
}

/** The database of a machine that is lost: it hears nothing of what it has sent since, and sends nothing more. */
function lostMachine(how: Partial<MongoDatabase> = {}): { database: MongoDatabase; lose(): void } {
  let isLost = false
  const gone = () => new Promise<never>(() => {})
  const unheard =
    <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    (...args: Args): Promise<Answer> =>
      isLost ? gone() : call(...args).catch(() => gone())
  const session = () => {
    const begun: ClientSession = client.startSession()
    begun.commitTransaction = unheard(begun.commitTransaction.bind(begun))
    const abort = begun.abortTransaction.bind(begun)
    begun.abortTransaction = () => (isLost ? Promise.resolve() : abort())
    return begun
  }
  const ofCollections = new Proxy(db, {
    get(target, name) {
      if (name === 'command') return unheard(db.command.bind(db))
      if (name !== 'collection') return Reflect.get(target, name, target)
      return (collection: string) => {
        const its = db.collection(collection)
        return new Proxy(its, {
          get(of, method) {
            const value = Reflect.get(of, method, of)
            if (typeof value !== 'function') return value
            return method === 'find' ? value.bind(of) : unheard(value.bind(of))
          },
        })
      }
    },
  })
  const its = new Proxy(client, {
    get(target, name) {
      if (name === 'startSession') return session
      if (name === 'bulkWrite') return unheard(client.bulkWrite.bind(client))
      return Reflect.get(target, name, target)
    },
  })
  return {
    database: { ...database, ...how, present: () => ({ client: its, db: ofCollections }) },
    lose: () => {
      isLost = true
    },
  }
}

/** Of a machine that is lost nobody hears. */
const unheeded = (promise: Promise<unknown>) => void promise.catch(() => {})
const onItsWay = () =>
  eventually(async () => ((await admin.command({ late: 1 })).count as number) > 0, 'it is on its way')

const all = async (driver: MongoDriver) => [await driver.get(ROWS, 'a'), await driver.get(MORE, 'a')]

/** What the lost machine's last command is, by what the server can do. */
const WAYS = [
  { what: 'several collections in a command', how: {}, command: 'bulkWrite' },
  { what: 'one collection in a command', how: { writesTogether: false }, command: 'update' },
] as const

for (const { what, how, command } of WAYS) {
  for (const after of ['was raised', 'was removed'] as const) {
    test(`[D17 M19] a commit that arrives after its fence ${after} is refused whole and holds nothing: ${what}`, async () => {
      const fenced = fenceAt(1)
      await raise(1)
      const machine = lostMachine(how)
      const former = new MongoDriver(machine.database).under(fenced)
      await former.transact((tx) => {
        tx.put(ROWS, { id: 'a', by: 'former' })
        tx.put(MORE, { id: 'a', by: 'former' })
      })
      await fault({ command, collection: 'fences', how: 'late' })
      unheeded(
        former.transact((tx) => {
          tx.put(ROWS, { id: 'a', by: 'late' })
          tx.put(MORE, { id: 'a', by: 'late' })
          tx.put(MORE, { id: 'b', by: 'late' })
        }),
      )
      await onItsWay()
      machine.lose()

      const from = performance.now()
      await raise(2)
      if (after === 'was removed') await removeFences(database, () => true)
      await admin.command({ release: 1 })
      const next = after === 'was removed' ? fenceAt(1, ['node/b/0']) : fenceAt(2)
      if (after === 'was removed') await raise(1, ['node/b/0'])
      const driver = new MongoDriver({ ...database, ...how }).under(next)
      assert.is((await transactions()).open, 0)
      await driver.transact((tx) => {
        tx.put(ROWS, { id: 'a', by: 'next' })
        tx.put(MORE, { id: 'b', by: 'next' })
      })
      const ms = performance.now() - from
      assert.ok(ms < SOON_MS, `${Math.round(ms)} ms`)
      assert.equal(await all(driver), [
        { id: 'a', by: 'next' },
        { id: 'a', by: 'former' },
      ])
      assert.is(next.losses, 0)
      assert.is((await db.collection('fences').countDocuments()) > 0, true)
    })
  }
}

test('[D17 M19] one that arrives before the fence is raised is ended by who takes over', async () => {
  await raise(1)
  const machine = lostMachine()
  const former = new MongoDriver(machine.database).under(fenceAt(1))
  await former.transact((tx) => tx.put(ROWS, { id: 'a', by: 'former' }))
  await fault({ command: 'bulkWrite', collection: 'fences', how: 'late' })
  unheeded(former.transact((tx) => tx.put(ROWS, { id: 'a', by: 'late' })))
  await onItsWay()
  machine.lose()
  await admin.command({ release: 1 })
  assert.is((await transactions()).open, 1)
  const from = performance.now()
  await raise(2)
  const driver = new MongoDriver(database).under(fenceAt(2))
  await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'next' }))
  assert.ok(performance.now() - from < SOON_MS)
  assert.is((await driver.get(ROWS, 'a'))?.by, 'next')
})

test('[D17 M19] a read that arrives late begins a transaction that is ended again', async () => {
  await raise(1)
  const machine = lostMachine()
  const former = new MongoDriver(machine.database).under(fenceAt(1))
  await former.transact((tx) => tx.put(ROWS, { id: 'a', by: 'former' }))
  await fault({ command: 'startTransaction', how: 'late' })
  unheeded(former.transact((tx) => tx.get(ROWS, 'a')))
  await onItsWay()
  machine.lose()
  await raise(2)
  await admin.command({ release: 1 })
  assert.is((await transactions()).open, 1)
  const driver = new MongoDriver(database).under(fenceAt(2))
  await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'next' }))
  await eventually(async () => (await transactions()).open === 0, 'it is ended', 10_000)
})

test('[D17 M19] a commit of a process that goes on, which arrives after it was given up, holds nothing', async () => {
  await raise(1)
  const own = fenceAt(1)
  const driver = new MongoDriver(database).under(own)
  await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'first' }))
  // Its connection is cut; it runs again on another one, in the same session.
  await fault({ command: 'bulkWrite', collection: 'fences', how: 'late' })
  await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'second' }))
  // Given up, and its place has another session.
  const machine = lostMachine()
  const slow = new MongoDriver(machine.database).under(own)
  await fault({ command: 'bulkWrite', collection: 'fences', how: 'late' })
  const given = slow.transact((tx) => tx.put(ROWS, { id: 'a', by: 'given up' })).catch((error: unknown) => error)
  assert.is(((await given) as { code?: unknown }).code, 'ETIMEDOUT')
  await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'third' }))
  await admin.command({ release: 1 })
  assert.is((await transactions()).open, 0)
  const from = performance.now()
  await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'fourth' }))
  assert.ok(performance.now() - from < SOON_MS)
  assert.is((await driver.get(ROWS, 'a'))?.by, 'fourth')
  assert.is(own.losses, 0)
})

test('[D17] a fence whose document another session has named since is no lost one', async () => {
  await raise(1)
  const own = fenceAt(1)
  const driver = new MongoDriver(database).under(own)
  await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'first' }))
  const other = client.startSession()
  await db.collection('fences').updateMany({}, { $set: { session: other.id?.id.toString('hex') } })
  await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'second' }))
  assert.is((await driver.get(ROWS, 'a'))?.by, 'second')
  await db.collection('fences').updateMany({}, { $set: { epoch: 2 } })
  const refused = await driver.transact((tx) => tx.put(ROWS, { id: 'a', by: 'late' })).catch((error: unknown) => error)
  assert.instance(refused, StoreUnwritable)
  assert.equal([(await driver.get(ROWS, 'a'))?.by, own.losses], ['second', 1])
  await other.endSession()
})

test('[M19] no transaction of these was open for 10 s', async () => {
  const { longestMs } = await transactions()
  assert.ok(longestMs > 0 && longestMs < 10_000, `${longestMs} ms`)
})

test.run()
