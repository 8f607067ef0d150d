import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { Store, TaskPage } from '../../actors/runtime/ports.ts'
import type { TaskRecord } from '../../machines/records.ts'
import { appending } from '../support/logs.ts'
import { anEnding, aTask, collected, THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

export const insert = (store: Store, records: readonly TaskRecord[]) =>
  store.commit(records.map((record) => ({ kind: 'task.insert', record })))

export const page = (workspaceId: string, fields: Partial<TaskPage> = {}): TaskPage => ({
  workspaceId,
  status: null,
  browserSessionId: null,
  after: null,
  limit: 100,
  ...fields,
})

export async function pages(store: Store, first: TaskPage): Promise<TaskRecord[]> {
  const all: TaskRecord[] = []
  for (let after = first.after; ; ) {
    const next = await store.tasks.list({ ...first, after })
    all.push(...next)
    const last = next.at(-1)
    if (!last) return all
    after = { createdAt: last.createdAt, id: last.id }
  }
}

const newestFirst = (a: TaskRecord, b: TaskRecord) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)

export function tasksContract(test: Test): void {
  test('[T45] lists newest first, the same moment by id, page by page without a gap or a double', async ({ store }) => {
    const workspaceId = randomUUID()
    const records = Array.from({ length: 57 }, (_, index) => aTask({ workspaceId, createdAt: THEN + (index % 7) }))
    await insert(store, records)
    await insert(store, [aTask()])
    const expected = records.toSorted(newestFirst)
    assert.equal(await store.tasks.list(page(workspaceId)), expected)
    for (const limit of [1, 10, 57]) assert.equal(await pages(store, page(workspaceId, { limit })), expected)
    assert.equal(await store.tasks.list(page(randomUUID())), [])
    const older = { after: { createdAt: THEN + 3, id: randomUUID() } }
    const after = expected.filter(
      (one) => one.createdAt < THEN + 3 || (one.createdAt === THEN + 3 && one.id < older.after.id),
    )
    assert.equal(await store.tasks.list(page(workspaceId, older)), after)
  })

  test('[T45] filters by status and by session, together too', async ({ store }) => {
    const workspaceId = randomUUID()
    const [mine = '', foreign = ''] = [randomUUID(), randomUUID()]
    const records = Array.from({ length: 24 }, (_, index) =>
      aTask({ workspaceId, createdAt: THEN + index, browserSessionId: index % 2 ? mine : foreign }),
    )
    await insert(store, records)
    for (const [index, { id }] of records.entries()) {
      if (index % 3 === 1) await store.tasks.end(anEnding(id))
      if (index % 3 === 2) await store.tasks.end(anEnding(id, { status: 'error' }))
    }
    for (const status of ['running', 'complete', 'error'] as const) {
      for (const browserSessionId of [null, mine]) {
        const wanted = records.filter(
          (one, index) =>
            ['running', 'complete', 'error'][index % 3] === status &&
            (browserSessionId === null || one.browserSessionId === browserSessionId),
        )
        const ids = wanted.toSorted(newestFirst).map(({ id }) => id)
        const found = await pages(store, page(workspaceId, { status, browserSessionId, limit: 3 }))
        assert.equal(
          found.map(({ id }) => id),
          ids,
        )
        assert.ok(found.every((one) => one.status === status))
      }
    }
    assert.equal(await store.tasks.list(page(workspaceId, { browserSessionId: randomUUID() })), [])
  })

  test('[D3] of 50 endings at once exactly one counts', async ({ store, other, seen }) => {
    const record = aTask()
    await insert(store, [record])
    const endings = Array.from({ length: 50 }, (_, index) =>
      (index % 2 ? store : other).tasks.end(anEnding(record.id, { answer: `ending ${index}` })),
    )
    const outcomes = await Promise.all(endings)
    assert.is(outcomes.filter((outcome) => outcome === 'ended').length, 1)
    assert.is(outcomes.filter((outcome) => outcome === 'already').length, 49)
    const { taskId, model, ...facts } = anEnding(record.id, { answer: `ending ${outcomes.indexOf('ended')}` })
    assert.equal(await seen.tasks.get(record.id), { ...record, ...facts })
  })

  test('[T33] a later ending changes nothing, and a task that is not there is missing', async ({ store }) => {
    const record = aTask()
    await insert(store, [record])
    await store.tasks.end(anEnding(record.id))
    const before = await store.tasks.get(record.id)
    assert.is(await store.tasks.end(anEnding(record.id, { status: 'error', answer: 'late', steps: 9 })), 'already')
    assert.equal(await store.tasks.get(record.id), before)
    assert.is(await store.tasks.end(anEnding(randomUUID())), 'missing')
  })

  test('[X1] the values of its secrets are gone with the end of a task; what else they are stays', async ({
    store,
  }) => {
    const secrets = [{ name: 'password', kind: 'value', domains: ['shop.example'], description: null }] as const
    const record = aTask({ secrets, sealedSecrets: 'v1.sealed' })
    await insert(store, [record])
    assert.is((await store.tasks.get(record.id))?.sealedSecrets, 'v1.sealed')
    await store.tasks.end(anEnding(record.id))
    const ended = await store.tasks.get(record.id)
    assert.not('sealedSecrets' in (ended ?? { sealedSecrets: 1 }))
    assert.equal(ended?.secrets, secrets)
  })

  test('[D7] tells every running task, and no other', async ({ store, seen }) => {
    const records = Array.from({ length: 30 }, () => aTask())
    await insert(store, records)
    for (const { id } of records.slice(0, 10)) await store.tasks.end(anEnding(id))
    const mine = new Set(records.map(({ id }) => id))
    const running = (await collected(seen.tasks.running())).filter(({ id }) => mine.has(id))
    assert.equal(running.map(({ id }) => id).sort(), [...mine].slice(10).sort())
  })

  test('[T42] a strange id finds nothing', async ({ store }) => {
    for (const id of ['', 'no-uuid', 'x'.repeat(10_000), '\u0000', '$ne']) assert.is(await store.tasks.get(id), null)
  })

  test('[D15] retires what ended before, oldest first, with all that belongs to it, at most the limit', async ({
    store,
    seen,
  }) => {
    const long = 365 * 86_400_000
    const workspaceId = randomUUID()
    const records = Array.from({ length: 6 }, () => aTask({ workspaceId, createdAt: THEN - long }))
    const [running, recent, ...old] = records.map(({ id }) => id)
    await insert(store, records)
    for (const { id } of records) {
      const image = { taskId: id, step: 1, number: 0, image: new Uint8Array([1]) }
      await store.commit([appending(id, 1, 'a', 0), { kind: 'image.put', image }])
      const completedAt = id === recent ? THEN : THEN - long + old.indexOf(id)
      if (id !== running) await store.tasks.end(anEnding(id, { completedAt }))
    }
    assert.is(await store.tasks.retire(THEN - long + 4, 3), 3)
    assert.ok(await store.tasks.get(old[3] ?? ''))
    assert.is(await store.tasks.get(old[2] ?? ''), null)
    assert.is(await store.tasks.retire(THEN - long + 4, 0), 0)
    assert.is(await store.tasks.retire(THEN - long + 3, 10), 0)
    assert.is(await store.tasks.retire(THEN, 10), 1)
    assert.is(await store.tasks.retire(THEN, 10), 0)

    const left = await seen.tasks.list(page(workspaceId))
    assert.equal(left.map(({ id }) => id).sort(), [running, recent].sort())
    for (const id of old) {
      assert.equal(await seen.log(id), [])
      assert.is(await seen.image(id, 0), null)
    }
    for (const id of [running ?? '', recent ?? '']) {
      assert.is((await seen.log(id)).length, 1)
      assert.ok(await seen.image(id, 0))
    }
  })

  test('[T52] gives each image by its number, byte for byte', async ({ store, seen }) => {
    const taskId = randomUUID()
    const image = (n: number) => new Uint8Array(70_000).map((_, index) => (index * 7 + n) % 256)
    const put = (number: number) =>
      ({ kind: 'image.put', image: { taskId, step: 1, number, image: image(number) } }) as const
    await store.commit([put(0), put(1), put(10)])
    assert.equal(new Uint8Array((await seen.image(taskId, 1)) ?? []), image(1))
    assert.equal(new Uint8Array((await seen.image(taskId, 10)) ?? []), image(10))
    assert.is(await seen.image(taskId, 2), null)
  })
}
