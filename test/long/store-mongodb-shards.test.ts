import { randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ShardOwner, Shards } from '../../actors/cluster/ports.ts'
import type { Write } from '../../actors/runtime/ports.ts'
import { ROWS_FORMAT } from '../../actors/runtime/row-versions.ts'
import { shardOf } from '../../machines/placement.ts'
import { StoreInUse, StoreUnwritable } from '../../src/stores/errors.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { anEvent } from '../stores/contract-events.ts'
import { appending } from '../support/logs.ts'
import { errorOf, openAtNode, taken } from '../support/mongo/nodes.ts'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { anEnding, aTask, collected, THEN } from '../support/stores.ts'
import { aDelivery } from '../support/webhook-memory.ts'

const test = suite<{ server: MongoServer }>('MongoDB: several nodes share the store')

test.before.each(async (ground) => {
  ground.server = await startMongoServer()
})
test.after.each(({ server }) => server.kill())

const put = (address: string, n: number): Write => ({
  kind: 'actor.put',
  row: { address, version: 1, at: THEN, snapshot: { n } },
})

test('[M2] of two nodes that want a shard one gets it; the next one raises its epoch', async ({ server }) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const seen = { node: null, epoch: 0 }
  const both = await Promise.all([one.shards?.acquire(3, seen), other.shards?.acquire(3, seen)])
  const [first] = both.filter((owned) => owned !== null)
  assert.is(both.filter((owned) => owned !== null).length, 1)
  const next = await taken(first === both[0] ? other : one, 3)
  assert.ok(next.epoch > (first?.epoch ?? 0))
  assert.equal([await first?.isOwn(), await next.isOwn()], [false, true])
  await Promise.all([one.close(), other.close()])
})

const VIEW = { leaving: false, reachesBus: true }
const ownerIn = async ({ shards }: { shards?: Shards }, shard: number) => {
  const { nodes, owners } = (await shards?.refreshView(VIEW)) ?? {}
  return { formatsRead: nodes?.map(({ format }) => format), owner: owners?.[shard] as ShardOwner }
}
const openNewer = ({ url }: MongoServer) =>
  openMongoStore({ url, owner: { address: 'http://127.0.0.1:2', shared: true, format: 1_000 } })

test('[M11] a node of a newer version writes what the others read while they are there, and can be taken back', async ({
  server,
}) => {
  const older = await openAtNode(server, 1)
  const canary = await openNewer(server)
  await older.shards?.refreshView(VIEW)
  const own = await taken(canary, 3)
  assert.is(own.format, ROWS_FORMAT)
  await canary.close()
  const again = await taken(older, 3)
  assert.ok(again.epoch > own.epoch)
  await older.close()
})

test('[M11] a shard that was acquired when every node read a newer format is not taken by an older one, which sees why', async ({
  server,
}) => {
  const newer = await openNewer(server)
  const own = await taken(newer, 3)
  assert.is(own.format, 1_000)
  const older = await openAtNode(server, 1)
  const { formatsRead, owner } = await ownerIn(older, 3)
  assert.equal([formatsRead?.sort(), owner.format], [[1_000, ROWS_FORMAT], 1_000])
  assert.is(await older.shards?.acquire(3, owner), null)
  await own.release()
  const free = await ownerIn(older, 3)
  assert.is(free.owner.node, null)
  assert.is(await older.shards?.acquire(3, free.owner), null)
  // It stays in that format: its rows may have it.
  assert.is((await taken(newer, 3)).format, 1_000)
  await Promise.all([older.close(), newer.close()])
})

test('[M17] a refresh is one write and one read, and who owns what is read when it has changed', async ({ server }) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const client = new MongoClient(server.url)
  const counted = async () => (await client.db('admin').command({ counts: 1 })).commands as Record<string, number>
  await ownerIn(one, 3)
  const before = await counted()
  for (let n = 0; n < 5; n++) await ownerIn(one, 3)
  const after = await counted()
  const times = (name: string) => (after[name] ?? 0) - (before[name] ?? 0)
  assert.equal([times('update'), times('aggregate'), times('find')], [5, 5, 0])
  await taken(other, 3)
  assert.is((await ownerIn(one, 3)).owner.node, other.shards?.node)
  await client.close()
  await Promise.all([one.close(), other.close()])
})

