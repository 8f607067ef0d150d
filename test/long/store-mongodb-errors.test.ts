import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreUnwritable } from '../../src/stores/errors.ts'
import { MongoUrlInvalid } from '../../src/stores/mongodb/client.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import type { Fault } from '../support/mongo/faults.ts'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { aTask, THEN } from '../support/stores.ts'

interface Ground {
  readonly server: MongoServer
  fault(fault: Fault): Promise<unknown>
  last(command: string): Promise<{ command: Record<string, unknown> }>
}

const test = suite<Ground>('MongoDB: what it refuses, and how that is worded')
const owner = { address: 'http://127.0.0.1:1' }
const FOREVER = 1_000

test.before.each(async (ground) => {
  const server = await startMongoServer()
  const client = new MongoClient(server.url)
  const admin = client.db('admin')
  Object.assign(ground, {
    server: { ...server, kill: () => client.close().then(server.kill) },
    fault: (fault: Fault) => admin.command({ fault }),
    last: (last: string) => admin.command({ last }),
  })
})
test.after.each(({ server }) => server.kill())

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => new Error('no error'),
    (error: Error) => error,
  )

test('[N10] a user that is refused, and one without rights, are said so and not tried again', async ({
  server,
  fault,
}) => {
  const host = `127.0.0.1:${server.port}`
  const url = `mongodb://ann:secret@${host}/x`
  await fault({ command: 'saslStart', how: 'refused', code: 18, codeName: 'AuthenticationFailed', times: FOREVER })
  const refused = await errorOf(openMongoStore({ url, owner }))
  assert.instance(refused, MongoUrlInvalid)
  assert.is(refused.message, `MongoDB at ${host} refused the user or the password of MONGODB_URL.`)

  await fault({ command: 'insert', collection: 'leases', how: 'refused', code: 13, codeName: 'Unauthorized' })
  const unauthorized = await errorOf(openMongoStore({ url: server.url, owner }))
  assert.instance(unauthorized, MongoUrlInvalid)
  assert.match(unauthorized.message, `The user of MONGODB_URL lacks rights at ${host}: `)
})

test('[N10] a standalone server is refused in one line that says how it becomes a replica set', async () => {
  const server = await startMongoServer({ standalone: true })
  const refused = await errorOf(openMongoStore({ url: server.url, owner }))
  assert.instance(refused, MongoUrlInvalid)
  assert.is(
    refused.message,
    `MongoDB at 127.0.0.1:${server.port} is a standalone server, which has no transactions: start it with "mongod --replSet rs0", and run "rs.initiate()" there once`,
  )
  await server.kill()
})

test('[D13] what is too large, and what the server refuses, are not told as a database that is away', async ({
  server,
  fault,
}) => {
  const lines: object[] = []
  const warn = (fields: object) => void lines.push(fields)
  const none = () => {}
  const log = { debug: none, info: none, error: none, warn }
  const store = await openMongoStore({ url: server.url, owner, log })
  const row = { address: 'task:a', version: 1, at: THEN, snapshot: 'x'.repeat(17 * 1024 * 1024) }
  const large = await errorOf(store.commit([{ kind: 'actor.put', row }]))
  assert.instance(large, StoreUnwritable)
  assert.is(large.message, 'This is larger than the database can keep: at most 16 MB in one document.')

  await fault({ command: 'bulkWrite', collection: 'tasks', how: 'refused', code: 13, codeName: 'Unauthorized' })
  const refused = await errorOf(store.commit([{ kind: 'task.insert', record: aTask() }]))
  assert.is(refused.message, 'The database refused a call (Unauthorized).')

  await server.kill()
  const away = await errorOf(store.commit([{ kind: 'task.insert', record: aTask() }]))
  assert.is(away.message, 'The database cannot be reached.')
  await store.close()
  // Who reads the log needs to know which.
  for (const line of lines) assert.is((line as { hosts: string }).hosts, `127.0.0.1:${server.port}`)
})

test('[D13] the ping of an owner is a write: it fails where reading goes on', async ({ server, fault }) => {
  const store = await openMongoStore({ url: server.url, owner })
  assert.is(await store.ping(), true)
  await fault({
    command: 'update',
    collection: 'leases',
    how: 'refused',
    code: 64,
    codeName: 'WriteConcernFailed',
    times: 2,
  })
  // One may be met by the renewal that comes every second.
  const answers = [await store.ping(), await store.ping(), await store.ping()]
  assert.ok(answers.includes(false))
  assert.is(await store.tasks.get('none'), null)
  assert.is(await store.ping(), true)
  await store.close()
})

test('[D2] what the URL says of writes and reads does not weaken them', async ({ server, last }) => {
  const options = 'journal=false&w=1&readPreference=secondaryPreferred&readConcernLevel=local'
  const store = await openMongoStore({ url: `${server.url}/?${options}`, owner })
  await store.commit([{ kind: 'task.insert', record: aTask() }])
  await store.log('none')
  const write = (await last('update')).command.writeConcern as Record<string, unknown>
  assert.is(write.w, 'majority')
  assert.is(write.j, true)
  const { readConcern, $readPreference } = (await last('find')).command
  assert.equal(readConcern, { level: 'majority' })
  assert.is($readPreference, undefined)
  await store.close()
})

test.run()
