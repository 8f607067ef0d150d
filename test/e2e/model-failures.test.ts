import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { TestBrowser } from '../support/service/browser.ts'
import { finished, started } from '../support/service/jobs.ts'
import { answerOf, doJob, openJobModel } from '../support/service/model.ts'
import { openService } from '../support/service.ts'

const test = suite('a model that fails, and the running service')

const { endpoint, env } = await openJobModel()
const service = await openService({ env })
const { api } = service
const session = await api.pair()
const browser = await TestBrowser.open({ relayPort: session.relayPort, token: session.token })

test('[L3] an endpoint that is overloaded twice and then works: the task completes', async () => {
  const overloaded = { status: 529, message: 'Overloaded', headers: { 'retry-after': '0' } }
  endpoint.plan(overloaded, overloaded, doJob)
  const before = endpoint.requests.length
  const job = { name: 'patient', steps: 1 }
  const task = await finished(api, await started(api, session.id, job))
  assert.equal([task.status, task.answer], ['complete', answerOf(job)])
  assert.is(endpoint.requests.length - before, 4)
})

test('[L6] an endpoint that refuses the key: the task ends with what it said, and is not asked again', async () => {
  endpoint.plan({ status: 401, message: 'invalid x-api-key' })
  const before = endpoint.requests.length
  const task = await finished(api, await started(api, session.id, { name: 'refused', steps: 1 }))
  assert.equal(
    [task.status, task.answer, task.failure, task.ended_by],
    ['error', 'LLM call failed: invalid x-api-key', 'llm_error', 'model_failure'],
  )
  assert.is(endpoint.requests.length - before, 1)
})

test('[L6] an endpoint that limits for ever: rate_limited after three attempts', async () => {
  endpoint.plan({ status: 429, message: 'Slow down', headers: { 'retry-after': '0' } })
  const before = endpoint.requests.length
  const task = await finished(api, await started(api, session.id, { name: 'limited', steps: 1 }))
  assert.equal([task.failure, task.answer], ['rate_limited', 'LLM call failed: Slow down'])
  assert.is(endpoint.requests.length - before, 3)
})

test('[L3] answers that are cut, or no JSON: tried again, then completed', async () => {
  endpoint.plan('cut', 'reset', doJob)
  const job = { name: 'cut', steps: 0 }
  assert.is((await finished(api, await started(api, session.id, job))).answer, answerOf(job))
})

test.after(async () => {
  browser.disconnect()
  await service.kill()
  await endpoint.close()
})
test.run()