test('[M4 M14 T33 T51 T52 V1 W15] the owner before writes nothing any more: no row, no entry, no start, no ending, nothing of a task; it is told once', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const workspaceId = randomUUID()
  const shard = shardOf(workspaceId)
  const task = aTask({ workspaceId })
  const before = await taken(one, shard)
  const delivery = aDelivery({ workspaceId })
  await before.store.commit([{ kind: 'task.insert', record: task }, put(`task:${task.id}`, 1)])
  await before.store.deliveries.add(delivery)
  const now = await taken(other, shard)
  let told = 0
  before.onLost(() => told++)
  const another = aTask({ workspaceId })
  for (const write of [
    put(`task:${task.id}`, 2),
    { kind: 'actor.remove', address: `task:${task.id}` },
    appending(task.id, 1, 'late'),
    { kind: 'task.insert', record: another },
    { kind: 'log.append', record: anEvent(task.id, workspaceId, 1) },
  ] as Write[])
    assert.instance(await errorOf(before.store.commit([write])), StoreUnwritable, write.kind)
  const image = { taskId: task.id, step: 1, number: 0, image: new Uint8Array([1]) }
  for (const write of [
    () => before.store.tasks.end(anEnding(task.id)),
    () => before.store.commit([{ kind: 'image.put', image }]),
    () => before.store.deliveries.update(delivery.id, { status: 'delivered' }),
  ])
    assert.instance(await errorOf(write()), StoreUnwritable)
  assert.is(told, 1)
  assert.equal(
    (await collected(now.store.actors())).map(({ snapshot }) => snapshot),
    [{ n: 1 }],
  )
  assert.is((await now.store.tasks.get(task.id))?.status, 'running')
  assert.is(await other.tasks.get(another.id), null)
  assert.equal(await now.store.log(task.id), [])
  assert.equal(await now.store.events.ofTask(task.id, 0, 10), [])
  assert.is(await now.store.image(task.id, 0), null)
  assert.equal(await now.store.deliveries.get(delivery.id), delivery)
  const third = await taken(one, shard)
  assert.equal(
    (await collected(third.store.tasks.running())).map(({ id }) => id),
    [task.id],
  )
  await Promise.all([one.close(), other.close()])
})

test('[M4] a node that lost one shard has lost all of them, and takes those that nobody took again', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const [first, second] = [await taken(one, 1), await taken(one, 2)]
  await first.store.commit([put('task:a', 1)])
  await second.store.commit([put('task:b', 1)])
  const lost: number[] = []
  for (const owned of [first, second]) owned.onLost(() => lost.push(owned.shard))
  const now = await taken(other, 1)
  // It learns that by a look, and by a write as well.
  await one.shards?.refreshView(VIEW)
  assert.equal(lost, [1, 2])
  assert.instance(await errorOf(second.store.commit([put('task:b', 2)])), StoreUnwritable)
  const again = await taken(one, 2)
  await again.store.commit([put('task:b', 3)])
  assert.instance(await errorOf(second.store.commit([put('task:b', 4)])), StoreUnwritable)
  assert.equal(
    (await collected(again.store.actors())).map(({ snapshot }) => snapshot),
    [{ n: 3 }],
  )
  await now.store.commit([put('task:a', 2)])
  assert.equal([await first.isOwn(), await second.isOwn(), await again.isOwn()], [false, false, true])
  await Promise.all([one.close(), other.close()])
})

