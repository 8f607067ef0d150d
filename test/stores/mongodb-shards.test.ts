import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Shards } from '../../actors/cluster/ports.ts'
import type { Write } from '../../actors/runtime/ports.ts'
import { ROWS_FORMAT } from '../../actors/runtime/row-versions.ts'
import { shardOf } from '../../machines/placement.ts'
import { StoreInUse, StoreUnwritable } from '../../src/stores/errors.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { errorOf, openAtNode, taken } from '../support/mongo/nodes.ts'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { anEnding, anEntry, aTask, collected, THEN } from '../support/stores.ts'

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

test('[M11] a shard that a newer version had is not taken by an older one, which sees why', async ({ server }) => {
  const older = await openAtNode(server, 1)
  const owner = { address: 'http://127.0.0.1:2', shared: true, format: 1_000 }
  const newer = await openMongoStore({ url: server.url, owner })
  await taken(older, 3)
  const own = await taken(newer, 3)
  const seen = (await older.shards?.look(false))?.owners[3]
  assert.is(seen?.format, 1_000)
  const formatOf = async ({ shards }: { shards?: Shards }) =>
    (await shards?.look(false))?.nodes.find(({ id }) => id === shards?.node)?.format
  assert.equal([await formatOf(older), await formatOf(newer)], [ROWS_FORMAT, 1_000])
  assert.is(seen && (await older.shards?.acquire(3, seen)), null)
  await own.release()
  const free = (await older.shards?.look(false))?.owners[3]
  assert.is(free?.node, null)
  assert.is(free && (await older.shards?.acquire(3, free)), null)
  await Promise.all([older.close(), newer.close()])
})

test('[M4] the owner before writes nothing any more: no row, no entry, no start, no ending; it is told once', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const workspaceId = randomUUID()
  const shard = shardOf(workspaceId)
  const task = aTask({ workspaceId })
  const before = await taken(one, shard)
  await before.store.commit([{ kind: 'task.insert', record: task }, put(`task:${task.id}`, 1)])
  const now = await taken(other, shard)
  let told = 0
  before.onLost(() => told++)
  const another = aTask({ workspaceId })
  for (const write of [
    put(`task:${task.id}`, 2),
    { kind: 'actor.remove', address: `task:${task.id}` },
    { kind: 'journal.append', taskId: task.id, seq: 0, entry: anEntry('late') },
    { kind: 'task.insert', record: another },
  ] as Write[])
    assert.instance(await errorOf(before.store.commit([write])), StoreUnwritable, write.kind)
  assert.instance(await errorOf(before.store.tasks.end(anEnding(task.id))), StoreUnwritable)
  assert.is(told, 1)
  assert.equal(
    (await collected(now.store.actors())).map(({ snapshot }) => snapshot),
    [{ n: 1 }],
  )
  assert.is((await now.store.tasks.get(task.id))?.status, 'running')
  // What the former owner has inserted late is of nobody's, and goes with the next owner.
  const third = await taken(one, shard)
  assert.equal(
    (await collected(third.store.tasks.running())).map(({ id }) => id),
    [task.id],
  )
  await Promise.all([one.close(), other.close()])
})

test('[M14] a start that the owner before has kept too late is of nobody: it is not read, and the same start at the owner takes its place', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const workspaceId = randomUUID()
  const shard = shardOf(workspaceId)
  const page = { workspaceId, status: null, browserSessionId: null, after: null, limit: 10 }
  const before = await taken(one, shard)
  const kept = aTask({ workspaceId })
  await before.store.commit([{ kind: 'task.insert', record: kept }])
  const now = await taken(other, shard)
  const late = aTask({ workspaceId })
  assert.instance(await errorOf(before.store.commit([{ kind: 'task.insert', record: late }])), StoreUnwritable)
  assert.is((await other.tasks.get(late.id))?.id, late.id, 'it came to the database')
  const ids = async () => {
    const listed = await now.store.tasks.list(page)
    const running = await collected(now.store.tasks.running())
    return [listed, running].map((tasks) => tasks.map(({ id }) => id).sort())
  }
  assert.is(await now.store.tasks.get(late.id), null)
  assert.equal(await ids(), [[kept.id], [kept.id]])
  const again = { ...late, task: 'the same start, at its owner' }
  await now.store.commit([{ kind: 'task.insert', record: again }])
  assert.equal(await now.store.tasks.get(late.id), again)
  const both = [kept.id, late.id].sort()
  assert.equal(await ids(), [both, both])
  // What is there under its own epoch stays as it is: it may have ended since.
  await now.store.commit([{ kind: 'task.insert', record: late }])
  assert.equal(await now.store.tasks.get(late.id), again)
  await Promise.all([one.close(), other.close()])
})

test('[T33 D17] an entry that the owner before has written too late is not of the journal, also when nothing follows it', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const record = aTask({ id: randomUUID(), workspaceId: randomUUID() })
  const shard = shardOf(record.workspaceId)
  const entry = (seq: number, text: string): Write => ({
    ...{ kind: 'journal.append', taskId: record.id, seq },
    entry: anEntry(text),
  })
  const textsAt = async ({ journal }: Pick<typeof one, 'journal'>) =>
    (await journal(record.id)).map((kept) => 'text' in kept && kept.text)
  const first = await taken(one, shard)
  await first.store.commit([{ kind: 'task.insert', record }, entry(0, 'a'), entry(1, 'b')])
  const second = await taken(other, shard)
  assert.instance(await errorOf(first.store.commit([entry(2, 'late')])), StoreUnwritable)
  assert.equal(await textsAt(second.store), ['a', 'b'])
  // An owner that writes nothing itself does not make it known either.
  const third = await taken(one, shard)
  assert.equal(await textsAt(third.store), ['a', 'b'])
  await third.store.commit([entry(2, 'c')])
  assert.instance(await errorOf(second.store.commit([entry(3, 'later')])), StoreUnwritable)
  const fourth = await taken(other, shard)
  assert.is(await fourth.store.tasks.end(anEnding(record.id)), 'ended')
  assert.instance(await errorOf(third.store.commit([entry(4, 'latest')])), StoreUnwritable)
  for (const store of [one, other, fourth.store]) assert.equal(await textsAt(store), ['a', 'b', 'c'])
  assert.equal(Object.keys((await one.tasks.get(record.id)) ?? {}).includes('inherited'), false)
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
  const looking = setInterval(() => void node.shards?.look(false).catch(() => {}), 300)
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

test('[D2] a start under the id of one that was ended before it was kept is not acknowledged', async ({ server }) => {
  const node = await openAtNode(server, 1)
  const record = aTask({ id: randomUUID() })
  const { store } = await taken(node, shardOf(record.workspaceId))
  assert.is(await store.tasks.end(anEnding(record.id), null), 'missing')
  assert.ok(await errorOf(store.commit([{ kind: 'task.insert', record }])))
  assert.is(await store.tasks.get(record.id), null)
  await node.close()
})

test.run()
