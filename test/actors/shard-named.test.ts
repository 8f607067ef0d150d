import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ClusterNode } from '../../actors/cluster/node.ts'
import type { ShardOwner, Shards } from '../../actors/cluster/ports.ts'
import type { ShardService } from '../../actors/cluster/shard-service.ts'
import type { Ports } from '../../actors/runtime/ports.ts'
import { shardAddress } from '../../machines/addresses.ts'
import { placeOf, SHARDS } from '../../machines/placement.ts'
import type { ShardEvent } from '../../machines/shard-types.ts'
import { HandClock } from '../support/hand-clock.ts'

const test = suite('what a node owns by the store, and what it runs')

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Node `a` beside node `b`: the store names `a` as owner of one shard that belongs to `b`, and of nothing else. */
function scene() {
  const named = Array.from({ length: SHARDS }, (_, shard) => shard).find((shard) => placeOf(shard, ['a', 'b']) === 'b')
  const owners: ShardOwner[] = Array.from({ length: SHARDS }, () => ({ node: 'b', epoch: 1 }))
  owners[named ?? 0] = { node: 'a', epoch: 7 }
  const nodes = ['a', 'b'].map((id) => ({ id, address: '', leaving: false, silentMs: 0 }))
  const asked: [shard: number, seen: ShardOwner][] = []
  const shards = {
    node: 'a',
    look: async () => ({ nodes, owners }),
    async acquire(shard: number, seen: ShardOwner) {
      asked.push([shard, seen])
      return null
    },
  } as unknown as Shards
  const node = new ClusterNode({ clock: new HandClock(0), log } as unknown as Ports, {
    ...{ shards, retentionDays: 30, monotonic: () => 0 },
    ...{ outboxOf: () => ({}) as never, isGone: async () => false, onView() {}, onOpen() {} },
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
    look: async () => ({ nodes: ['a', 'b'].map((id) => ({ id, address: '', leaving: false, silentMs: 0 })), owners }),
    acquire: async () => ({ shard, epoch: ++epoch, store: {}, onLost() {}, async release() {} }),
  } as unknown as Shards
  let handedOver = () => {}
  const opened: ShardService[] = []
  const node = new ClusterNode({ clock: new HandClock(0), log, model: { id: 'm' } } as unknown as Ports, {
    ...{ shards, retentionDays: 30, monotonic: () => 0 },
    ...{ outboxOf: () => ({}) as never, isGone: async () => false, onView() {} },
    onOpen(service) {
      opened.push(service)
      Object.assign(service.running, { start: async () => {} })
      Object.assign(service, { handOver: () => new Promise<void>((resolve) => (handedOver = resolve)) })
    },
  })
  await node.start()
  const post = (event: ShardEvent) => node.registry.post(shardAddress(shard), event)
  post({ type: 'shard.unwanted' })
  const handOver = handedOver
  post({ type: 'shard.lost', epoch: 2 })
  await node.look()
  await node.registry.until(shardAddress(shard), ({ value }) => value === 'owned')
  handOver()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal([opened.length, node.service(shard)?.owned.epoch], [2, 3])
  node.stop()
})

test.run()
