import type { OwnedShard } from '../../../actors/cluster/ports.ts'
import { NODE_LATE_MS } from '../../../actors/limits.ts'
import { MINUTE_MS, SECOND_MS } from '../../../machines/limits.ts'
import { shardOf } from '../../../machines/placement.ts'
import { checkActors, checkKept, checkNothingLeft, isQuiet } from '../checks.ts'
import { SimulatedDatabase } from '../database/database.ts'
import { Kept } from '../database/kept.ts'
import { onlySimulated } from '../engine/platform.ts'
import { type Owner, Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import { Clients } from '../outside/clients.ts'
import { simulatedModel } from '../outside/model.ts'
import { simulatedReceiver } from '../outside/receiver.ts'
import { Random } from '../random.ts'
import type { Outcome } from '../simulation.ts'
import { every } from '../trouble.ts'
import { Watch } from '../watch.ts'
import { SimulatedNats } from './bus.ts'
import { SimulatedCollections } from './collections.ts'
import { watchedShard } from './commits.ts'
import { cancelAgain, checkKeptByNodes, knowsItsShards, Probes, pronounce, watchResults } from './end-checks.ts'
import type { Link } from './link.ts'
import { type RunningNode, SimulatedNode } from './node.ts'
import { browsersOf, reachedAt } from './people.ts'
import { type NodesPlan, nodesPlanOf, QUIET_BUS } from './plan.ts'
import { ShardsKept } from './shards-kept.ts'
import { Strikes } from './strikes.ts'
import { NodesTrouble } from './trouble.ts'

const START_AT = Date.UTC(2026, 10, 30, 22)

/** By then all is over, deliveries that are tried again apart. */
const QUIET_MS_MAX = 3 * MINUTE_MS
const PROBES_MS_MAX = 60 * SECOND_MS

export interface NodesOutcome extends Outcome {
  /** How often a shard changed its owner. */
  readonly moves: number
}

export interface SimulateNodesOptions {
  readonly change?: Partial<NodesPlan>
  readonly heard?: (line: string) => void
}

/** Runs one seed of three nodes over one store to its end. Throws a `Violation` that says what happened last. */
export async function simulateNodes(seed: number, { change, heard }: SimulateNodesOptions = {}): Promise<NodesOutcome> {
  const random = new Random(seed)
  const plan = { ...nodesPlanOf(random), ...change }
  const scheduler = new Scheduler(START_AT, heard)
  return onlySimulated(scheduler, async () => run(seed, plan, random, scheduler))
}

async function run(seed: number, plan: NodesPlan, random: Random, scheduler: Scheduler): Promise<NodesOutcome> {
  const watch: Watch = new Watch(() => kept)
  let trouble: NodesTrouble | null = null
  const inTrouble = () => trouble === null || trouble.isOn
  const kept: Kept = new Kept({
    broken: watch.broken,
    logged: (record) => watch.logged(record),
    changed(changes, by) {
      shards.changed(changes, by)
    },
  })
  const database = new SimulatedDatabase<Link>({
    ...{ scheduler, random, rows: kept.rows },
    strike: (link, moment, what) => strikes.at(link, moment, what),
  })
  const collections = new SimulatedCollections(database, (collection) => {
    if (collection === 'shards' && shards.written(scheduler.time)) database.takenOver()
  })
  const shards = new ShardsKept(() => collections.find('shards') as never, watch.broken)
  const strikes = new Strikes({
    plan: plan.strikes,
    scheduler,
    random,
    nodes: () => nodes,
    isOn: () => trouble?.isOn ?? false,
    cut: (node, ms) => trouble?.cut(node, ms),
  })
  /** In a moment: what is at hand has begun by then. */
  const soon = (link: Link, moment: 'call' | 'frame') =>
    scheduler.after(random.between(0, 6), THE_WORLD, moment, () => void strikes.at(link, moment, [moment]))
  const nats = new SimulatedNats({
    scheduler,
    random,
    trouble: () => (inTrouble() ? plan.bus : QUIET_BUS),
    called: (link) => void soon(link, 'call'),
  })

  // As the first node of a store leaves it.
  const holder = { id: 'several nodes with fences', pid: 0, machine: null, startedAt: null, address: '' }
  collections.put('leases', { _id: 'store', epoch: 0, holder, renewedAt: new Date() })

  const workspaceIds = Array.from({ length: plan.workspaces }, (_, w) => `workspace-${w + 1}`)
  const workspaceOf = new Map<string, string>()
  const used = new Set(workspaceIds.map(shardOf))
  const receiver = simulatedReceiver({ scheduler, random, watch, inTrouble, accepts: 0.95 })
  const model = simulatedModel({
    scheduler,
    random,
    broken: watch.broken,
    trouble: () => ({ faults: inTrouble() ? plan.modelFaults : 0, bugs: 0 }),
    hurried: () => !inTrouble(),
    replyMsMax: 800,
  })
  const epochOf = (taskId: string) => {
    const { workspaceId } = kept.tasks.get(taskId) ?? {}
    return workspaceId === undefined ? 0 : shards.of(shardOf(workspaceId)).epoch
  }
  // By clocks that differ a minute is not the same.
  const countsStarts = plan.skewsMs.every((skewMs) => skewMs === 0)
  let lives = 0
  const crossing = new Set<string>()

  /** [M4] Only the owner of a shard sends; a former one as long as what the store said before counts. */
  function owns(at: RunningNode, workspaceId: string, epoch: number | null, what: string): void {
    const shard = shardOf(workspaceId)
    const own = at.cluster.node.service(shard)?.owned.epoch ?? 0
    const now = shards.of(shard)
    const isFormer = own === 0 || shards.wasTakenBefore(shard, own, scheduler.time - NODE_LATE_MS)
    if (isFormer || (epoch ?? own) !== own)
      watch.broken(`${what} leaves under epoch ${epoch ?? own} of shard ${shard}, which is at ${now.epoch}`)
  }

  const nodes: readonly SimulatedNode[] = plan.skewsMs.map(
    (skewMs, n) =>
      new SimulatedNode({
        ...{ name: `node-${n + 1}`, skewMs, scheduler, random, database, collections, nats, model, crossing },
        shards: used,
        billing: plan.billing,
        webhook: (at) =>
          receiver(at.life, (taskId) => {
            owns(at, kept.tasks.get(taskId)?.workspaceId ?? '', null, 'a webhook')
            return `life ${at.life.number} under ${epochOf(taskId)}`
          }),
        nextLife: () => ++lives,
        watchShard: (owned: OwnedShard, link: Link) => {
          const storeIsWell = () => database.mood === 'well' && !link.storeCut
          return watchedShard(owned, { kept, shards, watch, scheduler, countsStarts, storeIsWell })
        },
        leaves: (at, sessionId, frame, epoch) => {
          soon(at.link, 'frame')
          owns(at, workspaceOf.get(sessionId) ?? '', epoch, 'a frame')
          watch.sending(frame)
        },
        sent: (frame) => watch.sent(frame),
        watchLog: (level, fields, message) => {
          if (level === 'error' && (message.startsWith('An actor failed') || message === 'A delivery failed'))
            watch.broken(`${message} ${JSON.stringify(fields)} ${String((fields as { err?: unknown }).err)}`)
        },
      }),
  )
  /** Any node that takes requests, as a load balancer gives them out. */
  const anyNode = () => {
    const listening = nodes.filter((node) => node.listening)
    return listening.length > 0 ? random.pick(listening) : null
  }

  const browsers = browsersOf({
    ...{ plan, scheduler, random, kept, watch, workspaceIds, workspaceOf, inTrouble },
    service: () => {
      const running = anyNode()?.running
      return running ? { life: running.life, handlers: running.relay.handlers } : null
    },
    startAt: START_AT,
  })
  for (const node of nodes)
    scheduler.after(random.between(0, plan.startMs), THE_WORLD, 'first start', () => node.start())

  const clients = new Clients({
    ...{ scheduler, random, kept, watch, browsers },
    ...{ pauseMs: plan.pauseMs, queueing: plan.queueing, asking: plan.asking },
    reach: () => reachedAt(anyNode(), shards),
  })
  trouble = new NodesTrouble({
    plan,
    scheduler,
    random,
    nodes,
    database,
    nats,
    browsers: [...browsers.values()].flat(),
  })
  const some = { scheduler, random, isOn: inTrouble }
  every(some, plan.cancelEveryMs ?? null, 'all is cancelled', () => clients.cancelAll())

  /** The services that own their shards, by the word of the database. */
  const owners = (of: Owner | null = null) =>
    nodes.flatMap(({ running, now }) =>
      running?.cluster && !running.life.held && (of === null || running.life === of)
        ? [...running.cluster.node.services()].flatMap(({ running: actors, isOpen, owned }) =>
            isOpen && shards.of(owned.shard).epoch === owned.epoch ? [{ actors, now, shard: owned.shard }] : [],
          )
        : [],
    )
  const look = (): boolean => {
    watch.places()
    // Only its own events change what runs at a node.
    for (const { actors } of owners(scheduler.last)) checkActors({ actors }, kept, watch, 0)
    return watch.breaches.length > 0
  }
  const verdict = () => pronounce(seed, scheduler, watch)

  const isWell = () => database.mood === 'well' && scheduler.time > database.owesUntil
  const parts = { plan, scheduler, random, watch, kept, shards, nodes, browsers, isWell }
  if (plan.frames.lost === 0 && plan.bus.lost === 0) watchResults(parts)

  await scheduler.run(START_AT + plan.troubleMs, look)
  verdict()
  trouble.stop()
  clients.stop()
  const cancelling = cancelAgain(scheduler, clients)
  const quiet = () => {
    if (scheduler.last === THE_WORLD) return false
    const all = owners()
    return all.length === used.size && all.every(({ actors }) => isQuiet({ actors }, kept)) && clients.settled
  }
  await scheduler.run(scheduler.time + QUIET_MS_MAX, () => look() || quiet())
  verdict()
  clients.readAll()
  await scheduler.run(scheduler.time + 15 * SECOND_MS, () => look() || clients.owed.size === 0)
  // A start that was under way when all was quiet may have begun meanwhile.
  await scheduler.run(scheduler.time + QUIET_MS_MAX, () => look() || quiet())
  cancelling.end()
  const probes = new Probes(parts)
  await scheduler.run(scheduler.time + PROBES_MS_MAX, () => look() || (probes.isOver && knowsItsShards(parts)))
  probes.check()
  if (!knowsItsShards(parts)) watch.broken('a node runs a shard of which another has raised the epoch')
  await scheduler.run(scheduler.time + QUIET_MS_MAX, () => look() || quiet())
  await scheduler.run(scheduler.time + SECOND_MS, look)
  // A shard may be on its way to the node where it belongs, and what was removed last to the store.
  const isSwept = () => kept.actors().every(({ address }) => address.startsWith('workspace:'))
  await scheduler.run(scheduler.time + MINUTE_MS, () => look() || (quiet() && isSwept()))
  for (const { what, life, since } of clients.owed)
    if (life.alive && scheduler.time - since > 14 * SECOND_MS) watch.broken(`a client waits for ever for its ${what}`)
  if (owners().length !== used.size) watch.broken('a shard has no owner')
  for (const { actors } of owners()) checkNothingLeft({ actors }, watch)
  // A node that is cut off may have the last word for a browser, too: as one that was stopped.
  checkKept(kept, watch, { ...plan, stopEveryMs: plan.stopEveryMs ?? 1 }, clients.payments, 2 * MINUTE_MS)
  checkKeptByNodes(parts, plan)
  verdict()
  for (const { running } of nodes) if (running) running.life.alive = false
  const tasks = [...kept.tasks.values()]
  return {
    ...{ seed, hash: scheduler.trace.hash, steps: scheduler.steps },
    lives,
    tasks: tasks.length,
    completed: tasks.filter(({ status }) => status === 'complete').length,
    executions: watch.executions.size,
    moves: [...used].reduce((sum, shard) => sum + shards.of(shard).epoch - 1, 0),
  }
}
