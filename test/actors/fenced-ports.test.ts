import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fencedPorts } from '../../actors/cluster/fenced-ports.ts'
import { NODE_LATE_MS } from '../../actors/limits.ts'
import type { Clock, Outbox, Webhook } from '../../actors/runtime/ports.ts'

const test = suite('frames and webhooks of a node that was stopped')
const clock = { setTimeout: (fn: () => void) => setImmediate(fn) } as unknown as Clock
const settled = () => new Promise((resolve) => setTimeout(resolve, 10))

function scene(answers: (boolean | Error)[], { answerMs = 0, isHere = true } = {}) {
  const sent: string[] = []
  const asked: number[] = []
  let now = 0
  let renewed = 0
  const owned = {
    async isOwn() {
      asked.push(now)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      now += asked.length === 1 ? answerMs : 0
      if (answer instanceof Error) throw answer
      return answer ?? false
    },
  }
  const outbox: Outbox = {
    send: (_, { type }) => sent.push(type) > 0,
    close: (_, __, code) => void sent.push(`close ${code}`),
  }
  const webhook: Webhook = {
    post: async (url) => void sent.push(url),
    deliver: async () => Promise.reject(new Error('nothing is delivered here')),
  }
  const standing = { isHere: () => isHere, sinceRenewalMs: () => now - renewed, monotonic: () => now }
  const stop = (ms = NODE_LATE_MS) => (now += ms)
  return {
    sent,
    asked,
    stop,
    resume: () => (renewed = now),
    ...fencedPorts({ outbox, webhook, clock }, owned, standing),
  }
}

test('[M4] frames of a node that renewed its lease lately leave at once', () => {
  const { outbox, sent, stop } = scene([false])
  assert.ok(outbox.send('s', { type: 'one' }))
  stop(NODE_LATE_MS - 1)
  outbox.send('s', { type: 'two' })
  assert.equal(sent, ['one', 'two'])
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

test('[M4] a call that was settled while its frame waited is not sent', async () => {
  const { outbox, sent, stop } = scene([true])
  stop()
  let isPending = true
  outbox.send('s', { type: 'call' }, () => isPending)
  outbox.send('s', { type: 'end' })
  isPending = false
  await settled()
  assert.equal(sent, ['end'])
})

test('[M4] another node owns the shard by then: nothing is sent, and no webhook called', async () => {
  const { outbox, webhook, sent, stop } = scene([false])
  stop()
  outbox.send('s', { type: 'one' })
  await webhook.post('http://a.example', {})
  assert.is((await webhook.deliver({} as never, { id: 'm', body: '' })).reason, 'moved')
  await settled()
  assert.equal(sent, [])
})

test('[M4] the shard was handed over: what was under way is sent by its next owner', async () => {
  const { outbox, webhook, sent } = scene([true], { isHere: false })
  outbox.send('s', { type: 'one' })
  await webhook.post('http://a.example', {})
  await settled()
  assert.equal(sent, [])
})

test('[M4] a node that was stopped while the store answered asks again', async () => {
  const { webhook, sent, asked } = scene([true, false], { answerMs: NODE_LATE_MS })
  await webhook.post('http://a.example', {})
  assert.equal([asked, sent], [[0, NODE_LATE_MS], []])
})

test.run()
