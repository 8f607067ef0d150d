import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { ClaimRecord } from '../../machines/records.ts'
import { THEN } from '../support/stores.ts'
import type { Test } from './contract.ts'

const aClaim = (fields: Partial<ClaimRecord> = {}): ClaimRecord => ({
  id: randomUUID(),
  fingerprint: 'f',
  holder: randomUUID(),
  createdId: randomUUID(),
  answer: null,
  expiresAt: THEN,
  ...fields,
})

export function claimsContract(test: Test): void {
  test('[E21] of 50 that claim a key at once exactly one has it', async ({ store, other, seen }) => {
    const id = randomUUID()
    const claims = Array.from({ length: 50 }, () => aClaim({ id }))
    const taken = await Promise.all(claims.map((claim, n) => (n % 2 ? store : other).claims.insert(claim)))
    const winners = claims.filter((_, n) => taken[n])
    assert.is(winners.length, 1)
    assert.equal(await seen.claims.get(id), winners[0])
    assert.is(await store.claims.get(randomUUID()), null)
  })

  test('[E23] a claim is replaced and removed by its holder alone: of many who take it over one does', async ({
    store,
    other,
    seen,
  }) => {
    const claim = aClaim()
    await store.claims.insert(claim)
    assert.is(await store.claims.replace(claim.id, 'somebody else', null), false)
    const nexts = Array.from({ length: 20 }, () => ({ ...claim, holder: randomUUID() }))
    const took = await Promise.all(
      nexts.map((next, n) => (n % 2 ? store : other).claims.replace(claim.id, claim.holder, next)),
    )
    const [winner, ...more] = nexts.filter((_, n) => took[n])
    assert.is(more.length, 0)
    if (!winner) throw new Error('nobody took it over')
    assert.equal(await seen.claims.get(claim.id), winner)
    const answered = { ...winner, answer: { status: 201, body: '$a.b' } }
    assert.is(await store.claims.replace(claim.id, winner.holder, answered), true)
    assert.equal(await seen.claims.get(claim.id), answered)
    assert.is(await store.claims.replace(claim.id, winner.holder, null), true)
    assert.is(await seen.claims.get(claim.id), null)
    assert.is(await store.claims.insert(claim), true)
  })

  test('[E22] claims that expired are swept, others stay, also one whose time was put off', async ({ store, seen }) => {
    const claims = [-1, 0, 1].map((n) => aClaim({ expiresAt: THEN + n }))
    const late = aClaim({ expiresAt: THEN - 1 })
    for (const claim of [...claims, late]) await store.claims.insert(claim)
    await store.claims.replace(late.id, late.holder, { ...late, expiresAt: THEN + 5 })
    await store.claims.sweep(THEN)
    const left = await Promise.all([...claims, late].map(async ({ id }) => (await seen.claims.get(id)) !== null))
    assert.equal(left, [false, true, true, true])
    await store.claims.sweep(THEN + 10)
  })
}
