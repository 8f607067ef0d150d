import { randomUUID } from 'node:crypto'
import {
  type ClientBulkWriteModel,
  type ClientSession,
  type Db,
  MongoClient,
  type MongoClientBulkWriteError,
  type MongoError,
} from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Doc } from '../support/mongo/doc.ts'
import type { Fault } from '../support/mongo/faults.ts'
import { type MongoServerOptions, startMongoServer } from '../support/mongo/start.ts'

// What our test server has to do as a real one does it: a replica set of MongoDB 8 where TEST_MONGODB_URL names one.
const server = process.env.TEST_MONGODB_URL ? null : await startMongoServer()
const client = new MongoClient(process.env.TEST_MONGODB_URL ?? server?.url ?? '', { ignoreUndefined: true })
const name = `test_${randomUUID().slice(0, 8)}`
const db: Db = client.db(name)
interface Thing {
  _id: string
  n?: number
  key?: string
}
const things = db.collection<Thing>('things')
const others = db.collection<Thing>('others')
const admin = client.db('admin')
const fault = (what: Fault) => admin.command({ fault: what })

const test = suite('MongoDB: transactions of the test server')
/** What only ours can be told to do. */
const ours = server ? test : test.skip

test.before(async () => {
  await things.createIndex({ key: 1 }, { unique: true, sparse: true })
  await others.createIndex({ key: 1 }, { unique: true, sparse: true })
})
test.before.each(async () => {
  for (const each of [things, others]) await each.deleteMany({})
  await things.insertMany([
    { _id: 'a', n: 1, key: 'one' },
    { _id: 'b', n: 1 },
  ])
})
test.after(async () => {
  await db.dropDatabase()
  await client.close()
  await server?.kill()
})

/** Runs in a transaction, which it ends itself or which is aborted. */
async function within<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  const session = client.startSession()
  session.startTransaction()
  try {
    return await work(session)
  } finally {
    if (session.inTransaction()) await session.abortTransaction()
    await session.endSession()
  }
}
const errorOf = <E>(promise: Promise<unknown>): Promise<E> =>
  promise.then(
    () => assert.unreachable('It went well') as never,
    (error: E) => error,
  )
/** The code and the labels of an error. */
const wrong = async (promise: Promise<unknown>) => {
  const error = await errorOf<MongoError>(promise)
  const labels = ['TransientTransactionError', 'UnknownTransactionCommitResult']
  return [error.code, labels.filter((label) => error.hasErrorLabel(label))]
}
const CONFLICT = [112, ['TransientTransactionError']]
const GONE = [251, ['TransientTransactionError']]
const all = (session?: ClientSession) =>
  things
    .find({}, session && { session })
    .sort({ _id: 1 })
    .toArray()
const add = (_id: string, session?: ClientSession) =>
  things.updateOne({ _id }, { $inc: { n: 1 } }, session && { session })
const n = async (_id: string) => (await things.findOne({ _id }))?.n

test('reads see the state at the start and what the transaction itself has written', () =>
  within(async (session) => {
    await things.findOne({}, { session })
    await things.insertOne({ _id: 'c', n: 1 })
    await things.deleteOne({ _id: 'b' })
    await others.insertOne({ _id: 'new' })
    await add('a', session)
    const seen = [
      { _id: 'a', n: 2, key: 'one' },
      { _id: 'b', n: 1 },
    ]
    assert.equal(await all(session), seen)
    assert.equal(await things.find({ n: 1 }, { session }).toArray(), [{ _id: 'b', n: 1 }])
    assert.is(await things.countDocuments({ key: 'one' }, { session }), 1)
    assert.is(await others.findOne({}, { session }), null)
    assert.equal([await n('a'), await n('b'), await n('c')], [1, undefined, 1])
    await session.commitTransaction()
    assert.equal([await n('a'), await n('b'), await n('c')], [2, undefined, 1])
  }))

test('a write that another transaction holds, or has written since the start, is a conflict', async () => {
  await within((one) =>
    within(async (other) => {
      await add('a', one)
      await add('b', other)
      assert.equal(await wrong(add('a', other)), CONFLICT)
      assert.equal(await wrong(add('b', other)), GONE)
      await add('b', one)
      await one.commitTransaction()
    }),
  )
  assert.equal([await n('a'), await n('b')], [2, 2])
  for (const write of [
    (session: ClientSession) => add('a', session),
    (session: ClientSession) => things.insertOne({ _id: 'c' }, { session }),
    (session: ClientSession) => things.insertOne({ _id: 'd', key: 'c' }, { session }),
    (session: ClientSession) => things.deleteOne({ _id: 'b' }, { session }),
  ]) {
    await within(async (session) => {
      await things.findOne({}, { session })
      await Promise.all([add('a'), add('b'), things.insertOne({ _id: 'c', key: 'c' })])
      assert.equal(await wrong(write(session)), CONFLICT)
    })
    await things.deleteOne({ _id: 'c' })
  }
})

