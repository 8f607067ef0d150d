import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { placeOf, places, SHARDS, shardOf } from '../../machines/placement.ts'

const test = suite('placement')
const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
const nodes = Array.from({ length: 4 }, () => randomUUID())

test('[M2] workspaces fall into all shards, the same one each time', () => {
  assert.is(shardOf('0190b6f0-0000-7000-8000-000000000001'), 222)
  const counts = new Array(SHARDS).fill(0)
  for (let n = 0; n < 100 * SHARDS; n++) counts[shardOf(randomUUID())]++
  assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 170, `${Math.min(...counts)} to ${Math.max(...counts)}`)
})

test('[M2] each node gets about its share', () => {
  for (const node of nodes) {
    const own = shards.filter((shard) => placeOf(shard, nodes) === node).length
    assert.ok(own > SHARDS / 8 && own < SHARDS / 2.4, String(own))
  }
  assert.is(placeOf(0, []), null)
})

test('[M2] a node that comes or goes moves its own share alone', () => {
  const [gone, ...rest] = nodes
  for (const shard of shards) {
    const before = placeOf(shard, nodes)
    if (before !== gone) assert.is(placeOf(shard, rest), before)
    // The order in which nodes are named says nothing.
    assert.is(placeOf(shard, [...nodes].reverse()), before)
  }
})

test('[M2] where all shards belong is the same when it was reckoned before', () => {
  const placesOf = places()
  for (const some of [nodes, nodes.slice(1), nodes, []])
    assert.equal(
      placesOf(some),
      shards.map((shard) => placeOf(shard, some)),
    )
})

test.run()
