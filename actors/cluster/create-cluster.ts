import { shardOf } from '../../machines/placement.ts'
import type { TaskServiceOptions } from '../create-task-service.ts'
import type { Elsewhere } from '../inspection/elsewhere.ts'
import type { Inspection } from '../inspection/inspection.ts'
import type { ActorSystem } from '../runtime/actor-system.ts'
import type { Ports } from '../runtime/ports.ts'
import type { TaskService } from '../task-service.ts'
import { Sockets } from './browser-sockets.ts'
import { type ClusterReport, reportOf } from './cluster-report.ts'
import { Messages } from './messages.ts'
import { ClusterNode } from './node.ts'
import { createNodeTaskService } from './node-task-service.ts'
import type { Bus, Shards } from './ports.ts'
import { Router } from './router.ts'
import { EventNotices, type LiveTabs } from './viewer-notices.ts'

export interface ClusterOptions extends TaskServiceOptions {
  readonly shards: Shards
  /** `charsMax`: how long a message may be. */
  readonly bus: Bus & { readonly charsMax: number }
  readonly monotonic: () => number
  /** What this node answers when others ask about its actors. */
  readonly inspection?: Inspection
}

export interface RunningCluster {
  readonly taskService: TaskService
  readonly node: ClusterNode
  report(): ClusterReport
  /** The tabs of browsers at all nodes, given those at this one. */
  liveOf(tabs: LiveTabs): LiveTabs
  readonly elsewhere: Elsewhere
  /** The services of the shards that this node owns. */
  systems(): readonly ActorSystem[]
  start(): Promise<void>
  /** Hands over what this node owns, and no task ends; or ends what runs first. */
  stop(endsTasks: boolean): Promise<void>
  /** Stops where it is. */
  abandon(): void
}

/** [M1] Opens the task service as one of several nodes over one store. */
export function createCluster(ports: Ports, options: ClusterOptions): RunningCluster {
  const { shards, bus, monotonic, inspection, ...others } = options
  const messages = new Messages(bus, shards, ports.ids, ports.log)
  const node: ClusterNode = new ClusterNode(ports, {
    ...others,
    shards,
    monotonic,
    isGone: (id) => router.isGone(id),
    onGone: () => messages.tell('view', {}),
    reachesBus: () => messages.connected,
    outboxOf: (service) => sockets.outboxOf(service),
    onView: () => sockets.viewRefreshed(),
    onViewFailed: () => sockets.releaseUnlessRequired(),
    onOpen: ({ running }) => void running.system.events.listen((record) => notices.kept(record)),
  })
  const router: Router = new Router(node, messages, inspection)
  const sockets: Sockets = new Sockets(node, messages, router, ports.outbox)
  const notices: EventNotices = new EventNotices({
    ...{ node: shards.node, clock: ports.clock, messages },
    isHere: (sessionId) => sockets.isHere(sessionId),
    serviceOf: (shard) => node.service(shard),
  })
  const stop = () => {
    notices.stop()
    node.stop()
  }
  return {
    node,
    taskService: createNodeTaskService(node, router, sockets, notices),
    liveOf: (tabs) => notices.ofAll(tabs),
    report: () => reportOf(node, messages.connected),
    elsewhere: elsewhereOf(node, router),
    systems: () => [...node.services()].map(({ running }) => running.system),
    async start() {
      router.serve()
      sockets.serve()
      notices.serve()
      messages.serve('view', () => void node.refreshView().catch(() => {}))
      bus.onReconnect(() => {
        sockets.reconnected()
        notices.renew()
      })
      await node.start()
      messages.tell('view', {})
    },
    async stop(endsTasks) {
      const leaving = node.leave(endsTasks)
      messages.tell('view', {})
      await leaving
      stop()
      messages.tell('view', {})
    },
    abandon: stop,
  }
}

const elsewhereOf = (node: ClusterNode, router: Router): Elsewhere => ({
  nodeOf(workspaceId) {
    const owner = node.ownerOf(shardOf(workspaceId)).node
    return owner === node.id ? null : owner
  },
  lines: (workspaceId) => router.callOwner(workspaceId, 'actors', () => [workspaceId]),
  detail: (workspaceId, ...rest) => router.callOwner(workspaceId, 'actor', () => [workspaceId, ...rest]),
})
