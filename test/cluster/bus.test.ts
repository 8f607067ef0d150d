import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openNats } from '../../src/stores/bus/nats.ts'
import { hasNats, type NatsServer, startNats } from '../support/nats.ts'

const test = suite('messages between nodes')
let server: NatsServer
const log = { debug() {}, info() {}, warn() {}, error: (_: object, text: string) => assert.unreachable(text) }

test.before(async () => {
  server = await startNats()
})
test.after(() => server.kill())

test('[M7] a bus that is being closed sends what was published before, and drops what comes later without an error', async () => {
  const [leaving, other] = [await openNats(server.url, log), await openNats(server.url, log)]
  const heard: string[] = []
  const first = new Promise<void>((resolve) => {
    other.serve('news', async (text) => {
      heard.push(text)
      resolve()
      return null
    })
  })
  // Its answer is ready when the bus is nearly closed, or is.
  let answer = (_: string) => {}
  const asked = new Promise<void>((resolve) => {
    leaving.serve('questions', () => {
      resolve()
      return new Promise<string>((give) => {
        answer = give
      })
    })
  })
  // The servers know of both subscriptions.
  while ((await other.request('questions', '', 50)) === 'nobody');
  await asked
  const late = other.request('questions', 'late', 1_000)
  leaving.publish('news', 'before')
  const closing = leaving.close()
  // As timers and machines do that do not know of it.
  const again = setInterval(() => leaving.publish('news', 'later'), 0)
  await closing
  answer('too late')
  leaving.publish('news', 'afterwards')
  await new Promise(setImmediate)
  clearInterval(again)
  assert.not(leaving.connected())
  await first
  assert.equal(heard, ['before'])
  assert.ok(['late', 'nobody'].includes((await late) as string))
  await other.close()
})

if (hasNats) test.run()
else {
  console.log('SKIPPED 1 no nats-server is installed')
  suite('messages between nodes').run()
}
