import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Ask, aKey, aMember, aWorkspace, fakeAccounts, makeSurface } from '../../support/http-surface.ts'
import { refusal, refusalOf } from '../../support/refusal.ts'

const surface = await makeSurface()
const { taskService } = surface
const { key, id: keyId, workspaceId } = await aKey(surface)
const session = randomUUID()
const good = { task: 'Buy tea', browser_session_id: session }
const start = (body: unknown, options: Ask = {}) => surface.ask('POST', '/v1/tasks', { key, body, ...options })

const NO_LIMITS = { model: null, maxSteps: null, maxTokens: null, maxCostUsd: null, allowedDomains: null }

const test = suite('start a task')
test.before.each(() => {
  taskService.started.length = 0
  taskService.refusals.length = 0
})

const refused = async (body: unknown, code: string, error: string) => {
  const answer = await start(body)
  assert.is(answer.status, 400)
  const { pointer } = answer.json
  assert.is(pointer.split('/')[1], code.replace(/_(required|invalid)$/, ''))
  assert.equal(answer.json, refusalOf(pointer, error, code))
  assert.is(taskService.started.length, 0)
}

for (const task of [undefined, null, '', '   ', '\n\t']) {
  test(`[T1] task ${JSON.stringify(task)} is required`, () =>
    refused({ ...good, task }, 'task_required', 'task is required'))
}
for (const task of [0, 1, true, false, [], ['x'], {}]) {
  test(`[T2] [E11] task ${JSON.stringify(task)} is no string`, () =>
    refused({ ...good, task }, 'task_invalid', 'task must be a string'))
}
test('[T2] a task of 10,001 characters is too long', () =>
  refused({ ...good, task: 'x'.repeat(10_001) }, 'task_invalid', 'task must be at most 10000 characters'))
for (const context of [0, true, [], {}]) {
  test(`[T3] [E11] context ${JSON.stringify(context)} is no string`, () =>
    refused({ ...good, context }, 'context_invalid', 'context must be a string'))
}
test('[T3] a context of 50,001 characters is too long', () =>
  refused({ ...good, context: 'x'.repeat(50_001) }, 'context_invalid', 'context must be at most 50000 characters'))
for (const [url, error] of [
  [7, 'must be a string'],
  [[], 'must be a string'],
  [`https://example.com/${'x'.repeat(2_029)}`, 'must be at most 2048 characters'],
  ['', 'must be a valid URL'],
  ['example.com', 'must be a valid URL'],
  ['http://', 'must be a valid URL'],
] as const) {
  test(`[T4] url ${JSON.stringify(url).slice(0, 30)} ${error}`, () =>
    refused({ ...good, url }, 'url_invalid', `url ${error}`))
}
for (const browser_session_id of [undefined, null, '']) {
  test(`[T5] browser_session_id ${JSON.stringify(browser_session_id)} is required`, () =>
    refused({ ...good, browser_session_id }, 'browser_session_id_required', 'browser_session_id is required'))
}
test('[T5] [E11] browser_session_id that is no string', () =>
  refused({ ...good, browser_session_id: 5 }, 'browser_session_id_invalid', 'browser_session_id must be a string'))
for (const [webhook_url, error] of [
  [false, 'must be a string'],
  [`https://example.com/${'x'.repeat(2_029)}`, 'must be at most 2048 characters'],
  ['', 'must be a valid URL'],
  ['nowhere', 'must be a valid URL'],
  ['ftp://example.com/', 'must be an http or https URL'],
  ['javascript:alert(1)', 'must be an http or https URL'],
  ['https://ada:secret@example.com/', 'must not contain a user name or password'],
  ['https://ada@example.com/', 'must not contain a user name or password'],
] as const) {
  test(`[T6] webhook_url ${JSON.stringify(webhook_url).slice(0, 30)} ${error}`, () =>
    refused({ ...good, webhook_url }, 'webhook_url_invalid', `webhook_url ${error}`))
}

for (const [metadata, error] of [
  [['x'], 'must be an object'],
  [JSON.parse('{"__proto__":"x"}'), 'keys must be 1 to 40 of a–z, 0–9 and _'],
  ['x', 'must be an object'],
  [5, 'must be an object'],
  [{ Order: '1' }, 'keys must be 1 to 40 of a–z, 0–9 and _'],
  [{ 'a.b': '1' }, 'keys must be 1 to 40 of a–z, 0–9 and _'],
  [{ '': '1' }, 'keys must be 1 to 40 of a–z, 0–9 and _'],
  [{ ['x'.repeat(41)]: '1' }, 'keys must be 1 to 40 of a–z, 0–9 and _'],
  [{ a: 1 }, 'values must be strings'],
  [{ a: null }, 'values must be strings'],
  [{ a: 'x'.repeat(501) }, 'values must be at most 500 characters'],
  [Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, ''])), 'must have at most 16 keys'],
] as const) {
  test(`[T55] metadata ${JSON.stringify(metadata).slice(0, 30)} ${error}`, () =>
    refused({ ...good, metadata }, 'metadata_invalid', `metadata ${error}`))
}
test('[T55] metadata comes back with the task, {} without any', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`${n}_`.padEnd(40, 'x'), 'y'.repeat(500)]))
  const read = async (body: object) => {
    const { json } = await start(body)
    return (await surface.ask('GET', `/v1/tasks/${json.id}`, { key })).json.metadata
  }
  assert.equal(await read({ ...good, metadata }), metadata)
  assert.equal(await read({ ...good, metadata: { constructor: 'x', a: 'y' } }), { constructor: 'x', a: 'y' })
  assert.equal(await read(good), {})
})

