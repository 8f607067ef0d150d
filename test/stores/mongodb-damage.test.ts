import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreDamaged } from '../../src/stores/errors.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import { collected } from '../../src/stores/port.ts'
import { startMongoServer } from '../support/mongo/start.ts'
import { aTask, THEN } from '../support/stores.ts'

const test = suite('mongodb: damage')

test('[D23] a row that is not JSON any more keeps nobody from the others; a log is whole or rejects', async () => {
  const server = await startMongoServer()
  const store = await openMongoStore({ url: server.url })
  const client = new MongoClient(server.url)
  try {
    const [one, two] = [aTask(), aTask()]
    for (const record of [one, two]) {
      const entries = [{ n: 1, kind: 'message.received' as const, at: THEN, public: { text: 'Green.' } }]
      await store.commit([
        { kind: 'task.insert', record },
        { kind: 'actor.put', row: { address: `task:${record.id}`, version: 1, at: THEN, snapshot: { context: {} } } },
        { kind: 'log.append', record: { taskId: record.id, workspaceId: record.workspaceId, position: 1, entries } },
      ])
    }
    const db = client.db('browser_task_service')
    const damage = (name: string, filter: object, field: string) =>
      db.collection(name).updateMany(filter, { $set: { [field]: '{"broken' } })
    const { modifiedCount } = await damage('actors', { _id: `task:${one.id}` as never }, 'snapshot')
    await damage('log', { taskId: two.id }, 'entries')
    assert.is(modifiedCount, 1)
    const told: string[] = []
    const rows = await collected(store.actors((address) => void told.push(address)))
    assert.equal([rows.map(({ address }) => address), told], [[`task:${two.id}`], [`task:${one.id}`]])
    assert.instance(await store.log(two.id).catch((error: Error) => error), StoreDamaged)
    assert.is((await store.log(one.id)).length, 1)
  } finally {
    await client.close()
    await store.close()
    await server.kill()
  }
})

test.run()
