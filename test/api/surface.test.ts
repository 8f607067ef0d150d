import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { StoreUnwritable } from '../../actors/runtime/ports.ts'
import type { PagesPort } from '../../src/api/deps.ts'
import { createHandle } from '../../src/api/handle.ts'
import type { Response } from '../../src/net/transport.ts'
import { ALLOWED_ORIGIN, aKey, makeSurface, requestOf } from '../support/http-surface.ts'
import { refusal } from '../support/refusal.ts'

const surface = await makeSurface()
const { ask, taskService, log } = surface
const { key } = await aKey(surface)
const page: Response = { status: 200, headers: [['Content-Type', 'text/html']], body: '<p>page</p>' }
const pagesOf = (answer: PagesPort['answer']): PagesPort => ({ answer, refusal: () => null })

const test = suite('http surface')
test.before.each(() => {
  log.lines.length = 0
  taskService.broken = null
})

test('[E2] OPTIONS is answered first, on any path, without a key', async () => {
  for (const path of ['/', '/v1/tasks', '/api/auth/x', '/nowhere']) {
    const { status, raw } = await ask('OPTIONS', path)
    assert.is(status, 204)
    assert.is(raw.body, null)
  }
})
test('[S13] what a browser loads ahead of a navigation is refused, on any path: no rule of the browser sees it', async () => {
  for (const path of ['/dashboard', '/v1/debug-cookies', '/api/auth/x', '/openapi.json'])
    for (const purpose of ['prefetch', 'prefetch;prerender'])
      assert.is((await ask('GET', path, { headers: { 'sec-purpose': purpose } })).status, 421, path)
})
test('[E2] sign-in paths come before pages, pages before open routes and authentication', async () => {
  const asked: string[] = []
  const paged = await makeSurface({
    pages: pagesOf(async (request) => {
      asked.push(request.path)
      return request.path.startsWith('/p') ? page : null
    }),
  })
  assert.is((await paged.ask('GET', '/api/auth/x')).raw.body, 'handled /api/auth/x')
  assert.is((await paged.ask('GET', '/p/1')).raw.body, page.body)
  assert.is((await paged.ask('GET', '/other')).status, 401)
  assert.is((await paged.ask('GET', '/v1/health')).status, 200)
  assert.equal(asked, ['/p/1', '/other'])
})
test('[E2] a page may come later, and may turn out to be none', async () => {
  const paged = await makeSurface({
    pages: pagesOf(async (request) => (request.path === '/p' ? page : null)),
  })
  assert.is((await paged.ask('GET', '/p')).raw.body, page.body)
  assert.is((await paged.ask('GET', '/q')).status, 401)
})
test('[E2] open routes need no key, the others do, and only then 404 is said', async () => {
  assert.is((await ask('GET', '/v1/debug-cookies')).status, 200)
  assert.is((await ask('GET', '/v1/tasks')).status, 401)
  assert.is((await ask('GET', '/v1/nowhere')).status, 401)
  assert.is((await ask('GET', '/v1/nowhere', { key })).status, 404)
})

for (const [method, path] of [
  ['GET', '/nowhere'],
  ['GET', '/v1'],
  ['GET', '/v1/tasks/'],
  ['GET', '//v1/tasks'],
  ['GET', '/v1/tasks//steps'],
  ['PUT', '/v1/tasks'],
  ['DELETE', '/v1/tasks'],
  ['PATCH', '/v1/tasks/x'],
  ['GET', '/v1/browser-sessions/pair'],
  ['GET', '/v1/browser-sessions/register'],
  ['POST', '/v1/health'],
  ['FOO', '/v1/health'],
] as const) {
  test(`[E3] ${method} ${path} is 404`, async () => {
    const { status, json } = await ask(method, path, { key })
    assert.is(status, 404)
    assert.equal(json, refusal('Not found', 'not_found'))
  })
}
test('[P5] the routes of the API lie under /v1', async () => {
  assert.is((await ask('GET', '/tasks', { key })).status, 404)
  assert.is((await ask('GET', '/health', { key })).status, 404)
})

