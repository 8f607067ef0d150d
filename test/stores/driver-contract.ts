import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { UniqueConflict } from '../../src/stores/errors.ts'
import { collected, type Driver, keyOf, type Range, type TableSpec, table } from '../../src/stores/port.ts'

/** What the contract is held against: two handles of one store, each what a process of its own would have. */
export interface DriverUnderTest {
  open(specs: readonly TableSpec<never>[]): Promise<Driver>
  remove(): Promise<void>
}

interface Person {
  readonly id: string
  readonly name: string
  readonly age: number
  readonly email?: string | null
  readonly groups?: readonly string[]
  readonly note?: Readonly<Record<string, unknown>> | null
}
const PEOPLE = table<Person>({
  name: 'people',
  collection: 'persons',
  key: ['id'],
  text: ['note'],
  indexes: {
    email: { fields: ['email'], unique: true },
    'by-name': { fields: ['name', 'age'] },
    ages: { fields: ['age'] },
    groups: { fields: ['groups'] },
    anns: { fields: ['age'], only: { name: 'Ann' } },
  },
})
interface Line {
  readonly text: string
  readonly n: number
  readonly words: string
}
const LINES = table<Line>({ name: 'lines', key: ['text', 'n'] })
interface Counter {
  readonly id: string
  readonly count: number
}
const COUNTERS = table<Counter>({ name: 'counters', key: ['id'] })
interface Picture {
  readonly of: string
  readonly n: number
  readonly image: Uint8Array
}
const PICTURES = table<Picture>({ name: 'pictures', key: ['of', 'n'], bytes: 'image', large: true })
const NUMBERS = table<{ readonly n: number; readonly even: boolean }>({ name: 'numbers', key: ['n'] })
export const SPECS = [PEOPLE, LINES, COUNTERS, PICTURES, NUMBERS] as unknown as TableSpec<never>[]

const person = (id: string, fields: Partial<Person> = {}): Person => ({ id, name: 'Ann', age: 30, ...fields })

