import { randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Store } from '../../actors/runtime/ports.ts'
import { shardOf } from '../../machines/placement.ts'
import type { EventRecord } from '../../machines/task-log.ts'
import { StoreUnwritable } from '../../src/stores/errors.ts'
import { errorOf, openAtNode, taken } from '../support/mongo/nodes.ts'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { anEnding, aStep, aTask, THEN } from '../support/stores.ts'
import { aDelivery } from '../support/webhook-memory.ts'
import { anEvent } from './contract-events.ts'

const test = suite<{ server: MongoServer }>('MongoDB: what former owners have recorded')

test.before.each(async (ground) => {
  ground.server = await startMongoServer()
})
test.after.each(({ server }) => server.kill())

test('[M4 T51 T52] step records and screenshots of a finished task stay as they are, however late its former owners write', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const record = aTask({ workspaceId: randomUUID() })
  const { id: taskId } = record
  const shard = shardOf(record.workspaceId)
  const step = (seq: number, output: string) => aStep(taskId, seq, { output })
  const image = (number: number, byte: number) => ({ taskId, step: 1, number, image: new Uint8Array([byte]) })
  const first = (await taken(one, shard)).store
  await first.commit([{ kind: 'task.insert', record }])
  await first.steps.append([step(0, 'a'), step(1, 'b')], [image(0, 1), image(1, 1)])
  const second = (await taken(other, shard)).store
  await second.steps.append([step(1, 'second')], [image(1, 2)])
  const third = (await taken(one, shard)).store
  await third.steps.append([step(2, 'c')], [])
  assert.is(await third.tasks.end(anEnding(taskId)), 'ended')
  // What its own owner could not write before the end is of the task, too.
  await third.steps.append([step(5, 'complete')], [])

  const is = [step(0, 'a'), step(1, 'second'), step(2, 'c'), step(5, 'complete')]
  const check = async (late: string) => {
    for (const { steps } of [one, other, third]) {
      assert.equal(await steps.list(taskId), is, late)
      const images = [steps.screenshot(taskId, 1), ...[0, 1, 2].map((n) => steps.screenshotNumbered(taskId, n))]
      assert.equal(
        await Promise.all(images),
        [2, 1, 2, null].map((byte) => byte && new Uint8Array([byte])),
        late,
      )
    }
  }
  await check('nothing is late')
  await second.steps.append([step(3, 'late')], [])
  await second.steps.append([], [image(2, 9)])
  await check('what came anew is not of the task')
  assert.instance(await errorOf(second.steps.append([step(0, 'late')], [])), StoreUnwritable)
  assert.instance(await errorOf(first.steps.append([], [image(0, 9)])), StoreUnwritable)
  await check('what is there is not replaced')
  await Promise.all([one.close(), other.close()])
})

test('[M4 T51 T52] what a former owner writes after the end is not read, also when the owner that ended the task stamps what it finds once more', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const client = new MongoClient(server.url)
  const record = aTask({ workspaceId: randomUUID() })
  const { id: taskId } = record
  const shard = shardOf(record.workspaceId)
  const image = (number: number) => ({ taskId, step: 1, number, image: new Uint8Array([number]) })
  const first = (await taken(one, shard)).store
  await first.commit([{ kind: 'task.insert', record }])
  await first.steps.append([aStep(taskId, 0)], [image(0)])
  const second = (await taken(other, shard)).store
  for (const collection of ['steps', 'screenshots']) {
    await client.db('admin').command({ fault: { command: 'update', collection, how: 'late' } })
    assert.instance(await errorOf(second.tasks.end(anEnding(taskId))), StoreUnwritable)
  }
  assert.is(await second.tasks.end(anEnding(taskId)), 'ended')
  await first.steps.append([aStep(taskId, 1)], [image(1)])
  await client.db('admin').command({ release: 1 })
  for (const { steps } of [one, other, second]) {
    assert.equal(await steps.list(taskId), [aStep(taskId, 0)])
    assert.equal(await steps.screenshot(taskId, 1), new Uint8Array([0]))
    assert.is(await steps.screenshotNumbered(taskId, 1), null)
  }
  await client.close()
  await Promise.all([one.close(), other.close()])
})

