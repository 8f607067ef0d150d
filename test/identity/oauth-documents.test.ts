import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createOAuth } from '../../src/identity/oauth.ts'
import { HandClock } from '../support/hand-clock.ts'

const test = suite('documents of OAuth clients')

const idOf = (n: number) => `https://assistant${n}.example/client.json`
const documentOf = (id: string) =>
  new TextEncoder().encode(
    JSON.stringify({ client_id: id, client_name: 'A', redirect_uris: ['https://a.example/back'] }),
  )

/** What is fetched waits until the test answers it. */
function documents() {
  const clock = new HandClock(1_000_000)
  const asked: { url: string; signal: AbortSignal; answer: (bytes: Uint8Array | null) => void }[] = []
  const oauth = createOAuth({
    // No document needs the store.
    store: {} as never,
    clock,
    fetchDocument: (url, _, signal) =>
      new Promise((resolve) => {
        asked.push({ url, signal, answer: resolve })
      }),
  })
  const client = (n: number, person = 'ann') => oauth.client(idOf(n), person, new AbortController().signal)
  const answered = async (n: number, person?: string) => {
    const client_ = client(n, person)
    await null
    asked.at(-1)?.answer(documentOf(idOf(n)))
    return client_
  }
  return { clock, oauth, asked, client, answered }
}

test('[A43] a document is fetched once, and again after five minutes', async () => {
  const { clock, asked, client, answered } = documents()
  const first = await answered(1)
  for (let n = 0; n < 20; n++) assert.equal(await client(1, `person ${n}`), first)
  assert.is(asked.length, 1)
  clock.turn(5 * 60_000 + 1)
  await answered(1)
  assert.is(asked.length, 2)
})

test('[A43] a person may have ten read in a minute, and what is no document counts', async () => {
  const { clock, asked, client } = documents()
  for (let n = 0; n < 10; n++) {
    const client_ = client(n)
    await null
    asked.at(-1)?.answer(n % 2 === 0 ? null : documentOf(idOf(n)))
    await client_
  }
  for (const n of [20, 21, 0]) assert.is(await client(n), 'busy')
  assert.is(asked.length, 10)
  clock.turn(60_000)
  void client(30)
  await null
  assert.is(asked.length, 11)
})

test('[A43] eight are fetched at a time, whoever asks, and each ends with its client', async () => {
  const { oauth, asked } = documents()
  const clients = Array.from({ length: 100 }, () => new AbortController())
  const answers = clients.map(({ signal }, n) => oauth.client(idOf(n), `person ${n}`, signal))
  await null
  assert.is(asked.length, 8)
  assert.equal(await Promise.all(answers.slice(8)), Array(92).fill('busy'))
  for (const client of clients) client.abort()
  assert.ok(asked.every(({ signal }) => signal.aborted))
  for (const { answer } of asked) answer(null)
  assert.equal(await Promise.all(answers.slice(0, 8)), Array(8).fill(null))
})

test.run()
