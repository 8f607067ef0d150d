import { randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Write } from '../../actors/runtime/ports.ts'
import { openMongoStore } from '../../src/stores/mongodb.ts'
import type { Fault } from '../support/mongo/faults.ts'
import { type MongoServer, startMongoServer } from '../support/mongo/start.ts'
import { anEnding, anEntry, aTask, aUsage, collected, THEN } from '../support/stores.ts'

const MONTH = '2026-11'
const owner = { address: 'http://127.0.0.1:1' }

interface Ground {
  readonly server: MongoServer
  readonly client: MongoClient
  fault(fault: Fault): Promise<unknown>
  release(): Promise<unknown>
}

const test = suite<Ground>('MongoDB: writes that come late, and answers that are lost')

test.before.each(async (ground) => {
  const server = await startMongoServer()
  const client = new MongoClient(server.url)
  const admin = client.db('admin')
  Object.assign(ground, {
    server,
    client,
    fault: (fault: Fault) => admin.command({ fault }),
    release: () => admin.command({ release: 1 }),
  })
})
test.after.each(async ({ client, server }) => {
  await client.close()
  await server.kill()
})

const opened = ({ server }: Ground) => openMongoStore({ url: server.url, owner })
const put = (address: string, n: number): Write => ({
  kind: 'actor.put',
  row: { address, version: 1, at: THEN, snapshot: { n } },
})
const failed = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  )
const AWAY = 'The database cannot be reached.'

test('[D17] a row that comes late replaces no newer one, and brings no removed one back', async (ground) => {
  const store = await opened(ground)
  const snapshots = async () => (await collected(store.actors())).map(({ address, snapshot }) => [address, snapshot])
  await store.commit([put('task:a', 1)])
  for (const address of ['task:a', 'task:b']) {
    await ground.fault({ command: 'update', collection: 'actors', how: 'late' })
    assert.is(await failed(store.commit([put(address, 2)])), AWAY)
  }
  await store.commit([put('task:a', 3)])
  await store.commit([{ kind: 'actor.remove', address: 'task:b' }])
  await ground.release()
  assert.equal(await snapshots(), [['task:a', { n: 3 }]])

  await ground.fault({ command: 'update', collection: 'actors', how: 'late' })
  assert.is(await failed(store.commit([{ kind: 'actor.remove', address: 'task:a' }])), AWAY)
  await store.commit([put('task:a', 4)])
  await ground.release()
  assert.equal(await snapshots(), [['task:a', { n: 4 }]])
  await store.close()
})

test('[D17] the start that was refused, and is kept late, is not a task', async (ground) => {
  const store = await opened(ground)
  const record = aTask()
  await ground.fault({ command: 'update', collection: 'tasks', how: 'late' })
  assert.is(await failed(store.commit([{ kind: 'task.insert', record }, put(`task:${record.id}`, 0)])), AWAY)
  // As a failed start is cleared away.
  assert.is(await store.tasks.end(anEnding(record.id)), 'missing')
  await store.commit([{ kind: 'actor.remove', address: `task:${record.id}` }])
  await ground.release()
  const none = async (one: typeof store) => {
    assert.is(await one.tasks.get(record.id), null)
    assert.equal(await collected(one.tasks.running()), [])
    assert.equal(await collected(one.actors()), [])
  }
  await none(store)
  assert.is(await store.tasks.end(anEnding(record.id)), 'missing')
  await store.close()
  const next = await opened(ground)
  await none(next)
  await next.close()
})

test('[D17] an entry of a journal is never replaced by another one', async (ground) => {
  const store = await opened(ground)
  const taskId = randomUUID()
  const append = (text: string): Write => ({ kind: 'journal.append', taskId, seq: 0, entry: anEntry(text) })
  await store.commit([append('a')])
  await store.commit([append('a')])
  assert.is(await failed(store.commit([append('b')])), `The journal of task ${taskId} has another entry at 0`)
  assert.equal(await store.journal(taskId), [anEntry('a')])
  await store.close()
})

test('[D17] what the owner before wrote, and comes after the new one began, is not taken for its own', async (ground) => {
  const first = await opened(ground)
  const record = aTask()
  const taskId = record.id
  const entry = (seq: number, text: string): Write => ({ kind: 'journal.append', taskId, seq, entry: anEntry(text) })
  await first.commit([{ kind: 'task.insert', record }, put('task:a', 1), entry(0, 'a')])
  const late: Write[][] = [
    [put('task:a', 2)],
    [put('task:new', 1)],
    [{ kind: 'task.insert', record: aTask() }],
    [entry(1, 'late')],
    [entry(2, 'later')],
  ]
  for (const writes of late) {
    const collection =
      writes[0]?.kind === 'task.insert' ? 'tasks' : writes[0]?.kind === 'actor.put' ? 'actors' : 'journal'
    await ground.fault({ command: 'update', collection, how: 'late' })
    assert.is(await failed(first.commit(writes)), AWAY)
  }
  await first.close()

  const second = await opened(ground)
  assert.is((await second.journal(taskId)).length, 1)
  await ground.release()
  await second.commit([put('task:a', 3), entry(1, 'b')])
  assert.equal(await second.journal(taskId), [anEntry('a'), anEntry('b')])
  await second.close()

  const third = await opened(ground)
  const rows = (await collected(third.actors())).map(({ address, snapshot }) => [address, snapshot])
  assert.equal(rows, [['task:a', { n: 3 }]])
  const running = await collected(third.tasks.running())
  assert.equal(running, [record])
  assert.equal(await third.journal(taskId), [anEntry('a'), anEntry('b')])
  await third.close()
})

