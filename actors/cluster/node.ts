import { serviceAddress, shardAddress } from '../../machines/addresses.ts'
import { places, SHARDS } from '../../machines/placement.ts'
import { ModelGateway } from '../conversation/model-gateway.ts'
import { createTaskService, type TaskServiceOptions } from '../create-task-service.ts'
import { CLUSTER_LOOK_EVERY_MS, NODE_FRESH_MS_MAX, NODE_LATE_MS, NODE_STEADY_MS_MIN } from '../limits.ts'
import { messageOf } from '../runtime/effects.ts'
import type { Ports } from '../runtime/ports.ts'
import { Registry } from '../runtime/registry.ts'
import { shardActor } from '../shard.ts'
import { createVitals } from '../vitals.ts'
import { fencedPorts } from './fenced-ports.ts'
import type { ClusterView, OwnedShard, ShardOwner, Shards } from './ports.ts'
import { Presence } from './presence.ts'
import { ShardService } from './shard-service.ts'

export interface NodeOptions extends TaskServiceOptions {
  readonly shards: Shards
  /** Frames to a browser that is connected at another node, or at this one. */
  readonly outboxOf: (service: ShardService) => Ports['outbox']
  /** A clock that nobody sets, in ms. */
  readonly monotonic: () => number
  /** Whether nobody listens for that node any more: its process ended, or its connection to the bus. */
  readonly isGone: (node: string) => Promise<boolean>
  /** After each look: who owns what may have changed. */
  readonly onView: (view: ClusterView) => void
  /** A look failed. */
  readonly onBlind?: () => void
  /** A service of a shard began. */
  readonly onOpen: (service: ShardService) => void
}

/**
 * [M2] One of several nodes: it looks who lives and who owns what, and tells its shards which of them it should own. Each
 * shard is an actor; what runs of it is a service of its own.
 */
export class ClusterNode {
  readonly ports: Ports
  readonly shards: Shards
  readonly registry: Registry
  readonly #options: NodeOptions
  readonly #services = new Map<number, ShardService>()
  readonly #shared: { models: ModelGateway; vitals: ReturnType<typeof createVitals> }
  #view: ClusterView = { nodes: [], owners: [] }
  readonly #placesOf = places()
  readonly #presence: Presence
  #lookedAt = Number.NEGATIVE_INFINITY
  /** Since when every look succeeded in time. */
  #steadySince = Number.POSITIVE_INFINITY
  #looking: Promise<void> | null = null
  #timer: unknown = null
  #leaving = false
  #endsTasks = false
  #stopped = false

  constructor(ports: Ports, options: NodeOptions) {
    this.ports = ports
    this.#options = options
    this.shards = options.shards
    this.registry = new Registry({
      clock: ports.clock,
      log: ports.log,
      ...(options.watch ? { watch: options.watch } : {}),
    })
    this.#presence = new Presence(options.isGone, () => void this.look().catch(() => {}))
    this.#shared = { models: new ModelGateway(ports), vitals: createVitals() }
  }

  get id(): string {
    return this.shards.node
  }
  get view(): ClusterView {
    return this.#view
  }
  get models(): ModelGateway {
    return this.#shared.models
  }
  get vitals() {
    return this.#shared.vitals
  }
  get leaving(): boolean {
    return this.#leaving
  }
  services(): Iterable<ShardService> {
    return this.#services.values()
  }
  service(shard: number): ShardService | undefined {
    return this.#services.get(shard)
  }
  ownerOf(shard: number): ShardOwner {
    return this.#view.owners[shard] ?? { node: null, epoch: 0 }
  }
  /** Whether the node could look lately: else its shards may be another's. */
  get isFresh(): boolean {
    return this.#sinceRenewalMs() < NODE_FRESH_MS_MAX
  }

