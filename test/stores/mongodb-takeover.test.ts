import { randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { OwnedShard } from '../../actors/cluster/ports.ts'
import type { Write } from '../../actors/runtime/ports.ts'
import { shardOf } from '../../machines/placement.ts'
import type { Fault } from '../support/mongo/faults.ts'
import { errorOf, openAtNode, taken } from '../support/mongo/nodes.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { aTask, collected, THEN } from '../support/stores.ts'

const test = suite('MongoDB: a row of a former owner that comes when the next one takes over')

const put = (address: string, n: number): Write => ({
  kind: 'actor.put',
  row: { address, version: 1, at: THEN, snapshot: { n } },
})
const rows = async ({ store }: OwnedShard) =>
  (await collected(store.actors())).map(({ address, snapshot }) => [address, snapshot])

/** A row was removed, and an earlier write of it is on its way still. */
async function removedRow() {
  const server = await startMongoServer()
  const client = new MongoClient(server.url)
  const admin = client.db('admin')
  const fault = (what: Fault) => admin.command({ fault: what })
  const task = aTask({ workspaceId: randomUUID() })
  const shard = shardOf(task.workspaceId)
  const [one, other] = [await openAtNode(server, 1), await openAtNode(server, 2)]
  const before = await taken(one, shard)
  await before.store.commit([{ kind: 'task.insert', record: task }, put('closing:a', 1), put('closing:b', 1)])
  await fault({ command: 'update', collection: 'actors', how: 'late' })
  assert.ok(await errorOf(before.store.commit([put('closing:a', 2)])))
  await before.store.commit([{ kind: 'actor.remove', address: 'closing:a' }])
  return {
    ...{ one, other, shard, fault },
    arrives: () => admin.command({ release: 1 }),
    async end() {
      await Promise.all([one.close(), other.close(), client.close()])
      await server.kill()
    },
  }
}

test('[M4 D17] one that was removed is not read by an owner that has stamped what it found', async () => {
  const { other, shard, arrives, end } = await removedRow()
  const now = await taken(other, shard)
  await arrives()
  assert.equal(await rows(now), [['closing:b', { n: 1 }]])
  await end()
})

test('[M4 D17] nor is it brought back by an owner that was lost before it had stamped everything', async () => {
  const { one, other, shard, fault, arrives, end } = await removedRow()
  await fault({ command: 'update', collection: 'tasks', how: 'refused' })
  assert.ok(await errorOf(taken(other, shard)))
  await arrives()
  assert.equal(await rows(await taken(one, shard)), [['closing:b', { n: 1 }]])
  await end()
})

test.run()
