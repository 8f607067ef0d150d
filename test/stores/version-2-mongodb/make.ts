// @ts-nocheck: it is written against cdfb5c9, whose store it runs.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import type { Write } from '../../../actors/runtime/ports.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { Ending, TaskRecord } from '../../../machines/records.ts'
import { openMongoStore } from '../../../src/stores/mongodb.ts'
import type { Fault } from '../../support/mongo/faults.ts'
import { errorOf, openAtNode, taken } from '../../support/mongo/nodes.ts'
import { startMongoServer } from '../../support/mongo/start.ts'
import * as a from '../../support/stores.ts'
import { aDelivery, anEndpoint } from '../../support/webhook-memory.ts'
import { anEvent } from '../contract-events.ts'
import { answersOf, type Readable } from './answers.ts'

/*
 * Makes the documents that test/long/store-mongodb-upgrade.test.ts begins with: run it in a checkout of cdfb5c9.
 *
 *   node --conditions=development --import tsx test/stores/version-2-mongodb/make.ts
 */
const folder = 'test/stores/version-2-mongodb'
const server = await startMongoServer({ data: join(folder, 'documents.bson') })
const url = `${server.url}/golden`
const client = new MongoClient(url)
const db = client.db()
const fault = (what: Fault) => client.db('admin').command({ fault: what })
const MONTH = '2026-11'
const LATER = a.THEN + 1_000
const REFUSED = { how: 'refused', code: 1, codeName: 'InternalError' } as const

const [one, two] = [a.aWorkspace({ members: ['ada'] }), a.aWorkspace()]
const insert = (record: TaskRecord): Write => ({ kind: 'task.insert', record })
const put = (address: string, workspaceId: string, n = 0): Write => ({
  kind: 'actor.put',
  row: { address, version: 1, at: a.THEN, snapshot: { n, 'a.$b': 1, context: { workspaceId } } },
})
const entry = (taskId: string, seq: number, text: string): Write => ({
  kind: 'journal.append',
  taskId,
  seq,
  entry: a.anEntry(text),
})
const event = (record: TaskRecord, seq: number, state: string): Write => ({
  kind: 'event.append',
  record: anEvent(record.id, record.workspaceId, seq, state),
})
const screenshot = (taskId: string, number: number) => ({
  taskId,
  step: 1,
  number,
  image: new Uint8Array([number, 255]),
})
const aFile = (taskId: string | null, size: number) => ({
  ...{ id: randomUUID(), workspaceId: one.id, taskId, name: 'ä.pdf', mediaType: 'application/pdf', size },
  ...{ origin: 'given' as const, createdAt: a.THEN },
})
const ending = (id: string, fields: Partial<Ending> = {}) => a.anEnding(id, fields)
const bytes = (size: number) => new Uint8Array(size).fill(7)

// One process that owns the store: everything that can be kept, and what was cut short.
const alone = await openMongoStore({ url, owner: { address: 'http://127.0.0.1:1' } })
for (const workspace of [one, two]) await alone.workspaces.insert(workspace)
for (const name of ['first', 'second']) await alone.keys.insert(a.aKey({ workspaceId: one.id, name }))
const session = a.aSession({ workspaceId: one.id })
await alone.sessions.insert(session)
const pairing = a.aPairing({ workspaceId: one.id })
await alone.pairings.insert(pairing)
const claim = { id: 'claim', holder: 'h', expiresAt: LATER } as never
await alone.claims.insert(claim)
await alone.limits.put(one.id, { tasksRunning: 7 } as never)
await alone.limits.putOwn(two.id, { tasksRunning: 3 } as never)
await alone.audit.append([
  ...[{ id: 'audit-1', workspaceId: one.id, at: a.THEN, action: 'createKey', outcome: 'done', actor: { kind: 'key' } }],
  ...[{ id: 'audit-2', workspaceId: null, at: a.THEN, action: 'start', outcome: 'done', actor: { kind: 'service' } }],
] as never)
await alone.authTables.insert('user', { id: 'ada', email: 'ada@example.com', name: 'Ada' } as never)
await alone.authTables.insert('user', { id: 'bob', email: 'bob@example.com', name: 'Bob' } as never)
await alone.setting('a secret', () => 'the secret')
const endpoint = anEndpoint({ workspaceId: one.id })
await alone.endpoints.insert(endpoint)

