import type { Request, Response } from '../../net/transport.ts'
import { errorBody } from '../../wire/errors.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json, redirect } from '../replies.ts'

const SOCIAL_PATH = '/api/auth/sign-in/social'

const AFTER_SIGN_IN = '/dashboard'

const DEFAULT_PROVIDER = 'google'

/** [E2] Step 2 takes these paths whole. */
export const isAuthPath = (path: string): boolean => path.startsWith('/api/auth')

/** [A12, A15–A18] Sign-in: the authentication library's, but for the link that starts a social sign-in. */
export function authRoute(deps: HttpDeps, request: Request): Response | Promise<Response> {
  const { accounts } = deps
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  if (request.path === SOCIAL_PATH && isReading) return social(deps, request)
  if (accounts === null) return refuse('auth_not_configured')
  return handled(deps, () => accounts.handle(request))
}

async function handled({ log }: HttpDeps, handle: () => Promise<Response>): Promise<Response> {
  try {
    return await handle()
  } catch (err) {
    log.error({ err }, 'the authentication handler failed')
    const message = err instanceof Error ? err.message : String(err)
    return json(500, errorBody('auth_error', `Auth error: ${message}`))
  }
}

async function social({ accounts, requestOriginOf, log }: HttpDeps, request: Request): Promise<Response> {
  const given = new URLSearchParams(request.query)
  try {
    if (accounts === null) return redirect(AFTER_SIGN_IN)
    const { location, cookies } = await accounts.socialUrl({
      provider: given.get('provider') || DEFAULT_PROVIDER,
      callbackURL: given.get('callbackURL') || AFTER_SIGN_IN,
      requestOrigin: requestOriginOf(request),
    })
    return redirect(location, cookies)
  } catch (err) {
    log.warn({ err }, 'a social sign-in could not be started')
    return redirect(AFTER_SIGN_IN)
  }
}
