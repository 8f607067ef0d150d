import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { Store, Write } from '../../actors/runtime/ports.ts'
import type { EventRecord } from '../../machines/task-log.ts'
import { EVENTS_PER_TASK_MAX } from '../../src/stores/limits.ts'
import { anEnding, aTask, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

/** Greater than those of the tests before. */
let position = Date.now() * 1_000

export function anEvent(taskId: string, workspaceId: string, seq: number, state = 'thinking'): EventRecord {
  const event = { seq, type: 'task.state' as const, at: THEN, task_id: taskId, state }
  return { taskId, workspaceId, seq, position: ++position, event }
}

const append = (record: EventRecord): Write => ({ kind: 'event.append', record })
const ALL = Number.MAX_SAFE_INTEGER

async function aLog(store: Store, length: number, fields: Parameters<typeof aTask>[0] = {}) {
  const record = aTask(fields)
  const events = Array.from({ length }, (_, index) => anEvent(record.id, record.workspaceId, index + 1))
  await store.commit([{ kind: 'task.insert', record }])
  for (let from = 0; from < length; from += 1_000) await store.commit(events.slice(from, from + 1_000).map(append))
  return { record, events }
}

export function eventsContract(test: Test): void {
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
    const all = [...one.events, ...two.events, more]
    assert.equal(await seen.events.ofWorkspace(workspaceId, 0, ALL, 100), all)
    const [, , third, , fifth] = all
    assert.equal(await seen.events.ofWorkspace(workspaceId, third?.position ?? 0, ALL, 2), all.slice(3, 5))
    assert.equal(await seen.events.ofWorkspace(workspaceId, 0, fifth?.position ?? 0, 100), all.slice(0, 5))
    assert.is(await seen.events.lastPosition(), position)
  })

  test('[V1 D12] an event that is appended again at its number is there once', async ({ store, other, seen }) => {
    const { record, events } = await aLog(store, 2)
    await Promise.all([store.commit(events.map(append)), store.commit(events.map(append))])
    await other.commit(events.map(append)).catch(() => {})
    assert.equal(await seen.events.ofTask(record.id, 0, 100), events)
  })

  test('[V1 D3] an ending keeps its event, and one that came second does not', async ({ store, seen }) => {
    const { record, events } = await aLog(store, 1)
    const first = anEvent(record.id, record.workspaceId, 2, 'first')
    assert.is(await store.tasks.end(anEnding(record.id), first), 'ended')
    const second = anEvent(record.id, record.workspaceId, 3, 'second')
    assert.is(await store.tasks.end(anEnding(record.id), second), 'already')
    assert.equal(await seen.events.ofTask(record.id, 0, 100), [...events, first])
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
    assert.equal(await seen.events.newest(record.id, 2), more)
  })
}
