import type { SessionView } from '../../../actors/front.ts'
import { PAIRING_TOKEN_MS, SECOND_MS, SESSION_TOKEN_MS } from '../../../machines/limits.ts'
import { hashToken, isToken, newToken } from '../../tokens.ts'
import { isUuid } from '../../wire/fields.ts'
import { Deleted, PairBody, Pairing, RegisterBody, Registration, SessionList } from '../../wire/sessions.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, openRoute, type Principal, type Route } from '../route.ts'

const tag = 'Browser sessions'

/** [S1–S12, A7] Pairing a browser, and the sessions that came of it. */
export const sessionRoutes = (deps: HttpDeps): readonly Route[] => [
  keyRoute({
    method: 'POST',
    path: '/v1/browser-sessions/pair',
    body: PairBody,
    about: { summary: 'Create a pairing token, for one browser and five minutes', tag, answers: { 201: Pairing } },
    run: async ({ principal, body, request }) => {
      const token = newToken('pairing')
      const expiresAt = deps.clock.now() + PAIRING_TOKEN_MS
      await deps.store.pairings.insert({
        tokenHash: hashToken(token),
        workspaceId: principal.workspaceId,
        keyId: principal.keyId,
        label: body.label,
        externalUserId: body.external_user_id,
        expiresAt,
      })
      const pairing: Pairing = {
        pairing_token: token,
        pairing_url: `${deps.foundAt(request).origin}/pair/${token}`,
        expires_at: expiresAt,
        expires_in_seconds: PAIRING_TOKEN_MS / SECOND_MS,
      }
      return json(201, pairing)
    },
  }),
  openRoute({
    method: 'POST',
    path: '/v1/browser-sessions/register',
    body: RegisterBody,
    about: {
      summary: 'Exchange a pairing token for a browser session',
      tag,
      answers: { 201: Registration },
      errors: { 401: ['pairing_token_rejected'] },
    },
    run: async ({ body }) => {
      const registration = await register(deps, body.pairing_token)
      return registration === null ? refuse('pairing_token_rejected') : json(201, registration)
    },
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/browser-sessions',
    about: { summary: 'The sessions of the workspace, newest first', tag, answers: { 200: SessionList } },
    run: async ({ principal }) => {
      const sessions = await deps.desk.sessions(principal.workspaceId, ownOnly(principal))
      const list: SessionList = { sessions: sessions.map(sessionJson) }
      return json(200, list)
    },
  }),
  keyRoute({
    method: 'DELETE',
    path: '/v1/browser-sessions/:id',
    about: {
      summary: 'End a session: its socket is closed and its token is dead',
      tag,
      answers: { 200: Deleted },
      errors: { 404: ['browser_session_not_found'] },
    },
    run: async ({ principal, params: [id = ''] }) => {
      const deleted = isUuid(id) && (await deps.desk.removeSession(principal.workspaceId, ownOnly(principal), id))
      return deleted ? json(200, { id, deleted } satisfies Deleted) : refuse('browser_session_not_found')
    },
  }),
]

/** [A7] A publishable key reaches only what it paired itself. */
const ownOnly = ({ publishable, keyId }: Principal): string | null => (publishable ? keyId : null)

/** [S4–S6] Whoever takes the pairing away first has it; a late one is lost all the same. */
async function register({ store, ids, clock, config }: HttpDeps, token: string): Promise<Registration | null> {
  if (!isToken('pairing', token)) return null
  const pairing = await store.pairings.consume(hashToken(token))
  const now = clock.now()
  if (pairing === null || pairing.expiresAt <= now) return null
  const sessionToken = newToken('session')
  const id = ids.uuid()
  await store.sessions.insert({
    id,
    workspaceId: pairing.workspaceId,
    keyId: pairing.keyId,
    label: pairing.label,
    externalUserId: pairing.externalUserId,
    tokenHash: hashToken(sessionToken),
    createdAt: now,
    connectedAt: null,
    lastHeartbeat: null,
    expiresAt: now + SESSION_TOKEN_MS,
    tabId: null,
    windowId: null,
  })
  return {
    browser_session_id: id,
    session_token: sessionToken,
    workspace_id: pairing.workspaceId,
    relay_port: config.relayPort(),
  }
}

const sessionJson = (session: SessionView): SessionList['sessions'][number] => ({
  id: session.id,
  status: session.status,
  label: session.label,
  external_user_id: session.externalUserId,
  connected_at: session.connectedAt,
  last_heartbeat: session.lastHeartbeat,
  expires_at: session.expiresAt,
  state: session.state,
  tab_id: session.tabId,
  window_id: session.windowId,
})
