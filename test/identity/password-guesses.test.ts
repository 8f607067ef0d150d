import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DAY_MS } from '../../machines/limits.ts'
import { GUESS_WAIT_MS_MAX, GUESS_WAIT_MS_MIN, GUESSES_FREE, Guesses } from '../../src/identity/password-guesses.ts'
import { Browser, openedOn, openLmdb, serve } from './world.ts'

const test = suite('guessing passwords')
const { store, close } = await openLmdb()
const accounts = await openedOn(store)
const { base, close: closeServer } = await serve(accounts)
test.after(async () => {
  await closeServer()
  await close()
})

/** Signs in from an address; resolves to the status. */
async function guess(email: string, password: string, from: string, as: 'json' | 'form' = 'json'): Promise<Response> {
  const headers = { 'x-forwarded-for': from }
  const body = new URLSearchParams({ email, password })
  const path = '/api/auth/sign-in/email'
  if (as === 'json') return new Browser(base).send(path, { json: { email, password }, headers })
  return new Browser(base).send(path, { method: 'POST', body, headers })
}

test('[A41] an account takes few wrong passwords, from any number of addresses, however they are sent', async () => {
  const email = 'ann@example.com'
  await new Browser(base).signUp(email)
  assert.is((await guess(email, 'correct horse', '198.51.100.1')).status, 200)
  const all = await Promise.all(
    Array.from({ length: GUESSES_FREE + 6 }, (_, n) =>
      guess(n % 2 ? email : 'ANN@example.com', `wrong horse ${n}`, `203.0.113.${n}`, n % 3 ? 'json' : 'form'),
    ),
  )
  const statuses = all.map(({ status }) => status)
  assert.is(statuses.filter((status) => status !== 429).length, GUESSES_FREE, statuses.join())
  const refused = await guess(email, 'correct horse', '203.0.113.99')
  assert.is(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.match(await refused.text(), /Too many wrong passwords for this account/)
  assert.is((await guess(email, 'correct horse', '198.51.100.1')).status, 200, 'where its person signed in before')
  assert.is((await guess('other@example.com', 'x', '203.0.113.1')).status, 401, 'another account')
})

test('[A41] an address without an account is refused alike', async () => {
  for (let n = 0; n < GUESSES_FREE; n++)
    assert.is((await guess('nobody@example.com', 'wrong horse', `203.0.113.${n}`)).status, 401)
  assert.is((await guess('nobody@example.com', 'wrong horse', '203.0.113.9')).status, 429)
})

test('[A29] [A41] who is signed in has as few, however they ask', async () => {
  const browser = new Browser(base)
  await browser.signUp('bob@example.com')
  const change = (currentPassword: string) =>
    browser.send('/api/auth/change-password', { json: { currentPassword, newPassword: 'another battery' } })
  const confirm = (password: string) => accounts.confirm({ cookie: browser.cookie }, password)
  assert.is((await change('wrong horse')).status, 400)
  for (let n = 1; n < GUESSES_FREE; n++) assert.not.ok((await confirm('wrong horse')).isPassword)
  assert.not.ok((await confirm('correct horse')).isPassword, 'not checked')
  assert.is((await change('correct horse')).status, 429)
  assert.is((await guess('bob@example.com', 'correct horse', '203.0.113.1')).status, 200, 'signing in is another door')
})

test('[A29] the right password is taken, any number of times', async () => {
  const browser = new Browser(base)
  await browser.signUp('carl@example.com')
  for (let n = 0; n < GUESSES_FREE * 2; n++)
    assert.ok((await accounts.confirm({ cookie: browser.cookie }, 'correct horse')).isPassword)
})

test('[A41] the waits grow to a quarter of an hour, and end with a day of quiet', () => {
  const guesses = new Guesses()
  let now = DAY_MS
  const waits: number[] = []
  for (let n = 0; n < GUESSES_FREE + 7; n++) {
    const wait = guesses.take('ann', null, now)
    waits.push(wait)
    now += wait
    if (wait > 0) assert.is(guesses.take('ann', null, now), 0)
  }
  const [grown, free] = [waits.filter((wait) => wait > 0), waits.filter((wait) => wait === 0)]
  assert.is(free.length, GUESSES_FREE)
  assert.equal(
    grown.slice(0, 5),
    [1, 2, 4, 8, 15].map((minutes) => minutes * GUESS_WAIT_MS_MIN),
  )
  assert.is(grown.at(-1), GUESS_WAIT_MS_MAX)
  now += DAY_MS
  assert.is(guesses.take('ann', null, now), 0)
  assert.is(guesses.take('ann', null, now), 0)
  guesses.forget('ann')
  for (let n = 0; n < GUESSES_FREE; n++) assert.is(guesses.take('ann', null, now), 0)
  assert.is(
    guesses.take('ann', null, 0),
    GUESS_WAIT_MS_MIN,
    'a clock set back opens nothing, and closes nothing for long',
  )
})

test.run()
