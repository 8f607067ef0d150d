import type { ClusterReport } from '../../../actors/cluster/node-task-service.ts'
import type { TaskService } from '../../../actors/task-service.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import { bearerOf, hashToken } from '../../identity/tokens.ts'
import { DebugCookies, Health, Me } from '../../wire/account.ts'
import { workspaceOf } from '../auth.ts'
import type { HttpDeps } from '../deps.ts'
import { COOKIE_CHARS_SHOWN } from '../limits.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { publicRoute, type Route } from '../route.ts'

/** [H1–H7, A19, A20] What anybody may ask of the service itself. */
export const serviceRoutes = (deps: HttpDeps): readonly Route[] => [
  publicRoute({
    method: 'GET',
    path: '/v1/health',
    about: {
      summary: 'Check health',
      tag: 'Service',
      answers: { 200: Health, 503: Health },
    },
    run: async () => {
      const { serves, health } = await healthOf(deps)
      return json(serves ? 200 : 503, health)
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/v1/debug-cookies',
    about: { summary: 'Show received cookies', tag: 'Service', answers: { 200: DebugCookies } },
    run: ({ request }) => json(200, cookiesOf(request.headers.cookie)),
  }),
  publicRoute({
    method: 'GET',
    path: '/v1/me',
    about: {
      summary: 'Get the current user or key',
      tag: 'Service',
      answers: { 200: Me },
      errors: { 401: ['not_signed_in', 'unauthorized'] },
    },
    run: async ({ request }) => {
      const key = bearerOf(request.headers.authorization)
      if (key !== null) {
        const record = await deps.store.keys.byHash(hashToken(key))
        const own = record && (await deps.store.workspaces.get(record.workspaceId))
        if (!own) return refuse('key_invalid')
        return json(200, { user: null, workspace: { id: own.id, name: own.name, plan: own.plan } } satisfies Me)
      }
      const member = request.headers.cookie === undefined ? null : await deps.accounts?.principalOf(request.headers)
      const workspace = member ? workspaceOf(member, request) : null
      if (!member || workspace === null) return refuse('not_signed_in')
      const { id, name, plan } = workspace
      const me: Me = { user: { name: member.name, email: member.email }, workspace: { id, name, plan } }
      return json(200, me)
    },
  }),
]

async function healthOf({ store, taskService, clock, config }: HttpDeps): Promise<{ serves: boolean; health: Health }> {
  const database_connected = await store.ping()
  const relay_connected = config.relayListening()
  const { activeTasks, pendingToolCalls } = taskService.counts()
  const cluster = config.cluster?.()
  const work = taskService.health()
  const reason = reasonOf(database_connected, relay_connected, work)
  const health: Health = {
    status: reason === null ? 'ok' : 'degraded',
    ...(reason === null ? {} : { reason }),
    version: config.version,
    uptime_seconds: Math.max(0, Math.floor((clock.now() - config.startedAt) / SECOND_MS)),
    store_type: store.kind,
    relay_connected,
    database_connected,
    active_tasks: activeTasks,
    pending_tool_executions: pendingToolCalls,
    ...(cluster ? { cluster: clusterOf(cluster) } : {}),
  }
  return { serves: work.ok && database_connected && relay_connected, health }
}

const clusterOf = ({ node, connected, owns, shards, nodes }: ClusterReport) => ({
  ...{ node, connected, owns, shards },
  nodes: nodes.map(({ id, owns }) => ({ id, owns })),
})

/** [H8] */
function reasonOf(store: boolean, relay: boolean, work: ReturnType<TaskService['health']>): string | null {
  if (!work.ok) return work.reason
  if (!store) return 'The store does not answer.'
  return relay ? work.reason : 'The relay does not accept sockets.'
}

/** [A24] Our own cookies let their holder in: this route, which answers pages of other origins, names them only. */
const OWN_COOKIE = /(?<=^|;)(\s*(?:__Host-|__Secure-)?(?:browser-task|better-auth)\.[^=;]*=)[^;]*/gi

function cookiesOf(header: string | undefined): DebugCookies {
  if (header === undefined) return { cookieNames: [], rawCookieHeader: '(none)' }
  const names = header.split(';').map((pair) => (pair.split('=')[0] ?? '').trim())
  const shown = header.replace(OWN_COOKIE, '$1(not shown)')
  return { cookieNames: names.filter((name) => name !== ''), rawCookieHeader: shown.slice(0, COOKIE_CHARS_SHOWN) }
}