test('[M3 M4] a shard that is given back has all that was begun, and is taken without harm to the others of its node', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const [given, kept] = [await taken(one, 1), await taken(one, 2)]
  let lost = 0
  for (const owned of [given, kept]) owned.onLost(() => lost++)
  const begun = Promise.all([1, 2, 3].map((n) => given.store.commit([put(`task:${n}`, n)])))
  await given.release()
  assert.instance(await errorOf(given.store.commit([put('task:4', 4)])), StoreUnwritable)
  const now = await taken(other, 1)
  const rows = async () => (await collected(now.store.actors())).length
  assert.is(await rows(), 3)
  await begun
  await now.store.commit([put('task:5', 5)])
  await kept.store.commit([put('task:b', 1)])
  assert.equal([await rows(), lost, await given.isOwn(), await kept.isOwn()], [4, 0, false, true])
  await Promise.all([one.close(), other.close()])
})

test('[M4] one that was given back in doubt whether all is written is given back when that is certain', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const client = new MongoClient(server.url)
  const admin = client.db('admin')
  const given = await taken(one, 1)
  await given.store.commit([put('task:a', 1)])
  await admin.command({ fault: { command: 'bulkWrite', how: 'refused', code: 121 } })
  assert.instance(await errorOf(given.store.commit([put('task:a', 2)])), StoreUnwritable)
  await admin.command({ fault: { command: 'startTransaction', how: 'refused', code: 121 } })
  assert.ok(await errorOf(given.release()))
  assert.is((await other.shards?.refreshView(VIEW))?.owners[1]?.node, one.shards?.node)
  // Its node takes it again, as one that it was not able to give back.
  const again = await taken(one, 1)
  await again.release()
  assert.is((await other.shards?.refreshView(VIEW))?.owners[1]?.node, null)
  await client.close()
  await Promise.all([one.close(), other.close()])
})

test('[M2] a shard has the rows and running tasks of its own workspaces', async ({ server }) => {
  const store = await openAtNode(server, 1)
  const tasks = Array.from({ length: 6 }, () => aTask({ workspaceId: randomUUID() }))
  for (const task of tasks) {
    const { store: own } = await taken(store, shardOf(task.workspaceId))
    const row = { address: `task:${task.id}`, version: 1, at: THEN, snapshot: null }
    await own.commit([
      { kind: 'task.insert', record: task },
      { kind: 'actor.put', row },
    ])
  }
  for (const task of tasks) {
    const { store: own } = await taken(store, shardOf(task.workspaceId))
    const ids = tasks
      .filter(({ workspaceId }) => shardOf(workspaceId) === shardOf(task.workspaceId))
      .map(({ id }) => id)
    assert.equal((await collected(own.tasks.running())).map(({ id }) => id).sort(), ids.sort())
    assert.equal((await collected(own.actors())).map(({ address }) => address.slice(5)).sort(), ids.sort())
  }
  await store.close()
})

test('[M1 D16] one process that owns all and several nodes exclude each other, and each goes on with what the other left', async ({
  server,
}) => {
  const workspaceId = randomUUID()
  const task = aTask({ workspaceId })
  const all = () => openMongoStore({ url: server.url, owner: { address: 'http://127.0.0.1:9' } })
  const alone = await all()
  await alone.commit([
    { kind: 'task.insert', record: task },
    put(`task:${task.id}`, 1),
    put(`workspace:${workspaceId}`, 1),
  ])
  assert.instance(await errorOf(openAtNode(server, 1)), StoreInUse)
  await alone.close()
  const node = await openAtNode(server, 1)
  const owned = await taken(node, shardOf(workspaceId))
  assert.is((await collected(owned.store.actors())).length, 2)
  await owned.store.commit([put(`task:${task.id}`, 2)])
  const looking = setInterval(() => void node.shards?.refreshView(VIEW).catch(() => {}), 300)
  const refused = await errorOf(all())
  clearInterval(looking)
  assert.instance(refused, StoreInUse)
  assert.match(
    refused?.message ?? '',
    'is in use by several nodes (NATS_URL), one of which listens at http://127.0.0.1:1',
  )
  await node.close()
  const again = await all()
  assert.is(await owned.isOwn().catch(() => false), false)
  assert.equal((await collected(again.actors())).length, 2)
  await again.commit([put(`task:${task.id}`, 3)])
  await again.close()
})

test.run()
