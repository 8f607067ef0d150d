import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ClusterNode } from '../../actors/cluster/node.ts'
import type { NodeInfo, ShardOwner, Shards } from '../../actors/cluster/ports.ts'
import type { ShardService } from '../../actors/cluster/shard-service.ts'
import type { Ports } from '../../actors/runtime/ports.ts'
import { ROWS_FORMAT } from '../../actors/runtime/row-versions.ts'
import { shardAddress } from '../../machines/addresses.ts'
import { placesOf, SHARDS } from '../../machines/placement.ts'
import type { ShardEvent } from '../../machines/shard.ts'
import { HandClock } from '../support/hand-clock.ts'

const test = suite('what a node owns by the store, and what it runs')

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Node `a` beside node `b`: the store names `a` as owner of one shard that belongs to `b`, and of nothing else. */
function scene() {
  const named = placesOf(['a', 'b']).indexOf('b')
  const owners: ShardOwner[] = Array.from({ length: SHARDS }, () => ({ node: 'b', epoch: 1 }))
  owners[named ?? 0] = { node: 'a', epoch: 7 }
  const nodes = ['a', 'b'].map((id) => ({ id, address: '', leaving: false, reachesBus: true, silentMs: 0 }))
  const asked: [shard: number, seen: ShardOwner][] = []
  const shards = {
    node: 'a',
    refreshView: async () => ({ nodes, owners }),
    async acquire(shard: number, seen: ShardOwner) {
      asked.push([shard, seen])
      return null
    },
  } as unknown as Shards
  const node = new ClusterNode({ clock: new HandClock(0), log } as unknown as Ports, {
    ...{ shards, retentionDays: 30, monotonic: () => 0 },
    ...{ outboxOf: () => ({}) as never, isGone: async () => false, reachesBus: () => true, onView() {}, onOpen() {} },
  })
  return { node, asked, named }
}

test('[M2] an acquisition or a release whose answer was lost leaves no shard without an owner', async () => {
  const { node, asked, named } = scene()
  await node.start()
  node.stop()
  assert.equal(asked, [[named, { node: 'a', epoch: 7 }]])
})

test('[M7] a node that goes leaves it to the others', async () => {
  const { node, asked } = scene()
  await node.leave(false)
  assert.equal(asked, [])
})

test('[M2] a hand-over that ends when its shard was lost and acquired anew leaves the new service alone', async () => {
  const shard = 3
  const owners: ShardOwner[] = Array.from({ length: SHARDS }, () => ({ node: 'b', epoch: 1 }))
  owners[shard] = { node: 'a', epoch: 1 }
  let epoch = 1
  const shards = {
    node: 'a',
    refreshView: async () => ({
      nodes: ['a', 'b'].map((id) => ({ id, address: '', leaving: false, reachesBus: true, silentMs: 0 })),
      owners,
    }),
    acquire: async () => ({ shard, epoch: ++epoch, store: {}, onLost() {}, async release() {} }),
  } as unknown as Shards
  let handedOver = () => {}
  const opened: ShardService[] = []
  const node = new ClusterNode({ clock: new HandClock(0), log, model: { id: 'm' } } as unknown as Ports, {
    ...{ shards, retentionDays: 30, monotonic: () => 0 },
    ...{ outboxOf: () => ({}) as never, isGone: async () => false, reachesBus: () => true, onView() {} },
    onOpen(service) {
      opened.push(service)
      Object.assign(service.running, { start: async () => {} })
      Object.assign(service, { handOver: () => new Promise<void>((resolve) => (handedOver = resolve)) })
    },
  })
  await node.start()
  const post = (event: ShardEvent) => node.registry.post(shardAddress(shard), event)
  post({ type: 'shard.unassigned' })
  const handOver = handedOver
  post({ type: 'shard.lost', epoch: 2 })
  await node.refreshView()
  await node.registry.until(shardAddress(shard), ({ value }) => value === 'owned')
  handOver()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal([opened.length, node.service(shard)?.owned.epoch], [2, 3])
  node.stop()
})

