import { randomUUID } from 'node:crypto'
import type { ClusterView, NodeInfo, OwnedShard, ShardOwner, Shards } from '../../../actors/cluster/ports.ts'
import type { Store } from '../../../actors/runtime/ports.ts'
import { ROWS_FORMAT } from '../../../actors/runtime/row-versions.ts'
import { SHARDS, shardOf } from '../../../machines/placement.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import { StoreInUse } from '../errors.ts'
import type { Settings } from '../port.ts'
import { type Rules, rulesOver } from '../rules/store.ts'
import { insertOnce, upserting } from './client.ts'
import type { Collections, NodeDoc } from './collections.ts'
import { fenceOf, nodeFence } from './fencing.ts'
import type { shareLease } from './lease.ts'
import { LEASE_MS, NODE_LEASE_MS } from './limits.ts'
import { NodeFence, type NodeFenceOptions, type ShardDriver } from './node-fence.ts'
import { type Pause, together } from './together.ts'

export interface ShardsOptions extends Pick<NodeFenceOptions, 'driverUnder' | 'raise'> {
  readonly all: Pick<Collections, 'nodes' | 'shards' | 'parcels'>
  readonly settings: Settings
  /** What is the same for every shard. */
  readonly store: Store
  /** The lease of the whole store, which all nodes hold together. */
  readonly lease: Awaited<ReturnType<typeof shareLease>>
  readonly address: string
  readonly cluster: string
  /** Up to which format this node reads rows. */
  readonly format?: number
  /** One process took the whole store. */
  readonly onTaken: () => void
  /** The id of this node: another one at each start. */
  readonly node?: string
  readonly wait?: Pause
}

interface Wanted {
  readonly shard: number
  readonly seen: ShardOwner
}

/** The shards as one node sees them. The node has its lease, and the shards it owns are leased as long as it is. */
export function shardsOf(options: ShardsOptions): Shards & { close(): Promise<void> } {
  const { all, settings, store, lease, address, cluster, driverUnder, raise, onTaken, wait } = options
  const { node = randomUUID(), format = ROWS_FORMAT } = options
  const { nodes, shards, parcels } = all
  const fence = new NodeFence({ node, driverUnder, raise })
  // Shards that recover at the same time ask the same.
  const endpoints = together(async (asked: readonly null[]) => {
    const found: EndpointRecord[] = []
    for await (const endpoint of store.endpoints.all()) found.push(endpoint)
    return asked.map(() => found)
  }, wait)
  const position = together(async (asked: readonly null[]) => {
    const last = await store.events.lastPosition()
    return asked.map(() => last)
  }, wait)
  const reads: Store = {
    ...store,
    events: { ...store.events, lastPosition: () => position(null) },
    endpoints: {
      ...store.endpoints,
      async *all() {
        yield* await endpoints(null)
      },
    },
  }
  const renewed = { $gt: ['$renewedAt', { $subtract: ['$$NOW', NODE_LEASE_MS] }] }
  const alive = [{ $match: { $expr: renewed } }, { $set: { silentMs: { $subtract: ['$$NOW', '$renewedAt'] } } }]

  async function look(leaving: boolean): Promise<ClusterView> {
    await nodes.updateOne(
      { _id: node },
      { $set: { address, leaving, format }, $currentDate: { renewedAt: true } },
      { upsert: true },
    )
    if (!(await lease.renew())) {
      onTaken()
      throw new StoreInUse('Another process owns the whole store.')
    }
    const [found, leased] = await Promise.all([nodes.aggregate<NodeSeen>(alive).toArray(), shards.find().toArray()])
    const owners: ShardOwner[] = Array.from({ length: SHARDS }, () => ({ node: null, epoch: 0 }))
    for (const { _id, format: readable = 0, ...doc } of leased) owners[Number(_id)] = { ...doc, format: readable }
    fence.looked(owners)
    return { nodes: found.map(({ _id, renewedAt, ...about }) => ({ id: _id, ...about })), owners }
  }

  /** Takes each by one compare-and-set. Those of one moment are taken together: a node often needs a hundred at once. */
  async function acquireAll(asked: readonly Wanted[]): Promise<(OwnedShard | null)[]> {
    const wanted = asked.map(({ shard, seen }) => ({ _id: String(shard), shard, seen, epoch: seen.epoch + 1 }))
    await Promise.all(wanted.map(({ shard }) => fence.close(shard)))
    await endNodes(wanted.map(({ seen }) => seen))
    const term = await fence.term()
    const unknown = wanted.filter(({ seen }) => seen.epoch === 0)
    if (unknown.length > 0) {
      const first = { $setOnInsert: { node: null, epoch: 0 } }
      const inserts = unknown.map(({ _id }) => ({ updateOne: { filter: { _id }, update: first, upsert: true } }))
      await upserting(() => shards.bulkWrite(inserts, { ordered: false }))
    }
    const sets = wanted.map(({ _id, seen, epoch }) => ({
      updateOne: {
        // [M11] Rows that a newer version wrote are not taken by one that cannot read them.
        filter: { _id, node: seen.node, epoch: seen.epoch, format: { $not: { $gt: format } } },
        update: { $set: { node, epoch, fence: term.epoch, format } },
      },
    }))
    await shards.bulkWrite(sets, { ordered: false })
    // Who takes the whole store ends the fence of this node, and takes every shard, before or after this.
    if (!(await lease.renew())) return wanted.map(() => null)
    const docs = await shards.find({ _id: { $in: wanted.map(({ _id }) => _id) }, node }).toArray()
    const taken = new Map(docs.map((doc) => [doc._id, doc.epoch]))
    return wanted.map(({ _id, shard, epoch }) =>
      taken.get(_id) === epoch ? owned(shard, fence.open(shard, epoch, term)) : null,
    )
  }

  /** What the former owners of shards still write is refused. One that gave its shard back writes nothing. */
  async function endNodes(seen: readonly ShardOwner[]): Promise<void> {
    const terms = new Map<string, number>()
    for (const { node: owner, fence: term = 0 } of seen)
      if (owner !== null && owner !== node) terms.set(owner, Math.max(term, terms.get(owner) ?? 0))
    await Promise.all([...terms].map(([owner, term]) => raise({ ...fenceOf(nodeFence(owner)), epoch: term + 1 })))
  }

  function owned(shard: number, driver: ShardDriver): OwnedShard {
    const { epoch, term } = driver
    const _id = String(shard)
    return {
      shard,
      epoch,
      store: storeOf(reads, rulesOver(driver, settings, shard), shard),
      async isOwn() {
        const isRaised = (await shards.findOne({ _id, epoch: { $gt: epoch } })) !== null
        if (isRaised && fence.isOpen(shard, driver)) fence.lose(term)
        return !isRaised
      },
      onLost: (listener) => driver.onLost(listener),
      async release() {
        await fence.close(shard, driver)
        await shards.updateOne({ _id, node, epoch }, { $set: { node: null } })
      },
    }
  }

  const acquireTogether = together(acquireAll, wait)
  const acquire = (shard: number, seen: ShardOwner) => acquireTogether({ shard, seen })

  return {
    node,
    cluster,
    look,
    acquire,
    async park(id, text) {
      await insertOnce(parcels, { _id: id, text, at: new Date() })
    },
    parked: async (id) => (await parcels.findOne({ _id: id }))?.text ?? null,
    async close() {
      await nodes.deleteOne({ _id: node })
      // One process that wants the whole store need not wait.
      if ((await nodes.find({ $expr: renewed }).toArray()).length === 0) await lease.release()
    },
  }
}

