import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { TaskRecord } from '../../machines/records.ts'
import { StoreUnwritable, UniqueConflict } from '../../src/stores/errors.ts'
import { connect, type MongoDatabase } from '../../src/stores/mongodb/client.ts'
import { MongoDriver, settingsOf } from '../../src/stores/mongodb/driver.ts'
import { type MongoFence, raiseFence } from '../../src/stores/mongodb/fencing.ts'
import { collected, type Transaction, table } from '../../src/stores/port.ts'
import { rulesOver } from '../../src/stores/rules/store.ts'
import { anEvent } from '../stores/contract-events.ts'
import { driverContract } from '../stores/driver-contract.ts'
import { databaseAt, startMongoServer } from '../support/mongo/start.ts'
import { aTask } from '../support/stores.ts'

// A real server where TEST_MONGODB_URL names one, else our own: in a database of this run, which is dropped.
const server = process.env.TEST_MONGODB_URL ? null : await startMongoServer()
const serverUrl = process.env.TEST_MONGODB_URL || `${server?.url}`
const urlOf = (name: string) => databaseAt(serverUrl, `${name}_${randomUUID().slice(0, 8)}`)

const drop = async (...databases: MongoDatabase[]) => {
  await databases[0]?.present().db.dropDatabase()
  for (const database of databases) await database.close()
}
/** As a server before 8.0 is written to. */
const oneByOne = (database: MongoDatabase): MongoDatabase => ({ ...database, writesTogether: false })

const contracts: { run(): void }[] = []
for (const [what, as] of [
  ['', (database: MongoDatabase) => database],
  [', one collection in a command', oneByOne],
] as const) {
  const url = urlOf('driver')
  const databases: MongoDatabase[] = []
  const contract = await driverContract(`the driver of MongoDB${what}`, {
    async open(specs) {
      const database = as(await connect(url))
      databases.push(database)
      const driver = new MongoDriver(database)
      await driver.makeIndexes(specs)
      return driver
    },
    remove: () => drop(...databases),
  })
  contracts.push(contract)
}

const test = suite('the driver of MongoDB under a fence')
const COUNTERS = table<{ readonly id: string; readonly count: number }>({ name: 'counters', key: ['id'] })
const LINES = table<{ readonly text: string; readonly n: number }>({ name: 'lines', key: ['text', 'n'] })
const OLD = table<{ readonly address: string; readonly version: number; readonly shard?: number }>({
  name: 'old',
  key: ['address'],
  indexes: { shards: { fields: ['shard'] }, versions: { fields: ['version'], unique: true } },
})

const database = await connect(urlOf('fence'))
const { db } = database.present()
const fences = db.collection<{ _id: string; epoch: number; commits?: number }>('fences')

const raise = (epoch: number, ...ids: string[]) => raiseFence(database, { collection: 'fences', ids, epoch })
function fence(epoch: number, ...ids: string[]): MongoFence & { readonly losses: number } {
  let losses = 0
  return {
    collection: 'fences',
    ids,
    epoch,
    lost: () => void losses++,
    isLost: () => losses > 0,
    get losses() {
      return losses
    },
  }
}
const writes = (tx: Transaction, count: number) => {
  tx.put(COUNTERS, { id: 'a', count })
  tx.put(LINES, { text: 'a', n: count })
}
const there = async () => [
  ...(await collected(new MongoDriver(database).range(COUNTERS, null))),
  ...(await collected(new MongoDriver(database).range(LINES, null))),
]

