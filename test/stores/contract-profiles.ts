import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import { THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

const aProfile = (fields: object = {}) => ({
  ...{ id: randomUUID(), workspaceId: randomUUID(), name: 'acme', createdAt: THEN, savedAt: null },
  ...fields,
})

export function profilesContract(test: Test): void {
  test('[Z10] a name has one profile in a workspace, whoever creates it first', async ({ store, other, seen }) => {
    const { workspaceId } = aProfile()
    const [one, two] = [aProfile({ workspaceId }), aProfile({ workspaceId })]
    const inserted = await Promise.all([store.profiles.insert(one), other.profiles.insert(two)])
    assert.is(inserted.filter(Boolean).length, 1)
    const kept = inserted[0] ? one : two
    assert.equal(await seen.profiles.byName(workspaceId, 'acme'), kept)
    assert.equal(await seen.profiles.get(kept.id), kept)
    assert.ok(await store.profiles.insert(aProfile()), 'another workspace')
    const next = aProfile({ workspaceId, name: 'other', createdAt: THEN + 1 })
    await store.profiles.insert(next)
    assert.equal(await seen.profiles.list(workspaceId), [next, kept])
    assert.is(await seen.profiles.byName(randomUUID(), 'acme'), null)
  })

  test('[Z10] values are replaced as a whole, and go with their profile', async ({ store, seen }) => {
    const record = aProfile()
    await store.profiles.insert(record)
    assert.is(await seen.profiles.values(record.id), null)
    assert.ok(await store.profiles.save(record.id, 'one', THEN + 1))
    assert.ok(await store.profiles.save(record.id, 'two', THEN + 2))
    assert.equal(
      [await seen.profiles.values(record.id), await seen.profiles.get(record.id)],
      ['two', { ...record, savedAt: THEN + 2 }],
    )
    assert.not(await store.profiles.remove(randomUUID(), record.id), 'another workspace')
    assert.ok(await store.profiles.remove(record.workspaceId, record.id))
    assert.equal([await seen.profiles.values(record.id), await seen.profiles.get(record.id)], [null, null])
    assert.not(await store.profiles.save(record.id, 'late', THEN + 3))
    assert.is(await seen.profiles.values(record.id), null)
    assert.not(await store.profiles.remove(record.workspaceId, record.id))
  })

  test('[Z10 D12] of a profile that is deleted while it is saved no values stay, and none without a profile', async ({
    store,
    other,
    seen,
  }) => {
    const outcomes = { left: 0, savedAndGone: 0 }
    for (let n = 0; n < 50; n++) {
      const record = aProfile()
      await store.profiles.insert(record)
      const by = n % 2 === 0 ? store : other
      const save = (at: number) => by.profiles.save(record.id, `sealed ${at} `.repeat(1_000), at)
      const remove = async () => {
        for (let turns = n % 5; turns > 0; turns--) await null
        return store.profiles.remove(record.workspaceId, record.id)
      }
      const [first, removed, second] = await Promise.all([save(THEN + 1), remove(), save(THEN + 2)])
      assert.ok(removed)
      if (first || second) outcomes.savedAndGone++
      if ((await seen.profiles.values(record.id)) !== null) outcomes.left++
    }
    assert.is(outcomes.left, 0)
  })

  test('[Z12] what was saved since is not replaced', async ({ store, seen }) => {
    const record = aProfile()
    await store.profiles.insert(record)
    assert.ok(await store.profiles.save(record.id, 'first', THEN + 5, THEN + 4))
    assert.not(await store.profiles.save(record.id, 'same moment', THEN + 9, THEN + 5))
    assert.not(await store.profiles.save(record.id, 'older', THEN + 9, THEN + 1))
    assert.is(await seen.profiles.values(record.id), 'first')
    assert.ok(await store.profiles.save(record.id, 'newer', THEN + 9, THEN + 6))
    const both = await Promise.all([
      store.profiles.save(record.id, 'one', THEN + 20, THEN + 10),
      store.profiles.save(record.id, 'two', THEN + 20, THEN + 10),
    ])
    assert.is(both.filter(Boolean).length, 1)
  })
}
