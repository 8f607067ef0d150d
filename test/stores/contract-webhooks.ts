import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { DeliveryRecord, EndpointRecord } from '../../machines/webhook-records.ts'
import { anEnding, aTask, THEN } from '../support/stores.ts'
import { aDelivery, anEndpoint } from '../support/webhook-memory.ts'
import type { Test } from './contract.ts'

export function webhooksContract(test: Test): void {
  test('[W10] endpoints are kept, listed oldest first, changed and removed by their own workspace alone', async ({
    store,
    seen,
  }) => {
    const workspaceId = randomUUID()
    const [second, first] = [2, 1].map((n) => anEndpoint({ workspaceId, createdAt: THEN + n })) as [
      EndpointRecord,
      EndpointRecord,
    ]
    for (const record of [second, first]) await store.endpoints.insert(record)
    assert.equal(await seen.endpoints.list(workspaceId), [first, second])
    const changed = { ...first, disabled: true, disabledReason: 'gone' as const, failingSince: 5 }
    const { disabled, disabledReason, failingSince } = changed
    assert.equal(await store.endpoints.update(first.id, { disabled, disabledReason, failingSince }), changed)
    assert.equal(await seen.endpoints.get(first.id), changed)
    assert.is(await store.endpoints.update(randomUUID(), { disabled: true }), null)
    assert.is(await store.endpoints.remove(randomUUID(), first.id), false)
    assert.is(await store.endpoints.remove(workspaceId, first.id), true)
    assert.is(await seen.endpoints.get(first.id), null)
    assert.equal(await seen.endpoints.list(workspaceId), [second])
  })

  test('[W12] an endpoint has one delivery of a message, of 20 added at once too', async ({ store, other, seen }) => {
    const { endpointId, messageId } = aDelivery()
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? store : other).deliveries.add(aDelivery({ endpointId, messageId })),
      ),
    )
    assert.is(new Set(added.map(({ id }) => id)).size, 1)
    const [kept] = added as [DeliveryRecord]
    assert.equal(await seen.deliveries.list({ endpointId, status: null, after: null, limit: 10 }), [kept])
    const elsewhere = aDelivery({ messageId })
    assert.equal(await store.deliveries.add(elsewhere), elsewhere)
  })

  test('[W15] deliveries are listed newest first, by status and page, and keep their attempts', async ({
    store,
    seen,
  }) => {
    const endpointId = randomUUID()
    const records = [1, 2, 3].map((n) => aDelivery({ endpointId, createdAt: THEN + n }))
    for (const record of records) await store.deliveries.add(record)
    const [first, second, third] = records as [DeliveryRecord, DeliveryRecord, DeliveryRecord]
    const attempts = [{ at: THEN, durationMs: 3, status: 503, reason: null, answer: 'Away\n' }]
    const patch = { status: 'failed' as const, attempts, nextAttemptAt: THEN + 9 }
    await store.deliveries.update(second.id, patch)
    await store.deliveries.update(randomUUID(), patch)
    const page = { endpointId, status: null, after: null, limit: 2 }
    assert.equal(await seen.deliveries.list(page), [third, { ...second, ...patch }])
    assert.equal(await seen.deliveries.list({ ...page, after: second }), [first])
    assert.equal(await seen.deliveries.list({ ...page, status: 'failed' }), [{ ...second, ...patch }])
    assert.equal(await seen.deliveries.list({ ...page, status: 'pending' }), [third, first])
  })

  test('[W15] the deliveries of one task are listed newest first, by status and page', async ({ store, seen }) => {
    const [endpointId, taskId] = [randomUUID(), randomUUID()]
    const records = [1, 2, 3].map((n) => aDelivery({ endpointId, taskId, createdAt: THEN + n }))
    const elsewhere = aDelivery({ taskId, createdAt: THEN + 4 })
    for (const record of [...records, elsewhere, aDelivery({ endpointId, taskId: randomUUID() })])
      await store.deliveries.add(record)
    const [first, second, third] = records as [DeliveryRecord, DeliveryRecord, DeliveryRecord]
    await store.deliveries.update(second.id, { status: 'failed' })
    const page = { endpointId, taskId, status: null, after: null, limit: 2 }
    assert.equal(await seen.deliveries.list(page), [third, { ...second, status: 'failed' }])
    assert.equal(await seen.deliveries.list({ ...page, after: second }), [first])
    assert.equal(await seen.deliveries.list({ ...page, status: 'pending' }), [third, first])
    assert.equal(await seen.deliveries.list({ ...page, taskId: randomUUID() }), [])
  })

  test('[T57] a task that is removed takes the deliveries of its events along, and no others', async ({
    store,
    seen,
  }) => {
    const task = aTask()
    await store.commit([{ kind: 'task.insert', record: task }])
    await store.tasks.end(anEnding(task.id), null)
    const own = aDelivery({ taskId: task.id })
    const others = [aDelivery({ taskId: randomUUID() }), aDelivery({ endpointId: own.endpointId })]
    for (const record of [own, ...others]) await store.deliveries.add(record)
    assert.is(await store.tasks.remove(task.id), 'removed')
    assert.is(await seen.deliveries.get(own.id), null)
    for (const record of others) assert.equal(await seen.deliveries.get(record.id), record)
    const page = { endpointId: own.endpointId, status: null, after: null, limit: 9 }
    assert.equal(await seen.deliveries.list(page), [others[1]])
  })

  test('[D15] deliveries are removed after the retention time, and their messages may come again', async ({
    store,
    seen,
  }) => {
    const old = aDelivery({ createdAt: 5 })
    const young = aDelivery({ createdAt: THEN })
    for (const record of [old, young]) await store.deliveries.add(record)
    assert.is(await store.deliveries.retire(6, 10), 1)
    assert.is(await store.deliveries.retire(6, 10), 0)
    assert.is(await seen.deliveries.get(old.id), null)
    assert.equal(await seen.deliveries.get(young.id), young)
    const again = { ...old, id: randomUUID() }
    assert.equal(await store.deliveries.add(again), again)
  })
}
