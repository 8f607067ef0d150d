import type { ClusterReport } from '../../../actors/cluster/cluster-report.ts'
import type { TaskService } from '../../../actors/task-service.ts'
import { SECOND_MS } from '../../../machines/limits.ts'
import { Health } from '../../wire/account.ts'
import type { HttpDeps } from '../deps.ts'
import { json } from '../replies.ts'
import { publicRoute, type Route } from '../route.ts'

/** [H1–H7] Whether the service works, for anybody. */
export const healthRoute = (deps: HttpDeps): Route =>
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
  })

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
