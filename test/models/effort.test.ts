import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openModel } from '../../src/models/open.ts'
import { type ModelEndpoint, openModelEndpoint } from '../support/model-endpoint.ts'
import { KEY, never, quiet, replied, request } from './conversation.ts'
import { KINDS } from './kinds.ts'

const EFFORT = /"(?:reasoning_effort|effort|thinkingLevel)":"(low|medium|high)"/
const effortIn = (body: unknown) => EFFORT.exec(JSON.stringify(body))?.[1]

for (const kind of KINDS) {
  const test = suite(`effort: ${kind.name}`)
  let endpoint: ModelEndpoint
  test.before.each(async () => {
    endpoint = await openModelEndpoint()
  })
  test.after.each(() => endpoint.close())

  test('[L46] is sent as the provider has it, and not at all where none is asked for', async () => {
    const model = kind.open(endpoint)
    for (const effort of ['low', 'high', null] as const) replied(await model.ask(request({ effort }), never))
    assert.equal(
      endpoint.requests.map(({ body }) => effortIn(body)),
      ['low', 'high', undefined],
    )
  })

  test('[L46] an endpoint that refuses it is asked without, and from then on, too', async () => {
    const refusal = { status: 400, message: 'Unsupported parameter: reasoning_effort / effort / thinkingConfig.' }
    endpoint.plan(refusal, { text: 'One.' }, { text: 'Two.' })
    const model = kind.open(endpoint)
    assert.is(replied(await model.ask(request({ effort: 'high' }), never)).text, 'One.')
    assert.is(replied(await model.ask(request({ effort: 'high' }), never)).text, 'Two.')
    assert.equal(
      endpoint.requests.map(({ body }) => effortIn(body)),
      ['high', undefined, undefined],
    )
  })

  test('[L46] any other refusal is told as it is, and nothing is learnt from it', async () => {
    endpoint.plan({ status: 400, message: 'messages: at least one message is required' }, { text: 'One.' })
    const model = kind.open(endpoint)
    assert.is((await model.ask(request({ effort: 'high' }), never)).kind, 'failed')
    replied(await model.ask(request({ effort: 'high' }), never))
    assert.equal(
      endpoint.requests.map(({ body }) => effortIn(body)),
      ['high', 'high'],
    )
  })

  test.run()
}

const test = suite('models of an operator')

test('[L45 L46] LLM_EFFORT is that of tasks without their own; LLM_SMALL_MODEL is beside the model', async () => {
  const endpoint = await openModelEndpoint()
  const settings = { provider: 'anthropic', baseUrl: endpoint.baseUrl, apiKey: KEY } as const
  const model = openModel({ ...settings, model: 'large', small: 'small', effort: 'medium' }, quiet)
  for (const effort of [null, 'low'] as const) await model.ask(request({ effort }), never)
  await model.small?.ask(request(), never)
  assert.equal(
    endpoint.requests.map(({ body }) => [body.model, effortIn(body)]),
    [
      ['large', 'medium'],
      ['large', 'low'],
      ['small', 'medium'],
    ],
  )
  await endpoint.close()
})

test.run()
