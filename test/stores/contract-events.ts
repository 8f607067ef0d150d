import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { Store, Write } from '../../actors/runtime/ports.ts'
import { type EventRecord, eventsIn, type LogRecord } from '../../machines/task-log.ts'
import { EVENTS_PER_TASK_MAX } from '../../src/stores/limits.ts'
import { aResult } from '../support/logs.ts'
import { anEnding, aTask, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

/** Greater than those of the tests before. */
let position = Date.now() * 1_000

export function anEvent(taskId: string, workspaceId: string, n: number, state = 'thinking'): LogRecord {
  const entry = { n, kind: 'task.state', at: THEN, public: { state } } as const
  return { taskId, workspaceId, position: ++position, entries: [entry] }
}

const append = (record: LogRecord): Write => ({ kind: 'log.append', record })
const read = (records: readonly LogRecord[]): EventRecord[] => records.flatMap(eventsIn)
const ALL = Number.MAX_SAFE_INTEGER

async function aLog(store: Store, length: number, fields: Parameters<typeof aTask>[0] = {}) {
  const record = aTask(fields)
  const records = Array.from({ length }, (_, index) => anEvent(record.id, record.workspaceId, index + 1))
  await store.commit([{ kind: 'task.insert', record }])
  for (let from = 0; from < length; from += 1_000) await store.commit(records.slice(from, from + 1_000).map(append))
  return { record, records, events: read(records) }
}

export function eventsContract(test: Test): void {
  test('[V1 V4] the entries of one commit are read one by one, from any of them on', async ({ store, seen }) => {
    const { record } = await aLog(store, 1)
    const { id: taskId, workspaceId } = record
    const states = ['a', 'b', 'c', 'd']
    const entries = states.map((state, at) => ({ n: at + 2, kind: 'task.state', at: THEN, public: { state } }) as const)
    position += states.length
    await store.commit([append({ taskId, workspaceId, position, entries })])
    const stateOf = ({ seq, event }: EventRecord) => (event.type === 'task.state' ? `${seq} ${event.state}` : '')
    assert.equal((await seen.events.ofTask(taskId, 2, 2)).map(stateOf), ['3 b', '4 c'])
    assert.equal((await seen.events.newest(taskId, 2)).map(stateOf), ['4 c', '5 d'])
    assert.equal((await seen.events.ofWorkspace(workspaceId, position - 2, ALL, 10)).map(stateOf), ['4 c', '5 d'])
    assert.equal((await seen.events.ofWorkspace(workspaceId, position - 4, ALL, 1)).map(stateOf), ['2 a'])
  })

  test('[V1] what only the service reads of an entry is in its log, and in no event', async ({ store, seen }) => {
    const { record } = await aLog(store, 1)
    const { id: taskId, workspaceId } = record
    await store.commit([append({ taskId, workspaceId, position: ++position, entries: [aResult(2, 'a')] })])
    assert.not.match(JSON.stringify(await seen.events.ofTask(taskId, 1, 10)), 'private')
    assert.equal((await seen.log(taskId)).at(-1), aResult(2, 'a'))
    await store.tasks.end(anEnding(taskId))
    assert.is(await store.tasks.strip(workspaceId, 'events', ALL, 10), 1)
    assert.equal(await seen.events.ofTask(taskId, 0, 10), [])
    assert.equal(await seen.events.ofWorkspace(workspaceId, 0, ALL, 10), [])
    assert.equal(await seen.log(taskId), [aResult(2, 'a')])
  })

  test('[T57] the events of a deleted task go, nobody else misses any, and no position is given again', async ({
    store,
    seen,
  }) => {
    const { record, events } = await aLog(store, 3)
    const { record: other } = await aLog(store, 2, { workspaceId: record.workspaceId })
    await store.tasks.end(anEnding(other.id))
    await store.tasks.end(anEnding(record.id))
    const last = await store.events.lastPosition()
    assert.is(await store.tasks.remove(other.id), 'removed')
    assert.equal(await seen.events.ofTask(other.id, 0, 10), [])
    assert.equal(await seen.events.ofWorkspace(record.workspaceId, 0, ALL, 10), events)
    assert.is(await seen.events.expired(record.workspaceId), 0)
    assert.is(await seen.events.lastPosition(), last)
  })

  test('[V1] gives the events of a task in the order of seq, from any of them on', async ({ store, seen }) => {
    const { record, events } = await aLog(store, 12)
    assert.equal(await seen.events.ofTask(record.id, 0, 100), events)
    assert.equal(await seen.events.ofTask(record.id, 7, 3), events.slice(7, 10))
    assert.equal(await seen.events.ofTask(record.id, 12, 3), [])
    assert.equal(await seen.events.ofTask(record.id, 0, 0), [])
    assert.equal(await seen.events.newest(record.id, 5), events.slice(-5))
    assert.equal(await seen.events.newest(record.id, 100), events)
    assert.equal(await seen.events.newest(randomUUID(), 5), [])
  })

  test('[V4] gives the events of a workspace by their positions, none of another one', async ({ store, seen }) => {
    const workspaceId = randomUUID()
    const [one, two] = [await aLog(store, 3, { workspaceId }), await aLog(store, 2, { workspaceId })]
    await aLog(store, 2)
    const more = anEvent(one.record.id, workspaceId, 4)
    await store.commit([append(more)])
    const all = [...one.events, ...two.events, ...read([more])]
    assert.equal(await seen.events.ofWorkspace(workspaceId, 0, ALL, 100), all)
    const [, , third, , fifth] = all
    assert.equal(await seen.events.ofWorkspace(workspaceId, third?.position ?? 0, ALL, 2), all.slice(3, 5))
    assert.equal(await seen.events.ofWorkspace(workspaceId, 0, fifth?.position ?? 0, 100), all.slice(0, 5))
    assert.ok((await seen.events.lastPosition()) >= position)
  })

  test('[V1 D12] an event that is appended again at its number is there once', async ({ store, other, seen }) => {
    const { record, records, events } = await aLog(store, 2)
    await Promise.all([store.commit(records.map(append)), store.commit(records.map(append))])
    await other.commit(records.map(append)).catch(() => {})
    assert.equal(await seen.events.ofTask(record.id, 0, 100), events)
  })

  test('[V1 D3] an ending keeps its event, and one that came second does not', async ({ store, seen }) => {
    const { record, events } = await aLog(store, 1)
    const first = anEvent(record.id, record.workspaceId, 2, 'first')
    assert.is(await store.tasks.end(anEnding(record.id), first), 'ended')
    const second = anEvent(record.id, record.workspaceId, 3, 'second')
    assert.is(await store.tasks.end(anEnding(record.id), second), 'already')
    assert.equal(await seen.events.ofTask(record.id, 0, 100), [...events, ...read([first])])
  })

  test('[V3 D15] events are retired with their task, and how far is known', async ({ store, seen }) => {
    const workspaceId = randomUUID()
    const createdAt = THEN - 400 * 86_400_000
    const { record, events } = await aLog(store, 3, { workspaceId, createdAt })
    const kept = await aLog(store, 1, { workspaceId })
    assert.is(await seen.events.expired(workspaceId), 0)
    await store.tasks.end(anEnding(record.id, { completedAt: createdAt }))
    assert.is(await store.tasks.retire(createdAt + 1, 100), 1)
    assert.equal(await seen.events.ofTask(record.id, 0, 100), [])
    assert.equal(await seen.events.ofWorkspace(workspaceId, 0, ALL, 100), kept.events)
    assert.is(await seen.events.expired(workspaceId), events.at(-1)?.position)
    assert.is(await seen.events.expired(randomUUID()), 0)
  })

  test('[V3] of a task that never stops the newest events are kept', async ({ store, seen }) => {
    const { record, events } = await aLog(store, EVENTS_PER_TASK_MAX)
    const more = [1, 2].map((n) => anEvent(record.id, record.workspaceId, EVENTS_PER_TASK_MAX + n))
    await store.commit(more.map(append))
    assert.equal(await seen.events.ofTask(record.id, 0, 2), events.slice(2, 4))
    assert.equal(await seen.events.ofWorkspace(record.workspaceId, 0, ALL, 1), events.slice(2, 3))
    assert.is(await seen.events.expired(record.workspaceId), events[1]?.position)
    assert.equal(await seen.events.newest(record.id, 2), read(more))
  })
}