// One bad value for each check, in the order of the checks.
const bad: readonly (readonly [code: string, fields: Record<string, unknown>])[] = [
  ['task_required', { task: ' ' }],
  ['task_invalid', { task: 5 }],
  ['context_invalid', { context: 5 }],
  ['url_invalid', { url: 'x' }],
  ['browser_session_id_required', { browser_session_id: null }],
  ['webhook_url_invalid', { webhook_url: 'ftp://x' }],
]
for (const [at, [code, fields]] of bad.entries()) {
  for (const [laterCode, later] of bad.slice(at + 1)) {
    if (code === 'task_required' && laterCode === 'task_invalid') continue
    test(`[T14] ${code} answers before ${laterCode}`, async () => {
      assert.is((await start({ ...good, ...later, ...fields })).json.code, code)
    })
  }
}
test('[T14] [T15] the checks of the body answer before anything is asked of the task service', async () => {
  taskService.refusals.push({ code: 'rate_limited' })
  assert.is((await start({ ...good, webhook_url: 'x' })).status, 400)
  assert.is(taskService.started.length, 0)
  assert.is((await start(good)).status, 429)
})

test('[T20] an accepted start is 201 with the running task', async () => {
  const { status, json } = await start(good)
  assert.is(status, 201)
  const { id, ...rest } = json
  assert.match(id, /^[0-9a-f-]{36}$/)
  const { status: now, task, browser_session_id, created_at } = rest
  assert.equal([now, task, browser_session_id, created_at], ['running', 'Buy tea', session, surface.clock.at])
})
test('[T21] [T22] what was asked reaches the task service whole, with the key that asked', async () => {
  const body = {
    task: 'x'.repeat(10_000),
    context: '𝛼'.repeat(25_000),
    url: 'about:blank',
    browser_session_id: session,
    webhook_url: 'http://example.com/hook',
    unknown: 1,
  }
  assert.is((await start(body)).status, 201)
  const [started] = taskService.started
  assert.equal(started, {
    door: 'http',
    workspaceId,
    apiKeyId: keyId,
    requestId: null,
    request: {
      task: body.task,
      context: body.context,
      url: 'about:blank',
      browserSessionId: session,
      webhookUrl: 'http://example.com/hook',
      metadata: null,
      outputSchema: null,
      ...NO_LIMITS,
      approvals: null,
      asksUser: null,
      continuesTaskId: null,
      effort: null,
      inputs: null,
    },
  })
})
test('[T21] null for an optional field means absent', async () => {
  await start({ ...good, url: null, context: null, webhook_url: null })
  assert.equal(taskService.started[0]?.request, {
    task: 'Buy tea',
    context: null,
    url: null,
    browserSessionId: session,
    webhookUrl: null,
    metadata: null,
    outputSchema: null,
    ...NO_LIMITS,
    approvals: null,
    asksUser: null,
    continuesTaskId: null,
    effort: null,
    inputs: null,
  })
})

test('[T7] without allowance: 402 with what is left', async () => {
  taskService.refusals.push({ code: 'no_allowance', allowance: { freeRemaining: 0, creditBalance: 0 } })
  const { status, json } = await start(good)
  assert.is(status, 402)
  assert.equal(json, refusal('No tasks remaining', 'no_allowance', { free_remaining: 0, credit_balance: 0 }))
})
test('[T18] places that running tasks hold: 402 with the real numbers', async () => {
  taskService.refusals.push({ code: 'places_held', allowance: { freeRemaining: 1, creditBalance: 2 } })
  const { status, json } = await start(good)
  assert.is(status, 402)
  assert.equal(
    json,
    refusal('All remaining tasks are held by running tasks.', 'places_held', { free_remaining: 1, credit_balance: 2 }),
  )
})
test('[T8] [E13] over the rate limit: 429 with Retry-After', async () => {
  taskService.refusals.push({ code: 'rate_limited', retryAfterSeconds: 17 })
  const { status, headers, json } = await start(good)
  assert.is(status, 429)
  assert.is(headers['retry-after'], '17')
  assert.equal(json, refusal('Rate limit exceeded. Max 10 tasks per minute.', 'rate_limited'))
})
test('[T9] [E13] too many running: 429, and Retry-After 1', async () => {
  taskService.refusals.push({ code: 'too_many_running', retryAfterSeconds: 1 })
  const { status, headers, json } = await start(good)
  assert.is(status, 429)
  assert.is(headers['retry-after'], '1')
  assert.is(json.error, 'Concurrent task limit reached (5). Wait for running tasks to complete.')
})
for (const [rule, code, status, retryAfter] of [
  ['[T10]', 'session_not_found', 404],
  ['[T11]', 'session_forbidden', 403],
  ['[T12]', 'session_not_connected', 409],
  ['[T13]', 'session_expired', 409],
  ['[L27]', 'model_not_configured', 503],
  ['[D10] [E13]', 'service_stopping', 503, '1'],
  ['[D14]', 'workspace_failed', 503],
] as const) {
  test(`${rule} ${code} is ${status}`, async () => {
    taskService.refusals.push({ code })
    const answer = await start(good)
    assert.is(answer.status, status)
    assert.is(answer.json.code, code)
    assert.is(answer.headers['retry-after'], retryAfter)
  })
}
test('[E6] a start that the task service could not decide is a 500 with a request id', async () => {
  taskService.refusals.push({ code: 'internal' })
  const { status, json, headers } = await start(good)
  assert.is(status, 500)
  assert.is(json.request_id, headers['x-request-id'])
})