const [running, ended, deleted, retired] = [0, 1, 2, 3].map((n) =>
  a.aTask({ workspaceId: one.id, createdAt: a.THEN + n, metadata: { order: String(n) } } as never),
) as [TaskRecord, TaskRecord, TaskRecord, TaskRecord]
for (const record of [running, ended, deleted, retired]) {
  await alone.commit([
    ...[insert(record), put(`task:${record.id}`, one.id), event(record, 1, 'thinking'), event(record, 2, 'acting')],
    ...[entry(record.id, 0, 'first'), entry(record.id, 1, 'second')],
  ])
  await alone.steps.append(
    [a.aStep(record.id, 0), a.aStep(record.id, 1, { screenshot: 1 })],
    [screenshot(record.id, 0), screenshot(record.id, 1)],
  )
  await alone.traces.keep(record.id, 'transitions', `what became of it: ${record.id}`)
}
const delivery = aDelivery({ endpointId: endpoint.id, workspaceId: one.id, taskId: ended.id })
await alone.deliveries.add(delivery)
await alone.deliveries.update(delivery.id, { status: 'delivered' } as never)
await alone.deliveries.add(aDelivery({ endpointId: endpoint.id, workspaceId: one.id, createdAt: a.THEN + 1 }))

for (const { id } of [running, ended, deleted, retired])
  await alone.usage.record(a.aUsage({ id, workspaceId: one.id, taskRunId: id }))
const old = [0, 1, 2].map(() => a.aUsage({ workspaceId: one.id, taskRunId: null, at: a.THEN - 1_000 }))
for (const usage of old) await alone.usage.record(usage)
await alone.usage.retire(a.THEN, 10)
const charge = (taskId: string, freePerMonth: number) =>
  alone.ledger.charge({ taskId, workspaceId: one.id, month: MONTH, freePerMonth })
await alone.ledger.credit({ eventId: 'evt_1', workspaceId: one.id, credits: 10 })
await charge(running.id, 1)
await charge(ended.id, 1)
await charge(deleted.id, 1)
await alone.ledger.refund(deleted.id)
const charges = ['noted', 'booked', 'refund-booked', 'refund-noted'].map((name) => `charge-${name}`)
// Only noted; booked, and not noted as done; refunded the same, of a charge that is noted as done, and of one that is not.
await fault({ command: 'update', collection: 'ledger', ...REFUSED })
await errorOf(charge(charges[0] as string, 1))
await fault({ command: 'update', collection: 'ledger_changes', ...REFUSED })
await errorOf(charge(charges[1] as string, 1))
await charge(charges[2] as string, 1)
await fault({ command: 'update', collection: 'ledger_changes', ...REFUSED })
await errorOf(alone.ledger.refund(charges[2] as string))
for (const attempt of [() => charge(charges[3] as string, 2), () => alone.ledger.refund(charges[3] as string)]) {
  await fault({ command: 'update', collection: 'ledger_changes', ...REFUSED })
  await errorOf(attempt())
}
await fault({ command: 'update', collection: 'ledger_changes', ...REFUSED })
await errorOf(alone.ledger.credit({ eventId: 'evt_2', workspaceId: one.id, credits: 5 }))
await fault({ command: 'update', collection: 'ledger', ...REFUSED })
await errorOf(alone.ledger.credit({ eventId: 'evt_3', workspaceId: two.id, credits: 5 }))

