import { createCluster, type RunningCluster } from '../../../actors/cluster/create-cluster.ts'
import type { OwnedShard, Shards } from '../../../actors/cluster/ports.ts'
import type { Model, Outbox, OutgoingFrame, Store, Webhook } from '../../../actors/runtime/ports.ts'
import { STOP_MS_MAX } from '../../../machines/limits.ts'
import { SHARDS } from '../../../machines/placement.ts'
import { openRelay, type Relay } from '../../../src/relay/relay.ts'
import { shareLease } from '../../../src/stores/mongodb/lease.ts'
import { isShared, shardsOf } from '../../../src/stores/mongodb/shards.ts'
import { rulesOver } from '../../../src/stores/rules/store.ts'
import type { SimulatedDatabase } from '../database/database.ts'
import { type Owner, type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import { clockOf, type Life, logOf, type WatchLog } from '../outside/life.ts'
import { simulatedTools } from '../outside/model.ts'
import type { Random } from '../random.ts'
import type { SimulatedNats } from './bus.ts'
import type { SimulatedCollections } from './collections.ts'
import type { Link } from './link.ts'
import { startOnceOf } from './start-once.ts'

/** A node that runs. */
export interface RunningNode {
  readonly life: Life
  readonly link: Link
  readonly cluster: RunningCluster
  readonly relay: Relay
  readonly store: Store
  readonly startOnce: ReturnType<typeof startOnceOf>
}

export interface NodeOptions {
  readonly name: string
  readonly skewMs: number
  readonly scheduler: Scheduler
  readonly random: Random
  readonly database: SimulatedDatabase<Link>
  readonly collections: SimulatedCollections
  readonly nats: SimulatedNats
  /** The shards of the simulation: all others belong to a node that is not part of it. */
  readonly shards: ReadonlySet<number>
  readonly model: (owner: Owner) => Model
  readonly webhook: (node: RunningNode) => Webhook
  readonly billing: { readonly freePerMonth: number } | null
  readonly watchLog: WatchLog
  readonly watchShard: (owned: OwnedShard, link: Link) => OwnedShard
  /** A frame leaves its owner, to a browser here or elsewhere; `epoch`: under which, if it says so. */
  readonly leaves: (node: RunningNode, sessionId: string, frame: OutgoingFrame, epoch: number | null) => void
  readonly nextLife: () => number
  /** Frames that left their owners for other nodes: they were looked at there. */
  readonly crossing: Set<string>
  /** A frame was given to a socket. */
  readonly sent: (frame: OutgoingFrame) => void
}

const ELSEWHERE = { id: 'elsewhere', address: '', leaving: true, reachesBus: true, silentMs: 0 }

/** One of the nodes: the real cluster, relay and MongoDB store over a simulated driver and bus. */
export class SimulatedNode {
  running: RunningNode | null = null
  listening = false
  /** Since when it takes requests, or goes on after it was stopped. */
  since = 0
  starts = 0
  readonly options: NodeOptions
  #stopping = false

  constructor(options: NodeOptions) {
    this.options = options
  }

  get now(): number {
    return Math.floor(this.options.scheduler.time + this.options.skewMs)
  }

  /** It takes requests, and nothing holds it up. */
  get isWell(): boolean {
    const { link, life } = this.running ?? {}
    return this.listening && !life?.held && !link?.busCut && !link?.storeCut
  }

  start(): void {
    const { scheduler, name } = this.options
    const life: Life = { alive: true, number: this.options.nextLife(), mourners: new Set() }
    this.starts++
    scheduler.trace.happened(`${name} starts`)
    this.#begin(life).then(
      () => {
        if (!life.alive) return
        scheduler.trace.happened(`${name} listens`)
        this.listening = true
        this.since = scheduler.time
      },
      (error) => {
        if (life.alive) this.kill(`it could not start: ${error}`)
      },
    )
  }

  async #begin(life: Life): Promise<void> {
    const { name, scheduler, random, database, nats, billing, model, webhook } = this.options
    const link: Link = { life, storeCut: false, busCut: false }
    const all = this.options.collections.open(link)
    const [driver, settings] = [database.driver(link), database.settings(link)]
    const clock = clockOf(scheduler, life, () => this.options.skewMs)
    const log = logOf(scheduler, life, this.options.watchLog)
    const ids = { uuid: () => random.uuid() }
    // Known from now on, so that it can die on its way.
    const partial = { life, link } as { -readonly [K in keyof RunningNode]: RunningNode[K] }
    this.running = partial
    const lease = await shareLease(
      all.leases,
      'the store',
      { address: name, shared: true },
      () => isShared(all),
      async () => {},
    )
    const base: Store = {
      ...rulesOver(driver, settings),
      ...{
        kind: 'mongodb',
        ping: async () => database.mood !== 'down' && !link.storeCut,
        close: async () => {},
        onLost() {},
      },
    }
    const wait = (ms: number) => new Promise((resolve) => void scheduler.after(ms, life, 'wait', () => resolve(null)))
    const shards = this.#shards(
      link,
      shardsOf({
        ...{ all, settings, store: base, lease, address: name, cluster: 'sim', onTaken() {}, wait },
        driverUnder: (fence) => driver.under(fence),
        raise: (fence) => database.raise(link, fence),
        node: `${name}-${random.hex(6)}`,
        now: () => scheduler.time,
      }),
    )
    const relay = openRelay({ store: base, clock, ids, log })
    const bus = nats.connect(link)
    const cluster = createCluster(
      {
        ...{ store: base, clock, ids, log, billing },
        model: model(life),
        tools: simulatedTools,
        webhook: webhook(partial),
        outbox: this.#outbox(partial, relay.outbox),
      },
      {
        shards,
        bus: { ...bus, publish: (subject, text) => this.#publish(partial, bus, subject, text) },
        monotonic: () => scheduler.time,
        retentionDays: 30,
        soon: (work) => void scheduler.after(random.between(0, 0.05), life, 'soon', work),
      },
    )
    const { taskService } = cluster
    relay.attach(taskService)
    const startOnce = startOnceOf({ taskService, store: base, clock, ids, log })
    Object.assign(partial, { cluster, relay, store: base, startOnce })
    await cluster.start()
  }

  #shards(link: Link, shards: Shards): Shards {
    const { shards: simulated, watchShard } = this.options
    return {
      ...shards,
      async refreshView(about) {
        const { nodes, owners } = await shards.refreshView(about)
        return {
          nodes: [...nodes, ELSEWHERE],
          owners: Array.from({ length: SHARDS }, (_, shard) =>
            simulated.has(shard) ? (owners[shard] ?? { node: null, epoch: 0 }) : { node: ELSEWHERE.id, epoch: 1 },
          ),
        }
      },
      async acquire(shard, seen) {
        const owned = await shards.acquire(shard, seen)
        return owned && watchShard(owned, link)
      },
    }
  }

  #outbox(own: RunningNode, outbox: Outbox): Outbox {
    return {
      ...outbox,
      send: (sessionId, frame) => {
        // One from elsewhere may be given twice by the bus: it is counted where it left.
        const isForeign = this.options.crossing.has(JSON.stringify(frame))
        if (!isForeign) this.options.leaves(own, sessionId, frame, null)
        const sent = outbox.send(sessionId, frame)
        if (sent && !isForeign) this.options.sent(frame)
        return sent
      },
    }
  }

  #publish(own: RunningNode, bus: ReturnType<SimulatedNats['connect']>, subject: string, text: string): void {
    if (text.startsWith('{"about":"frame"')) {
      const { sessionId, frame, epoch } = JSON.parse(text)
      this.options.leaves(own, sessionId, frame, epoch)
      this.options.crossing.add(JSON.stringify(frame))
      this.options.sent(frame)
    }
    bus.publish(subject, text)
  }

  /** As by `kill -9`, or a machine that is gone; it is started again after a while. */
  kill(why: string): void {
    const { running } = this
    if (!running) return
    const { scheduler, random, name } = this.options
    scheduler.trace.happened(`${name} dies: ${why}`)
    this.running = null
    this.listening = false
    this.#stopping = false
    const { life } = running
    life.alive = false
    for (const hear of life.mourners) hear()
    scheduler.bury()
    scheduler.after(random.between(100, 12_000), THE_WORLD, `start ${name}`, () => this.start())
  }

  /** As by SIGSTOP: nothing of it happens until it goes on. */
  freeze(): void {
    const { life } = this.running ?? {}
    if (!life || life.held) return
    this.options.scheduler.trace.happened(`${this.options.name} stands still`)
    life.held = []
  }

  goOn(): void {
    const { life } = this.running ?? {}
    if (!life?.held) return
    this.options.scheduler.trace.happened(`${this.options.name} goes on`)
    this.since = this.options.scheduler.time
    this.options.scheduler.release(life)
  }

  /** As by SIGTERM: it hands over what it owns. */
  stop(): void {
    const { running } = this
    if (!running || !this.listening || this.#stopping || running.life.held) return
    const { scheduler, name } = this.options
    scheduler.trace.happened(`${name} hands over`)
    this.#stopping = true
    this.listening = false
    void running.cluster.stop(false).then(() => {
      if (this.running !== running) return
      running.relay.close()
      this.kill('it was stopped')
    })
    scheduler.after(STOP_MS_MAX, running.life, 'stop', () => {
      if (this.running === running) this.kill('it did not stop in time')
    })
  }
}