test('[E4] HEAD is answered as GET', async () => {
  assert.is((await ask('HEAD', '/v1/tasks', { key })).status, 200)
  assert.is((await ask('HEAD', '/v1/health')).status, 200)
  assert.is((await ask('HEAD', '/openapi.json')).status, 200)
  assert.is((await ask('HEAD', '/v1/api-keys/x', { key })).status, 404)
})

for (const [what, method, path, options] of [
  ['an answer', 'GET', '/v1/tasks', { key }],
  ['a 400', 'POST', '/v1/tasks', { key, body: {} }],
  ['a 401', 'GET', '/v1/tasks', {}],
  ['a 404', 'GET', '/v1/x', { key }],
  ['a 500', 'POST', '/v1/tasks', { key, body: '{' }],
  ['a 503', 'POST', '/api/auth/x', {}],
] as const) {
  test(`[E1] [E5] ${what} carries the headers of every answer`, async () => {
    const { deps } = surface
    const { headers, json } = await (what === 'a 503' ? await makeSurface({ ...deps, accounts: null }) : surface).ask(
      method,
      path,
      options,
    )
    assert.is(headers['content-type'], 'application/json')
    assert.is(headers.vary, 'Origin')
    assert.match(headers['x-request-id'] ?? '', /^[0-9a-f]{8}$/)
    if (what !== 'an answer') {
      assert.type(json.error, 'string')
      assert.type(json.code, 'string')
    }
  })
}

const isInternal = (answer: { status: number; json: unknown; headers: Readonly<Record<string, string>> }) => {
  assert.is(answer.status, 500)
  assert.equal(
    answer.json,
    refusal('Internal server error', 'internal', { request_id: answer.headers['x-request-id'] }),
  )
}
test('[D22] while the store is away a request that needs it is 503 with Retry-After, and the log has its id', async () => {
  taskService.broken = new StoreUnwritable('The database cannot be reached.')
  log.lines.length = 0
  const answer = await ask('GET', '/v1/tasks', { key })
  taskService.broken = null
  assert.equal([answer.status, answer.json.code, answer.headers['retry-after']], [503, 'store_away', '1'])
  assert.match(answer.json.error, 'cannot reach its database')
  assert.match(JSON.stringify(log.lines), String(answer.headers['x-request-id']))
})

test('[E6] an unhandled failure is a 500 whose id stands in the log, and the service goes on', async () => {
  taskService.broken = new Error('the disk is gone')
  for (const [method, path] of [
    ['GET', '/v1/tasks'],
    ['GET', '/v1/tasks/00000000-0000-4000-8000-000000000000'],
    ['GET', '/v1/browser-sessions'],
  ] as const) {
    log.lines.length = 0
    const answer = await ask(method, path, { key })
    isInternal(answer)
    const [line] = log.lines
    assert.is(line?.level, 'error')
    assert.equal({ ...line?.fields }, { err: taskService.broken, request_id: answer.json.request_id, method, path })
  }
  taskService.broken = null
  assert.is((await ask('GET', '/v1/tasks', { key })).status, 200)
})
for (const body of ['{', 'nonsense', '{"task": }', '\u0000', '['.repeat(60_000), new Uint8Array([0xff, 0xfe])]) {
  test(`[E7] the body ${JSON.stringify(body).slice(0, 20)} is no JSON: 500`, async () => {
    isInternal(await ask('POST', '/v1/tasks', { key, body }))
    isInternal(await ask('POST', '/v1/browser-sessions/register', { body }))
    assert.ok(log.lines.every((line) => line.level === 'debug'))
  })
}
test('[E8] a body that was too large is the same 500', async () => {
  for (const path of [
    '/v1/api-keys',
    '/v1/browser-sessions/register',
    '/v1/billing/webhook',
    '/api/auth/sign-up/email',
  ]) {
    isInternal(await ask('POST', path, { key, bodyTooLarge: true }))
  }
})
test('[E9] an empty body is read as an empty object', async () => {
  assert.is((await ask('POST', '/v1/browser-sessions/pair', { key })).status, 201)
  assert.is((await ask('POST', '/v1/tasks', { key })).json.code, 'task_required')
})
for (const body of [null, 1, 'text', true, [], [{}]]) {
  test(`[E10] a body that is ${JSON.stringify(body)} is 400`, async () => {
    for (const path of ['/v1/tasks', '/v1/browser-sessions/pair', '/v1/browser-sessions/register', '/v1/api-keys']) {
      const { status, json } = await ask('POST', path, { key, body: JSON.stringify(body) })
      assert.is(status, 400)
      assert.equal(json, refusal('The body must be a JSON object', 'body_invalid'))
    }
  })
}
test('[E12] the path is matched without its query', async () => {
  assert.is((await ask('GET', '/v1/debug-cookies?x=%zz&y')).status, 200)
})
test('a failing log, page or sign-in is a 500 as well', async () => {
  const broken = await makeSurface({
    pages: pagesOf(() => Promise.reject(new Error('no pages'))),
  })
  isInternal(await broken.ask('GET', '/dashboard'))
})