test('what is aborted has not happened, and does not hold anything', async () => {
  await within(async (session) => {
    await add('a', session)
    await things.insertOne({ _id: 'c', key: 'c' }, { session })
  })
  await within((session) => add('a', session).then(() => session.commitTransaction()))
  await things.insertOne({ _id: 'd', key: 'c' })
  assert.equal(
    (await all()).map(({ _id, n }) => [_id, n]),
    [
      ['a', 2],
      ['b', 1],
      ['d', undefined],
    ],
  )
})

test('a write outside waits for the transaction that holds its document', async () => {
  const order: string[] = []
  await within(async (session) => {
    await add('a', session)
    const limited = things.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { maxTimeMS: 100 })
    assert.equal(await wrong(limited), [50, []])
    const outside = add('a').then(() => order.push('outside'))
    await add('b')
    order.push('commit')
    await session.commitTransaction()
    await outside
  })
  assert.equal(order, ['commit', 'outside'])
  assert.is(await n('a'), 3)
})

test('a transaction whose session another one kills holds nothing any more', () =>
  within(async (session) => {
    await add('a', session)
    await admin.command({ killSessions: [session.id] })
    await add('a')
    assert.is(await n('a'), 2)
    assert.equal(await wrong(session.commitTransaction()), GONE)
  }))

test('a command that begins a transaction begins one, though its session was killed before it came', () =>
  within(async (session) => {
    await admin.command({ killSessions: [session.id] })
    await add('a', session)
    assert.equal(await wrong(things.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { maxTimeMS: 100 })), [50, []])
    await session.abortTransaction()
    assert.is(await n('a'), 1)
  }))

test('an update by a pipeline computes from the document, and one that cannot aborts the transaction', async () => {
  const checked = (is: number) => [
    { $set: { n: { $cond: [{ $eq: ['$n', is] }, { $add: ['$n', 1] }, { $toInt: { $type: '$n' } }] } } },
  ]
  const namespace = `${name}.things`
  await within(async (session) => {
    await things.updateOne({ _id: 'a' }, checked(1), { session, upsert: true })
    await session.commitTransaction()
  })
  assert.is(await n('a'), 2)
  for (const _id of ['a', 'nobody']) {
    await within(async (session) => {
      assert.equal(await wrong(things.updateOne({ _id }, checked(1), { session, upsert: true })), [241, []])
      assert.equal(await wrong(session.commitTransaction()), GONE)
    })
    await within(async (session) => {
      const models: ClientBulkWriteModel<Record<string, Thing>>[] = [
        { name: 'updateOne', namespace, filter: { _id }, update: checked(1), upsert: true },
        { name: 'updateOne', namespace, filter: { _id: 'b' }, update: { $inc: { n: 1 } } },
      ]
      const failed = await errorOf<MongoClientBulkWriteError>(
        client.bulkWrite<Record<string, Thing>>(models, { session }),
      )
      assert.equal(
        [...failed.writeErrors.entries()].map(([at, { code }]) => [at, code]),
        [[0, 241]],
      )
      assert.equal(await wrong(session.commitTransaction()), GONE)
    })
    assert.is(await things.countDocuments({ _id: 'nobody' }), 0)
    assert.equal([await n('a'), await n('b')], [2, 1])
  }
})

test('a duplicate key aborts the transaction', async () => {
  for (const doc of [{ _id: 'a' }, { _id: 'c', key: 'one' }, { _id: 'd', key: 'mine' }]) {
    await within(async (session) => {
      await things.insertOne({ _id: 'e', key: 'mine' }, { session })
      assert.equal(await wrong(things.insertOne(doc, { session })), [11_000, []])
      assert.equal(await wrong(session.commitTransaction()), GONE)
    })
  }
  assert.is(await things.countDocuments(), 2)
  await within(async (session) => {
    await things.findOne({}, { session })
    await things.deleteOne({ _id: 'a' })
    assert.equal(await wrong(things.insertOne({ _id: 'c', key: 'one' }, { session })), [11_000, []])
  })
})

test('a commit can be repeated', () =>
  within(async (session) => {
    await add('a', session)
    for (let n = 0; n < 2; n++) await session.commitTransaction()
    assert.is(await n('a'), 2)
  }))

ours(
  'the outcome of a commit is unknown when its answer is lost, or it is cut before; tried again, it is done',
  async () => {
    for (const how of ['lost', 'late'] as const) {
      const before = (await n('a')) ?? 0
      await within(async (session) => {
        await add('a', session)
        await fault({ command: 'commitTransaction', how })
        assert.equal(await wrong(session.commitTransaction()), [undefined, ['UnknownTransactionCommitResult']])
        assert.is(await n('a'), how === 'lost' ? before + 1 : before)
        await session.commitTransaction()
        assert.is(await n('a'), before + 1)
      })
    }
  },
)

