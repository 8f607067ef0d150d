import { bearerOf } from '../identity/bearer.ts'
import type { Request, Response } from '../net/transport.ts'
import type { Authenticate } from './authenticate.ts'
import type { Cors } from './cors.ts'
import { publishable } from './publishable-keys.ts'
import { refuse } from './refusals.ts'
import type { Principal } from './route.ts'

/**
 * [Y8] Who may use MCP: a secret key as `Authorization: Bearer`, never a cookie; and of pages in browsers those of allowed
 * origins. Returns the refusal, or the principal.
 */
export async function admitToMcp(
  request: Request,
  authenticate: Authenticate,
  cors: Cors,
): Promise<Response | Principal> {
  const { origin, host } = request.headers
  if (origin !== undefined && !cors.isOurs(origin, host)) return refuse('origin_not_allowed')
  if (bearerOf(request.headers.authorization) === null) return refuse('unauthorized')
  const principal = await authenticate(request)
  if (typeof principal === 'string') return refuse(principal)
  return principal.publishable ? publishable('create tasks') : principal
}
