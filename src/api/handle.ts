import { OwnerAway } from '../../actors/cluster/owner-calls.ts'
import { StoreUnwritable } from '../../actors/runtime/ports.ts'
import { once } from '../config/once.ts'
import { mayAs } from '../identity/roles.ts'
import { createCompressed } from '../net/compression.ts'
import { type AllowsHost, allowsHostOf } from '../net/hosts.ts'
import type { Handler, Request, Response } from '../net/transport.ts'
import { isOAuthPath, MCP_PATH } from '../wire/oauth.ts'
import { parseQuery } from '../wire/parse.ts'
import { warningOf } from '../wire/unknown-fields.ts'
import { finished } from './answer-headers.ts'
import { createAudited } from './audited.ts'
import { type Authenticate, authenticator, readerOf } from './authenticate.ts'
import { type Cors, corsOf } from './cors.ts'
import type { HttpDeps } from './deps.ts'
import { isForeignChange } from './foreign-origin.ts'
import { createIdempotent, type Idempotent } from './idempotency.ts'
import { admitToMcp } from './mcp-gate.ts'
import { challenged, createOAuthRoutes } from './oauth.ts'
import { withShared } from './openapi/shared.ts'
import { openApiOf } from './openapi.ts'
import { type RouteMatch, type Router, routerOf } from './path-match.ts'
import { publishable } from './publishable-keys.ts'
import { badParameter, internalError, refuse } from './refusals.ts'
import { jsonText } from './replies.ts'
import { readBody, Unreadable, unreadable } from './request-body.ts'
import { isIdempotent, type Principal, type Route } from './route.ts'
import { accountRoutes } from './routes/account.ts'
import { appRoutes } from './routes/apps.ts'
import { auditRoutes } from './routes/audit.ts'
import { authRoute, isAuthPath } from './routes/auth.ts'
import { billingRoutes } from './routes/billing.ts'
import { debugCookiesRoute } from './routes/debug-cookies.ts'
import { eventRoutes } from './routes/events.ts'
import { fileRoutes } from './routes/files.ts'
import { healthRoute } from './routes/health.ts'
import { keyRoutes } from './routes/keys.ts'
import { liveRoutes } from './routes/live.ts'
import { meRoute } from './routes/me.ts'
import { memberRoutes } from './routes/members.ts'
import { profileRoutes } from './routes/profiles.ts'
import { recipeRoutes } from './routes/recipes.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { shareRoutes } from './routes/shares.ts'
import { taskRoutes } from './routes/tasks.ts'
import { webhookRoutes } from './routes/webhooks.ts'

const REQUEST_ID_CHARS = 8
const OPENAPI_PATH = '/openapi.json'

/** Every route of the API, as the router knows them. */
export const routesOf = (deps: HttpDeps): readonly Route[] => [
  healthRoute(deps),
  debugCookiesRoute,
  meRoute(deps),
  ...sessionRoutes(deps),
  ...taskRoutes(deps),
  ...fileRoutes(deps),
  ...eventRoutes(deps),
  ...liveRoutes(deps),
  ...shareRoutes(deps),
  ...keyRoutes(deps),
  ...memberRoutes(deps),
  ...accountRoutes(deps),
  ...appRoutes(deps),
  ...webhookRoutes(deps),
  ...billingRoutes(deps),
  ...auditRoutes(deps),
  ...recipeRoutes(deps),
  ...profileRoutes(deps),
]

/**
 * [E2] The whole HTTP surface in the spec's seven steps. Never throws and never rejects: a failure is [E6] the 500 with a request id, and a log line.
 */
