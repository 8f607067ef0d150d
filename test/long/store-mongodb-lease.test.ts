import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Write } from '../../actors/runtime/ports.ts'
import { StoreInUse, StoreUnwritable } from '../../src/stores/errors.ts'
import { LEASE_MS } from '../../src/stores/mongodb/limits.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { argsOf } from '../support/built.ts'
import { appending } from '../support/logs.ts'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { anEnding, aTask, collected, eventually, THEN } from '../support/stores.ts'

interface Ground {
  readonly server: MongoServer
  readonly client: MongoClient
}

const test = suite<Ground>('MongoDB: one process owns the store')
const owner = { address: 'http://127.0.0.1:1' }
const OWNER = 'test/support/mongo/owner.ts'

test.before.each(async (ground) => {
  const server = await startMongoServer()
  Object.assign(ground, { server, client: new MongoClient(server.url) })
})
test.after.each(async ({ client, server }) => {
  await client.close()
  await server.kill()
})

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => new Error('no error'),
    (error: Error) => error,
  )
const open = ({ server }: Ground) => openMongoStore({ url: server.url, owner })
const leases = ({ client }: Ground) =>
  client.db('browser_task_service').collection<{ _id: string; holder: unknown; renewedAt: Date }>('leases')
/** Its holder may be anywhere: it cannot be seen whether it lives. */
const holderElsewhere = (ground: Ground) => leases(ground).updateOne({}, { $set: { 'holder.machine': 'another' } })

const put = (address: string, n: number): Write => ({
  kind: 'actor.put',
  row: { address, version: 1, at: THEN, snapshot: { n } },
})

/** A process that owns the store. */
async function anOwner({ server }: Ground) {
  const args = [...argsOf(OWNER), server.url, 'http://127.0.0.1:2']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

test('[D16] a second owner is refused in one line that names the first, in time, and changes nothing', async (ground) => {
  const child = await anOwner(ground)
  const kept = () => leases(ground).findOne({}, { projection: { renewedAt: 0 } })
  const before = await kept()
  const inUse = `MongoDB at 127.0.0.1:${ground.server.port} is in use by process ${child.pid}, which listens at http://127.0.0.1:2`
  const refused = async () => {
    const from = performance.now()
    const error = await errorOf(open(ground))
    assert.instance(error, StoreInUse)
    assert.is(error.message, inUse)
    assert.ok(performance.now() - from < 2_000, 'in under 2 s')
  }
  await refused()
  assert.equal(await kept(), before)
  // Also when it is on another machine.
  await holderElsewhere(ground)
  await refused()
  const beside = await openMongoStore({ url: ground.server.url })
  assert.is(await beside.ping(), true)
  assert.is(await beside.tasks.get('none'), null)
  await beside.close()
  child.kill('SIGKILL')
  await once(child, 'exit')
})

test('[D16] who was killed here is followed at once, who ended in order too, who cannot be seen after the lease', async (ground) => {
  const child = await anOwner(ground)
  child.kill('SIGKILL')
  await once(child, 'exit')
  let from = performance.now()
  const second = await open(ground)
  await second.close()
  await (await open(ground)).close()
  assert.ok(performance.now() - from < 2_000, 'at once')

  const third = await anOwner(ground)
  await holderElsewhere(ground)
  third.kill('SIGKILL')
  await once(third, 'exit')
  from = performance.now()
  await (await open(ground)).close()
  const waited = performance.now() - from
  assert.ok(waited > LEASE_MS - 2_000 && waited < LEASE_MS + 2_000, `after the lease: ${waited} ms`)
})

test('[D16] an opening that fails lets go of the store', async (ground) => {
  const db = ground.client.db('browser_task_service')
  // Two keys of one hash stand in the way of the unique index.
  await db.collection('api_keys').insertMany([{ keyHash: 'x' }, { keyHash: 'x' }])
  assert.match((await errorOf(open(ground))).message, 'duplicate key')
  await db.collection('api_keys').deleteMany({})
  await (await open(ground)).close()
})

test('[D17] who lost the store writes nothing more, and is told once', async (ground) => {
  const reasons: string[] = []
  const first = await open(ground)
  first.onLost((reason) => reasons.push(reason))
  const record = aTask()
  await first.commit([{ kind: 'task.insert', record }, put('task:a', 1)])

  // As if it had been stopped for longer than its lease.
  await leases(ground).updateOne({}, { $set: { renewedAt: new Date(0) } })
  const second = await open(ground)
  const running = async () => ({
    rows: (await collected(second.actors())).map(({ address, snapshot }) => [address, snapshot]),
    tasks: await collected(second.tasks.running()),
    log: await second.log(record.id),
  })
  const before = await running()
  assert.equal(before, { rows: [['task:a', { n: 1 }]], tasks: [record], log: [] })

  const charge = { taskId: record.id, workspaceId: record.workspaceId, month: '2026-11', freePerMonth: 5 }
  await second.ledger.charge(charge)
  const attempts = [
    () => first.commit([put('task:a', 2)]),
    () => first.commit([{ kind: 'actor.remove', address: 'task:a' }]),
    () => first.commit([appending(record.id, 1, 'stale')]),
    () => first.commit([{ kind: 'task.insert', record: aTask() }]),
    () => first.tasks.end(anEnding(record.id)),
    () => first.ledger.charge({ ...charge, taskId: 'other' }),
    () => first.ledger.refund(record.id),
  ]
  for (const attempt of attempts) {
    const error = await errorOf(attempt())
    assert.instance(error, StoreUnwritable)
    assert.is(error.message, 'Another process owns the store.')
  }
  assert.equal({ ...(await running()), tasks: before.tasks, log: [] }, before)
  assert.is((await second.tasks.get(record.id))?.status, 'running')
  assert.equal(await second.ledger.get(record.workspaceId, '2026-11'), { freeUsed: 1, credits: 0 })
  await eventually('it is told', async () => reasons.length > 0)
  assert.equal(reasons, [
    `MongoDB at 127.0.0.1:${ground.server.port} is in use by process ${process.pid}, which listens at ${owner.address}`,
  ])
  // Its end does not take the store from the second.
  await first.close()
  await second.commit([put('task:a', 3)])
  await second.close()
})

test('[D17] each stale write alone is refused, by the document that it meets or by the lease', async (ground) => {
  const record = aTask()
  const writes: Write[][] = [
    [put('task:a', 2)],
    [put('task:new', 1)],
    [{ kind: 'task.insert', record: aTask() }],
    [appending(record.id, 1, 'stale')],
  ]
  for (const write of writes) {
    const first = await open(ground)
    await first.commit([{ kind: 'task.insert', record }, put('task:a', 1)])
    await leases(ground).updateOne({}, { $set: { renewedAt: new Date(0) } })
    const second = await open(ground)
    assert.is((await errorOf(first.commit(write))).message, 'Another process owns the store.')
    await second.close()
    await first.close()
  }
})

test('[D16] a lease that nobody took is kept through an outage longer than itself', async (ground) => {
  const first = await open(ground)
  let lost = 0
  first.onLost(() => lost++)
  await leases(ground).updateOne({}, { $set: { renewedAt: new Date(0) } })
  await eventually('it is renewed', async () => ((await leases(ground).findOne({}))?.renewedAt.getTime() ?? 0) > 0)
  await first.commit([put('task:a', 1)])
  assert.is(lost, 0)
  await first.close()
})

test.run()