for (const as of [(each: MongoDatabase) => each, oneByOne]) {
  const bare = new MongoDriver(as(database))
  const how = as === oneByOne ? ', one collection in a command' : ''

  test(`[D17] of one whose fence another has raised nothing is kept, and it begins no other write${how}`, async () => {
    await Promise.all(['counters', 'lines', 'fences'].map((name) => db.collection(name).deleteMany({})))
    await raise(1, 'x', 'y')
    const own = fence(1, 'x', 'y')
    const driver = bare.under(own)
    await driver.transact((tx) => writes(tx, 1))
    const kept = await there()
    assert.equal(kept, [
      { id: 'a', count: 1 },
      { text: 'a', n: 1 },
    ])
    const read = await driver
      .transact(async (tx) => {
        const row = await tx.get(COUNTERS, 'a')
        await raise(2, 'x', 'y')
        tx.put(COUNTERS, { id: 'a', count: 2 })
        return row
      })
      .catch((error: unknown) => error)
    assert.instance(read, StoreUnwritable)
    assert.is((read as Error).message, 'Another process owns the store.')
    assert.is(own.losses, 1)
    assert.equal(await there(), kept)
    const commits = async () => (await fences.find().toArray()).map((each) => each.commits ?? 0)
    const before = await commits()
    for (const late of [
      () => driver.transact((tx) => tx.put(COUNTERS, { id: 'a', count: 3 })),
      () => driver.transact((tx) => writes(tx, 3)),
      () => driver.patch(COUNTERS, ['a'], { count: 3 }),
    ])
      assert.instance(await late().catch((error: unknown) => error), StoreUnwritable)
    assert.equal(await there(), kept)
    assert.equal(await commits(), before)
    assert.is(own.losses, 1)
    await bare.under(fence(2, 'x', 'y')).transact((tx) => writes(tx, 4))
    assert.equal((await there())[0], { id: 'a', count: 4 })
  })

  test(`[D17] one that does not know yet loses its first write, a patch and one row as any other${how}`, async () => {
    await raise(2, 'x')
    await bare.transact((tx) => tx.put(COUNTERS, { id: 'a', count: 1 }))
    const late = [fence(1, 'x'), fence(1, 'x'), fence(1, 'never')] as const
    const made = await Promise.allSettled([
      bare.under(late[0]).patch(COUNTERS, ['a'], { count: 5 }),
      bare.under(late[1]).transact((tx) => tx.remove(COUNTERS, 'a')),
      bare.under(late[2]).transact((tx) => writes(tx, 5)),
    ])
    assert.equal(
      made.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
    assert.equal(
      late.map(({ losses }) => losses),
      [1, 1, 1],
    )
    assert.equal((await there())[0], { id: 'a', count: 1 })
    assert.is(await bare.under(fence(2, 'x')).patch(COUNTERS, ['a'], { count: 6 }), true)
    assert.is(await bare.under(fence(2, 'x')).patch(COUNTERS, ['nobody'], { count: 6 }), false)
    assert.is((await bare.get(COUNTERS, 'a'))?.count, 6)
  })

  test(`[D12] commits of one moment are all made, with few places or many; the server is asked as few times as it takes them together${how}`, async () => {
    for (const ids of [['x'], ['x', 'y', 'z']]) {
      await raise(3, ...ids)
      await fences.updateMany({}, { $set: { commits: 0 } })
      const driver = bare.under(fence(3, ...ids))
      const put = (n: number) => driver.transact((tx) => tx.put(LINES, { text: ids.join(), n }))
      await Promise.all(Array.from({ length: 20 }, (_, n) => put(n)))
      assert.is((await collected(bare.range(LINES, null, { of: [ids.join()] }))).length, 20)
      const counted = await fences.find().toArray()
      assert.is(
        counted.reduce((sum, { commits = 0 }) => sum + commits, 0),
        as === oneByOne ? 20 : 1,
      )
    }
  })
}

test('[D12] of commits of one moment the one that is refused fails alone, and those to one row are made in their order', async () => {
  await raise(4, 'x')
  const driver = new MongoDriver(database).under(fence(4, 'x'))
  await driver.transact((tx) => tx.insert(LINES, { text: 'taken', n: 1 }))
  const made = await Promise.allSettled([
    driver.transact((tx) => tx.put(LINES, { text: 'free', n: 1 })),
    driver.transact((tx) => tx.insert(LINES, { text: 'taken', n: 1 })),
    driver.transact((tx) => tx.put(LINES, { text: 'free', n: 2 })),
    ...[1, 2, 3].map((count) => driver.transact((tx) => tx.put(COUNTERS, { id: 'order', count }))),
  ])
  assert.equal(
    made.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.instance((made[1] as PromiseRejectedResult).reason, UniqueConflict)
  assert.is((await collected(driver.range(LINES, null, { of: ['free'] }))).length, 2)
  assert.is((await driver.get(COUNTERS, 'order'))?.count, 3)
})

/** The database of a process that comes to a halt before its first commit, or before what it writes in that; `go` lets it go on. */
function halting(before: 'commit' | 'write' = 'commit'): {
  halted: Promise<void>
  go: () => void
  database: MongoDatabase
} {
  const { client } = database.present()
  let [halt, go] = [() => {}, () => {}]
  const isHalted = new Promise<void>((resolve) => {
    halt = resolve
  })
  const going = new Promise<void>((resolve) => {
    go = resolve
  })
  let isFirst = true
  const halted = async () => {
    if (!isFirst) return
    isFirst = false
    halt()
    await going
  }
  const startSession = () => {
    const session = client.startSession()
    const commit = session.commitTransaction.bind(session)
    if (before === 'commit') session.commitTransaction = () => halted().then(() => commit())
    return session
  }
  const bulkWrite: typeof client.bulkWrite = async (...args) => {
    if (before === 'write') await halted()
    return client.bulkWrite(...args)
  }
  const halts = new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (name === 'startSession') return startSession
      if (name === 'bulkWrite') return bulkWrite
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { halted: isHalted, go, database: { ...database, present: () => ({ client: halts, db }) } }
}

test('[D16][D17] who takes over ends a commit that its former owner has not finished, and does not wait for it', async () => {
  await raise(5, 'x')
  await new MongoDriver(database).transact((tx) => writes(tx, 1))
  const kept = await there()
  const { halted, go, database: former } = halting()
  const own = fence(5, 'x')
  const late = new MongoDriver(former).under(own).transact((tx) => writes(tx, 2))
  await halted
  // A minute and more if it had to wait for the server to end it.
  await raise(6, 'x')
  await new MongoDriver(database).under(fence(6, 'x')).patch(COUNTERS, ['a'], { count: 3 })
  go()
  assert.instance(await late.catch((error: unknown) => error), StoreUnwritable)
  assert.is(own.losses, 1)
  assert.equal(await there(), [{ id: 'a', count: 3 }, ...kept.slice(1)])
})

test('[W18] the first commit of one workspace, which hangs, holds up none of another', async () => {
  await raise(7, 'x', 'y')
  const { halted, go, database: slow } = halting()
  const { commit } = rulesOver(new MongoDriver(slow).under(fence(7, 'x', 'y')), settingsOf(database))
  const [hung, other] = [aTask(), aTask()]
  const begin = ({ id, workspaceId }: TaskRecord) =>
    commit([{ kind: 'log.append', record: anEvent(id, workspaceId, 1) }])
  const first = begin(hung)
  await halted
  await begin(other)
  go()
  await first
  const { log } = rulesOver(new MongoDriver(database), settingsOf(database))
  assert.equal([(await log(hung.id)).length, (await log(other.id)).length], [1, 1])
  const noted = () => collected(database.present().db.collection('positions').find())
  const before = await noted()
  assert.is(before.length, 2)
  await begin(aTask())
  assert.equal(await noted(), before)
})

for (const before of ['commit', 'write'] as const) {
  test(`[D17] what was given up before its ${before} is over when the next transaction begins, at whatever place`, async () => {
    await raise(7, 'x', 'y')
    await new MongoDriver(database).transact((tx) => writes(tx, 1))
    const { halted, go, database: slow } = halting(before)
    const driver = new MongoDriver(slow).under(fence(7, 'x', 'y'))
    const given = driver.transact((tx) => writes(tx, 2)).catch((error: unknown) => error)
    await halted
    assert.is(((await given) as { code?: unknown }).code, 'ETIMEDOUT')
    assert.is((await driver.transact((tx) => tx.get(COUNTERS, 'a')))?.count, 1)
    go()
    await pause(200)
    assert.is((await new MongoDriver(database).get(COUNTERS, 'a'))?.count, 1)
    await driver.transact((tx) => writes(tx, 3))
    assert.is((await driver.get(COUNTERS, 'a'))?.count, 3)
  })
}

test('[D11] an index that does not say that values are unique is not taken for one that does', async () => {
  await db.collection('other').createIndex({ version: 1 })
  const failed = await new MongoDriver(database)
    .makeIndexes([{ ...OLD, name: 'other' }])
    .catch((error: unknown) => error)
  assert.match(String(failed), /index/i)
})

test('[D12] a setting is its first writer’s until it is put', async () => {
  const settings = settingsOf(database)
  const proposed = await Promise.all(Array.from({ length: 10 }, (_, n) => settings.propose('secret', `${n}`)))
  assert.is(new Set(proposed).size, 1)
  assert.is(await settings.get('secret'), proposed[0])
  await settings.put('secret', 'other')
  assert.is(await settings.propose('secret', 'third'), 'other')
  assert.is(await settings.get('nothing'), null)
})

test.after(async () => {
  await drop(database)
  await server?.stop()
})
// Only suites that begin in the same turn are all run.
for (const each of [...contracts, test]) each.run()