export function createHandle(deps: HttpDeps): Handler {
  const router = routerOf(routesOf(deps))
  const takesPatch = (path: string) => router.find('PATCH', path) !== null
  const cors = corsOf(deps.config.allowedOrigins, deps.config.publicUrl, takesPatch)
  const surface: Surface = {
    deps,
    router,
    authenticate: authenticator(deps, cors),
    allowsHost: allowsHostOf(deps.config.hosts, deps.config.publicUrl),
    idempotent: createIdempotent(deps),
    openApi: once(() =>
      JSON.stringify(withShared(openApiOf(router.routes, deps.config.version, deps.config.publicUrl))),
    ),
    cors,
    mcp: deps.mcp?.((request) => handle(request)) ?? null,
    oauth: createOAuthRoutes(deps),
  }
  const audited = createAudited(deps)
  const compressed = createCompressed()
  const handle = async (request: Request): Promise<Response> => {
    const requestId = deps.ids.uuid().slice(0, REQUEST_ID_CHARS)
    const begun = performance.now()
    const seen: Seen = { route: 'other', found: null, principal: null }
    const answer = await process(surface, request, seen).catch((error) => failure(error, requestId, request, deps))
    const response = (await shownToPerson(answer, request, requestId, deps)) ?? answer
    audited(request, seen, response)
    deps.onAnswered?.({
      requestId,
      method: request.method,
      route: seen.route,
      status: response.status,
      ms: Math.round((performance.now() - begun) * 10) / 10,
      workspaceId: seen.principal?.workspaceId ?? null,
      keyId: seen.principal?.keyId ?? null,
    })
    return finished(await compressed(request, response), requestId, request, cors)
  }
  return handle
}

/** What was found out about a request on the way to its answer. */
interface Seen {
  route: string
  found: RouteMatch<Route> | null
  principal: Principal | null
}

interface Surface {
  readonly deps: HttpDeps
  readonly router: Router<Route>
  readonly authenticate: Authenticate
  readonly allowsHost: AllowsHost
  readonly idempotent: Idempotent
  readonly openApi: () => string
  readonly cors: Cors
  readonly mcp: Handler | null
  readonly oauth: (request: Request) => Promise<Response | null>
}

/** The methods that a request of `fetch` can have: with another one, paths of sign-in and MCP are unknown. */
const PASSED_ON = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

async function process(surface: Surface, request: Request, seen: Seen): Promise<Response> {
  const { deps, router } = surface
  const { path } = request
  if (!surface.allowsHost(request.headers.host)) return refuse('host_not_allowed')
  // [S13] Pages of tasks have it loaded ahead (speculation rules) and then go there, past all that refuses them the service.
  if (request.headers['sec-purpose']?.startsWith('prefetch')) return refuse('host_not_allowed')
  // What a proxy names is the host of links and cookies: a page may reach a proxy on this machine, too.
  const forwarded = request.headers['x-forwarded-host'] !== undefined
  if (forwarded && !surface.allowsHost(deps.requestOriginOf(request).host)) return refuse('host_not_allowed')
  if (request.method === 'OPTIONS') return { status: 204, headers: [], body: null }
  const isPassedOn = PASSED_ON.has(request.method)
  if (isPassedOn && isAuthPath(path)) return request.bodyTooLarge ? unreadable() : authRoute(deps, request)
  if (path === OPENAPI_PATH && isReading(request)) return jsonText(200, surface.openApi())
  if (isOAuthPath(path)) {
    const answer = request.bodyTooLarge ? unreadable() : await surface.oauth(request)
    if (answer === null) return refuse('not_found')
    seen.route = path
    return answer
  }
  if (isPassedOn && path === MCP_PATH && surface.mcp !== null) {
    seen.route = MCP_PATH
    const admitted = await admitToMcp(request, surface.authenticate, surface.cors)
    if ('status' in admitted)
      return admitted.status === 401 ? challenged(admitted, deps.requestOriginOf(request).origin) : admitted
    seen.principal = admitted
    return surface.mcp(request)
  }
  if (deps.pages !== null && !path.startsWith('/v1/')) {
    // A form signs in or out: the cookie that it is about is not there yet, or no more.
    if (isForeignChange(request, surface.cors)) return refuse('foreign_origin')
    const onRoute = (route: string) => {
      seen.route = route
    }
    return (await deps.pages.answer(request, onRoute)) ?? serve(surface, request, seen)
  }
  return serve(surface, request, seen, router.find(isReading(request) ? 'GET' : request.method, path))
}

