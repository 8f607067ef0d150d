import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterView, NodeInfo, OwnedShard, ShardOwner, Shards } from '../../../actors/cluster/ports.ts'
import type { Store } from '../../../actors/runtime/ports.ts'
import { EARLIEST_FORMAT, ROWS_FORMAT } from '../../../actors/runtime/row-versions.ts'
import { SHARDS, shardOf } from '../../../machines/placement.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import { StoreInUse } from '../errors.ts'
import type { Settings } from '../port.ts'
import { type Rules, rulesOver } from '../rules/store.ts'
import { insertOnce, upserting } from './client.ts'
import type { Collections, NodeDoc, OwnersVersionDoc } from './collections.ts'
import { fenceOf, nodeFence } from './fencing.ts'
import type { SharedLease } from './lease.ts'
import { LEASE_MS, NODE_LEASE_MS, OWNERS_READ_EVERY_MS } from './limits.ts'
import { NodeFence, type NodeFenceOptions, type ShardDriver } from './node-fence.ts'

export interface ShardsOptions extends Pick<NodeFenceOptions, 'driverUnder' | 'raise'> {
  readonly all: Pick<Collections, 'nodes' | 'shards' | 'largeMessages'>
  /** The nodes, over a connection that nothing else waits for. */
  readonly renewals?: Collections['nodes']
  readonly settings: Settings
  /** What is the same for every shard. */
  readonly store: Store
  /** The lease of the whole store, which all nodes hold together. */
  readonly lease: SharedLease
  readonly address: string
  readonly cluster: string
  /** Up to which format this node reads rows. */
  readonly format?: number
  /** The earliest that it can write. */
  readonly formatWrittenMin?: number
  /** A clock that nobody sets, in ms. */
  readonly now?: () => number
  /** [O3] Called before rows of the newest format are written; resolves when older services refuse the store. */
  readonly beforeNewest?: () => Promise<void>
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
  const { all, settings, store, lease, address, cluster, driverUnder, raise, onTaken, beforeNewest, wait } = options
  const {
    node = randomUUID(),
    format = ROWS_FORMAT,
    formatWrittenMin = EARLIEST_FORMAT,
    now = () => performance.now(),
  } = options
  const { nodes, shards, largeMessages } = all
  const { renewals = nodes } = options
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
  const alive = { $match: { $or: [{ _id: OWNERS }, { $expr: renewedWithin(NODE_LEASE_MS) }] } }
  const withSilence = { $set: { silentMs: { $subtract: ['$$NOW', '$renewedAt'] } } }
  let owners: readonly ShardOwner[] = []
  /** Of `owners`; `null`: they are to be read again. */
  let version: number | null = null
  let ownersReadAt = 0
  /** What every node of the newest view reads. */
  let formatOfAll = format

  async function refreshView(about: Pick<NodeInfo, 'leaving' | 'reachesBus'>): Promise<ClusterView> {
    await renewals.updateOne(
      { _id: node },
      { $set: { address, format, ...about }, $currentDate: { renewedAt: true } },
      { upsert: true },
    )
    const docs = await renewals.aggregate<NodeSeen | OwnersVersionDoc>([alive, withSilence]).toArray()
    const newest = docs.find(isVersion)?.version ?? 0
    if (version !== newest || now() - ownersReadAt >= OWNERS_READ_EVERY_MS) await readOwners(newest)
    const found = docs.flatMap((doc) => (isVersion(doc) ? [] : [doc]))
    formatOfAll = Math.min(format, ...found.map((each) => each.format ?? 0))
    return { nodes: found.map(({ _id, renewedAt, ...rest }) => ({ id: _id, ...rest })), owners }
  }

  async function readOwners(newest: number): Promise<void> {
    if (!(await lease.isShared())) {
      onTaken()
      throw new StoreInUse('Another process owns the whole store.')
    }
    const read: ShardOwner[] = Array.from({ length: SHARDS }, () => ({ node: null, epoch: 0 }))
    for (const { _id, format: readable = 0, ...doc } of await shards.find().toArray())
      read[Number(_id)] = { ...doc, format: readable }
    owners = read
    version = newest
    ownersReadAt = now()
    fence.viewRefreshed(owners)
  }

  /** Shards were acquired or released: the others read them at their next refresh, and so does this node. */
  async function ownersChanged(): Promise<void> {
    version = null
    await bumpOwners(renewals)
  }