const [given, ofTask, half] = [aFile(null, 3), aFile(ended.id, 5), aFile(null, 4)]
await alone.files.put(given, bytes(3), LATER)
await alone.files.put(ofTask, bytes(5), LATER)
await fault({ command: 'update', collection: 'files', ...REFUSED })
await errorOf(alone.files.put(half, bytes(4), LATER))

for (const { id } of [ended, deleted]) await alone.tasks.end(ending(id))
await alone.tasks.end(ending(retired.id, { completedAt: a.THEN - 60_000 }))
for (const { id } of [ended, deleted, retired]) await alone.commit([{ kind: 'actor.remove', address: `task:${id}` }])
await alone.tasks.remove(deleted.id)
await alone.tasks.retire(a.THEN, 10)
// The record that a sum took last, as if its owner had died before it removed it.
await db
  .collection('usage')
  .insertOne({ _id: retired.id, ...a.aUsage({ id: retired.id, workspaceId: one.id }) } as never)
// Ended before it was kept.
await alone.tasks.end(ending(randomUUID()))
await alone.close()

// Two nodes: the second takes what the first still writes to.
const [near, far] = [await openAtNode({ ...server, url }, 1), await openAtNode({ ...server, url }, 2)]
const [first, home] = [await taken(near, shardOf(two.id)), await taken(near, shardOf(one.id))]
const [moved, over] = [0, 1].map((n) => a.aTask({ workspaceId: two.id, createdAt: a.THEN + 10 + n })) as [
  TaskRecord,
  TaskRecord,
]
for (const record of [moved, over]) {
  await first.store.commit([
    ...[insert(record), put(`task:${record.id}`, two.id), event(record, 1, 'thinking'), event(record, 2, 'acting')],
    ...[entry(record.id, 0, 'first'), entry(record.id, 1, 'second')],
  ])
  await first.store.steps.append([a.aStep(record.id, 0, { screenshot: 0 })], [screenshot(record.id, 0)])
}
const second = await taken(far, shardOf(two.id))
const late = a.aTask({ workspaceId: two.id, createdAt: a.THEN + 20 })
for (const record of [moved, over])
  await second.store.commit([event(record, 3, 'waiting'), put(`task:${record.id}`, two.id, 1)])
await second.store.commit([entry(moved.id, 2, 'third')])
await second.store.steps.append([a.aStep(over.id, 1)], [])
await second.store.tasks.end(ending(over.id), anEvent(over.id, two.id, 4, 'ended'))
const third = await taken(near, shardOf(two.id))
// At once: an owner that is refused writes no more.
await Promise.all([
  errorOf(second.store.commit([insert(late), put(`task:${late.id}`, two.id)])),
  errorOf(second.store.commit([event(moved, 5, 'late')])),
  errorOf(second.store.commit([entry(moved.id, 4, 'late')])),
  errorOf(second.store.steps.append([a.aStep(over.id, 3, { screenshot: 2 })], [screenshot(over.id, 2)])),
  errorOf(first.store.steps.append([a.aStep(over.id, 4, { screenshot: 3 })], [screenshot(over.id, 3)])),
])
await third.store.commit([event(moved, 4, 'acting'), entry(moved.id, 3, 'fourth')])

const known = {
  workspaces: [one.id, two.id],
  tasks: Object.fromEntries(
    [running, ended, deleted, retired, moved, over, late].map(({ id, workspaceId }) => [id, workspaceId]),
  ),
  sessions: [session.id],
  pairings: [pairing.tokenHash],
  claims: ['claim'],
  endpoints: [endpoint.id],
  files: [given.id, ofTask.id, half.id],
  shards: [shardOf(one.id), shardOf(two.id)],
}
const owned = [home.store, third.store] as unknown as Readable[]
const answers = await answersOf(near as unknown as Readable, owned, known)
const changes = { charges, half: half.id, credits: ['evt_1', 'evt_2', 'evt_3'] }
writeFileSync(join(folder, 'answers.json'), `${JSON.stringify({ known, changes, answers }, null, 1)}\n`)
await client.close()
await server.stop()
process.exit()
