import { serviceAddress, shardAddress } from '../../machines/addresses.ts'
import { cachedPlaces, SHARDS } from '../../machines/placement.ts'
import { ModelGateway } from '../conversation/browser-model-retries.ts'
import { createTaskService, type TaskServiceOptions } from '../create-task-service.ts'
import {
  BUS_AWAY_MS_MAX,
  LOST_SOON_MS,
  NODE_FRESH_MS_MAX,
  NODE_LATE_MS,
  NODE_STEADY_MS_MIN,
  RECOVERIES_AT_ONCE,
  RENEWAL_GAP_MS_MAX,
  TAKE_AGAIN_MS_MAX,
  VIEW_REFRESH_EVERY_MS,
} from '../limits.ts'
import { messageOf } from '../runtime/effects.ts'
import type { Ports, Store } from '../runtime/ports.ts'
import { Registry } from '../runtime/registry.ts'
import { downgraded, ROWS_FORMAT } from '../runtime/row-versions.ts'
import { shardActor } from '../shard.ts'
import { createVitals } from '../vitals.ts'
import { fencedPorts } from './fenced-ports.ts'
import { Presence } from './lost-nodes.ts'
import type { ClusterView, OwnedShard, ShardOwner, Shards } from './ports.ts'
import { ShardService } from './shard-service.ts'

export interface NodeOptions extends TaskServiceOptions {
  readonly shards: Shards
  /** Frames to a browser that is connected at another node, or at this one. */
  readonly outboxOf: (service: ShardService) => Ports['outbox']
  /** A clock that nobody sets, in ms. */
  readonly monotonic: () => number
  /** Whether nobody listens for that node any more: its process ended, or its connection to the bus. */
  readonly isGone: (node: string) => Promise<boolean>
  readonly reachesBus: () => boolean
  /** A node is gone, or may be: the others are to know at once. */
  readonly onGone?: (node: string) => void
  /** After each refresh: who owns what may have changed. */
  readonly onView: (view: ClusterView) => void
  /** A refresh failed. */
  readonly onViewFailed?: () => void
  /** A service of a shard began. */
  readonly onOpen: (service: ShardService) => void
}

