import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Plan, Seen } from '../support/model-endpoint.ts'
import { TOKENS } from '../support/model-endpoint-wires.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('the budget of a task, and the running service')

const { endpoint, env } = await openJobModel()
/** A reply of the endpoint has 34 tokens of output: 0.34 cents. For the next one 10 cents are reserved. */
const LLM_PRICES = JSON.stringify({ 'test-model': { input: 0, output: 100 }, 'other-model': { input: 0, output: 1 } })
const service = await openService({ env: { ...env, LLM_PRICES, LLM_MODELS: 'other-model, unpriced-model' } })
const { api } = service
const session = await api.pair()
const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })

const look = { tool: 'javascript_tool', input: { action: 'javascript_exec', text: '1' } }
let looks = 0
/** Looks on and on; told that it is its last reply, it says how far it came. */
function explorer({ body }: Seen): Plan {
  const isLast = JSON.stringify(body.messages).includes('No other tool is run any more')
  const answer = { success: false, answer: `Found ${looks} so far.` }
  if (isLast) return { calls: [{ tool: 'finish', input: answer }] }
  looks++
  return { text: `Look ${looks}.`, calls: [{ ...look, input: { ...look.input, text: `${looks}` } }] }
}

async function explore(more: object) {
  looks = 0
  endpoint.plan(explorer)
  const { status, json } = await api.start(session.id, 'Explore', more)
  assert.is(status, 201, JSON.stringify(json))
  await finished(api, json.id)
  return (await api.get(`/v1/tasks/${json.id}`)).json
}
const warned = async (id: string) =>
  (await api.get(`/v1/tasks/${id}/events?types=budget.warned`)).json.events.map(
    ({ budget, used, limit }: Record<string, unknown>) => [budget, used, limit],
  )

test('[L35] max_steps: the last step is told, and what was found so far is the answer', async () => {
  const task = await explore({ max_steps: 5 })
  assert.equal([task.status, task.ended_by, task.success], ['error', 'budget', false])
  assert.equal([task.steps, task.usage.apiCalls, task.answer], [5, 5, 'Found 4 so far.'])
  assert.equal([task.failure, task.output], [null, null])
  assert.equal(await warned(task.id), [['max_steps', 4, 5]])
})

test('[L35] max_cost_usd: reserved before each call, never exceeded by more than one', async () => {
  const max = 0.22
  const task = await explore({ max_cost_usd: max })
  assert.equal([task.ended_by, task.answer], ['budget', `Found ${looks} so far.`])
  const spent = task.usage.outputTokens * 100e-6
  assert.ok(spent <= max, `${spent}`)
  // Two more calls of an ordinary reply had no room.
  assert.ok(spent + 2 * 0.1 > max)
  assert.ok(looks > 3)
})

test('[L35] a reply that costs more than was reserved for it is the last one, and what it says is there', async () => {
  const { output } = TOKENS
  TOKENS.output = 5_000
  const max = 0.22
  const task = await explore({ max_cost_usd: max }).finally(() => {
    TOKENS.output = output
  })
  assert.equal([task.ended_by, task.usage.apiCalls, task.answer], ['budget', 1, 'Look 1.'])
  assert.ok(task.usage.outputTokens * 100e-6 > max)
})

test('[L35] max_tokens without room for a single call: no model is asked', async () => {
  const before = endpoint.requests.length
  const task = await explore({ max_tokens: 500 })
  assert.equal([task.ended_by, task.answer], ['budget', 'The budget of the task is used up.'])
  assert.equal([task.steps, endpoint.requests.length - before], [0, 0])
})

test('[L36] a task’s model is asked, and its price counts', async () => {
  const task = await explore({ model: 'other-model', max_steps: 2 })
  assert.is(task.steps, 2)
  assert.is(endpoint.requests.at(-1)?.body.model, 'other-model')
  const { json } = await api.start(session.id, 'x', { model: 'unpriced-model', max_cost_usd: 1 })
  assert.is(json.code, 'max_cost_usd_invalid')
  assert.is((await api.start(session.id, 'x', { model: 'gpt-6' })).json.code, 'model_invalid')
  await explore({ max_steps: 2 })
  assert.is(endpoint.requests.at(-1)?.body.model, 'test-model')
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await endpoint.close()
})
test.run()
