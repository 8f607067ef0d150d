import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Turns } from '../../actors/turns.ts'

const test = suite('turns')

/** Turns whose next one comes when the test says so, and what they did. */
function begin() {
  const due: (() => void)[] = []
  const done: number[] = []
  const turns = new Turns((work) => due.push(work))
  return {
    turns,
    done,
    take: (...numbers: readonly number[]) => {
      for (const n of numbers) turns.take(() => done.push(n))
    },
    next: () => due.shift()?.(),
    due: () => due.length,
  }
}
const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)

test('the first thirty-two of a moment are taken up at once, what follows as many a turn, in order', () => {
  const it = begin()
  it.take(...from(1, 80))
  assert.equal(it.done, from(1, 32))
  it.next()
  assert.equal(it.done, from(1, 64))
  it.take(81)
  assert.equal(it.done, from(1, 64))
  it.next()
  assert.equal(it.done, from(1, 81))
})

test('a turn that is not full has room for what comes', () => {
  const it = begin()
  it.take(...from(1, 34))
  it.next()
  it.take(35)
  assert.equal(it.done, from(1, 35))
})

test('it rests when nothing came for a turn', () => {
  const it = begin()
  it.take(1)
  it.next()
  assert.is(it.due(), 0)
  it.take(...from(2, 32))
  assert.equal(it.done, from(1, 33))
})

test('who hurries has all done that waits', () => {
  const it = begin()
  it.take(...from(1, 80))
  it.turns.hurry()
  assert.equal(it.done, from(1, 80))
  it.next()
  assert.equal(it.done, from(1, 80))
})

test('those who wait together go on together, and who comes later waits for the next time', async () => {
  const it = begin()
  const said: string[] = []
  const wait = async (who: string) => {
    await it.turns.together()
    said.push(who)
  }
  const first = [wait('a'), wait('b')]
  assert.is(it.due(), 1)
  it.next()
  const later = wait('c')
  await Promise.all(first)
  assert.equal(said, ['a', 'b'])
  it.next()
  await later
  assert.equal(said, ['a', 'b', 'c'])
})

test('work that throws takes none of the others with it', () => {
  const it = begin()
  it.take(...from(1, 32))
  it.turns.take(() => {
    throw new Error('of the work')
  })
  it.take(33)
  assert.throws(it.next, /of the work/)
  it.next()
  assert.equal(it.done, from(1, 33))
})

test.run()
