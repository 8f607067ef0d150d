import { shardOf } from '../../../machines/placement.ts'
import { ENDPOINTS, SESSIONS } from '../../../src/stores/tables.ts'
import { anEndpoint } from '../../support/webhook-memory.ts'
import type { Kept } from '../database/kept.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { Reached } from '../outside/asking.ts'
import { type BrowserOptions, SimulatedBrowser } from '../outside/browser.ts'
import { pair } from '../outside/pairing.ts'
import { QUIET_FRAMES } from '../plan.ts'
import type { Random } from '../random.ts'
import type { Watch } from '../watch.ts'
import type { SimulatedNode } from './node.ts'
import type { NodesPlan } from './plan.ts'
import type { ShardsKept } from './shards-kept.ts'

/** What a client reaches at a node. */
export function reachedAt(node: SimulatedNode | null, shards: ShardsKept): Reached | null {
  if (!node?.running) return null
  const { life, cluster, store, startOnce } = node.running
  /** The owner, where this node knows it. */
  const decider = (workspaceId: string) => {
    const shard = shardOf(workspaceId)
    const { epoch } = shards.of(shard)
    return cluster.node.ownerOf(shard).epoch === epoch ? `epoch ${epoch}` : null
  }
  const { taskService } = cluster
  return { life, taskService, store, decider, listening: true, now: () => node.now, startOnce }
}

export interface BrowsersOptions {
  readonly plan: NodesPlan
  readonly scheduler: Scheduler
  readonly random: Random
  readonly kept: Kept
  readonly watch: Watch
  readonly workspaceIds: readonly string[]
  /** By session; filled here. */
  readonly workspaceOf: Map<string, string>
  readonly inTrouble: () => boolean
  readonly service: BrowserOptions['service']
  readonly startAt: number
}

/** The paired browsers of each workspace, which connect at once, and its webhook endpoint, if it has one. */
export function browsersOf(options: BrowsersOptions): Map<string, SimulatedBrowser[]> {
  const { plan, scheduler, random, kept, watch, workspaceIds, workspaceOf, inTrouble, service, startAt } = options
  const frames = () => (inTrouble() ? plan.frames : QUIET_FRAMES)
  const browsers = new Map<string, SimulatedBrowser[]>()
  for (const workspaceId of workspaceIds) {
    const own = Array.from({ length: plan.browsersEach }, (_, b) => {
      const { record, token } = pair(random, workspaceId, startAt)
      kept.put(SESSIONS, record)
      workspaceOf.set(record.id, workspaceId)
      // NATS doubles nothing: where messages come twice, browsers know what they were asked.
      const protocol = random.chance(0.7) || plan.bus.doubled > 0 ? 2 : 1
      return new SimulatedBrowser({
        ...{ name: `browser-${workspaceId.slice(-1)}-${b + 1}`, sessionId: record.id, token, protocol },
        ...{ scheduler, random, service },
        network: { scheduler, random, trouble: protocol === 1 ? () => ({ ...frames(), doubled: 0 }) : frames },
        executed: (requestId) => watch.executed(requestId),
        watch,
        trouble: () => (inTrouble() ? plan.slowCalls : 0),
        callMsMax: 500,
      })
    })
    browsers.set(workspaceId, own)
    for (const browser of own) browser.start()
    if (random.chance(0.5)) kept.put(ENDPOINTS, anEndpoint({ id: workspaceId, workspaceId }))
  }
  return browsers
}
