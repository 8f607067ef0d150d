import type { ClusterReport } from '../../actors/cluster/cluster-report.ts'
import type { Shards } from '../../actors/cluster/ports.ts'
import type { LiveTabs } from '../../actors/cluster/viewer-notices.ts'
import { createTaskService, type TaskServiceOptions } from '../../actors/create-task-service.ts'
import type { Elsewhere } from '../../actors/inspection/elsewhere.ts'
import type { Inspection } from '../../actors/inspection/inspection.ts'
import type { Ports, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import { shardOf } from '../../machines/placement.ts'
import type { Config } from '../config/config.ts'
import type { MeasuredParts } from '../observe/metrics.ts'
import type { OpenedStore } from '../stores/open.ts'

/** The actors of this process: all there are, or those of a node among several. */
export interface Actors {
  readonly taskService: TaskService
  readonly measured: MeasuredParts
  /** `null`: this process owns all. */
  report(): ClusterReport | null
  /** What runs at other nodes; `null`: this process owns all. */
  readonly elsewhere: Elsewhere | null
  /** The tabs of browsers at all nodes, given those at this one. */
  liveOf(tabs: LiveTabs): LiveTabs
  /** Whether what runs of a workspace runs here. */
  owns(workspaceId: string): boolean
  start(): Promise<void>
  /** Ends what runs, or hands it over, as `SHUTDOWN` says. */
  stop(): Promise<void>
  abandon(): void
  /** When nothing is sent any more. */
  close(): Promise<void>
}

/** The shards of a node, each with a store that is observed like that of a process that owns all. */
const observedShards = (shards: Shards, observed: (store: Store) => Store): Shards => ({
  ...shards,
  async acquire(shard, seen) {
    const owned = await shards.acquire(shard, seen)
    return owned && { ...owned, store: observed(owned.store) }
  },
})

/** [M1] With `NATS_URL` the actors of a node among several, else all there are. */
export async function openActors(
  config: Pick<Config, 'natsUrl' | 'shutdown'>,
  store: Pick<OpenedStore, 'shards'>,
  ports: Ports,
  {
    observed,
    ...options
  }: TaskServiceOptions & { readonly watch: Inspection; readonly observed: (store: Store) => Store },
): Promise<Actors> {
  const endsTasks = config.shutdown === 'end'
  if (config.natsUrl === null || !store.shards) {
    const { taskService, system, start, stop, handOver, abandon } = createTaskService(ports, options)
    return {
      taskService,
      measured: { systems: () => [system], vitals: system.vitals },
      report: () => null,
      elsewhere: null,
      liveOf: (tabs) => tabs,
      owns: () => true,
      start,
      stop: endsTasks ? stop : handOver,
      abandon,
      close: async () => {},
    }
  }
  const [{ createCluster }, { openNats }] = await Promise.all([
    import('../../actors/cluster/create-cluster.ts'),
    import('../stores/bus/nats.ts'),
  ])
  const bus = await openNats(config.natsUrl, ports.log)
  const cluster = createCluster(ports, {
    ...options,
    shards: observedShards(store.shards, observed),
    bus,
    inspection: options.watch,
    monotonic: () => performance.now(),
  })
  const { taskService, node, report, elsewhere, systems } = cluster
  const sent = () => {
    const { outMsgs: messages, outBytes: bytes } = bus.stats()
    const { owns, unowned, nodes } = report()
    return { owns, unowned, nodes: nodes.length, messages, bytes }
  }
  return {
    taskService,
    measured: { systems, vitals: node.vitals, cluster: sent },
    report,
    elsewhere,
    liveOf: cluster.liveOf,
    owns: (workspaceId) => node.service(shardOf(workspaceId))?.isOpen === true,
    start: cluster.start,
    stop: () => cluster.stop(endsTasks),
    abandon: cluster.abandon,
    close: bus.close,
  }
}