  /** Whether nobody can have taken its shards without a hand-over: others wait longer than since its last renewal. */
  get isUntaken(): boolean {
    return this.#sinceRenewalMs() < NODE_LATE_MS
  }
  #sinceRenewalMs(): number {
    return this.#options.monotonic() - this.#lookedAt
  }

  open(owned: OwnedShard): void {
    const { ports } = this
    const service = new ShardService(owned, (own) => {
      // What was under way when the shard was handed over is the next owner's to send.
      const isHere = () => this.#services.get(owned.shard) === own
      const standing = { isHere, sinceRenewalMs: () => this.#sinceRenewalMs(), monotonic: this.#options.monotonic }
      const fenced = fencedPorts({ ...ports, outbox: this.#options.outboxOf(own) }, owned, standing)
      const watch = this.#options.watch && watchOf(this.#options.watch, owned.shard)
      return createTaskService(
        { ...ports, ...fenced, store: owned.store },
        { ...this.#options, ...(watch ? { watch } : {}), shared: this.#shared },
      )
    })
    this.#services.set(owned.shard, service)
    this.#options.onOpen(service)
  }

  /** `of`: that service alone, not one that was opened since. */
  abandon(shard: number, of = this.#services.get(shard)): void {
    if (this.#services.get(shard) === of) this.#services.delete(shard)
    of?.abandon()
  }

  /** Resolves when the node owns its part, or others still have it. Rejects when the store does not answer. */
  async start(): Promise<void> {
    const logic = shardActor(this)
    for (let shard = 0; shard < SHARDS; shard++)
      this.registry.start(shardAddress(shard), logic, { input: { shard }, supervisor: null })
    await this.look()
    this.#again()
    await this.#settled()
  }

  /** Whether what it owns ends before it is released: another node goes on with it otherwise. */
  get endsTasks(): boolean {
    return this.#endsTasks
  }

  /** Releases what it owns. */
  async leave(endsTasks: boolean): Promise<void> {
    this.#endsTasks = endsTasks
    this.#leaving = true
    this.ports.clock.clearTimeout(this.#timer)
    await this.look().catch(() => {})
    for (const { owned } of this.#services.values()) this.registry.post(shardAddress(owned.shard), UNWANTED)
    await this.#settled()
    this.stop()
  }

  stop(): void {
    this.#stopped = true
    this.ports.clock.clearTimeout(this.#timer)
    for (const shard of [...this.#services.keys()]) this.abandon(shard)
    this.registry.stopAll()
  }

  /** One look at a time; who asks meanwhile gets that one. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { monotonic, onView } = this.#options
    const begun = monotonic()
    try {
      const { nodes, owners } = await this.shards.look(this.#leaving)
      this.#view = { nodes: this.#presence.present(nodes, this.id), owners }
    } catch (error) {
      this.#steadySince = Number.POSITIVE_INFINITY
      this.#options.onBlind?.()
      throw error
    }
    if (begun - this.#lookedAt >= NODE_FRESH_MS_MAX) this.#steadySince = begun
    this.#steadySince = Math.min(this.#steadySince, begun)
    this.#lookedAt = begun
    if (this.#stopped) return
    onView(this.#view)
    this.#place(begun - this.#steadySince >= NODE_STEADY_MS_MIN)
  }

  /** Tells each shard what this node wants of it. */
  #place(mayInherit: boolean): void {
    const staying = this.#view.nodes.filter(({ leaving }) => !leaving)
    /** [M11] A shard with rows of a newer version is for the nodes that can read them. */
    const readers = (format: number) => staying.filter((node) => (node.format ?? 0) >= format).map(({ id }) => id)
    const byFormat = new Map<number, readonly (string | null)[]>()
    const alive = new Set(this.#view.nodes.map(({ id }) => id))
    for (let shard = 0; shard < SHARDS; shard++) {
      const { node, epoch, format = 0 } = this.ownerOf(shard)
      const belongs = byFormat.get(format) ?? this.#placesOf(readers(format))
      byFormat.set(format, belongs)
      const isMine = belongs[shard] === this.id && !this.#leaving
      const own = this.#services.get(shard)?.owned
      if (own) {
        // An idle shard writes nothing that could be refused.
        if (epoch > own.epoch) this.registry.post(shardAddress(shard), { type: 'shard.lost', epoch: own.epoch })
        else if (!isMine) this.registry.post(shardAddress(shard), UNWANTED)
        continue
      }
      const isFree = node === null || (mayInherit && !alive.has(node))
      // The answer to an acquisition or a release was lost: no other node takes it from one that lives.
      const isNamed = node === this.id && !this.#leaving
      if (isNamed || (isMine && isFree)) this.registry.post(shardAddress(shard), WANTED)
    }
  }

  #again(): void {
    if (this.#stopped || this.#leaving) return
    this.#timer = this.ports.clock.setTimeout(() => {
      this.look()
        .catch((error: unknown) => this.ports.log.warn({ err: messageOf(error) }, 'The nodes could not be looked at'))
        .finally(() => this.#again())
    }, CLUSTER_LOOK_EVERY_MS)
  }

  /** No shard is on its way. */
  async #settled(): Promise<void> {
    for (let shard = 0; shard < SHARDS; shard++) {
      await this.registry.until(
        shardAddress(shard),
        (it) => it.value === 'absent' || (!this.#leaving && it.value === 'owned'),
      )
    }
  }
}

const WANTED = { type: 'shard.wanted' } as const
const UNWANTED = { type: 'shard.unwanted' } as const

/** Of the services of shards the inspector shows what is under them, as under their shards. */
function watchOf(watch: NonNullable<TaskServiceOptions['watch']>, shard: number): typeof watch {
  const isOwn = (address: string) => address.startsWith('service:') || address.startsWith('janitor:')
  return {
    started(address, supervisor, actor, registry) {
      if (isOwn(address)) return
      watch.started(address, supervisor === serviceAddress ? shardAddress(shard) : supervisor, actor, registry)
    },
    gone(address, isStopped) {
      if (!isOwn(address)) watch.gone(address, isStopped)
    },
  }
}