/**
 * [M2] One of several nodes: it sees who lives and who owns what, and assigns its shards to itself. Each
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
  readonly #placesOf = cachedPlaces()
  readonly #presence: Presence
  #viewRefreshedAt = Number.NEGATIVE_INFINITY
  /** Since when every refresh succeeded in time. */
  #steadySince = Number.POSITIVE_INFINITY
  /** Since when the bus is away; `null`: it is there. */
  #busAwaySince: number | null = null
  #refreshing: Promise<void> | null = null
  /** Shards that were lost soon after they were taken: when to take them again, and after how long that is. */
  readonly #lostSoon = new Map<number, { readonly at: number; readonly waitMs: number }>()
  #recoveries = 0
  readonly #waitingRecoveries: (() => void)[] = []
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
    this.#presence = new Presence({
      isGone: options.isGone,
      onGone: (node) => {
        options.onGone?.(node)
        void this.refreshView().catch(() => {})
      },
      after: (ms, work) => void ports.clock.setTimeout(work, ms),
    })
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
  /** Whether the node was renewed lately: else its shards may be another's. */
  get viewIsFresh(): boolean {
    return this.#sinceRenewalMs() < NODE_FRESH_MS_MAX
  }

  /** Whether nobody can have taken its shards without a hand-over: others wait longer than since its last renewal. */
  get leaseIsSafe(): boolean {
    return this.#sinceRenewalMs() < NODE_LATE_MS
  }
  #sinceRenewalMs(): number {
    return this.#options.monotonic() - this.#viewRefreshedAt
  }

  /** [H8] The bus is away from this node alone: requests are better off at the others. */
  get isCutOff(): boolean {
    const { monotonic, reachesBus } = this.#options
    if (reachesBus() || this.#busAwaySince === null || monotonic() - this.#busAwaySince < BUS_AWAY_MS_MAX) return false
    return this.#view.nodes.some(({ id, reachesBus: reaches }) => id !== this.id && reaches)
  }

  /** Whether there is a node that can own it: one that reads its rows, and is not about to go. */
  mayBeOwned(shard: number): boolean {
    const { format = 0 } = this.ownerOf(shard)
    return this.#view.nodes.some((node) => !node.leaving && (node.format ?? 0) >= format)
  }

  /** [M11] How many shards nobody owns or can own. */
  get unownedShards(): number {
    let count = 0
    for (let shard = 0; shard < SHARDS; shard++)
      if (!this.#services.has(shard) && !this.#isOwned(shard) && !this.mayBeOwned(shard)) count++
    return count
  }
  #isOwned(shard: number): boolean {
    const { node } = this.ownerOf(shard)
    return node !== null && this.#view.nodes.some(({ id }) => id === node)
  }

  /** Runs the recovery of a shard, a few at a time, so that neither renewals nor what runs has to wait for them. */
  async recover(work: () => Promise<void>): Promise<void> {
    if (this.#recoveries < RECOVERIES_AT_ONCE) this.#recoveries++
    else await new Promise<void>((resolve) => this.#waitingRecoveries.push(resolve))
    try {
      await work()
    } finally {
      const next = this.#waitingRecoveries.shift()
      if (next) next()
      else this.#recoveries--
    }
  }

  open(owned: OwnedShard): void {
    const { ports } = this
    const service: ShardService = new ShardService(owned, this.#options.monotonic(), (own) => {
      // What was under way when the shard was handed over is the next owner's to send.
      const isHere = () => this.#services.get(owned.shard) === own
      const lease = { isHere, sinceRenewalMs: () => this.#sinceRenewalMs(), monotonic: this.#options.monotonic }
      const fenced = fencedPorts({ ...ports, outbox: this.#options.outboxOf(own) }, owned, lease)
      const watch = this.#options.watch && watchOf(this.#options.watch, owned.shard)
      return createTaskService(
        { ...ports, ...fenced, store: owned.format < ROWS_FORMAT ? downgrading(owned.store) : owned.store },
        { ...this.#options, ...(watch ? { watch } : {}), sweepsAll: owned.shard === 0, shared: this.#shared },
      )
    })
    this.#services.set(owned.shard, service)
    this.#options.onOpen(service)
  }

  /** Another node has taken it. One that is lost soon after it was taken is left alone for a while, longer each time. */
  lost(shard: number): void {
    const service = this.#services.get(shard)
    const now = this.#options.monotonic()
    const before = this.#lostSoon.get(shard)?.waitMs ?? VIEW_REFRESH_EVERY_MS / 2
    if (service && now - service.takenAt < LOST_SOON_MS) {
      const waitMs = Math.min(2 * before, TAKE_AGAIN_MS_MAX)
      this.#lostSoon.set(shard, { at: now + waitMs, waitMs })
    } else this.#lostSoon.delete(shard)
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
      this.registry.start(shardAddress(shard), () => logic, { input: { shard }, supervisor: null })
    await this.refreshView()
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
    await this.refreshView().catch(() => {})
    for (const { owned } of this.#services.values()) this.registry.post(shardAddress(owned.shard), UNASSIGNED)
    await this.#settled()
    this.stop()
  }

  stop(): void {
    this.#stopped = true
    this.ports.clock.clearTimeout(this.#timer)
    for (const shard of [...this.#services.keys()]) this.abandon(shard)
    this.registry.stopAll()
  }

  /** One refresh at a time; who asks meanwhile gets that one. `olderMs`: not if the view is younger. */
  refreshView(olderMs = 0): Promise<void> {
    if (this.#sinceRenewalMs() < olderMs) return Promise.resolve()
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  async #refresh(): Promise<void> {
    const { monotonic, onView, onViewFailed, reachesBus } = this.#options
    const begun = monotonic()
    this.#busAwaySince = reachesBus() ? null : (this.#busAwaySince ?? begun)
    try {
      const { nodes, owners } = await this.shards.refreshView({ leaving: this.#leaving, reachesBus: reachesBus() })
      this.#view = { nodes: this.#presence.present(nodes, this.id), owners }
    } catch (error) {
      this.#steadySince = Number.POSITIVE_INFINITY
      onViewFailed?.()
      throw error
    }
    // What it has read is old, too, when it took that long.
    if (begun - this.#viewRefreshedAt >= RENEWAL_GAP_MS_MAX || monotonic() - begun >= RENEWAL_GAP_MS_MAX)
      this.#steadySince = begun
    this.#steadySince = Math.min(this.#steadySince, begun)
    this.#viewRefreshedAt = begun
    if (this.#stopped) return
    onView(this.#view)
    this.#assign(begun - this.#steadySince >= NODE_STEADY_MS_MIN)
  }

  /** Tells each shard whether it is assigned to this node. */
  #assign(mayInherit: boolean): void {
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
        else if (!isMine) this.registry.post(shardAddress(shard), UNASSIGNED)
        continue
      }
      const isFree = node === null || (mayInherit && !alive.has(node))
      if ((this.#lostSoon.get(shard)?.at ?? 0) > this.#viewRefreshedAt) continue
      // The answer to an acquisition or a release was lost: no other node takes it from one that lives.
      const isNamed = node === this.id && !this.#leaving
      if (isNamed || (isMine && isFree)) this.registry.post(shardAddress(shard), ASSIGNED)
    }
  }

  #again(): void {
    if (this.#stopped || this.#leaving) return
    this.#timer = this.ports.clock.setTimeout(() => {
      this.refreshView()
        .catch((error: unknown) => this.ports.log.warn({ err: messageOf(error) }, 'The nodes could not be read'))
        .finally(() => this.#again())
    }, VIEW_REFRESH_EVERY_MS)
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

const ASSIGNED = { type: 'shard.assigned' } as const
const UNASSIGNED = { type: 'shard.unassigned' } as const

/** [M11] Writes rows that nodes of the version before read. */
const downgrading = (store: Store): Store => ({
  ...store,
  commit: (writes) =>
    store.commit(
      writes.map((write) => (write.kind === 'actor.put' ? { ...write, row: downgraded(write.row) } : write)),
    ),
})

/** Of the services of shards the inspector shows what is under them, as under their shards. */
function watchOf(watch: NonNullable<TaskServiceOptions['watch']>, shard: number): typeof watch {
  const isOwn = (address: string) => address.startsWith('service:')
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
