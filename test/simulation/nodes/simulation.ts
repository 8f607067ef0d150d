import type { OwnedShard } from '../../../actors/cluster/ports.ts'
import { MINUTE_MS, SECOND_MS } from '../../../machines/limits.ts'
import { shardOf } from '../../../machines/placement.ts'
import { anEndpoint } from '../../support/webhook-memory.ts'
import { checkActors, checkKept, checkNothingLeft, isQuiet } from '../checks.ts'
import { onlySimulated } from '../engine/platform.ts'
import { type Owner, Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import { Violation } from '../engine/trace.ts'
import { SimulatedBrowser } from '../outside/browser.ts'
import { Clients } from '../outside/clients.ts'
import { simulatedModel } from '../outside/model.ts'
import { pair } from '../outside/pairing.ts'
import { simulatedReceiver } from '../outside/receiver.ts'
import { QUIET_FRAMES } from '../plan.ts'
import { Random } from '../random.ts'
import type { Outcome } from '../simulation.ts'
import { Watch } from '../watch.ts'
import { SimulatedNats } from './bus.ts'
import { watchedShard } from './commits.ts'
import { SimulatedDatabase } from './database.ts'
import { KeptInDatabase } from './kept.ts'
import { type RunningNode, SimulatedNode } from './node.ts'
import { type NodesPlan, nodesPlanOf, QUIET_BUS } from './plan.ts'
import { NodesTrouble } from './trouble.ts'

const START_AT = Date.UTC(2026, 10, 30, 22)
/** What still runs when nothing goes wrong any more is cancelled after a while. */
const CANCEL_AFTER_MS = 20 * SECOND_MS

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
  const database: SimulatedDatabase = new SimulatedDatabase({
    scheduler,
    random,
    diesAt: ({ life }) => {
      if (!inTrouble() || !random.chance(plan.deathAtWrite)) return false
      nodes.find(({ running }) => running?.life === life)?.kill('at a write')
      return true
    },
    written: (collection, command) => kept.written(collection, command, scheduler.time),
  })
  const kept: KeptInDatabase = new KeptInDatabase(database, watch.broken)
  const nats = new SimulatedNats({ scheduler, random, trouble: () => (inTrouble() ? plan.bus : QUIET_BUS) })
  prepare(database)

  const workspaceIds = Array.from({ length: plan.workspaces }, (_, w) => `workspace-${w + 1}`)
  const workspaceOf = new Map<string, string>()
  const shards = new Set(workspaceIds.map(shardOf))
  const receiver = simulatedReceiver({ scheduler, random, watch, inTrouble })
  const model = simulatedModel({
    scheduler,
    random,
    broken: watch.broken,
    trouble: () => ({ faults: inTrouble() ? plan.modelFaults : 0, bugs: 0 }),
    hurried: () => !inTrouble(),
  })
  const epochOf = (taskId: string) => {
    const { workspaceId } = kept.tasks.get(taskId) ?? {}
    return workspaceId === undefined ? 0 : kept.shard(shardOf(workspaceId)).epoch
  }
  // By clocks that differ a minute is not the same.
  const countsStarts = plan.skewsMs.every((skewMs) => skewMs === 0)
  let lives = 0
  const crossing = new Set<string>()

  /** [M4] Only the owner of a shard sends. */
  function leaves(at: RunningNode, sessionId: string, epoch: number | null): void {
    const shard = shardOf(workspaceOf.get(sessionId) ?? '')
    const own = epoch ?? at.cluster.node.service(shard)?.owned.epoch ?? 0
    const now = kept.shard(shard)
    if (own < now.epoch) watch.broken(`a frame leaves under epoch ${own} of shard ${shard}, which is at ${now.epoch}`)
  }

  const nodes: readonly SimulatedNode[] = plan.skewsMs.map(
    (skewMs, n) =>
      new SimulatedNode({
        ...{ name: `node-${n + 1}`, skewMs, scheduler, random, database, nats, shards, model, crossing },
        billing: plan.billing,
        webhook: (life) => receiver(life, (taskId) => `life ${life.number} under ${epochOf(taskId)}`),
        nextLife: () => ++lives,
        watchShard: (owned: OwnedShard) => watchedShard(owned, { kept, watch, scheduler, countsStarts }),
        leaves: (at, sessionId, frame, epoch) => {
          leaves(at, sessionId, epoch)
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

  const browsers = new Map<string, SimulatedBrowser[]>()
  for (const workspaceId of workspaceIds) {
    const own = Array.from({ length: plan.browsersEach }, (_, b) => {
      const { record, token } = pair(random, workspaceId, START_AT)
      database.put('sessions', { _id: record.id, ...record })
      workspaceOf.set(record.id, workspaceId)
      // NATS doubles nothing: where messages come twice, browsers know what they were asked.
      const protocol = random.chance(0.7) || plan.bus.doubled > 0 ? 2 : 1
      const frames = () => (inTrouble() ? plan.frames : QUIET_FRAMES)
      return new SimulatedBrowser({
        ...{ name: `browser-${workspaceId.slice(-1)}-${b + 1}`, sessionId: record.id, token, protocol },
        ...{ scheduler, random },
        network: { scheduler, random, trouble: protocol === 1 ? () => ({ ...frames(), doubled: 0 }) : frames },
        service: () => {
          const running = anyNode()?.running
          return running ? { life: running.life, handlers: running.relay.handlers } : null
        },
        executed: (requestId) => watch.executed(requestId),
        read: (requestId, text) => watch.pageRead(requestId, text),
        trouble: () => (inTrouble() ? plan.slowCalls : 0),
      })
    })
    browsers.set(workspaceId, own)
    for (const browser of own) browser.start()
    if (random.chance(0.5))
      database.put('webhook_endpoints', { _id: workspaceId, ...anEndpoint({ id: workspaceId, workspaceId }) })
  }
  for (const node of nodes) scheduler.after(random.between(0, 3_000), THE_WORLD, 'first start', () => node.start())

  const clients = new Clients({
    ...{ scheduler, random, kept, watch, browsers },
    ...{ pauseMs: plan.pauseMs, queueing: plan.queueing, asking: plan.asking },
    reach: () => {
      const node = anyNode()
      if (!node?.running) return null
      const { life, cluster, store } = node.running
      return { life, taskService: cluster.taskService, store, listening: true, now: () => node.now }
    },
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

  /** The services that own their shards, by the word of the database. */
  const owners = (of: Owner | null = null) =>
    nodes.flatMap(({ running, now }) =>
      running?.cluster && !running.life.held && (of === null || running.life === of)
        ? [...running.cluster.node.services()].flatMap(({ running: actors, isOpen, owned }) =>
            isOpen && kept.shard(owned.shard).epoch === owned.epoch ? [{ actors, now, shard: owned.shard }] : [],
          )
        : [],
    )
  const look = (): boolean => {
    watch.places()
    // Only its own events change what runs at a node.
    for (const { actors } of owners(scheduler.last)) checkActors({ actors }, kept, watch, 0)
    return watch.breaches.length > 0
  }
  const verdict = () => {
    const [first] = watch.breaches
    if (first === undefined) return
    const last = scheduler.trace.last.map((line) => `  ${line}`).join('\n')
    throw new Violation(
      `seed ${seed}, step ${scheduler.steps}: ${watch.breaches.join('; ')}\n${last}\nseed ${seed}: ${first}`,
    )
  }

  await scheduler.run(START_AT + plan.troubleMs, look)
  verdict()
  trouble.stop()
  clients.stop()
  scheduler.after(CANCEL_AFTER_MS, THE_WORLD, 'all is cancelled', () => clients.cancelAll())
  const quiet = () => {
    if (scheduler.last === THE_WORLD) return false
    const all = owners()
    return all.length === shards.size && all.every(({ actors }) => isQuiet({ actors }, kept)) && clients.settled
  }
  await scheduler.run(scheduler.time + 10 * MINUTE_MS, () => look() || quiet())
  verdict()
  clients.readAll()
  await scheduler.run(scheduler.time + 15 * SECOND_MS, look)
  for (const { what, life, since } of clients.owed)
    if (life.alive && scheduler.time - since > 14 * SECOND_MS) watch.broken(`a client waits for ever for its ${what}`)
  if (owners().length !== shards.size) watch.broken('a shard has no owner')
  for (const { actors } of owners()) checkNothingLeft({ actors }, watch)
  // A node that is cut off may have the last word for a browser, too: as one that was stopped.
  checkKept(kept, watch, { ...plan, stopEveryMs: plan.stopEveryMs ?? 1 }, clients.payments, 2 * MINUTE_MS)
  kept.checkPromised()
  verdict()
  for (const { running } of nodes) if (running) running.life.alive = false
  const tasks = [...kept.tasks.values()]
  return {
    ...{ seed, hash: scheduler.trace.hash, steps: scheduler.steps },
    lives,
    tasks: tasks.length,
    completed: tasks.filter(({ status }) => status === 'complete').length,
    executions: watch.executions.size,
    moves: [...shards].reduce((sum, shard) => sum + kept.shard(shard).epoch - 1, 0),
  }
}

/** What the first node of a store leaves there, and the indexes that make it fast. */
function prepare(database: SimulatedDatabase): void {
  const holder = { id: 'several nodes', pid: 0, machine: null, startedAt: null, address: '' }
  database.put('leases', { _id: 'store', epoch: 0, settled: 0, holder, renewedAt: new Date() })
  for (const collection of ['journal', 'events', 'steps']) database.index(collection, { taskId: 1, seq: 1 })
  database.index('actors', { shard: 1 })
}
