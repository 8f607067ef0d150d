import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { refusalOf } from '../../support/refusal.ts'

const surface = await makeSurface()
const { taskService } = surface
const { key } = await aKey(surface)
const good = { task: 'Buy tea', browser_session_id: randomUUID() }
const start = (body: unknown) => surface.ask('POST', '/v1/tasks', { key, body })

const test = suite('limits of a task')
test.before.each(() => {
  taskService.started.length = 0
})

const refused = async (body: unknown, code: string, error: string) => {
  const answer = await start(body)
  assert.is(answer.status, 400)
  assert.equal(answer.json, refusalOf(`/${code.replace('_invalid', '')}`, error, code))
  assert.is(taskService.started.length, 0)
}

const LIMIT = 'must be an integer from 1 to'
const AMOUNT = 'must be a number above 0, and at most 1000'
for (const [field, value, error] of [
  ['max_steps', 0, `${LIMIT} 200`],
  ['max_steps', 201, `${LIMIT} 200`],
  ['max_steps', '5', `${LIMIT} 200`],
  ['max_steps', 51, 'must be at most 50 in this service'],
  ['max_tokens', 1.5, `${LIMIT} 100000000`],
  ['max_cost_usd', 0, AMOUNT],
  ['max_cost_usd', 1_001, AMOUNT],
  ['max_cost_usd', '1', AMOUNT],
  ['model', 5, 'must be a string'],
  ['model', 'unknown', 'must be one of claude-sonnet-5-5, gpt-5, unpriced'],
] as const) {
  test(`[L35] [L36] ${field} ${value} ${error}`, () =>
    refused({ ...good, [field]: value }, `${field}_invalid`, `${field} ${error}`))
}
test('[L35] max_cost_usd needs a price', () =>
  refused(
    { ...good, max_cost_usd: 1, model: 'unpriced' },
    'max_cost_usd_invalid',
    'max_cost_usd needs a model with a known price: unpriced has none',
  ))
test('[L35] [L36] limits and model reach the task service', async () => {
  const asked = { model: 'gpt-5', max_steps: 5, max_tokens: 10_000, max_cost_usd: 0.5 }
  assert.is((await start({ ...good, ...asked })).status, 201)
  const { model, maxSteps, maxTokens, maxCostUsd } = taskService.started[0]?.request ?? {}
  assert.equal([model, maxSteps, maxTokens, maxCostUsd], ['gpt-5', 5, 10_000, 0.5])
})

test.run()
