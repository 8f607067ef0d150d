import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ModelGateway } from '../../actors/conversation/browser-model-retries.ts'
import type { ModelReply, ModelRequest } from '../../actors/runtime/ports.ts'
import { TO_MODEL } from '../../machines/texts.ts'
import { aScene, SceneClock, SceneModel, settled, THEN } from '../support/scene.ts'

const test = suite('model gateway')
const request: ModelRequest = { system: '', messages: [{ role: 'user', text: 'Hi' }], tools: [], maxTokens: 100 }
const wanted = new AbortController().signal
const failure = (reason: 'cut_off' | 'withheld' | 'too_long'): ModelReply => ({
  kind: 'failed',
  message: reason,
  reason,
  rateLimited: false,
  retryable: false,
  retryAfterMs: null,
})
const reply: ModelReply = { kind: 'reply', text: 'Hello.', calls: [], inputTokens: 1, outputTokens: 1, model: 'm' }

/** A gateway whose chance is what the first eight digits of its ids say. */
function open(chance = '80000000') {
  const model = new SceneModel()
  const gateway = new ModelGateway({ model, clock: new SceneClock(THEN), ids: { uuid: () => `${chance}-0000` } })
  return { model, gateway }
}

for (const reason of ['cut_off', 'withheld'] as const)
  test(`[L19] a reply that was ${reason} is asked for once more, shorter, then it has failed`, async () => {
    const { model, gateway } = open()
    const seen: ModelRequest[] = []
    model.script = (asked) => {
      seen.push(asked)
      return failure(reason)
    }
    const last = await gateway.attemptFitting(
      () => request,
      () => assert.unreachable('not too long'),
      wanted,
    )
    assert.equal(last, failure(reason))
    assert.equal(
      seen.map(({ messages }) => messages.map((message) => 'text' in message && message.text)),
      [['Hi'], ['Hi', TO_MODEL.beBrief]],
    )
  })

test('[L19] a request that is too long is built again after it was shortened', async () => {
  const { model, gateway } = open()
  let [shrunk, asked] = [0, 0]
  model.script = () => (asked++ === 0 ? failure('too_long') : reply)
  assert.equal(
    await gateway.attemptFitting(
      () => request,
      () => shrunk++,
      wanted,
    ),
    reply,
  )
  assert.equal([shrunk, asked], [1, 2])
})

test('[L20] the wait is chosen at random up to a limit that doubles', () => {
  const waits = (chance: string) => [0, 1, 2].map((attempt) => open(chance).gateway.waitMs(attempt, null))
  assert.equal(waits('ffffffff'), [1_000, 2_000, 4_000])
  assert.equal(waits('80000000'), [500, 1_000, 2_000])
  assert.equal(waits('00000000'), [0, 0, 0])
})

test('[L3 L20] what the endpoint asked for is obeyed, however long', () => {
  assert.is(open().gateway.waitMs(0, 600_000), 600_000)
})

test('[L5 L37] the two minutes of a model call count from the last piece of its reply', async () => {
  const scene = await aScene()
  await scene.task(scene.browser())
  const [first] = scene.model.waiting
  for (const text of ['', 'I', 'I open']) {
    await scene.clock.advance(119_000)
    first?.says(text)
  }
  await scene.clock.advance(119_999)
  assert.equal([scene.model.asked, first?.signal.aborted], [1, false])
  await scene.clock.advance(1)
  await settled()
  assert.ok(first?.signal.aborted)
  assert.is(scene.model.asked, 2)
})

test.run()