test('[D12] a payment is credited once: it is booked late, 200 others come between, it is delivered again', async (ground) => {
  const store = await opened(ground)
  const workspaceId = randomUUID()
  const event = { eventId: 'paid', workspaceId, credits: 3 }
  const balance = async () => (await store.ledger.get(workspaceId, MONTH)).credits
  await store.ledger.credit({ eventId: 'first', workspaceId, credits: 0 })

  await ground.fault({ command: 'update', collection: 'ledger', how: 'late' })
  assert.is(await failed(store.ledger.credit(event)), AWAY)
  assert.is(await store.ledger.credit(event), 'applied')
  await ground.release()
  assert.is(await balance(), 3)

  // Booked, and the service dies before it is noted as done.
  await ground.fault({ command: 'update', collection: 'ledger_changes', how: 'late' })
  assert.is(await failed(store.ledger.credit({ ...event, eventId: 'cut' })), AWAY)
  for (let n = 0; n < 201; n++) await store.ledger.credit({ eventId: `n${n}`, workspaceId, credits: 1 })
  assert.is(await store.ledger.credit({ ...event, eventId: 'cut' }), 'already')
  assert.is(await balance(), 3 + 3 + 201)
  await ground.release()

  const ledger = ground.client.db('browser_task_service').collection<{ changes: string[] }>('ledger')
  const { changes } = (await ledger.findOne({})) ?? {}
  assert.equal(changes, [])
  await store.close()
})

test('[B3] a charge and its refund of which every answer is lost once are made once', async (ground) => {
  const store = await opened(ground)
  const workspaceId = randomUUID()
  const charge = { taskId: randomUUID(), workspaceId, month: MONTH, freePerMonth: 1 }
  await store.ledger.credit({ eventId: 'e', workspaceId, credits: 5 })
  const again = async (run: () => Promise<unknown>) => {
    for (const command of ['insert', 'update']) {
      for (const collection of ['ledger', 'ledger_changes']) {
        await ground.fault({ command, collection, how: 'lost' })
        await run().catch(() => {})
        await ground.client.db('admin').command({ repair: 1 })
      }
    }
    await run()
  }
  await again(() => store.ledger.charge(charge))
  assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 1, credits: 5 })
  await again(() => store.ledger.refund(charge.taskId))
  assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 0, credits: 5 })
  await store.close()
})

test('[D2 D7] a start that is cut short has its record only with its row, so that it runs after a restart', async (ground) => {
  const store = await opened(ground)
  const record = aTask()
  const start: Write[] = [
    { kind: 'task.insert', record },
    { kind: 'actor.put', row: { address: `task:${record.id}`, version: 1, at: THEN, snapshot: null } },
  ]
  await ground.fault({ command: 'update', collection: 'actors', how: 'refused' })
  assert.is(await failed(store.commit(start)), AWAY)
  assert.is(await store.tasks.get(record.id), null)
  await ground.client.db('admin').command({ repair: 1 })
  await ground.fault({ command: 'update', collection: 'tasks', how: 'refused' })
  assert.is(await failed(store.commit(start)), AWAY)
  assert.equal(
    (await collected(store.actors())).map(({ address }) => address),
    [`task:${record.id}`],
  )
  await store.close()
})

test('[B13 D15] a roll-up of usage that is cut short anywhere, or comes late, counts each record once', async (ground) => {
  const store = await opened(ground)
  const workspaceId = randomUUID()
  const rest = ground.client.db('browser_task_service').collection('usage')
  for (const command of ['insert', 'update', 'delete']) {
    for (const how of ['lost', 'refused', 'late'] as const) {
      for (let n = 0; n < 3; n++) await store.usage.record(aUsage({ id: randomUUID(), taskRunId: null, workspaceId }))
      const sums = await store.usage.totals(workspaceId, 0)
      const collection = command === 'delete' ? 'usage' : 'usage_sums'
      await ground.fault({ command, collection, how })
      await store.usage.retire(THEN + 1, 2).catch(() => {})
      assert.equal(await store.usage.totals(workspaceId, 0), sums)
      if (how !== 'late') await ground.client.db('admin').command({ repair: 1 })
      while ((await store.usage.retire(THEN + 1, 2)) > 0);
      await ground.release()
      assert.equal(await store.usage.totals(workspaceId, 0), sums)
      assert.is(await rest.countDocuments(), 0)
    }
  }
  await store.close()
})

test.run()