test('[D22] a start that could not be kept because the store is away is 503 with Retry-After', async () => {
  taskService.refusals.push({ code: 'store_away' })
  const { status, json, headers } = await start(good)
  assert.equal([status, json.code, headers['retry-after']], [503, 'store_away', '1'])
})

const POOLED = { task: 'Buy tea', browser: { pool: 'default' } }
const ONE_OF_TWO = 'browser_session_id must be left out: the pool gives the task its browser'
for (const [body, code, error] of [
  [{ ...POOLED, browser_session_id: session }, 'browser_session_id_invalid', ONE_OF_TWO],
  [{ ...POOLED, browser: {} }, 'browser_session_id_required', 'browser_session_id is required'],
  // The seed's order.
  [{ ...POOLED, url: 'x', browser: null }, 'url_invalid', 'url must be a valid URL'],
  [{ ...POOLED, webhook_url: 'x', browser: null }, 'browser_session_id_required', 'browser_session_id is required'],
  [{ ...POOLED, browser: 'default' }, 'browser_session_id_required', 'browser_session_id is required'],
  [
    { ...POOLED, browser: { pool: 'No' } },
    'browser_invalid',
    'browser.pool must be 1 to 40 of a–z, 0–9, _ and -, and begin with a letter or digit',
  ],
  [
    { ...good, browser: { viewport: { width: 5, height: 5 } } },
    'browser_invalid',
    'browser.viewport.width must be an integer from 100 to 4000',
  ],
  [
    { ...good, browser: { locale: 'not a language' } },
    'browser_invalid',
    'browser.locale must be a language tag such as en-GB',
  ],
  [
    { ...good, browser: { time_zone: 'Mars/Base' } },
    'browser_invalid',
    'browser.time_zone must be an IANA time zone such as Europe/Paris',
  ],
  [
    { ...good, browser: { permissions: ['clipboard-read'] } },
    'browser_invalid',
    'browser.permissions.0 must be of geolocation, notifications, camera, microphone',
  ],
  [
    { ...good, browser: { geolocation: { latitude: 91, longitude: 0 } } },
    'browser_invalid',
    'browser.geolocation.latitude must be a number from -90 to 90',
  ],
  [
    { ...good, browser: 'red' },
    'browser_invalid',
    'browser must be an object of pool, profile, save, viewport, locale, time_zone, geolocation, permissions and touch',
  ],
  [{ ...good, browser: { colour: 'red' } }, 'browser_invalid', 'browser.colour is unknown'],
  [{ ...good, browser: { viewport: { width: 390 } } }, 'browser_invalid', 'browser.viewport.height is missing'],
] as const)
  test(`[Z7 Z8] ${JSON.stringify(body).slice(0, 100)}: ${error}`, () => refused(body, code, error))

test('[Z7 Z8] a start of a pool names no browser; its options are kept and shown', async () => {
  const options = { viewport: { width: 390, height: 844 }, time_zone: 'Europe/Berlin', geolocation: null }
  const { status, json } = await start({ task: 'Buy tea', browser: { pool: 'default', ...options } })
  assert.is(status, 201)
  const { browserSessionId, browser } = taskService.started[0]?.request ?? {}
  const context = { viewport: { width: 390, height: 844 }, timeZone: 'Europe/Berlin' }
  assert.equal([browserSessionId, browser], ['', { pool: 'default', context }])
  const { width, height } = options.viewport
  assert.equal(json.request.browser, { pool: 'default', viewport: { width, height }, time_zone: 'Europe/Berlin' })
})

for (const code of ['pool_empty', 'pool_busy'] as const)
  test(`[Z3] ${code} is a 409`, async () => {
    taskService.refusals.push({ code })
    const { status, json } = await start(POOLED)
    assert.equal([status, json.code], [409, code])
  })

test('a signed-in start names no key: which one pays is the taskService’s to find', async () => {
  const workspace = await aWorkspace(surface)
  const accounts = fakeAccounts(new Map([['ann', aMember('ann', [workspace])]]))
  const signedIn = await makeSurface({ accounts })
  await signedIn.ask('POST', '/v1/tasks', { headers: { cookie: 'session=ann' }, body: good })
  assert.is(signedIn.taskService.started.at(-1)?.apiKeyId, null)
})

test.run()
