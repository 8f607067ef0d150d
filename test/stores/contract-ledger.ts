import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { Test } from './contract.ts'

const MONTH = '2026-11'
const count = (outcomes: readonly string[], wanted: string) => outcomes.filter((one) => one === wanted).length

export function ledgerContract(test: Test): void {
  test('[B12] of 100 charges at once with 10 credits, 10 are covered and 0 credits are left', async ({
    store,
    other,
  }) => {
    const workspaceId = randomUUID()
    await store.ledger.credit({ eventId: randomUUID(), workspaceId, credits: 10 })
    const charges = Array.from({ length: 100 }, (_, n) =>
      (n % 2 ? store : other).ledger.charge({ taskId: randomUUID(), workspaceId, month: MONTH, freePerMonth: 0 }),
    )
    const outcomes = await Promise.all(charges)
    assert.is(count(outcomes, 'credit'), 10)
    assert.is(count(outcomes, 'uncovered'), 90)
    assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 0, credits: 0 })
  })

  test('[B2] takes free places first, then credits, under 60 charges at once', async ({ store, other, seen }) => {
    const workspaceId = randomUUID()
    await store.ledger.credit({ eventId: randomUUID(), workspaceId, credits: 15 })
    const charges = Array.from({ length: 60 }, (_, n) =>
      (n % 2 ? store : other).ledger.charge({ taskId: randomUUID(), workspaceId, month: MONTH, freePerMonth: 20 }),
    )
    const outcomes = await Promise.all(charges)
    assert.is(count(outcomes, 'free'), 20)
    assert.is(count(outcomes, 'credit'), 15)
    assert.is(count(outcomes, 'uncovered'), 25)
    assert.equal(await seen.ledger.get(workspaceId, MONTH), { freeUsed: 20, credits: 0 })
    const next = { workspaceId, month: '2026-12', freePerMonth: 20 }
    assert.is(await store.ledger.charge({ ...next, taskId: randomUUID() }), 'free')
    assert.equal(await seen.ledger.get(workspaceId, '2026-12'), { freeUsed: 1, credits: 0 })
  })

  test('[B3] a task is charged once, of 20 charges at once too', async ({ store, other, seen }) => {
    const charge = { taskId: randomUUID(), workspaceId: randomUUID(), month: MONTH, freePerMonth: 5 }
    const charges = Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).ledger.charge(charge))
    const outcomes = await Promise.all(charges)
    assert.is(count(outcomes, 'free'), 1)
    assert.is(count(outcomes, 'already'), 19)
    assert.is(await store.ledger.charge({ ...charge, month: '2026-12' }), 'already')
    assert.equal(await seen.ledger.get(charge.workspaceId, MONTH), { freeUsed: 1, credits: 0 })
  })

  test('[B3] what was uncovered is charged when there is something to take, in the month of then', async ({
    store,
  }) => {
    const workspaceId = randomUUID()
    const charge = { taskId: randomUUID(), workspaceId, month: MONTH, freePerMonth: 0 }
    assert.is(await store.ledger.charge(charge), 'uncovered')
    await store.ledger.refund(charge.taskId)
    assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 0, credits: 0 })
    assert.is(await store.ledger.charge({ ...charge, month: '2026-12', freePerMonth: 1 }), 'free')
    await store.ledger.refund(charge.taskId)
    assert.equal(await store.ledger.get(workspaceId, '2026-12'), { freeUsed: 0, credits: 0 })
    assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 0, credits: 0 })
  })

  test('[D12] a refund gives back what was taken, once, and the task is not charged again', async ({
    store,
    other,
    seen,
  }) => {
    const workspaceId = randomUUID()
    await store.ledger.credit({ eventId: randomUUID(), workspaceId, credits: 1 })
    const charge = { workspaceId, month: MONTH, freePerMonth: 1 }
    const [free, paid] = [randomUUID(), randomUUID()]
    assert.is(await store.ledger.charge({ ...charge, taskId: free }), 'free')
    assert.is(await store.ledger.charge({ ...charge, taskId: paid }), 'credit')
    assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 1, credits: 0 })
    await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).ledger.refund(paid)))
    assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 1, credits: 1 })
    await store.ledger.refund(free)
    await store.ledger.refund(free)
    await store.ledger.refund(randomUUID())
    assert.equal(await seen.ledger.get(workspaceId, MONTH), { freeUsed: 0, credits: 1 })
    assert.is(await store.ledger.charge({ ...charge, taskId: paid }), 'already')
    assert.equal(await seen.ledger.get(workspaceId, MONTH), { freeUsed: 0, credits: 1 })
  })

  test('[B10] an event adds its credits once, of 20 deliveries at once too', async ({ store, other, seen }) => {
    const workspaceId = randomUUID()
    const event = { eventId: `evt_${randomUUID()}`, workspaceId, credits: 50 }
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).ledger.credit(event)),
    )
    assert.is(count(outcomes, 'applied'), 1)
    assert.is(count(outcomes, 'already'), 19)
    assert.is(await store.ledger.credit(event), 'already')
    assert.is(await store.ledger.credit({ ...event, eventId: `evt_${randomUUID()}` }), 'applied')
    assert.equal(await seen.ledger.get(workspaceId, MONTH), { freeUsed: 0, credits: 100 })
  })

  test('[B10] an event of long ago, with hundreds of changes since, is still known', async ({ store }) => {
    const workspaceId = randomUUID()
    const event = { eventId: randomUUID(), workspaceId, credits: 1 }
    const task = { taskId: randomUUID(), workspaceId, month: MONTH, freePerMonth: 10_000 }
    await store.ledger.credit(event)
    await store.ledger.charge(task)
    const since = Array.from({ length: 300 }, () => store.ledger.charge({ ...task, taskId: randomUUID() }))
    await Promise.all(since)
    assert.is(await store.ledger.credit(event), 'already')
    assert.is(await store.ledger.charge(task), 'already')
    assert.equal(await store.ledger.get(workspaceId, MONTH), { freeUsed: 301, credits: 1 })
  })

  test('[D12] charges, refunds and events at once neither make nor lose a credit', async ({ store, other, seen }) => {
    const workspaceId = randomUUID()
    const tasks = Array.from({ length: 60 }, () => randomUUID())
    const handle = (n: number) => (n % 2 ? store : other).ledger
    const taken = await Promise.all([
      ...tasks.map(async (taskId, n) => {
        const outcome = await handle(n).charge({ taskId, workspaceId, month: MONTH, freePerMonth: 10 })
        if (n % 3 === 0) await Promise.all([handle(n).refund(taskId), handle(n + 1).refund(taskId)])
        return n % 3 === 0 ? 'refunded' : outcome
      }),
      ...[5, 10, 15].map(async (credits, n) => handle(n).credit({ eventId: randomUUID(), workspaceId, credits })),
    ])
    const now = await seen.ledger.get(workspaceId, MONTH)
    assert.is(now.freeUsed, count(taken, 'free'))
    assert.is(now.credits, 30 - count(taken, 'credit'))
  })

  test('[B5] a workspace of which nothing is known has nothing', async ({ store }) => {
    assert.equal(await store.ledger.get(randomUUID(), MONTH), { freeUsed: 0, credits: 0 })
  })
}