ours('a conflict that a test asks for meets the next transaction, and its second attempt goes well', async () => {
  await fault({ command: 'startTransaction', how: 'conflict' })
  let attempts = 0
  await client.withSession((session) =>
    session.withTransaction(async () => {
      attempts++
      await add('a', session)
    }),
  )
  assert.equal([attempts, await n('a')], [2, 2])
})

ours('a write that a driver sends again is carried out once', async () => {
  await fault({ command: 'update', how: 'lost' })
  assert.equal(await wrong(add('a')), [undefined, []])
  assert.is(await n('a'), 2)
})

test('a bulk write of several collections, in a transaction all of it or nothing', async () => {
  const namespace = (collection: string) => `${name}.${collection}`
  const models: ClientBulkWriteModel<Record<string, Thing>>[] = [
    { name: 'insertOne', namespace: namespace('others'), document: { _id: 'x', key: 'x' } },
    { name: 'updateOne', namespace: namespace('things'), filter: { _id: 'a' }, update: { $inc: { n: 1 } } },
    { name: 'replaceOne', namespace: namespace('others'), filter: { _id: 'y' }, replacement: { n: 5 }, upsert: true },
    { name: 'updateMany', namespace: namespace('things'), filter: { n: { $gte: 1 } }, update: { $set: { n: 9 } } },
    { name: 'deleteOne', namespace: namespace('things'), filter: { _id: 'b' } },
  ]
  const counts = { insertedCount: 1, matchedCount: 3, modifiedCount: 3, upsertedCount: 1, deletedCount: 1 }
  await within(async (session) => {
    const done = await client.bulkWrite<Record<string, Thing>>(models, { session, verboseResults: true })
    for (const [each, count] of Object.entries(counts)) assert.is(done[each as keyof typeof counts], count, each)
    assert.equal(
      [...(done.updateResults ?? [])].map(([at, { upsertedId }]) => [at, upsertedId]),
      [
        [1, undefined],
        [2, 'y'],
        [3, undefined],
      ],
    )
    assert.is(await others.countDocuments(), 0)
    await session.commitTransaction()
  })
  assert.equal(await all(), [{ _id: 'a', n: 9, key: 'one' }])
  assert.equal(await others.find().sort({ _id: 1 }).toArray(), [
    { _id: 'x', key: 'x' },
    { _id: 'y', n: 5 },
  ])
  await within(async (session) => {
    const again = await errorOf<MongoClientBulkWriteError>(
      client.bulkWrite<Record<string, Thing>>(models.slice(0, 2).reverse(), { session }),
    )
    assert.equal(
      [...again.writeErrors.entries()].map(([at, { code }]) => [at, code]),
      [[1, 11_000]],
    )
    assert.equal(await wrong(session.commitTransaction()), GONE)
  })
  assert.is(await n('a'), 9)
  const alone = await errorOf<MongoClientBulkWriteError>(
    client.bulkWrite<Record<string, Thing>>(models.slice(0, 2), { ordered: false }),
  )
  assert.equal([[...alone.writeErrors.keys()], alone.partialResult?.modifiedCount, await n('a')], [[0], 1, 10])
})

interface Other {
  readonly its: MongoClient
  readonly session: ClientSession
  insert(_id: string, session?: ClientSession): Promise<unknown>
}
/** On a server with other options. */
async function onAnother(options: MongoServerOptions, work: (other: Other) => Promise<void>): Promise<void> {
  const another = await startMongoServer(options)
  const its = new MongoClient(another.url)
  const session = its.startSession()
  session.startTransaction()
  const insert = (_id: string, session?: ClientSession) =>
    its
      .db()
      .collection<Thing>('things')
      .insertOne({ _id }, session && { session })
  try {
    await work({ its, session, insert })
  } finally {
    await its.close()
    await another.kill()
  }
}

ours('a transaction that nobody ends is aborted, and what waits for it goes on', () =>
  onAnother({ transactionMs: 200 }, async ({ session, insert }) => {
    await insert('a', session)
    await insert('a')
    assert.equal(await wrong(session.commitTransaction()), GONE)
  }),
)

ours('a standalone server has no transactions', () =>
  onAnother({ standalone: true }, async ({ session, insert }) => {
    const refused = await errorOf<{ originalError: Doc }>(insert('a', session))
    assert.equal([refused.originalError.code, refused.originalError.codeName], [20, 'IllegalOperation'])
  }),
)

ours('a server of version 7.0 has transactions, and no bulk write of several collections', () =>
  onAnother({ version: '7.0' }, async ({ its, session, insert }) => {
    await insert('a', session)
    await session.commitTransaction()
    const models = [{ name: 'insertOne', namespace: 'a.b', document: {} }] as const
    const refused = await errorOf<{ cause: Doc }>(its.bulkWrite(models))
    assert.equal([refused.cause.code, refused.cause.codeName], [59, 'CommandNotFound'])
  }),
)

test.run()
