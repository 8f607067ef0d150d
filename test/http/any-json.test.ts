import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { routesOf } from '../../src/http/handle.ts'
import type { Request } from '../../src/http/transport.ts'
import { aKey, aMember, aWorkspace, fakeAccounts, makeSurface } from '../support/http-surface.ts'

// Every route, with anything in any place. `ask` holds each answer against what its route says that it may answer.

const members = new Map()
const surface = await makeSurface({ accounts: fakeAccounts(members) })
const { ask, deps, desk, log } = surface
const workspace = await aWorkspace(surface)
members.set('ann', aMember('ann', [workspace]))
const { key } = await aKey(surface, workspace.id)
const { key: publishable } = await aKey(surface, workspace.id, 'publishable')
const CASES = Number(process.env.PROPERTY_CASES ?? 500)

const routes = routesOf(deps)
const fields = [
  ...new Set(routes.flatMap(({ body }) => Object.keys(typeof body === 'object' ? (body?.entries ?? {}) : {}))),
]
const parameters = [...new Set(routes.flatMap(({ query }) => Object.keys(query?.entries ?? {})))]

// biome-ignore lint/suspicious/noControlCharactersInRegex: a head cannot carry them
const headerText = fc.string({ maxLength: 60 }).map((text) => text.replace(/[\u0000-\u001f\u007f]/g, ''))
const likely = fc.oneof(
  fc.jsonValue(),
  fc.string(),
  fc.webUrl(),
  fc.uuid(),
  fc.constant(null),
  fc.constant('x'.repeat(2_100)),
)
const body = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.dictionary(fc.constantFrom(...fields, '__proto__', 'constructor'), likely).map((value) => JSON.stringify(value)),
  fc.string(),
  fc.uint8Array({ maxLength: 200 }),
  fc.constant(undefined),
)
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...parameters), fc.string()), fc.oneof(fc.string(), fc.nat().map(String))))
  .map((pairs) =>
    pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`,
  )
const headers = fc.dictionary(
  fc.constantFrom(
    'authorization',
    'cookie',
    'x-workspace-id',
    'origin',
    'accept',
    'payment-signature',
    'host',
    'sec-fetch-site',
  ),
  fc.oneof(headerText, fc.constantFrom('session=ann', `Bearer ${key}`, `bearer ${publishable}`, 'application/json')),
)
const segment = fc.oneof(
  fc.uuid(),
  fc.nat().map(String),
  fc.string().map(encodeURIComponent),
  fc.constantFrom('..', '.', '%2e%2e', '__proto__'),
)

const test = suite('anything over http')
test.before.each(() => {
  log.lines.length = 0
})

for (const { method, path } of routes) {
  test(`[E11] [E16] anything to ${method} ${path} is answered as the route says`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(segment, { minLength: 2, maxLength: 2 }),
        query,
        fc.oneof(headers, fc.constant({ authorization: `Bearer ${key}` })),
        body,
        async (params, search, given, sent) => {
          const filled = path.replace(/:\w+/g, () => params.pop() || 'x')
          const answer = await ask(method, filled + search, { headers: given, body: sent })
          if (answer.status >= 400) assert.type(answer.json?.error, 'string')
          // The only unhandled failure that a client can cause is a body that is no JSON.
          const errors = log.lines.filter(({ level }) => level === 'error' && path !== '/v1/billing/webhook')
          assert.equal(errors, [])
        },
      ),
      { numRuns: Math.max(25, Math.ceil(CASES / routes.length)) },
    )
  })
}

test('[E16] anything at all is an answer', async () => {
  const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'FOO')
  const paths = fc.oneof(
    fc.webPath(),
    fc.string().map((text) => `/${text}`),
    fc
      .array(fc.oneof(segment, fc.constantFrom('v1', 'tasks', 'api', 'auth', '')))
      .map((parts) => `/${parts.join('/')}`),
  )
  await fc.assert(
    fc.asyncProperty(methods, paths, fc.string(), headers, fc.uint8Array(), fc.boolean(), async (...parts) => {
      const [method, path, search, given, bytes, bodyTooLarge] = parts
      const request: Request = { method, path, query: search, headers: given, ip: '', body: bytes, bodyTooLarge }
      const { status, headers: sent, body: answered } = await surface.handle(request)
      assert.ok([200, 201, 204, 302, 400, 401, 403, 404, 500, 503].includes(status), `${method} ${path}: ${status}`)
      assert.ok(sent.some(([name]) => name === 'X-Request-Id'))
      const isJson = sent.some(([name, value]) => name === 'Content-Type' && value === 'application/json')
      if (status >= 400) assert.type(isJson ? JSON.parse(String(answered)).error : null, 'string')
      assert.equal(
        log.lines.filter(({ level }) => level === 'error'),
        [],
      )
    }),
    { numRuns: CASES },
  )
})

test('[A8] nothing of a workspace is changed by what strangers send', () => {
  assert.ok(desk.started.every(({ workspaceId }) => workspaceId === workspace.id))
})

test.run()
