import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SIGN_IN_CACHE_MAX, SIGN_IN_CACHE_MS } from '../../src/accounts/limits.ts'
import { SessionCache } from '../../src/accounts/session-cache.ts'

const test = suite('session cache')

function world() {
  const clock = { at: 0, now: () => clock.at }
  let asked = 0
  const look = async () => `answer ${++asked}`
  return { clock, cache: new SessionCache<string>(clock), look }
}

test('asks once until the answer is too old', async () => {
  const { clock, cache, look } = world()
  assert.is(await cache.get('a', look), 'answer 1')
  clock.at = SIGN_IN_CACHE_MS - 1
  assert.is(await cache.get('a', look), 'answer 1')
  clock.at = SIGN_IN_CACHE_MS
  assert.is(await cache.get('a', look), 'answer 2')
})

test('keeps no answer that is nobody', async () => {
  const { cache, look } = world()
  assert.is(await cache.get('a', async () => null), null)
  assert.is(await cache.get('a', look), 'answer 1')
})

test('does not keep what was being looked up while all was forgotten', async () => {
  const { cache, look } = world()
  let answer: (value: string) => void = () => {}
  const pending = cache.get('a', () => new Promise((done) => (answer = done)))
  cache.forget()
  answer('signed in')
  assert.is(await pending, 'signed in')
  assert.is(await cache.get('a', look), 'answer 1')
})

test('is bounded', async () => {
  const { cache, look } = world()
  await cache.get('first', look)
  for (let i = 1; i < SIGN_IN_CACHE_MAX; i += 1) await cache.get(`k${i}`, look)
  assert.is(await cache.get('first', look), 'answer 1')
  await cache.get('one more', look)
  assert.is(await cache.get('first', look), `answer ${SIGN_IN_CACHE_MAX + 2}`)
})

test.run()
