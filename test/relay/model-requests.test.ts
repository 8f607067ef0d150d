import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ModelReply } from '../../actors/runtime/ports.ts'
import { eventually } from '../support/eventually.ts'
import { openScene, playing } from './scene.ts'

const test = suite('relay model requests')

const ask = (fields: object = {}) => ({
  type: 'llm_request',
  requestId: 'q1',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
  ],
  maxTokens: 100,
  ...fields,
})

test('[R34 R35 R12] a model request is answered with blocks of text, bounded and metered, and is no task', async () => {
  const { model, asked } = playing({ text: 'Hi' })
  const scene = await openScene(model)
  const { peer, record } = await scene.browser()
  await peer.says(ask({ sessionId: record.id }))
  assert.equal(await peer.gets('llm_response'), {
    type: 'llm_response',
    requestId: 'q1',
    content: [{ type: 'text', text: 'Hi' }],
    targetSessionId: record.id,
  })
  assert.is(asked[0]?.maxTokens, 100)
  assert.is(asked[0]?.system, 'Be brief.')
  const [total] = await scene.store.usage.totals(scene.workspaceId, 0)
  assert.is(total?.inputTokens, 10)
  assert.is(total?.apiCalls, 1)
  assert.is(total?.tasks, 0)
  await scene.close()
})

for (const [what, messages] of [
  ['absent', undefined],
  ['empty', []],
  ['a string', 'Hello'],
  ['of an unknown role', [{ role: 'oracle', content: 'x' }]],
  ['of blocks that are no text', [{ role: 'user', content: [{ type: 'image' }] }]],
] as const) {
  test(`[R34] messages that are ${what} are an error, not a crash`, async () => {
    const scene = await openScene(playing({ text: 'Hi' }).model)
    const { peer } = await scene.browser()
    await peer.says(ask({ messages }))
    assert.is((await peer.gets('llm_response')).error, 'Invalid messages')
    await scene.close()
  })
}

test('[R34] a model that refuses is said in error', async () => {
  const refused: ModelReply = {
    kind: 'failed',
    message: 'invalid key',
    rateLimited: false,
    retryable: false,
    retryAfterMs: null,
  }
  const scene = await openScene(playing(refused).model)
  const { peer } = await scene.browser()
  await peer.says(ask())
  assert.is((await peer.gets('llm_response')).error, 'invalid key')
  await scene.close()
})

test('[R37 R7] a model request for another session: Browser session not found', async () => {
  const scene = await openScene(playing({ text: 'Hi' }).model)
  const { peer } = await scene.browser()
  await peer.says(ask({ sessionId: randomUUID() }))
  assert.is((await peer.gets('llm_response')).error, 'Browser session not found')
  await scene.close()
})

test('[R36] an eleventh model request at a time is answered at once; the place of one that ended is free', async () => {
  const waiting: (() => void)[] = []
  const scene = await openScene({
    id: 'slow',
    provider: 'test',
    ask: () =>
      new Promise((resolve) =>
        waiting.push(() =>
          resolve({ kind: 'reply', text: 'Hi', calls: [], inputTokens: 1, outputTokens: 1, model: 'slow' }),
        ),
      ),
  })
  const { peer } = await scene.browser()
  for (let i = 0; i < 11; i++) await peer.says(ask({ requestId: `q${i}` }))
  assert.equal(
    peer.of('llm_response').map(({ requestId, error }) => [requestId, error]),
    [['q10', 'Too many language model requests (10).']],
  )
  await eventually(() => waiting.length === 10, 'the model is asked')
  waiting[0]?.()
  await peer.gets('llm_response', 2)
  await peer.says(ask({ requestId: 'q11' }))
  await eventually(() => waiting.length === 11, 'the model is asked again')
  for (const answer of waiting) answer()
  await peer.gets('llm_response', 12)
  await scene.close()
})

test('[L27] without a language model no task is started from a panel or over HTTP', async () => {
  const { model } = playing({ text: 'Hi' })
  const scene = await openScene({ ...model, configured: false })
  const { peer, record } = await scene.browser()
  await peer.says({ type: 'create_task', requestId: 'c', task: 'Buy tea', browserSessionId: record.id })
  assert.match(String((await peer.gets('task_error')).error), /^No language model is configured/)
  for (let n = 0; n < 12; n++) {
    const refused = await scene.start(record).catch(String)
    assert.match(refused, /No language model is configured/, 'and it does not count')
  }
  await scene.close()
})

test.run()