const CORS = {
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Authorization, X-Workspace-Id, Idempotency-Key, Last-Event-ID',
  'access-control-expose-headers':
    'Idempotent-Replayed, Retry-After, X-Request-Id, RateLimit, RateLimit-Policy, Warning',
  'access-control-allow-credentials': 'true',
}
const corsOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

for (const origin of [ALLOWED_ORIGIN, 'http://localhost:3000']) {
  test(`[C1] [C2] ${origin} is echoed on every answer`, async () => {
    const expected = { 'access-control-allow-origin': origin, ...CORS }
    for (const [method, path] of [
      ['GET', '/v1/debug-cookies'],
      ['GET', '/v1/tasks'],
      ['POST', '/v1/tasks'],
      ['GET', '/api/auth/session'],
      ['GET', '/nowhere'],
    ] as const) {
      assert.equal(corsOf((await ask(method, path, { headers: { origin } })).headers), expected)
    }
    const failed = await ask('POST', '/v1/tasks', { key, body: '{', headers: { origin } })
    assert.equal(corsOf(failed.headers), expected)
  })
  test(`[C3] the preflight of ${origin} may be remembered for a day`, async () => {
    const { status, headers, raw } = await ask('OPTIONS', '/v1/tasks', { headers: { origin } })
    assert.is(status, 204)
    assert.is(raw.body, null)
    assert.equal(corsOf(headers), {
      'access-control-allow-origin': origin,
      ...CORS,
      'access-control-max-age': '86400',
    })
  })
}
test('[C2] PATCH is allowed on paths that have such a route', async () => {
  const { headers } = await ask('OPTIONS', '/v1/webhook_endpoints/one', { headers: { origin: ALLOWED_ORIGIN } })
  assert.is(headers['access-control-allow-methods'], 'PATCH, GET, POST, DELETE, OPTIONS')
})
for (const origin of ['https://evil.example', 'null', '', `${ALLOWED_ORIGIN}.evil.example`, 'http://svc.test']) {
  test(`[C4] ${JSON.stringify(origin)} gets no Access-Control header`, async () => {
    for (const method of ['GET', 'OPTIONS']) {
      assert.equal(corsOf((await ask(method, '/v1/debug-cookies', { headers: { origin } })).headers), {})
    }
  })
}
test('[C4] a request without an origin gets none either', async () => {
  assert.equal(corsOf((await ask('OPTIONS', '/v1/tasks')).headers), {})
})

test('two surfaces share nothing', async () => {
  const handle = createHandle(surface.deps)
  assert.is((await handle(requestOf('GET', '/v1/debug-cookies', {}))).status, 200)
})

test.run()