/** Node `a`, which owns nothing yet; `b` is dead, and owned everything. */
function beside(others: readonly Partial<NodeInfo>[]) {
  const world = { now: 0, reachesBus: true, nodes: [{ id: 'a' }, ...others] as readonly Partial<NodeInfo>[] }
  const acquired: number[] = []
  const about = { address: '', leaving: false, reachesBus: true, silentMs: 0 }
  const owners: ShardOwner[] = Array.from({ length: SHARDS }, () => ({ node: 'b', epoch: 1, format: 2 }))
  const shards = {
    node: 'a',
    refreshView: async () => ({ nodes: world.nodes.map((node) => ({ format: 2, ...about, ...node })), owners }),
    async acquire(shard: number) {
      acquired.push(shard)
      return { shard, epoch: 2, format: ROWS_FORMAT, store: {}, onLost() {}, async release() {} }
    },
  } as unknown as Shards
  const ports = { clock: new HandClock(0), log, model: { id: 'm' }, store: {} } as unknown as Ports
  const node: ClusterNode = new ClusterNode(ports, {
    ...{ shards, retentionDays: 30, monotonic: () => world.now, reachesBus: () => world.reachesBus },
    ...{ outboxOf: () => ({}) as never, isGone: async () => false, onView() {} },
    onOpen: ({ running }) => void Object.assign(running, { start: async () => {} }),
  })
  const refreshAt = async (now: number) => {
    world.now = now
    await node.refreshView()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { node, world, acquired, refreshAt }
}

test('[M17] a node that is late with its renewals takes nothing over, and takes a shard that it lost soon later, and later each time', async () => {
  const { node, acquired, refreshAt } = beside([])
  await node.start()
  for (const now of [3_000, 6_000, 9_000]) await refreshAt(now)
  assert.is(acquired.length, 0)
  for (const now of [10_000, 11_000]) await refreshAt(now)
  assert.is(acquired.length, SHARDS)
  for (const [lostAt, waits] of [
    [12_000, 1_000],
    [14_000, 2_000],
    [17_000, 4_000],
  ] as const) {
    await refreshAt(lostAt)
    const before = acquired.length
    node.lost(7)
    node.registry.post(shardAddress(7), { type: 'shard.lost', epoch: 2 })
    for (let now = lostAt; now < lostAt + waits; now += 500) await refreshAt(now)
    assert.is(acquired.length, before, `${waits} ms`)
    await refreshAt(lostAt + waits)
    assert.equal(acquired.slice(before), [7], `${waits} ms`)
  }
  node.stop()
})

test('[D15] of the shards of a store one sweeps what all workspaces have', async () => {
  const { node, refreshAt } = beside([])
  await node.start()
  for (const now of [1_000, 2_000, 3_000]) await refreshAt(now)
  const services = [...node.services()]
  assert.is(services.length, SHARDS)
  assert.equal(
    services.filter(({ running }) => running.system.sweepsAll).map(({ owned }) => owned.shard),
    [0],
  )
  node.stop()
})

test('[H8] a node that the bus has not reached for 3 s is cut off, unless no other is reached', async () => {
  for (const reachesBus of [true, false]) {
    const { node, world, refreshAt } = beside([{ id: 'c', reachesBus }])
    await node.start()
    world.reachesBus = false
    await refreshAt(1_000)
    assert.is(node.isCutOff, false)
    await refreshAt(4_000)
    assert.is(node.isCutOff, reachesBus)
    world.reachesBus = true
    assert.is(node.isCutOff, false)
    node.stop()
  }
})

test('[M11] shards whose rows no node reads have no owner, and are counted', async () => {
  const { node, world, refreshAt } = beside([])
  world.nodes = [{ id: 'a', format: 1 }]
  await node.start()
  assert.equal([node.unownedShards, node.mayBeOwned(0)], [SHARDS, false])
  world.nodes = [{ id: 'a', format: 1 }, { id: 'c' }]
  await refreshAt(1_000)
  assert.equal([node.unownedShards, node.mayBeOwned(0)], [0, true])
  node.stop()
})

test.run()
