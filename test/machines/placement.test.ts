import { randomUUID } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cachedPlaces, placesOf, SHARDS, shardOf } from '../../machines/placement.ts'

const test = suite('placement')
const shards = Array.from({ length: SHARDS }, (_, shard) => shard)
const nodes = Array.from({ length: 4 }, () => randomUUID())

test('[M2] workspaces fall into all shards, the same one each time', () => {
  assert.is(shardOf('0190b6f0-0000-7000-8000-000000000001'), 222)
  const counts = new Array(SHARDS).fill(0)
  for (let n = 0; n < 100 * SHARDS; n++) counts[shardOf(randomUUID())]++
  assert.ok(Math.min(...counts) > 50 && Math.max(...counts) < 170, `${Math.min(...counts)} to ${Math.max(...counts)}`)
})

test('[M2] no node has much more than its share, and none has nothing while there are several shards for each', () => {
  for (const count of [1, 2, 3, 4, 10, 30, 100]) {
    const some = Array.from({ length: count }, (_, n) => `node ${n}`)
    const places = placesOf(some)
    const owns = some.map((node) => places.filter((place) => place === node).length)
    assert.ok(Math.max(...owns) <= Math.ceil((SHARDS / count) * 1.15), `${count} nodes: ${Math.max(...owns)} at most`)
    assert.ok(Math.min(...owns) > 0 || count > SHARDS / 4, `${count} nodes`)
  }
  assert.is(placesOf([])[0], null)
})

test('[M2] a node that comes or goes moves little more than its own share', () => {
  for (const count of [2, 4, 10, 30]) {
    const some = Array.from({ length: count }, (_, n) => `node ${n}`)
    const [before, after] = [placesOf(some), placesOf(some.slice(1))]
    const moved = shards.filter((shard) => before[shard] !== after[shard]).length
    assert.ok(moved <= (2 * SHARDS) / count, `${count} nodes: ${moved} move`)
  }
})

test('[M2] the places are the same when they are computed before, and in whatever order nodes are named', () => {
  const places = cachedPlaces()
  for (const some of [nodes, nodes.slice(1), [...nodes].reverse(), nodes, []])
    assert.equal(places(some), placesOf(some))
})

test.run()
