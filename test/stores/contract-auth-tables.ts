import { randomUUID } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { AuthCondition } from '../../src/stores/auth-tables.ts'
import type { Test } from './contract.ts'

const is = (field: string, value: AuthCondition['value'], more: Partial<AuthCondition> = {}): AuthCondition => ({
  field,
  value,
  operator: 'eq',
  ...more,
})

const conflictOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no conflict',
    (error: Error) => `${error.name}: ${error.message}`,
  )

export function authTablesContract(test: Test): void {
  const table = () => `t${randomUUID().slice(0, 8)}`

  test('[D1] auth tables: rows are kept as plain JSON, what is null is absent', async ({ store, seen }) => {
    const users = table()
    const row = {
      id: randomUUID(),
      name: 'Ann',
      verified: false,
      image: null,
      more: { a: [1, null] },
      at: '2026-11-20T12:00:00.000Z',
    }
    const { image, ...kept } = row
    assert.equal(await store.authTables.insert(users, row), kept)
    assert.equal(await seen.authTables.find(users, [is('id', row.id)]), [kept])
    assert.equal(await seen.authTables.find(users, [is('image', null)]), [kept])
    assert.equal(await seen.authTables.find(users, [is('at', new Date('2026-11-20T12:00:00.000Z'))]), [kept])
    assert.equal(await seen.authTables.find(users, [is('name', null)]), [])
    assert.equal(await seen.authTables.find(table(), []), [])
  })

  test('[D1] auth tables: every operator', async ({ store }) => {
    const things = table()
    const names = ['Apple', 'apple pie', 'b.n', 'ban', 'Cherry']
    for (const [n, name] of names.entries()) {
      await store.authTables.insert(things, {
        id: `id${n}`,
        name,
        n,
        odd: n % 2 === 1,
        ...(n > 2 ? { extra: `x${n}` } : {}),
      })
    }
    const found = async (...where: AuthCondition[]) => {
      const rows = await store.authTables.find(things, where, { sortBy: { field: 'n', direction: 'asc' } })
      return rows.map((row) => row.n).join(' ')
    }
    const cases: [string, ...AuthCondition[]][] = [
      ['0 1 2 3 4'],
      ['1', is('name', 'apple pie')],
      ['', is('name', 'APPLE')],
      ['0 1 2', is('extra', null)],
      ['0 1', is('n', 2, { operator: 'lt' })],
      ['0 1 2', is('n', 2, { operator: 'lte' })],
      ['3 4', is('n', 2, { operator: 'gt' })],
      ['2 3 4', is('n', 2, { operator: 'gte' })],
      ['', is('extra', 5, { operator: 'lt' })],
      ['1 3', is('odd', true)],
      ['0 4', is('n', [0, 4, 9], { operator: 'in' })],
      ['2 3', is('id', ['id2', 'id3'], { operator: 'in' })],
      ['3', is('odd', true), is('n', 2, { operator: 'gt' })],
    ]
    for (const [expected, ...where] of cases) assert.is(await found(...where), expected, JSON.stringify(where))
  })

  test('[D1] auth tables: sorts, absent first, and limits', async ({ store }) => {
    const things = table()
    for (const [id, n] of [
      ['a', 3],
      ['b', 1],
      ['c', null],
      ['d', 2],
    ] as const)
      await store.authTables.insert(things, { id, n })
    const ids = async (options: Parameters<typeof store.authTables.find>[2]) =>
      (await store.authTables.find(things, [], options)).map(({ id }) => id).join('')
    assert.is(await ids({ sortBy: { field: 'n', direction: 'asc' } }), 'cbda')
    assert.is(await ids({ sortBy: { field: 'n', direction: 'desc' }, limit: 2 }), 'ad')
    assert.is(await ids({ limit: 0 }), '')
  })

  test('[D12] of 20 users with one address one is kept, and an update cannot take it either', async ({
    store,
    other,
    seen,
  }) => {
    const email = `${randomUUID()}@mail.example`
    const sign = (n: number) => (n % 2 ? store : other).authTables.insert('user', { id: randomUUID(), email })
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => conflictOf(sign(n))))
    assert.is(outcomes.filter((one) => one === 'no conflict').length, 1)
    assert.is(outcomes.filter((one) => one === 'UniqueConflict: user.email is taken').length, 19)
    const second = { id: randomUUID(), email: `second-${email}` }
    await store.authTables.insert('user', second)
    const patch = { email }
    assert.is(
      await conflictOf(store.authTables.update('user', [is('id', second.id)], patch)),
      'UniqueConflict: user.email is taken',
    )
    assert.equal(await seen.authTables.find('user', [is('email', second.email)]), [second])
    assert.is(await conflictOf(store.authTables.insert('user', { id: second.id })), 'UniqueConflict: user.id is taken')
    await store.authTables.removeAll('user', [is('email', email)])
    assert.is(await conflictOf(store.authTables.update('user', [is('id', second.id)], patch)), 'no conflict')
    assert.equal(await seen.authTables.find('user', [is('email', second.email)]), [])
    assert.is(await conflictOf(sign(0)), 'UniqueConflict: user.email is taken')
  })

  test('[D1] auth tables: update changes one row, updateAll every one, null takes a field away', async ({
    store,
    seen,
  }) => {
    const things = table()
    for (const id of ['a', 'b', 'c']) await store.authTables.insert(things, { id, kind: 'x', more: 1 })
    assert.equal(await store.authTables.update(things, [is('id', 'b')], { id: 'z', more: null, extra: 2 }), {
      id: 'b',
      kind: 'x',
      extra: 2,
    })
    assert.is(await store.authTables.update(things, [is('id', 'none')], { more: 1 }), null)
    assert.is(await store.authTables.updateAll(things, [is('kind', 'x')], { kind: 'y' }), 3)
    assert.is(await store.authTables.updateAll(things, [is('kind', 'x')], { kind: 'z' }), 0)
    const rows = await seen.authTables.find(things, [is('kind', 'y')], { sortBy: { field: 'id', direction: 'asc' } })
    assert.equal(rows, [
      { id: 'a', kind: 'y', more: 1 },
      { id: 'b', kind: 'y', extra: 2 },
      { id: 'c', kind: 'y', more: 1 },
    ])
    assert.is(await store.authTables.removeAll(things, [is('more', 1)]), 2)
    assert.is((await seen.authTables.find(things, [])).length, 1)
  })

  test('[D12] of 50 that take a row at once exactly one gets it, and only one row goes', async ({ store, other }) => {
    const identifier = randomUUID()
    for (const value of ['1', '2'])
      await store.authTables.insert('verification', { id: randomUUID(), identifier, value })
    const where = [is('identifier', identifier), is('value', '1')]
    const takers = Array.from({ length: 50 }, (_, n) => (n % 2 ? store : other).authTables.take('verification', where))
    const got = (await Promise.all(takers)).filter((row) => row !== null)
    assert.equal(
      got.map((row) => row.value),
      ['1'],
    )
    assert.is((await store.authTables.find('verification', [is('identifier', identifier)])).length, 1)
  })

  test('[D12] 50 increments under a guard stop where the guard says', async ({ store, other, seen }) => {
    const things = table()
    await store.authTables.insert(things, { id: 'a', left: 10, note: null })
    const where = [is('id', 'a'), is('left', 0, { operator: 'gt' })]
    const takers = Array.from({ length: 50 }, (_, n) =>
      (n % 2 ? store : other).authTables.increment(things, where, { left: -1, used: 1 }, { note: 'used' }),
    )
    const got = (await Promise.all(takers)).filter((row) => row !== null)
    assert.equal(got.map((row) => row.left).sort(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.equal(await seen.authTables.find(things, []), [{ id: 'a', left: 0, used: 10, note: 'used' }])
  })
}
