import { MINUTE_MS } from '../../machines/limits.ts'
import { ACCESS_S } from '../identity/oauth.ts'
import type { Request, Response } from '../net/transport.ts'
import { Windows } from '../net/windows.ts'
import { CONNECT, MCP_PATH, resourceAt } from '../wire/oauth.ts'
import type { HttpDeps } from './deps.ts'
import { json } from './replies.ts'

/** [A43] What assistants find and ask for before they have a token: RFC 9728, 8414, 7591, 7009 and OAuth 2.1. */

const REGISTER = '/oauth/register'
const TOKEN = '/oauth/token'
const REVOKE = '/oauth/revoke'
const PROTECTED_RESOURCE = '/.well-known/oauth-protected-resource'
const AUTHORIZATION_SERVER = '/.well-known/oauth-authorization-server'

/** Of one address: nothing is kept of a client, but each costs a signature. */
const REGISTRATIONS_PER_MINUTE_MAX = 60

/** What the refusal of a request to MCP without a valid token adds: where to get one. */
export const challenged = (refusal: Response, origin: string): Response => ({
  ...refusal,
  headers: [
    ...refusal.headers.filter(([name]) => name !== 'WWW-Authenticate'),
    ['WWW-Authenticate', `Bearer resource_metadata="${origin}${PROTECTED_RESOURCE}${MCP_PATH}"`],
  ],
})

type Deps = Pick<HttpDeps, 'oauth' | 'requestOriginOf' | 'clock'>

/** Answers the paths of `isOAuthPath`; `null`: there is no such path. */
export function createOAuthRoutes({
  oauth,
  requestOriginOf,
  clock,
}: Deps): (request: Request) => Promise<Response | null> {
  const registrations = new Windows(MINUTE_MS, REGISTRATIONS_PER_MINUTE_MAX)

  async function register(request: Request): Promise<Response> {
    if (!registrations.takes(requestOriginOf(request).address, clock.now()))
      return failure(429, 'temporarily_unavailable', 'Too many registrations. Wait a minute, then try again.')
    const { client_name, redirect_uris } = bodyOf(request)
    const client = await oauth.register(client_name, redirect_uris)
    if (client === null)
      return failure(400, 'invalid_redirect_uri', 'redirect_uris must be https, on this machine, or of an application')
    return json(201, {
      client_id: client.id,
      client_id_issued_at: Math.floor(clock.now() / 1_000),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      ...CLIENT,
    })
  }

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(new TextDecoder().decode(request.body))
    const field = (name: string) => form.get(name) ?? ''
    const type = field('grant_type')
    if (type !== 'authorization_code' && type !== 'refresh_token')
      return failure(400, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token')
    const clientId = field('client_id')
    const resource = form.get('resource')
    if (resource !== null && resource !== resourceAt(requestOriginOf(request).origin))
      return failure(400, 'invalid_target', `resource must be ${resourceAt(requestOriginOf(request).origin)}`)
    const tokens =
      type === 'refresh_token'
        ? await oauth.refresh(field('refresh_token'), clientId)
        : await oauth.exchange(field('code'), {
            ...{ clientId, redirectUri: field('redirect_uri'), verifier: field('code_verifier'), resource },
          })
    if (tokens === null)
      return failure(400, 'invalid_grant', `The ${type.replace('_', ' ')} is not valid, or is not for this client`)
    const { access, refresh } = tokens
    return json(200, { access_token: access, token_type: 'Bearer', expires_in: ACCESS_S, refresh_token: refresh }, KEPT)
  }

  return async (request) => {
    const { method, path } = request
    const { origin } = requestOriginOf(request)
    if (method === 'GET' || method === 'HEAD') {
      if (path === PROTECTED_RESOURCE || path === PROTECTED_RESOURCE + MCP_PATH) return json(200, resourceOf(origin))
      return path === AUTHORIZATION_SERVER ? json(200, serverAt(origin)) : null
    }
    if (method !== 'POST') return null
    if (path === REGISTER) return register(request)
    if (path === TOKEN) return token(request)
    if (path !== REVOKE) return null
    await oauth.revoke(new URLSearchParams(new TextDecoder().decode(request.body)).get('token') ?? '')
    return { status: 200, headers: [], body: null }
  }
}

/** All clients are public: what they could keep secret, everybody could read. */
const CLIENT = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}
const KEPT: Response['headers'] = [['Cache-Control', 'no-store']]

const resourceOf = (origin: string) => ({
  resource: resourceAt(origin),
  authorization_servers: [origin],
  bearer_methods_supported: ['header'],
  resource_name: 'Browser Task Service',
  resource_documentation: `${origin}/docs/mcp`,
})

const serverAt = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: origin + CONNECT,
  token_endpoint: origin + TOKEN,
  registration_endpoint: origin + REGISTER,
  revocation_endpoint: origin + REVOKE,
  response_types_supported: ['code'],
  grant_types_supported: CLIENT.grant_types,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
})

/** [RFC 6749, 5.2] Errors of OAuth have a form of their own. */
const failure = (status: number, error: string, description: string): Response =>
  json(status, { error, error_description: description }, KEPT)

function bodyOf({ body }: Request): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
