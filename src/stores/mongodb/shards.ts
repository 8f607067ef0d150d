import { randomUUID } from 'node:crypto'
import type { ClusterView, NodeInfo, OwnedShard, ShardOwner, Shards } from '../../../actors/cluster/ports.ts'
import type { Store } from '../../../actors/runtime/ports.ts'
import { ROWS_FORMAT } from '../../../actors/runtime/row-versions.ts'
import { SHARDS, shardOf } from '../../../machines/placement.ts'
import type { EndpointRecord } from '../../../machines/webhook-records.ts'
import { StoreInUse } from '../errors.ts'
import { insertOnce, upserting } from './client.ts'
import type { Collections, NodeDoc, ShardDoc } from './collections.ts'
import { coreOf, settle } from './core.ts'
import { type Fence, fenceOf } from './fence.ts'
import type { shareLease } from './lease.ts'
import { ledgerOf } from './ledger.ts'
import { NODE_LEASE_MS } from './limits.ts'
import { stepsOf, tasksOf } from './tasks.ts'
import { type Pause, together } from './together.ts'
import { deliveriesOf } from './webhooks.ts'

export interface ShardsOptions {
  readonly all: Collections
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
  const { all, store, lease, address, cluster, onTaken, node = randomUUID(), format = ROWS_FORMAT, wait } = options
  const { nodes, shards, parcels } = all
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
    for (const doc of leased) owners[Number(doc._id)] = { node: doc.node, epoch: doc.epoch, format: doc.format ?? 0 }
    return { nodes: found.map(({ _id, renewedAt, ...about }) => ({ id: _id, ...about })), owners }
  }

  /** Takes each by one compare-and-set. Those of one moment are taken together: a node often needs a hundred at once. */
  async function acquireAll(asked: readonly Wanted[]): Promise<(OwnedShard | null)[]> {
    const wanted = asked.map(({ shard, seen }) => ({
      ...{ _id: String(shard), seen },
      epoch: Math.max(seen.epoch, lease.epoch) + 1,
    }))
    const unknown = wanted.filter(({ seen }) => seen.epoch === 0)
    if (unknown.length > 0) {
      const first = { $setOnInsert: { node: null, epoch: 0, settled: 0 } }
      const inserts = unknown.map(({ _id }) => ({ updateOne: { filter: { _id }, update: first, upsert: true } }))
      await upserting(() => shards.bulkWrite(inserts, { ordered: false }))
    }
    const sets = wanted.map(({ _id, seen, epoch }) => ({
      updateOne: {
        // [M11] Rows that a newer version wrote are not taken by one that cannot read them.
        filter: { _id, node: seen.node, epoch: seen.epoch, format: { $not: { $gt: format } } },
        update: { $set: { node, epoch, format } },
      },
    }))
    await shards.bulkWrite(sets, { ordered: false })
    // Who takes the whole store raises the epoch of every shard, before or after this.
    if (!(await lease.renew())) return wanted.map(() => null)
    const docs = await shards.find({ _id: { $in: wanted.map(({ _id }) => _id) }, node }).toArray()
    const taken = new Map(docs.map((doc) => [doc._id, doc]))
    const isTaken = ({ _id, epoch }: { _id: string; epoch: number }) => taken.get(_id)?.epoch === epoch
    const inUse = await shardsInUse(
      all,
      wanted.filter(isTaken).map(({ _id }) => Number(_id)),
    )
    const empty = wanted.filter((each) => isTaken(each) && !inUse.has(Number(each._id)))
    if (empty.length > 0) {
      const settled = empty.map(({ _id, epoch }) => ({
        updateOne: { filter: { _id, epoch }, update: { $set: { settled: epoch } } },
      }))
      await shards.bulkWrite(settled, { ordered: false })
    }
    return Promise.all(
      wanted.map((each) => {
        const doc = taken.get(each._id)
        return doc && isTaken(each) ? owned(all, reads, doc, inUse.has(Number(each._id))) : null
      }),
    )
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

/** Those of the shards of which there are rows or running tasks. */
async function shardsInUse({ actors, tasks }: Collections, of: readonly number[]): Promise<Set<number>> {
  const shard = { $in: [...of] }
  const group = { $group: { _id: '$shard' } }
  const [rows, running] = await Promise.all([
    actors.aggregate<{ _id: number }>([{ $match: { shard } }, group]).toArray(),
    tasks.aggregate<{ _id: number }>([{ $match: { status: 'running', shard } }, group]).toArray(),
  ])
  return new Set([...rows, ...running].map(({ _id }) => _id))
}

/** Takes over the documents of the previous owner, which cannot write any of them from here on. */
async function owned(
  all: Collections,
  base: Store,
  { _id, epoch, settled }: ShardDoc,
  isInUse: boolean,
): Promise<OwnedShard> {
  const { shards } = all
  const shard = Number(_id)
  const own = { _id, epoch }
  let isLost = false
  let tell = () => {}
  const lost = () => {
    if (isLost) return
    isLost = true
    tell()
  }
  const isRaised = async () => (await shards.findOne({ _id, epoch: { $gt: epoch } })) !== null
  const fence = fenceOf(epoch, { isRaised, lost, isLost: () => isLost })
  const mark = async () => void (await shards.updateOne(own, { $set: { settled: epoch } }))
  if (isInUse) await settle(all, { epoch, settledBefore: settled, settle: mark }, { shard })
  return {
    shard,
    epoch,
    store: storeOf(all, base, fence, shard, isInUse),
    async isOwn() {
      const raised = await isRaised()
      if (raised) lost()
      return !raised
    },
    onLost(listener) {
      tell = listener
      if (isLost) listener()
    },
    release: async () => void (await shards.updateOne(own, { $set: { node: null } })),
  }
}

/** What a shard reads and writes under its epoch; what is of no workspace is swept by the first shard alone. */
function storeOf(all: Collections, base: Store, fence: Fence, shard: number, isInUse: boolean): Store {
  const none = async () => 0
  const core = coreOf(all, fence, shard)
  const tasks = tasksOf(all, fence, { shard, isOwner: true })
  // Where nothing was kept, the recovery need not read it.
  const read = { actors: isInUse, running: isInUse }
  const first = async function* <T>(what: keyof typeof read, rows: () => AsyncIterable<T>) {
    if (read[what]) yield* rows()
    read[what] = true
  }
  const own: Store = {
    ...base,
    ...core,
    actors: () => first('actors', core.actors),
    tasks: { ...tasks, running: () => first('running', tasks.running) },
    steps: stepsOf(all, fence),
    ledger: ledgerOf(all, fence),
    deliveries: deliveriesOf(all, fence),
    endpoints: {
      ...base.endpoints,
      async *all() {
        for await (const endpoint of base.endpoints.all()) if (shardOf(endpoint.workspaceId) === shard) yield endpoint
      },
    },
  }
  if (shard === 0) return own
  return {
    ...own,
    tasks: { ...own.tasks, retire: none },
    deliveries: { ...own.deliveries, retire: none },
    sessions: { ...base.sessions, sweep: none },
    pairings: { ...base.pairings, sweep: async () => {} },
    claims: { ...base.claims, sweep: async () => {} },
    files: { ...base.files, sweep: none },
    audit: { ...base.audit, retire: none },
    usage: { ...base.usage, retire: none },
    ledger: { ...own.ledger, retire: none },
  }
}
