import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TO_MODEL } from '../../machines/failures.ts'
import type { Plan } from '../support/model-endpoint.ts'
import { TestBrowser } from '../support/service/browser.ts'
import { finished } from '../support/service/jobs.ts'
import { lastResults, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('how a task ends, and the running service')

const { endpoint, env } = await openJobModel()
const service = await openService({ env: { ...env, VERIFY: 'on' } })
const { api } = service
const session = await api.pair()
const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })

let looks = 0
const look = (): Plan => {
  const input = { action: 'javascript_exec', text: `${++looks}` }
  return { text: 'I look.', calls: [{ tool: 'javascript_tool', input }] }
}
const finish = (answer: string, success = true): Plan => ({ calls: [{ tool: 'finish', input: { success, answer } }] })
async function ends(...plans: Plan[]) {
  endpoint.plan(...plans)
  const before = endpoint.requests.length
  const { json } = await api.start(session.id, 'What does the tea cost?')
  const { status, ended_by, answer, failure } = await finished(api, json.id)
  const { events } = (await api.get(`/v1/tasks/${json.id}/events`)).json as { events: Record<string, unknown>[] }
  return { id: json.id, ended: [status, ended_by, answer, failure], events, asked: endpoint.requests.length - before }
}
const told = (events: readonly Record<string, unknown>[], ...types: string[]) =>
  events.filter(({ type }) => types.includes(String(type)))

test('[L25 V2] the check of an answer is an event of its own: finish is called once, and has a result', async () => {
  const { id, ended, events } = await ends(look(), look(), look(), finish('It costs 11.'), finish('It costs 12.'))
  assert.equal(ended, ['complete', 'completed', 'It costs 12.', null])
  assert.equal(
    told(events, 'answer.checked').map(({ step, answer }) => [step, answer]),
    [[4, 'It costs 11.']],
  )
  const ofFinish = told(events, 'tool.called', 'tool.result').filter(({ tool }) => tool === 'finish')
  assert.equal(
    ofFinish.map(({ type, step, error = null }) => [type, step, error]),
    [
      ['tool.called', 5, null],
      ['tool.result', 5, null],
    ],
  )
  // The model read the check as a result that is no error.
  assert.match(lastResults(endpoint), TO_MODEL.checkAnswer)
  assert.not.match(lastResults(endpoint), '"is_error":true')
  const { steps } = (await api.get(`/v1/tasks/${id}/steps`)).json as { steps: Record<string, unknown>[] }
  const records = steps.filter(({ tool_name }) => tool_name === 'finish').map(({ status, output }) => [status, output])
  assert.equal(records, [
    ['tool_use', null],
    ['tool_output', TO_MODEL.ended],
    ['tool_result', null],
  ])
})

test('[L1] words end nothing: the model is reminded of finish once, then the task ends without success', async () => {
  const { ended, asked } = await ends({ text: 'I would look for it.' }, { text: 'I give up.' }, finish('Too late.'))
  assert.equal(ended, ['error', 'no_finish', 'I give up.', null])
  assert.is(asked, 2)
  assert.match(lastResults(endpoint), TO_MODEL.useFinish)
  assert.equal((await ends({ text: 'Twelve.' }, finish('Twelve.'))).ended, ['complete', 'completed', 'Twelve.', null])
})

test('[L1] an empty reply is a failed one: it is asked for again, and completes nothing', async () => {
  const empty: Plan = { text: '' }
  assert.equal((await ends(empty, finish('Twelve.'))).ended, ['complete', 'completed', 'Twelve.', null])
  const { ended, asked } = await ends(empty)
  assert.equal(ended, ['error', 'model_failure', 'LLM call failed: The model gave an empty reply.', 'llm_error'])
  assert.is(asked, 3)
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await endpoint.close()
})
test.run()
