import type { SessionView } from '../../../actors/task-service.ts'
import { isUuid } from '../../../machines/uuid.ts'
import { PAIRING_SECONDS } from '../../identity/pairings.ts'
import { pageOf } from '../../wire/list.ts'
import {
  AllowTasksBody,
  Deleted,
  PairBody,
  Pairing,
  PairingInfo,
  PairingInfoBody,
  RegisterBody,
  Registration,
  SessionList,
  SessionListQuery,
  TasksAllowed,
} from '../../wire/sessions.ts'
import type { HttpDeps } from '../deps.ts'
import { ownOnly, publishable } from '../publishable-keys.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, publicRoute, type Route } from '../route.ts'
import { cursorOf, type Position, positionOf } from './cursor.ts'

const tag = 'Browser sessions'

/** [S1–S12, S15–S18, A7] Pairing a browser, and the sessions that came of it. */
export function sessionRoutes(deps: HttpDeps): readonly Route[] {
  const { pairings } = deps
  return [
    keyRoute({
      method: 'POST',
      path: '/v1/browser-sessions/pair',
      body: PairBody,
      about: {
        summary: 'Create a pairing link',
        tag,
        answers: { 201: Pairing },
        errors: { 403: ['publishable_key'], 409: ['too_many_browsers'], 429: ['too_many_pairings'] },
      },
      run: async ({ principal, body, request }) => {
        if (principal.publishable && body.allow_tasks === true) return publishable('let browsers start tasks')
        if (principal.publishable && body.pool !== null) return publishable('add browsers to pools')
        const made = await pairings.create({
          workspaceId: principal.workspaceId,
          keyId: principal.keyId,
          publishable: principal.publishable,
          createdBy: principal.actor,
          label: body.label,
          externalUserId: body.external_user_id,
          allowTasks: body.allow_tasks ?? (body.pool === null && !principal.publishable),
          pool: body.pool && { pool: body.pool.name, places: body.pool.places },
        })
        if (typeof made === 'string') return refuse(made)
        const pairing: Pairing = {
          pairing_token: made.token,
          pairing_url: `${deps.requestOriginOf(request).origin}/pair/${made.token}`,
          expires_at: made.expiresAt,
          expires_in_seconds: PAIRING_SECONDS,
        }
        return json(201, pairing)
      },
    }),
    publicRoute({
      method: 'POST',
      path: '/v1/browser-sessions/pairing',
      body: PairingInfoBody,
      about: {
        summary: 'Look up a pairing token',
        tag,
        answers: { 200: PairingInfo },
        errors: { 401: ['pairing_token_rejected'] },
      },
      run: async ({ body }) => {
        const pairing = await pairings.find(body.pairing_token)
        const workspace = pairing && (await deps.store.workspaces.get(pairing.workspaceId))
        if (!pairing || !workspace) return refuse('pairing_token_rejected')
        return json(200, {
          workspace: workspace.name,
          created_by: pairing.createdBy ?? null,
          label: pairing.label,
          allow_tasks: pairing.allowTasks ?? true,
          expires_at: pairing.expiresAt,
        } satisfies PairingInfo)
      },
    }),
    publicRoute({
      method: 'POST',
      path: '/v1/browser-sessions/register',
      body: RegisterBody,
      about: {
        summary: 'Register a browser',
        tag,
        answers: { 201: Registration },
        errors: { 401: ['pairing_token_rejected'], 409: ['too_many_browsers'] },
      },
      run: async ({ body, request }) => {
        const registered = await pairings.register(body.pairing_token)
        if (registered === null) return refuse('pairing_token_rejected')
        if (typeof registered === 'string') return refuse(registered)
        const { id, workspaceId, keyId, label } = registered.session
        deps.audit?.note({
          workspaceId,
          action: 'registerBrowser',
          actor: { kind: 'browser', id, name: label ?? 'a browser', role: null },
          ...{ keyId, resource: id, address: deps.requestOriginOf(request).address },
        })
        return json(201, {
          browser_session_id: registered.session.id,
          session_token: registered.sessionToken,
          workspace_id: registered.session.workspaceId,
          relay_port: deps.config.relayPort(),
          ...poolJson(registered.session),
          ...(deps.config.publicAddressesOnly && registered.session.pool ? { public_addresses_only: true } : {}),
        } satisfies Registration)
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/browser-sessions',
      query: SessionListQuery,
      about: {
        summary: 'List browser sessions',
        tag,
        answers: { 200: SessionList },
      },
      run: async ({ principal, query: { limit, cursor, status } }) => {
        const after = cursor === undefined ? null : positionOf(cursor)
        if (cursor !== undefined && after === null) return refuse('cursor_invalid')
        const all = await deps.taskService.sessions(principal.workspaceId, ownOnly(principal))
        const sessions = status === undefined ? all : all.filter((session) => session.status === status)
        const left = after === null ? sessions : sessions.filter((session) => isAfter(session, after))
        const page = left.slice(0, limit)
        const last = page.at(-1)
        const next = left.length > limit && last !== undefined ? cursorOf(last) : null
        return json(200, pageOf('sessions', page.map(sessionJson), next))
      },
    }),
    keyRoute({
      method: 'POST',
      path: '/v1/browser-sessions/:id',
      action: 'let browsers start tasks',
      body: AllowTasksBody,
      about: {
        summary: 'Update a browser session',
        tag,
        answers: { 200: TasksAllowed },
        errors: { 404: ['browser_session_not_found'] },
      },
      run: async ({ principal, params: [id = ''], body }) => {
        const session = isUuid(id) ? await deps.store.sessions.get(id) : null
        if (session?.workspaceId !== principal.workspaceId) return refuse('browser_session_not_found')
        await deps.store.sessions.update(id, { allowTasks: body.allow_tasks })
        return json(200, { id, allow_tasks: body.allow_tasks })
      },
    }),
    keyRoute({
      method: 'DELETE',
      path: '/v1/browser-sessions/:id',
      about: {
        summary: 'Delete a browser session',
        tag,
        answers: { 200: Deleted },
        errors: { 404: ['browser_session_not_found'] },
      },
      run: async ({ principal, params: [id = ''] }) => {
        const deleted =
          isUuid(id) && (await deps.taskService.removeSession(principal.workspaceId, ownOnly(principal), id))
        return deleted ? json(200, { id, deleted } satisfies Deleted) : refuse('browser_session_not_found')
      },
    }),
  ]
}

/** Newest first, those of one moment by their ids. */
const isAfter = (session: SessionView, after: Position): boolean =>
  session.createdAt < after.createdAt || (session.createdAt === after.createdAt && session.id < after.id)

const poolJson = ({ pool }: Pick<SessionView, 'pool'>) =>
  pool ? { pool: { name: pool.pool, places: pool.places } } : {}

const sessionJson = (session: SessionView): SessionList['sessions'][number] => ({
  id: session.id,
  key_id: session.keyId,
  allow_tasks: session.allowTasks ?? true,
  status: session.status,
  label: session.label,
  external_user_id: session.externalUserId,
  connected_at: session.connectedAt,
  last_heartbeat: session.lastHeartbeat,
  expires_at: session.expiresAt,
  state: session.state,
  tab_id: session.tabId,
  window_id: session.windowId,
  ...poolJson(session),
})