test('[M4] an image that the owner before writes too late does not replace that of the next one, from which the model is shown it', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const record = aTask({ workspaceId: randomUUID() })
  const shard = shardOf(record.workspaceId)
  const image = (byte: number) => ({ taskId: record.id, step: 1, number: 0, image: new Uint8Array([byte]) })
  const before = await taken(one, shard)
  await before.store.commit([{ kind: 'task.insert', record }])
  const now = await taken(other, shard)
  await now.store.steps.append([], [image(2)])
  let told = 0
  before.onLost(() => told++)
  for (let again = 0; again < 2; again++)
    assert.instance(await errorOf(before.store.steps.append([], [image(1)])), StoreUnwritable)
  assert.is(told, 1)
  assert.equal(await now.store.steps.screenshotNumbered(record.id, 0), new Uint8Array([2]))
  await Promise.all([one.close(), other.close()])
})

test('[M11] step records and screenshots that a version without epochs of theirs has written can be read', async ({
  server,
}) => {
  const node = await openAtNode(server, 1)
  const record = aTask({ workspaceId: randomUUID() })
  const { id: taskId } = record
  const shard = shardOf(record.workspaceId)
  await (await taken(node, shard)).store.commit([{ kind: 'task.insert', record }])
  const client = new MongoClient(server.url)
  const database = client.db('browser_task_service')
  const kept = { _id: `${taskId}:0` as never, taskId }
  await database.collection('steps').insertOne({ ...kept, seq: 0, record: JSON.stringify(aStep(taskId, 0)) })
  await database.collection('screenshots').insertOne({ ...kept, step: 1, number: 0, image: new Uint8Array([1]) })
  const { store } = await taken(node, shard)
  await store.steps.append([aStep(taskId, 1)], [])
  assert.is(await store.tasks.end(anEnding(taskId)), 'ended')
  assert.equal(await node.steps.list(taskId), [aStep(taskId, 0), aStep(taskId, 1)])
  assert.equal(await node.steps.screenshot(taskId, 1), new Uint8Array([1]))
  assert.equal(await node.steps.screenshotNumbered(taskId, 0), new Uint8Array([1]))
  await client.close()
  await node.close()
})

test('[M4 V1] events that a former owner writes too late are not read, of a task or of its workspace, from its end or from a cursor', async ({
  server,
}) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const record = aTask({ workspaceId: randomUUID() })
  const { id, workspaceId } = record
  const shard = shardOf(workspaceId)
  const events = [1, 2, 3, 4, 5, 6].map((seq) => ({ ...anEvent(id, workspaceId, seq), position: seq }))
  const keep = (at: Store, ...records: EventRecord[]) =>
    at.commit(records.map((each) => ({ kind: 'event.append', record: each })))
  const [a, b, c, , late, later] = events as [
    EventRecord,
    EventRecord,
    EventRecord,
    EventRecord,
    EventRecord,
    EventRecord,
  ]
  const first = (await taken(one, shard)).store
  await first.commit([{ kind: 'task.insert', record }])
  await keep(first, a, b)
  const second = (await taken(other, shard)).store
  // Of each owner the positions go on from those that it found.
  const own = { ...c, position: 10 }
  const last = { ...anEvent(id, workspaceId, 4), position: 11 }
  await keep(second, own, last)
  assert.instance(await errorOf(keep(first, late, later)), StoreUnwritable)
  for (const { events: read } of [one, other, second]) {
    assert.equal(await read.ofTask(id, 0, 10), [a, b, own, last])
    assert.equal(await read.ofTask(id, 3, 10), [last])
    assert.equal(await read.ofTask(id, 4, 10), [])
    assert.equal(await read.newest(id, 1), [last])
    assert.equal(await read.newest(id, 3), [b, own, last])
    assert.equal(await read.ofWorkspace(workspaceId, 0, 100, 10), [a, b, own, last])
    assert.equal(await read.ofWorkspace(workspaceId, 2, 100, 1), [own])
  }
  await Promise.all([one.close(), other.close()])
})

test('[M4 W15] what became of a delivery is not changed by the owner before', async ({ server }) => {
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const delivery = aDelivery()
  const shard = shardOf(delivery.workspaceId)
  const before = await taken(one, shard)
  await before.store.deliveries.add(delivery)
  await before.store.deliveries.update(delivery.id, { nextAttemptAt: THEN })
  const now = await taken(other, shard)
  const delivered = { status: 'delivered' as const, nextAttemptAt: null }
  await now.store.deliveries.update(delivery.id, delivered)
  assert.instance(await errorOf(before.store.deliveries.update(delivery.id, { status: 'pending' })), StoreUnwritable)
  for (const { deliveries } of [one, other, now.store])
    assert.equal(await deliveries.get(delivery.id), { ...delivery, ...delivered })
  await now.store.deliveries.update(randomUUID(), delivered)
  await Promise.all([one.close(), other.close()])
})

test.run()
