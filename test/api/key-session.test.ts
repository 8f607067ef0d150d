import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hashToken } from '../../src/identity/tokens.ts'
import { aKey, makeSurface } from '../support/http-surface.ts'

const test = suite('the API for who signed in to the pages with a key')

test('[A29] [A30] the cookie opens the API like the key, from pages of this service only, and creates a key for who gives one again', async () => {
  const surface = await makeSurface({
    accounts: null,
    keySession: async (cookie) => (cookie === 'signed in' ? hashToken(key) : null),
  })
  const { key, workspaceId } = await aKey(surface)
  const headers = { cookie: 'signed in' }
  assert.is((await surface.ask('GET', '/v1/tasks', { headers })).status, 200)
  assert.is((await surface.ask('GET', '/v1/tasks', { headers: { cookie: 'nobody' } })).status, 401)
  const pair = (origin: string) =>
    surface.ask('POST', '/v1/browser-sessions/pair', { headers: { ...headers, origin }, body: {} })
  assert.is((await pair('http://svc.test')).status, 201)
  const foreign = await pair('https://evil.example')
  assert.equal([foreign.status, foreign.json.code], [403, 'foreign_origin'])
  const make = (more: object) =>
    surface.ask('POST', '/v1/api-keys', {
      headers: { ...headers, origin: 'http://svc.test' },
      body: { name: 'more', ...more },
    })
  const other = await aKey(surface)
  const publishable = await aKey(surface, workspaceId, 'publishable')
  for (const more of [{}, { password: '' }, { password: other.key }, { password: publishable.key }]) {
    const { status, json } = await make(more)
    assert.equal([status, json.code], [403, 'confirmation_required'])
  }
  assert.is((await make({ password: key })).status, 201)
})

test('[T62] a task tells what it cost, by the price of its model; null without one', async () => {
  const surface = await makeSurface()
  const { key, workspaceId } = await aKey(surface)
  const usage = { inputTokens: 1_000_000, outputTokens: 0, apiCalls: 3 }
  const costOf = async (model: string | null) => {
    const { taskService } = surface
    const started = await taskService.startTask({
      door: 'http',
      workspaceId,
      apiKeyId: null,
      requestId: null,
      request: { task: 'x', url: null, context: null, browserSessionId: 's', webhookUrl: null, model },
    })
    if (!started.ok) throw new Error('not started')
    taskService.tasksById.set(started.task.id, { ...started.task, usage } as never)
    const listed = (await surface.ask('GET', '/v1/tasks', { key })).json.tasks
    const { cost_usd: cost } = (await surface.ask('GET', `/v1/tasks/${started.task.id}`, { key })).json
    assert.is(listed.find(({ id }: { id: string }) => id === started.task.id).cost_usd, cost)
    return cost
  }
  assert.is(await costOf(null), 2)
  assert.is(await costOf('gpt-5'), 1.25)
  assert.is(await costOf('unpriced'), null)
})

test.run()
