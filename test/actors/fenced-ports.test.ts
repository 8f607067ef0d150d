import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { heldOutbox, verifiedWebhook } from '../../actors/cluster/fenced-ports.ts'
import type { Clock, Outbox } from '../../actors/runtime/ports.ts'

const test = suite('frames and webhooks of a node that was stopped')
const clock = { setTimeout: (fn: () => void) => setImmediate(fn) } as unknown as Clock
const settled = () => new Promise((resolve) => setTimeout(resolve, 10))

function scene(answers: (boolean | Error)[]) {
  const sent: string[] = []
  let isFresh = true
  const owned = {
    async isOwn() {
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer instanceof Error) throw answer
      return answer ?? false
    },
  }
  const relay: Outbox = {
    send: (_, { type }) => sent.push(type) > 0,
    close: (_, __, code) => void sent.push(`close ${code}`),
  }
  const outbox = heldOutbox(relay, () => isFresh, owned, clock)
  return { sent, owned, outbox, stop: () => (isFresh = false), resume: () => (isFresh = true) }
}

test('[M4] frames of a node that could look lately leave at once', () => {
  const { outbox, sent } = scene([false])
  assert.ok(outbox.send('s', { type: 'one' }))
  assert.equal(sent, ['one'])
})

test('[M4] after a pause they wait until the store has answered, in their order: away at first, then still its own', async () => {
  const { outbox, sent, stop, resume } = scene([new Error('away'), true])
  stop()
  outbox.send('s', { type: 'one' })
  outbox.close('s', null, 4409, '')
  resume()
  outbox.send('s', { type: 'two' })
  assert.equal(sent, [])
  await settled()
  assert.equal(sent, ['one', 'close 4409', 'two'])
  outbox.send('s', { type: 'three' })
  assert.is(sent.at(-1), 'three')
})

test('[M4] another node owns the shard by then: nothing is sent, and no webhook called', async () => {
  const { outbox, sent, stop, owned } = scene([false])
  stop()
  outbox.send('s', { type: 'one' })
  await settled()
  assert.equal(sent, [])
  const calls: string[] = []
  const webhook = verifiedWebhook(
    { post: async (url) => void calls.push(url), deliver: async () => Promise.reject(new Error()) },
    owned,
    clock,
  )
  await webhook.post('http://a.example', {})
  assert.is((await webhook.deliver({} as never, { id: 'm', body: '' })).reason, 'moved')
  assert.equal(calls, [])
})

test.run()
