import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { MongoUrlInvalid } from '../../src/stores/mongodb/client.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { appending } from '../support/logs.ts'
import type { Fault } from '../support/mongo/faults.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { aTask, aWorkspace, collected, eventually, tempFolder } from '../support/stores.ts'

const test = suite('MongoDB that goes away')
const MONTH = '2026-11'

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => new Error('no error'),
    (error: Error) => error,
  )

test('[D13] while the server is gone calls are rejected in words, and work again when it is back', async () => {
  const data = join(tempFolder(), 'dump')
  const first = await startMongoServer({ data })
  const store = await openMongoStore({ url: first.url })
  const [before, during] = [aTask(), aTask()]
  await store.commit([{ kind: 'task.insert', record: before }])
  await first.stop()

  assert.is(await store.ping(), false)
  const away = 'The database cannot be reached.'
  const commit = () => store.commit([{ kind: 'task.insert', record: during }])
  const calls = [
    commit(),
    store.tasks.end({} as never),
    store.keys.byHash('k') as Promise<unknown>,
    store.ledger.refund('t'),
  ]
  for (const error of await Promise.all(calls.map(errorOf))) assert.is(error.message, away)
  const rows = store.actors()[Symbol.asyncIterator]()
  assert.is((await errorOf(rows.next())).message, away)

  const second = await startMongoServer({ data, port: first.port })
  await eventually('the store answers', () => store.ping())
  await commit()
  assert.equal(await store.tasks.get(before.id), before)
  assert.equal(await store.tasks.get(during.id), during)
  await store.close()
  await second.stop()
})

test('[D13] a server that keeps its sockets and says nothing fails the ping within its time', async () => {
  const server = await startMongoServer()
  const store = await openMongoStore({ url: server.url })
  server.pause()
  assert.is(await store.ping(), false)
  server.resume()
  await eventually('the store answers', () => store.ping())
  await store.close()
  await server.stop()
})

test('[N10] a server that is not there, and a URL that is none, are refused in one sentence', async () => {
  const server = await startMongoServer()
  await server.kill()
  const url = `mongodb://user:secret@127.0.0.1:${server.port}/x`
  const absent = await errorOf(openMongoStore({ url }))
  assert.match(absent.message, `MongoDB at 127.0.0.1:${server.port} cannot be reached: `)
  assert.not.match(absent.message, 'secret')
  const invalid = await errorOf(openMongoStore({ url: 'mongodb://' }))
  assert.instance(invalid, MongoUrlInvalid)
  assert.match(invalid.message, 'MONGODB_URL is not valid: ')
})

test('[D1] the database is the one of the URL, else browser_task_service', async () => {
  const server = await startMongoServer()
  const client = new MongoClient(server.url)
  for (const [path, name] of [
    ['', 'browser_task_service'],
    ['/', 'browser_task_service'],
    ['/?appName=x', 'browser_task_service'],
    ['/mine?appName=x', 'mine'],
  ] as const) {
    const store = await openMongoStore({ url: `${server.url}${path}` })
    const record = aWorkspace()
    await store.workspaces.insert(record)
    assert.ok(await client.db(name).collection('workspaces').findOne({ id: record.id }), path)
    await store.close()
  }
  await client.close()
  await server.stop()
})

test('[D12] a change of the ledger whose commit was lost, or met another, is neither lost nor doubled', async () => {
  const server = await startMongoServer()
  const store = await openMongoStore({ url: server.url, owner: { address: 'http://127.0.0.1:1' } })
  const client = new MongoClient(server.url)
  const workspaceId = randomUUID()
  const charge = { taskId: 'one', workspaceId, month: MONTH, freePerMonth: 5 }
  const event = { eventId: 'paid', workspaceId, credits: 3 }
  const faults: Fault[] = [
    { command: 'commitTransaction', how: 'lost' },
    { command: 'commitTransaction', how: 'late' },
    { command: 'bulkWrite', collection: 'ledger', how: 'conflict' },
  ]
  for (const fault of faults) {
    await client.db('admin').command({ fault })
    await store.ledger.charge({ ...charge, taskId: fault.how })
    await client.db('admin').command({ release: 1 })
    assert.is(await store.ledger.charge({ ...charge, taskId: fault.how }), 'already')
    await client.db('admin').command({ fault })
    await store.ledger.credit({ ...event, eventId: fault.how })
    await client.db('admin').command({ release: 1 })
    assert.is(await store.ledger.credit({ ...event, eventId: fault.how }), 'already')
  }
  assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 3, credits: 9 })
  await client.close()
  await store.close()
  await server.stop()
})

test('[D4] nothing is kept of a commit that is refused', async () => {
  const server = await startMongoServer()
  const store = await openMongoStore({ url: server.url })
  const client = new MongoClient(server.url)
  const record = aTask()
  const row = (address: string) => ({ address, version: 1, at: 1, snapshot: {} })
  const writes = [
    { kind: 'actor.put', row: row('task:x') },
    { kind: 'actor.remove', address: 'task:y' },
    { kind: 'task.insert', record },
    appending(record.id, 1, 'a'),
  ] as const
  await store.commit([{ kind: 'actor.put', row: row('task:y') }])
  const kept = async () => [
    (await collected(store.actors())).map(({ address }) => address),
    (await store.log(record.id)).length,
    await store.tasks.get(record.id),
  ]
  for (const command of ['bulkWrite', 'commitTransaction']) {
    await client.db('admin').command({ fault: { command, how: 'refused', code: 121 } })
    assert.is((await errorOf(store.commit(writes))).message, 'The database refused a call (121).')
    assert.equal(await kept(), [['task:y'], 0, null])
  }
  await store.commit(writes)
  assert.equal(await kept(), [['task:x'], 1, record])
  await client.close()
  await store.close()
  await server.stop()
})

test.run()
