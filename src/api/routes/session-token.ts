import type { SessionRecord } from '../../../machines/records.ts'
import { bearerOf } from '../../identity/bearer.ts'
import { hashToken } from '../../identity/tokens.ts'
import type { Request, Response } from '../../net/transport.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'

/** The browser that asks, by its session token; or why it is refused. */
export async function browserOf(
  { store, clock }: Pick<HttpDeps, 'store' | 'clock'>,
  { headers }: Request,
): Promise<SessionRecord | Response> {
  const token = bearerOf(headers.authorization)
  const session = token === null ? null : await store.sessions.byTokenHash(hashToken(token))
  return session !== null && session.expiresAt > clock.now() ? session : refuse('session_token_invalid')
}