type NodeSeen = NodeDoc & Pick<NodeInfo, 'silentMs'>

/** Forgets nodes that ended without a word. Resolves to those that are there, or have a shard still. */
export async function forgetNodes({ nodes, shards }: Pick<Collections, 'nodes' | 'shards'>): Promise<Set<string>> {
  await nodes.deleteMany({ $expr: { $lt: ['$renewedAt', { $subtract: ['$$NOW', LEASE_MS] }] } })
  const [present, owned] = await Promise.all([nodes.find().toArray(), shards.find().toArray()])
  return new Set([...present.map(({ _id }) => _id), ...owned.flatMap(({ node }) => node ?? [])])
}

/** What a shard reads and writes; what is of no workspace is swept by the first shard alone. */
function storeOf(base: Store, rules: Rules, shard: number): Store {
  const none = async () => 0
  const own: Store = {
    ...base,
    ...rules,
    // [K6] Keys are of no shard.
    keys: base.keys,
    events: { ...rules.events, lastPosition: base.events.lastPosition },
    limits: {
      ...rules.limits,
      async *all() {
        for await (const each of base.limits.all()) if (shardOf(each.workspaceId) === shard) yield each
      },
    },
    endpoints: {
      ...rules.endpoints,
      async *all() {
        for await (const endpoint of base.endpoints.all()) if (shardOf(endpoint.workspaceId) === shard) yield endpoint
      },
    },
  }
  if (shard === 0) return own
  const { tasks, audit } = own
  return {
    ...own,
    tasks: { ...tasks, retire: async (before, limit, of) => (of === undefined ? 0 : tasks.retire(before, limit, of)) },
    deliveries: { ...own.deliveries, retire: none },
    sessions: { ...own.sessions, sweep: none },
    pairings: { ...own.pairings, sweep: async () => {} },
    claims: { ...own.claims, sweep: async () => {} },
    files: { ...own.files, sweep: none },
    audit: { ...audit, retire: async (before, limit, of) => (of === undefined ? 0 : audit.retire(before, limit, of)) },
    usage: { ...own.usage, retire: none },
    ledger: { ...own.ledger, retire: none },
  }
}