/** [D1] Every promise of the port, for any driver: a suite that is ready to run. */
export async function driverContract(name: string, under: DriverUnderTest): Promise<{ run(): void }> {
  const test = suite(name)
  const [driver, other] = [await under.open(SPECS), await under.open(SPECS)]

  const put = <Row extends object>(spec: TableSpec<Row>, ...rows: Row[]) =>
    driver.transact((tx) => {
      for (const row of rows) tx.put(spec, row)
    })
  const emptied = async () => {
    for (const spec of SPECS as unknown as TableSpec<Record<string, never>>[]) {
      const rows = await collected(driver.range(spec, null))
      await driver.transact((tx) => {
        for (const row of rows) tx.remove(spec, ...spec.key.map((field) => row[field] as never))
      })
    }
  }
  const conflict = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    )
    assert.instance(error, UniqueConflict)
    return `${(error as UniqueConflict).table} ${(error as UniqueConflict).field}`
  }
  /** The rows of a range, whose keys alone must be the same. */
  const read = async <Row extends object>(spec: TableSpec<Row>, index: string | null, range: Range) => {
    const rows = await collected(driver.range(spec, index, range))
    const { match, ...keyRange } = range
    if (!match) {
      const keys = await collected(driver.keys(spec, index, keyRange))
      assert.equal(
        keys,
        rows.map((row) => keyOf(spec, row)),
      )
    }
    return rows
  }
  const ids = async (index: string | null, range: Range) =>
    (await read(PEOPLE, index, range)).map(({ id }) => id).join('')

  test.before.each(emptied)

  test('[D1] a row is read as it was written, also with names that others chose', async () => {
    const row = person('a', { email: null, note: { $set: { 'a.b': [1, null, { $: '.' }] }, '': 2 ** 40 } })
    await driver.transact((tx) => tx.insert(PEOPLE, row))
    assert.equal(await driver.get(PEOPLE, 'a'), row)
    assert.is(await driver.get(PEOPLE, 'b'), null)
    const bare = person('b')
    await put(PEOPLE, bare, { ...row, note: null })
    assert.equal(await driver.get(PEOPLE, 'b'), bare)
    assert.equal(await driver.get(PEOPLE, 'a'), { ...row, note: null })
    await driver.transact((tx) => tx.put(LINES, { text: 'a:b', n: 1, words: '' }))
    assert.equal(await driver.get(LINES, 'a:b', 1), { text: 'a:b', n: 1, words: '' })
  })

  test('[D1] the last write of a transaction to a row counts, and it reads what was there before it', async () => {
    await put(COUNTERS, { id: 'a', count: 1 })
    const seen = await driver.transact(async (tx) => {
      tx.put(COUNTERS, { id: 'a', count: 2 })
      tx.remove(COUNTERS, 'a')
      tx.add(COUNTERS, { id: 'a', count: 3 })
      tx.put(COUNTERS, { id: 'b', count: 3 })
      tx.remove(COUNTERS, 'b')
      return [await tx.get(COUNTERS, 'a'), await tx.get(COUNTERS, 'b')]
    })
    assert.equal(seen, [{ id: 'a', count: 1 }, null])
    assert.equal(await driver.get(COUNTERS, 'a'), { id: 'a', count: 3 })
    assert.is(await driver.get(COUNTERS, 'b'), null)
    await driver.transact((tx) => tx.add(COUNTERS, { id: 'a', count: 3 }))
    assert.equal(await collected(driver.range(COUNTERS, null)), [{ id: 'a', count: 3 }])
  })

  test('[D12] a key, and a value of a unique index, is one row’s: nothing is kept of a transaction that has another', async () => {
    await put(PEOPLE, person('a', { email: 'a@x' }), person('b', { email: 'b@x' }))
    const inserted = (row: Person) =>
      driver.transact((tx) => {
        tx.put(COUNTERS, { id: 'beside', count: 1 })
        tx.insert(PEOPLE, row)
      })
    assert.is(await conflict(inserted(person('a', { name: 'Bob' }))), 'people key')
    assert.is(await conflict(inserted(person('c', { email: 'a@x' }))), 'people email')
    assert.is(await conflict(driver.transact((tx) => tx.insert(PEOPLE, person('a')))), 'people key')
    assert.is(await conflict(put(PEOPLE, person('b', { email: 'a@x' }))), 'people email')
    assert.is(await driver.get(COUNTERS, 'beside'), null)
    assert.is(await driver.get(PEOPLE, 'c'), null)
    assert.equal(await driver.find(PEOPLE, 'email', 'a@x'), person('a', { email: 'a@x' }))
    assert.equal(await driver.find(PEOPLE, 'email', 'b@x'), person('b', { email: 'b@x' }))
    // It is free again once its row has another, or none.
    await put(PEOPLE, person('a', { email: 'z@x' }))
    await driver.transact((tx) => tx.remove(PEOPLE, 'b'))
    await put(PEOPLE, person('c', { email: 'a@x' }), person('d', { email: 'b@x' }), person('e'), person('f'))
    assert.is((await driver.find(PEOPLE, 'email', 'a@x'))?.id, 'c')
    assert.is((await driver.find(PEOPLE, 'email', 'b@x'))?.id, 'd')
    assert.is(await driver.find(PEOPLE, 'email', 'nobody'), null)
  })

  test('[D1] rows of an index are in its order, up and down, from, to, behind a row, and so many', async () => {
    const bob = { name: 'Bob' }
    await put(
      PEOPLE,
      ...['a', 'b', 'c'].map((id, n) => person(id, { age: 10 * n })),
      ...['d', 'e'].map((id) => person(id, { age: 10 })),
      person('x', { ...bob, age: 5 }),
      person('y', { ...bob, age: 500 }),
    )
    const of = ['Ann']
    const cases: [Range, string][] = [
      [{}, 'abdecxy'],
      [{ down: true }, 'yxcedba'],
      [{ of }, 'abdec'],
      [{ of, down: true }, 'cedba'],
      [{ of, from: 10 }, 'bdec'],
      [{ of, to: 10 }, 'a'],
      [{ of, from: 10, to: 20 }, 'bde'],
      [{ of, from: 10, to: 20, down: true }, 'edb'],
      [{ of, after: [10, 'd'] }, 'ec'],
      [{ of, after: [10, 'd'], down: true }, 'ba'],
      [{ of, after: [10, 'd'], to: 20 }, 'e'],
      [{ of, after: [10, 'd'], from: 10, down: true }, 'b'],
      [{ after: ['Ann', 10, 'e'] }, 'cxy'],
      [{ of, limit: 2 }, 'ab'],
      [{ of, limit: 2, down: true }, 'ce'],
      [{ of, limit: 0 }, ''],
      [{ of: ['Ann', 10] }, 'bde'],
      [{ of: ['Ann', 10], after: ['b'], limit: 1 }, 'd'],
      [{ of: ['nobody'] }, ''],
      [{ from: 'B' }, 'xy'],
      [{ to: 'B', down: true }, 'cedba'],
    ]
    for (const [range, expected] of cases)
      assert.is(await ids('by-name', range), expected, `by-name ${JSON.stringify(range)}`)
  })

  test('[D1] rows by their key, and by a unique index, are in its order, up and down, from and to', async () => {
    await put(PEOPLE, ...['c', 'a', 'd', 'b'].map((id) => person(id, { email: id })), person('e'))
    await put(LINES, ...[10, 9, 100].map((n) => ({ text: 'a', n, words: `${n}` })), { text: 'b', n: 1, words: '' })
    await put(NUMBERS, ...[10, 9, 100].map((n) => ({ n, even: n % 2 === 0 })))
    const cases: [Range, string][] = [
      [{}, 'abcd'],
      [{ down: true }, 'dcba'],
      [{ from: 'b' }, 'bcd'],
      [{ from: 'b', down: true }, 'dcb'],
      [{ to: 'c' }, 'ab'],
      [{ to: 'c', down: true }, 'ba'],
      [{ from: 'b', to: 'd', down: true }, 'cb'],
      [{ after: ['b'] }, 'cd'],
      [{ after: ['c'], down: true }, 'ba'],
      [{ after: ['b'], limit: 1 }, 'c'],
    ]
    for (const [range, expected] of cases) {
      assert.is(await ids('email', range), expected, `email ${JSON.stringify(range)}`)
      const keyed = (await ids(null, range)).replace('e', '')
      if (range.limit === undefined) assert.is(keyed, expected, `key ${JSON.stringify(range)}`)
    }
    const after = { after: ['c', 'c'], down: true }
    assert.is(await ids('email', after), 'ba')
    const lines = async (range: Range) => (await read(LINES, null, range)).map(({ n }) => n)
    assert.equal(await lines({ of: ['a'] }), [9, 10, 100])
    assert.equal(await lines({ of: ['a'], down: true }), [100, 10, 9])
    assert.equal(await lines({ of: ['a'], from: 10, down: true }), [100, 10])
    assert.equal(await lines({ of: ['a'], to: 100, down: true }), [10, 9])
    assert.equal(await lines({ of: ['a'], after: [9] }), [10, 100])
    assert.equal(await lines({ of: ['a'], after: [100], down: true }), [10, 9])
    assert.equal(await lines({ after: ['a', 10] }), [100, 1])
    const numbers = async (range: Range) => (await read(NUMBERS, null, range)).map(({ n }) => n)
    assert.equal(await numbers({}), [9, 10, 100])
    assert.equal(await numbers({ from: 10, to: 100 }), [10])
  })

  test('[D1] a row is in an index where its first field is something, under each element of an array, and as `only` says', async () => {
    await put(
      PEOPLE,
      person('a', { groups: ['x', 'y'] }),
      person('b', { groups: ['y'], age: 5 }),
      person('c', { groups: [], name: 'Bob' }),
      person('d', { email: null }),
    )
    const of = ['y']
    assert.is(await ids('groups', { of }), 'ab')
    assert.is(await ids('groups', { of, down: true, limit: 1 }), 'b')
    assert.is(await ids('groups', { of, after: ['a'] }), 'b')
    assert.is(await ids('groups', { of: ['x'] }), 'a')
    assert.is(await ids('email', {}), '')
    assert.is(await ids('anns', {}), 'bad')
    assert.is(await ids('anns', { of: [30] }), 'ad')
    await put(PEOPLE, person('a', { groups: ['x'], name: 'Bob' }))
    assert.is(await ids('groups', { of }), 'b')
    assert.is(await ids('anns', {}), 'bd')
    await driver.transact((tx) => tx.remove(PEOPLE, 'b'))
    assert.is(await ids('groups', { of }), '')
  })

  test('[D1] `match` leaves rows that have other values, and counts what is absent as `null`; the limit is of what is left', async () => {
    await put(
      PEOPLE,
      person('a', { email: 'a' }),
      person('b', { email: null }),
      person('c'),
      person('d', { name: 'Bob', email: 'd' }),
    )
    assert.is(await ids('ages', { match: { email: null } }), 'bc')
    assert.is(await ids('ages', { match: { name: 'Bob' }, limit: 1 }), 'd')
    assert.is(await ids('ages', { match: { name: 'Ann', email: null }, limit: 1, down: true }), 'c')
    assert.is(await ids(null, { match: { id: 'b' } }), 'b')
    assert.is(await ids('ages', { match: { email: 'nobody' } }), '')
  })

  test('[D1] a range is read on in many pieces, and left early', async () => {
    const rows = Array.from({ length: 2_500 }, (_, n) => ({ text: 'long', n, words: `${n}` }))
    for (let at = 0; at < rows.length; at += 500) await put(LINES, ...rows.slice(at, at + 500))
    assert.equal(await read(LINES, null, { of: ['long'] }), rows)
    assert.is((await collected(driver.range(LINES, null, { of: ['long'], after: [1_999] }))).length, 500)
    for await (const { n } of driver.range(LINES, null, { of: ['long'], down: true })) {
      assert.is(n, 2_499)
      break
    }
  })

  test('[D12] of many who count at the same time each is counted, in any process', async () => {
    const increment = (by: Driver) =>
      by.transact(async (tx) => {
        const { count } = (await tx.get(COUNTERS, 'a')) ?? { count: 0 }
        tx.put(COUNTERS, { id: 'a', count: count + 1 })
        tx.add(LINES, { text: 'counted', n: count, words: '' })
        return count
      })
    const counted = await Promise.all(Array.from({ length: 30 }, (_, n) => increment(n % 2 ? driver : other)))
    const numbers = Array.from({ length: 30 }, (_, n) => n)
    assert.equal(
      counted.sort((a, b) => a - b),
      numbers,
    )
    assert.equal(await driver.get(COUNTERS, 'a'), { id: 'a', count: 30 })
    assert.equal(
      (await collected(driver.range(LINES, null, { of: ['counted'] }))).map(({ n }) => n),
      numbers,
    )
  })

  test('[D12] a transaction sees what any handle has committed before it, also in the turn of an earlier read', async () => {
    for (let count = 1; count <= 3; count++) {
      await other.get(COUNTERS, 'seen')
      await put(COUNTERS, { id: 'seen', count })
      assert.is(await other.transact(async (tx) => (await tx.get(COUNTERS, 'seen'))?.count), count)
    }
  })

  test('[D12] of many who change one row of bytes each does', async () => {
    await driver.transact((tx) => tx.put(PICTURES, { of: 'a', n: 1, image: new Uint8Array() }))
    const lengthen = (by: Driver) =>
      by.transact(async (tx) => {
        const { image } = (await tx.get(PICTURES, 'a', 1)) as Picture
        tx.put(PICTURES, { of: 'a', n: 1, image: new Uint8Array(image.length + 1) })
      })
    await Promise.all(Array.from({ length: 10 }, (_, n) => lengthen(n % 2 ? driver : other)))
    assert.is((await driver.get(PICTURES, 'a', 1))?.image.length, 10)
  })

  test('[D12] of many who insert one row, or one value, one does; those who looked before find it', async () => {
    const one = (by: Driver, row: Person) =>
      by
        .transact((tx) => tx.insert(PEOPLE, row))
        .then(
          () => row.id,
          (error: Error) => (error instanceof UniqueConflict ? null : error),
        )
    const each = <T>(make: (by: Driver, n: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 20 }, (_, n) => make(n % 2 ? driver : other, n)))
    const keys = await each((by, n) => one(by, person('same', { age: n })))
    assert.equal(
      keys.filter((key) => key !== null),
      ['same'],
    )
    const emails = (await each((by, n) => one(by, person(`p${n}`, { email: 'same' })))).filter((id) => id !== null)
    assert.is(emails.length, 1)
    assert.is((await driver.find(PEOPLE, 'email', 'same'))?.id, emails[0])
    const found = await each((by, n) =>
      by.transact(async (tx) => {
        const kept = await tx.get(COUNTERS, 'first')
        if (kept === null) tx.insert(COUNTERS, { id: 'first', count: n })
        return kept?.count ?? n
      }),
    )
    const first = (await driver.get(COUNTERS, 'first'))?.count
    assert.equal([...new Set(found)], [first])
    await each((by, n) => by.transact((tx) => tx.put(COUNTERS, { id: 'last', count: n })))
    assert.ok(await driver.get(COUNTERS, 'last'))
  })

  test('[D12] a transaction whose work fails leaves nothing, and one without a write gives what it read', async () => {
    await put(COUNTERS, { id: 'a', count: 1 })
    const work = driver.transact(async (tx) => {
      tx.put(COUNTERS, { id: 'b', count: 1 })
      const row = await tx.get(COUNTERS, 'a')
      tx.remove(COUNTERS, 'a')
      throw new Error(`no: ${row?.count}`)
    })
    assert.is(await work.catch((error: Error) => error.message), 'no: 1')
    assert.equal(await collected(driver.range(COUNTERS, null)), [{ id: 'a', count: 1 }])
    const read = await driver.transact(async (tx) => {
      const both = Promise.all([tx.get(COUNTERS, 'a'), tx.find(PEOPLE, 'email', 'x')])
      return [...(await both), ...(await collected(tx.range(COUNTERS, null)))]
    })
    assert.equal(read, [{ id: 'a', count: 1 }, null, { id: 'a', count: 1 }])
  })

  test('[D1] a patch changes fields of a row that is there, its indexes with it, and makes none', async () => {
    await put(PEOPLE, person('a', { email: 'a', note: { a: 1 } }), person('b', { email: 'b' }))
    assert.is(await driver.patch(PEOPLE, ['a'], { age: 7, email: 'c', note: { 'x.y': 1 } }), true)
    assert.equal(await driver.get(PEOPLE, 'a'), person('a', { age: 7, email: 'c', note: { 'x.y': 1 } }))
    assert.is(await ids('ages', { of: [7] }), 'a')
    assert.is(await driver.find(PEOPLE, 'email', 'a'), null)
    assert.is(await driver.patch(PEOPLE, ['nobody'], { age: 7 }), false)
    assert.is(await driver.get(PEOPLE, 'nobody'), null)
    assert.is(await conflict(driver.patch(PEOPLE, ['b'], { email: 'c' })), 'people email')
  })

  test('[D1] the ids that no row has are found in one question', async () => {
    await put(COUNTERS, { id: 'a', count: 1 }, { id: 'b', count: 2 })
    assert.equal(await driver.missing(COUNTERS, ['c', 'a', 'd', 'b']), ['c', 'd'])
    assert.equal(await driver.missing(COUNTERS, []), [])
  })

  test('[D1] bytes are kept as they are, beside what is committed with them', async () => {
    const image = Uint8Array.from({ length: 70_000 }, (_, n) => n % 251)
    await driver.transact((tx) => {
      tx.add(PICTURES, { of: 'a', n: 1, image })
      tx.add(PICTURES, { of: 'a', n: 2, image: new Uint8Array() })
      tx.put(COUNTERS, { id: 'a', count: 1 })
    })
    const kept = await driver.get(PICTURES, 'a', 1)
    assert.equal({ ...kept, image: Buffer.from(kept?.image ?? []) }, { of: 'a', n: 1, image: Buffer.from(image) })
    assert.is((await driver.get(PICTURES, 'a', 2))?.image.length, 0)
    const numbers = await collected(driver.range(PICTURES, null, { of: ['a'] }))
    assert.equal(
      numbers.map(({ of, n }) => [of, n]),
      [
        ['a', 1],
        ['a', 2],
      ],
    )
  })

  test.after(() => under.remove())
  return test
}
