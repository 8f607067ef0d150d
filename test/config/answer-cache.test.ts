import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AnswerCache } from '../../src/config/answer-cache.ts'

const test = suite('answer cache')
const TTL_MS = 100

function world() {
  const clock = { at: 1_000, now: () => clock.at }
  let asked = 0
  const ask = async () => ({ answer: ++asked })
  return { clock, ask, cache: new AnswerCache<{ answer: number }>({ ttlMs: TTL_MS, entriesMax: 3, now: clock.now }) }
}

test('asks once until the answer is too old, counted from the question', async () => {
  const { clock, cache, ask } = world()
  const slow = async () => {
    clock.at += 50
    return ask()
  }
  assert.equal(await cache.get('a', slow), { answer: 1 })
  clock.at += 50
  assert.equal(await cache.get('a', ask), { answer: 1 })
  clock.at += 1
  assert.equal(await cache.get('a', ask), { answer: 2 })
})

test('what was not found is asked for again', async () => {
  const { cache, ask } = world()
  assert.is(await cache.get('a', async () => null), null)
  assert.equal(await cache.get('a', ask), { answer: 1 })
})

test('an answer asked for before everything was forgotten is not remembered', async () => {
  const { cache, ask } = world()
  let answer: (value: { answer: number }) => void = () => {}
  const pending = cache.get('a', () => new Promise((done) => (answer = done)))
  cache.forget()
  answer({ answer: 99 })
  assert.equal(await pending, { answer: 99 })
  assert.equal(await cache.get('a', ask), { answer: 1 })
})

test('the answer that was used longest ago makes room for another one', async () => {
  const { cache, ask } = world()
  for (const key of ['a', 'b', 'c']) await cache.get(key, ask)
  await cache.get('a', ask)
  await cache.get('d', ask)
  assert.equal(await cache.get('a', ask), { answer: 1 })
  assert.equal(await cache.get('b', ask), { answer: 5 })
})

test.run()