  /** Takes each by one compare-and-set. Those of one moment are taken together: a node often needs a hundred at once. */
  async function acquireAll(asked: readonly Wanted[]): Promise<(OwnedShard | null)[]> {
    const wanted = asked.map(({ shard, seen }) => ({ _id: String(shard), shard, seen, epoch: seen.epoch + 1 }))
    await Promise.all(wanted.map(({ shard }) => fence.close(shard)))
    await endNodes(wanted.map(({ seen }) => seen))
    const term = await fence.term()
    // [M11] While a node is there that reads an earlier format only, no row is written that it could not read.
    const written = Math.max(formatOfAll, formatWrittenMin)
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
        update: { $set: { node, epoch, fence: term.epoch, format: Math.max(seen.format ?? 0, written) } },
      },
    }))
    if (beforeNewest && written === format) await beforeNewest()
    await shards.bulkWrite(sets, { ordered: false })
    await ownersChanged()
    // Who takes the whole store ends the fence of this node, and takes every shard, before or after this.
    if (!(await lease.isShared())) return wanted.map(() => null)
    const docs = await shards.find({ _id: { $in: wanted.map(({ _id }) => _id) }, node }).toArray()
    const taken = new Map(docs.map((doc) => [doc._id, doc]))
    return wanted.map(({ _id, shard, epoch }) => {
      const doc = taken.get(_id)
      return doc?.epoch === epoch ? owned(shard, fence.open(shard, epoch, term), doc.format ?? written) : null
    })
  }

  /** What the former owners of shards still write is refused. One that gave its shard back writes nothing. */
  async function endNodes(seen: readonly ShardOwner[]): Promise<void> {
    const terms = new Map<string, number>()
    for (const { node: owner, fence: term = 0 } of seen)
      if (owner !== null && owner !== node) terms.set(owner, Math.max(term, terms.get(owner) ?? 0))
    await Promise.all([...terms].map(([owner, term]) => raise({ ...fenceOf(nodeFence(owner)), epoch: term + 1 })))
  }

  function owned(shard: number, driver: ShardDriver, rows: number): OwnedShard {
    const { epoch, term } = driver
    const _id = String(shard)
    return {
      shard,
      epoch,
      format: Math.min(rows, format),
      store: storeOf(reads, rulesOver(driver, settings, shard), shard),
      async isOwn() {
        const isRaised = (await shards.findOne({ _id, epoch: { $gt: epoch } })) !== null
        if (isRaised && fence.isOpen(shard, driver)) fence.lose(term)
        return !isRaised
      },
      onLost: (listener) => driver.onLost(listener),
      async release() {
        await fence.close(shard, driver)
        await releaseTogether({ _id, node, epoch })
      },
    }
  }

  const acquireTogether = together(acquireAll, wait)
  const releaseTogether = together(async (released: readonly { _id: string; node: string; epoch: number }[]) => {
    const sets = released.map((filter) => ({ updateOne: { filter, update: { $set: { node: null } } } }))
    await shards.bulkWrite(sets, { ordered: false })
    await ownersChanged()
    return released.map(() => null)
  }, wait)

  return {
    node,
    cluster,
    refreshView,
    acquire: (shard, seen) => acquireTogether({ shard, seen }),
    async storeLargeMessage(id, text) {
      await insertOnce(largeMessages, { _id: id, text, at: new Date() })
    },
    largeMessage: async (id) => (await largeMessages.findOne({ _id: id }))?.text ?? null,
    async close() {
      await nodes.deleteOne({ _id: node })
    },
  }
}

const OWNERS = 'owners'
type NodeSeen = NodeDoc & Pick<NodeInfo, 'silentMs'>
const isVersion = (doc: NodeSeen | OwnersVersionDoc): doc is OwnersVersionDoc => doc._id === OWNERS
const renewedWithin = (ms: number) => ({ $gt: ['$renewedAt', { $subtract: ['$$NOW', ms] }] })

/** The nodes that were there lately, or have a shard still. */
export async function nodesWithShards({ nodes, shards }: Pick<Collections, 'nodes' | 'shards'>): Promise<Set<string>> {
  const [present, owned] = await Promise.all([nodes.find().toArray(), shards.find().toArray()])
  return new Set([...present.map(({ _id }) => _id), ...owned.flatMap(({ node }) => node ?? [])])
}

/** Whether a node has renewed itself lately. */
export const isShared = async ({ nodes }: Pick<Collections, 'nodes'>): Promise<boolean> =>
  (await nodes.find({ $expr: renewedWithin(LEASE_MS) }).toArray()).length > 0

/** One process has taken every shard. */
export async function takeAll({ nodes, shards }: Pick<Collections, 'nodes' | 'shards'>): Promise<void> {
  await shards.updateMany({}, { $set: { node: null }, $inc: { epoch: 1 } })
  await bumpOwners(nodes)
}

const bumpOwners = (nodes: Collections['nodes']) =>
  upserting(() => nodes.updateOne({ _id: OWNERS }, { $inc: { version: 1 } }, { upsert: true }))

/** What a shard reads and writes. */
const storeOf = (base: Store, rules: Rules, shard: number): Store => ({
  ...base,
  ...rules,
  // [K6] Keys are of no shard.
  keys: base.keys,
  events: { ...rules.events, lastPosition: base.events.lastPosition },
  limits: { ...rules.limits, all: () => ofShard(base.limits.all(), shard) },
  endpoints: { ...rules.endpoints, all: () => ofShard(base.endpoints.all(), shard) },
})

async function* ofShard<Row extends { readonly workspaceId: string }>(rows: AsyncIterable<Row>, shard: number) {
  for await (const row of rows) if (shardOf(row.workspaceId) === shard) yield row
}

/** How long a call waits for others like it. */
const TOGETHER_MS = 5

/** Waits; a simulation gives its own. */
type Pause = (ms: number) => Promise<unknown>

/** Calls of one moment become one: `run` begins after all of them were made, and gives an answer for each. */
function together<Asked, Answer>(
  run: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
  wait: Pause = pause,
): (asked: Asked) => Promise<Answer> {
  let waiting: Asked[] = []
  let answers: Promise<readonly Answer[]> | null = null
  return async (asked) => {
    const index = waiting.push(asked) - 1
    answers ??= wait(TOGETHER_MS).then(() => {
      const all = waiting
      waiting = []
      answers = null
      return run(all)
    })
    return (await answers)[index] as Answer
  }
}
