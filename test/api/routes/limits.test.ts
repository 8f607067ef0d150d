import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { aKey, makeSurface } from '../../support/http-surface.ts'
import { refusalOf } from '../../support/refusal.ts'

const surface = await makeSurface()
const { ask, store, taskService, clock } = surface
const { key, workspaceId } = await aKey(surface)
const { key: publishable } = await aKey(surface, workspaceId, 'publishable')
const { key: foreign } = await aKey(surface)

const test = suite('limits')

const DEFAULTS = {
  starts_per_minute: 10,
  running_tasks: 5,
  queued_tasks: 1_000,
  browser_sessions: 1_000,
  retention_days: null,
  retention_days_files: null,
  retention_days_events: null,
  retention_days_audit: null,
  max_cost_usd_default: null,
  max_cost_usd_max: null,
}

const NOT_LOWERED = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, null]))
/** As the desk of the surface says: a task was started and runs. */
const USED = { starts_per_minute: 1, running_tasks: 1, browser_sessions: 0 }
/** What is in force, where the owners have lowered these. */
const answerOf = (own: object = {}, allowed: object = {}) => ({
  ...{ ...DEFAULTS, ...allowed, ...own },
  ...{ allowed: { ...DEFAULTS, ...allowed }, own: { ...NOT_LOWERED, ...own }, used: USED },
})

test('[O9] a workspace reads its own limits, which are those of the specification until others are set', async () => {
  const read = async (by = key) => (await ask('GET', '/v1/limits', { key: by })).json
  assert.equal(await read(), answerOf())
  await store.limits.put(workspaceId, { startsPerMinute: 30, maxCostUsdMax: 2.5 })
  assert.equal(await read(), answerOf({}, { starts_per_minute: 30, max_cost_usd_max: 2.5 }))
  assert.equal(await read(foreign), answerOf())
  assert.is((await ask('GET', '/v1/limits', { key: publishable })).status, 403)
  assert.is((await ask('GET', '/v1/limits')).status, 401)
  await store.limits.put(workspaceId, {})
})

test('[O14] how much of the limits is used is told beside them', async () => {
  const { key, workspaceId } = await aKey(surface)
  const session = { workspaceId, keyId: null, label: null, createdAt: clock.at, state: 'idle', status: 'connected' }
  for (const [id, expiresAt] of [
    ['now', clock.at + 1],
    ['expired', clock.at],
  ] as const)
    taskService.sessionsById.set(id, { ...session, id, expiresAt } as never)
  assert.equal((await ask('GET', '/v1/limits', { key })).json.used, { ...USED, browser_sessions: 1 })
})

test('[O14] owners lower limits within what the operator allows, take that back, and are told which is refused', async () => {
  const change = (body: object, by = key) => ask('PATCH', '/v1/limits', { key: by, body })
  await store.limits.put(workspaceId, { runningTasks: 20, maxCostUsdMax: 2 })
  const lowered = await change({ running_tasks: 3, retention_days_files: 7, max_cost_usd_default: 1 })
  const own = { running_tasks: 3, retention_days_files: 7, max_cost_usd_default: 1 }
  assert.equal(lowered.json, answerOf(own, { running_tasks: 20, max_cost_usd_max: 2 }))
  assert.equal((await ask('GET', '/v1/limits', { key })).json, lowered.json)
  for (const [body, error] of [
    [{ running_tasks: 21 }, 'running_tasks must be at most 20: only the operator of the service can raise it'],
    [{ starts_per_minute: 11 }, 'starts_per_minute must be at most 10: only the operator of the service can raise it'],
    [
      { max_cost_usd_default: 3 },
      'max_cost_usd_default must be at most 2: only the operator of the service can raise it',
    ],
    [{ retention_days_audit: 1 }, 'retention_days_audit can be changed by the operator of the service alone'],
    [{ running_tasks: 1.5 }, 'running_tasks must be a whole number from 0 to 1000'],
  ] as const) {
    const refused = await change(body)
    assert.equal(
      [refused.status, refused.json],
      [400, refusalOf(`/${error.split(' ')[0]}`, error, 'limit_not_allowed')],
    )
  }
  assert.is((await change({ running_tasks: 'many' })).json.code, 'running_tasks_invalid')
  assert.is((await change({ running_tasks: 1 }, publishable)).status, 403)
  // The operator takes something away: the smaller one holds.
  await store.limits.put(workspaceId, { runningTasks: 1 })
  assert.is((await change({})).json.running_tasks, 1)
  await store.limits.put(workspaceId, {})
  const back = await change({ running_tasks: null, retention_days_files: null, max_cost_usd_default: null })
  assert.equal(back.json, answerOf())
})

test('[O9] [L36] a start that may cost more than its workspace allows is refused, and the field is named', async () => {
  const body = { task: 'Buy tea', browser_session_id: 'x', model: null as string | null }
  const start = async (max_cost_usd: number | null) =>
    ask('POST', '/v1/tasks', { key, body: { ...body, max_cost_usd } })
  await store.limits.put(workspaceId, { maxCostUsdMax: 2 })
  const started = taskService.started.length
  const { status, json } = await start(2.01)
  assert.equal([status, json.code], [400, 'max_cost_usd_invalid'])
  assert.is(json.error, 'max_cost_usd must be at most 2 in this workspace')
  assert.is(taskService.started.length, started)
  await store.limits.put(workspaceId, {})
})

test('[O9] [S17] no more browsers are paired than the workspace may have', async () => {
  const pair = () => ask('POST', '/v1/browser-sessions/pair', { key })
  const { pairing_token } = (await pair()).json
  await store.limits.put(workspaceId, { browserSessions: 0 })
  assert.is((await pair()).json.code, 'too_many_browsers')
  const register = () => ask('POST', '/v1/browser-sessions/register', { body: { pairing_token } })
  assert.is((await register()).json.code, 'too_many_browsers')
  await store.limits.put(workspaceId, { browserSessions: 1 })
  assert.is((await register()).status, 201)
  assert.is((await pair()).json.code, 'too_many_browsers')
  await store.limits.put(workspaceId, {})
})

test('[O9] [S17] nor of those that register at once', async () => {
  const { key: own, workspaceId: ofOwn } = await aKey(surface)
  const links = await Promise.all(
    Array.from({ length: 6 }, () => ask('POST', '/v1/browser-sessions/pair', { key: own })),
  )
  await store.limits.put(ofOwn, { browserSessions: 2 })
  const register = ({ pairing_token }: { pairing_token: string }) =>
    ask('POST', '/v1/browser-sessions/register', { body: { pairing_token } })
  const answers = await Promise.all(links.map(({ json }) => register(json)))
  const statuses = answers.map(({ status }) => status).sort()
  assert.equal(statuses, [201, 201, 409, 409, 409, 409])
})

test.run()