/** [P41] A refusal as the page that a person reads; `null`: the answer is given as it is. */
async function shownToPerson(answer: Response, request: Request, requestId: string, { pages }: HttpDeps) {
  const { status, headers, body } = answer
  const isType = (name: string) => /^content-type$/i.test(name)
  const isJson = headers.some(([name, value]) => isType(name) && value.startsWith('application/json'))
  if (pages === null || status < 400 || !isJson || typeof body !== 'string' || request.path.startsWith('/v1/'))
    return null
  const { error, message = 'Not found' } = JSON.parse(body) as { error?: string; message?: string }
  const page = await pages.refusal(request, { status, message: error ?? message, requestId })
  return page && { ...page, headers: [...page.headers, ...headers.filter(([name]) => !isType(name))] }
}

/** Steps 4 to 7: open routes, authentication, the others, 404. */
async function serve(
  surface: Surface,
  request: Request,
  seen: Seen,
  found: RouteMatch<Route> | null = null,
): Promise<Response> {
  seen.route = found?.route.path ?? seen.route
  seen.found = found
  if (found?.route.access === 'open') return run(surface, found, request, null)
  const reader = found?.route.readToken ? await readerOf(surface.deps.readTokens, found, request) : null
  const principal = reader ?? (await surface.authenticate(request))
  if (typeof principal === 'string') return refuse(principal)
  seen.principal = principal
  if (found === null) return refuse('not_found')
  const { access, action, right } = found.route
  const { role, userId } = principal
  if (access === 'user' && (userId === undefined || role === undefined)) return refuse('account_required')
  if (role !== undefined && !mayAs(role, right)) return refuse('role_not_allowed')
  return action !== null && principal.publishable ? publishable(action) : run(surface, found, request, principal)
}

async function run(
  { deps, idempotent, authenticate }: Surface,
  { route, params }: RouteMatch<Route>,
  request: Request,
  principal: Principal | null,
): Promise<Response> {
  const { query: queryShape } = route
  const read = readBody(route, request)
  if ('status' in read) return read
  let query: unknown = null
  if (queryShape !== null) {
    const parsed = parseQuery(queryShape, request.query)
    if (!parsed.ok) return badParameter(parsed.code, parsed.message, String(parsed.path[0]))
    query = parsed.value
  }
  // An open route never looks at the principal, and its type keeps it from doing so.
  const isAllowed = async () => {
    // [V8] What a read token has opened outlives the token, not the key that made it.
    if (principal?.readToken)
      return principal.keyId === null || (await deps.store.keys.missing([principal.keyId])).length === 0
    const now = await authenticate(request)
    return typeof now !== 'string' && now.workspaceId === principal?.workspaceId
  }
  const call = { request, params, body: read.value, query, principal: principal as Principal, isAllowed }
  const isClaimed = isIdempotent(route) && request.headers['idempotency-key'] !== undefined
  const response = await (isClaimed ? idempotent(route, call) : route.run({ ...call, claim: null }))
  const more = warningOf(read.unknown)
  return more.length === 0 ? response : { ...response, headers: [...response.headers, ...more] }
}

/** [E4] HEAD is GET; the transport leaves the body out. */
const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

function failure(error: unknown, requestId: string, { method, path }: Request, { log }: HttpDeps): Response {
  if (error instanceof OwnerAway) return refuse('owner_away')
  if (error instanceof Unreadable) log.debug({ request_id: requestId, method, path }, error.message)
  else log.error({ err: error, request_id: requestId, method, path: withoutToken(path) }, 'a request failed')
  return error instanceof StoreUnwritable ? refuse('store_away') : internalError(requestId)
}

/** Links whose last part lets their holder do something are no text for a log. */
const withoutToken = (path: string): string => path.replace(/^\/(pair|reset|invite|shared)\/.*/, '/$1/…')
