import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TO_MODEL } from '../../machines/texts.ts'
import type { Plan, Seen } from '../support/model-endpoint.ts'
import { TOKENS } from '../support/model-endpoint-wires.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { lastResults, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('budgets and checks of answers, in the running service')

const { endpoint, env } = await openJobModel()
/** A reply of the endpoint has 34 tokens of output: 0.34 cents. For the next one 10 cents are reserved. */
const LLM_PRICES = JSON.stringify({ 'test-model': { input: 0, output: 100 }, 'other-model': { input: 0, output: 1 } })
const service = await openService({
  env: { ...env, LLM_PRICES, LLM_MODELS: 'other-model, unpriced-model', VERIFY: 'on' },
})
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

test('[L25 V2] the check of an answer is an event of its own: finish is called once, and has a result', async () => {
  const looking = (text: string): Plan => ({ text: 'I look.', calls: [{ ...look, input: { ...look.input, text } }] })
  const finish = (answer: string): Plan => ({ calls: [{ tool: 'finish', input: { success: true, answer } }] })
  endpoint.plan(looking('1'), looking('2'), looking('3'), finish('It costs 11.'), finish('It costs 12.'))
  const { id } = (await api.start(session.id, 'What does the tea cost?')).json
  const { status, ended_by, answer, failure } = await finished(api, id)
  assert.equal([status, ended_by, answer, failure], ['complete', 'completed', 'It costs 12.', null])
  const { events } = (await api.get(`/v1/tasks/${id}/events`)).json as { events: Record<string, unknown>[] }
  const told = (...types: string[]) => events.filter(({ type }) => types.includes(String(type)))
  assert.equal(
    told('answer.checked').map(({ step, answer }) => [step, answer]),
    [[4, 'It costs 11.']],
  )
  const ofFinish = told('tool.called', 'tool.result').filter(({ tool }) => tool === 'finish')
  assert.equal(
    ofFinish.map(({ type, step, error = null }) => [type, step, error]),
    [
      ['tool.called', 5, null],
      ['tool.result', 5, null],
    ],
  )
  // The model read the check as a result that is no error.
  assert.match(lastResults(endpoint), /Before this counts, check it once\. Your answer says \\"11\\"/)
  assert.not.match(lastResults(endpoint), '"is_error":true')
  const { steps } = (await api.get(`/v1/tasks/${id}/steps`)).json as { steps: Record<string, unknown>[] }
  const records = steps.filter(({ tool_name }) => tool_name === 'finish').map(({ status, output }) => [status, output])
  assert.equal(records, [
    ['tool_use', null],
    ['tool_output', TO_MODEL.ended],
    ['tool_result', null],
  ])
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await endpoint.close()
})
test.run()
