import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { routesOf } from '../../src/api/handle.ts'
import type { Route } from '../../src/api/route.ts'
import type { Request } from '../../src/net/transport.ts'
import { aMember, fakeAccounts, makeSurface } from '../support/http-surface.ts'
import { CANARY, openTenants } from '../support/tenants.ts'

/**
 * Every route of the real surface and taskService, with anything in any place, so many times each. `ask` holds every answer
 * against what its route says that it may answer; nothing of the workspace that works may be seen or changed.
 */
export async function anythingOverHttp(casesPerRoute: number): Promise<void> {
  const { scene, stranger, victim, kept } = await openTenants()
  const members = new Map()
  const surface = await makeSurface({
    taskService: scene.actors.taskService,
    store: scene.store,
    clock: scene.clock,
    accounts: fakeAccounts(members),
  })
  const { ask, deps, log } = surface
  const workspace = await scene.store.workspaces.get(stranger.workspaceId)
  if (!workspace) throw new Error('the workspace is not there')
  members.set('ann', aMember('ann', [workspace]))
  const before = await kept()

  const routes = routesOf(deps)
  const known = [victim.sessionId, victim.workspaceId, victim.keyId, ...victim.taskIds, stranger.sessionId]
  const fields = [
    ...new Set(routes.flatMap(({ body }) => Object.keys(typeof body === 'string' ? {} : (body?.entries ?? {})))),
  ]
  const parameters = [...new Set(routes.flatMap(({ query }) => Object.keys(query?.entries ?? {})))]

  // biome-ignore lint/suspicious/noControlCharactersInRegex: a head cannot carry them
  const headerText = fc.string({ maxLength: 60 }).map((text) => text.replace(/[\u0000-\u001f\u007f]/g, ''))
  const likely = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.webUrl(),
    fc.uuid(),
    fc.constantFrom(null, 'x'.repeat(2_100), ...known),
  )
  const body = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.dictionary(fc.constantFrom(...fields, '__proto__', 'constructor'), likely).map((value) => JSON.stringify(value)),
    fc.string(),
    fc.uint8Array({ maxLength: 200 }),
    fc.constant(undefined),
  )
  const value = fc.oneof(fc.string(), fc.nat().map(String), fc.constantFrom('running', ...known))
  const query = fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...parameters), fc.string()), value))
    .map((pairs) =>
      pairs.length === 0 ? '' : `?${pairs.map(([name, text]) => `${name}=${encodeURIComponent(text)}`).join('&')}`,
    )
  const NAMES = [
    'authorization',
    'cookie',
    'x-workspace-id',
    'origin',
    'accept',
    'payment-signature',
    'host',
    'sec-fetch-site',
    'idempotency-key',
  ]
  const keyed = { authorization: `Bearer ${stranger.key}` }
  const headers = fc.oneof(
    fc.dictionary(
      fc.constantFrom(...NAMES),
      fc.oneof(
        headerText,
        fc.constantFrom('session=ann', `bearer ${stranger.publishable}`, 'application/json', victim.workspaceId),
      ),
    ),
    fc.constant(keyed),
    fc.constant({ ...keyed, accept: 'application/json' }),
    fc.constant({ cookie: 'session=ann' }),
  )
  const segment = fc.oneof(
    fc.constantFrom(...known),
    fc.uuid(),
    fc.nat().map(String),
    fc.string().map(encodeURIComponent),
    fc.constantFrom('..', '.', '%2e%2e', '__proto__'),
  )

  const test = suite('anything over http')
  test.before.each(() => {
    log.lines.length = 0
  })
  const errors = () => log.lines.filter(({ level }) => level === 'error')

  const anythingTo = ({ method, path }: Route) =>
    fc.asyncProperty(
      fc.array(segment, { minLength: 2, maxLength: 2 }),
      query,
      headers,
      body,
      async (params, search, given, sent) => {
        const filled = path.replace(/:\w+/g, () => params.pop() || 'x')
        const answer = await ask(method, filled + search, { headers: given, body: sent })
        if (answer.status >= 400) assert.type(answer.json?.error, 'string')
        assert.not.match(String(answer.raw.body), CANARY)
        // The only unhandled failure that a client can cause is a body that is no JSON.
        if (path !== '/v1/billing/webhook') assert.equal(errors(), [])
      },
    )
  for (const route of routes) {
    test(`[E11] [E16] [A8] anything to ${route.method} ${route.path} is answered as the route says`, () =>
      fc.assert(anythingTo(route), { numRuns: casesPerRoute }))
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
        const signal = new AbortController().signal
        const request: Request = {
          method,
          path,
          query: search,
          headers: given,
          ip: '',
          body: bytes,
          bodyTooLarge,
          signal,
        }
        const { status, headers: sent, body: answered } = await surface.handle(request)
        assert.ok(
          [200, 201, 204, 302, 400, 401, 403, 404, 421, 500, 503].includes(status),
          `${method} ${path}: ${status}`,
        )
        // [E19] A host that is not ours is refused before anything else, and nothing else is refused so.
        if (status === 421) assert.ok('host' in given)
        assert.ok(sent.some(([name]) => name === 'X-Request-Id'))
        const isJson = sent.some(([name, type]) => name === 'Content-Type' && type === 'application/json')
        if (status >= 400) assert.type(isJson ? JSON.parse(String(answered)).error : null, 'string')
        assert.not.match(String(answered), CANARY)
        assert.equal(errors(), [])
      }),
      { numRuns: casesPerRoute },
    )
  })

  test('[A8] after all of it nothing of the other workspace has changed', async () => {
    assert.is(await kept(), before)
    assert.match(before, CANARY)
  })

  test.after(() => scene.close())
  test.run()
}
