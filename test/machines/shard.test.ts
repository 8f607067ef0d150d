import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ShardEvent } from '../../machines/shard.ts'
import { shardMachine } from '../../machines/shard.ts'
import { alone } from '../support/machine.ts'
import { walk } from '../support/walk.ts'

const test = suite('shard')

const wanted: ShardEvent = { type: 'shard.assigned' }
const unwanted: ShardEvent = { type: 'shard.unassigned' }
const acquired: ShardEvent = { type: 'shard.acquired', epoch: 7, at: 0 }
const recovered: ShardEvent = { type: 'shard.recovered', at: 0 }
const lost: ShardEvent = { type: 'shard.lost', epoch: 7 }
const crashed: ShardEvent = { type: 'effect.crashed', message: 'a bug', at: 0 }
const input = { shard: 3 }
const aShard = (...events: ShardEvent[]) => {
  const it = alone(shardMachine, input)
  it.send(...events)
  return it
}

test('[M2] it is acquired, then recovered, then owned', () => {
  const it = aShard(wanted)
  assert.equal([it.state(), it.did('acquire').length], ['acquiring', 1])
  it.send(acquired)
  assert.equal([it.state(), it.context().epoch, it.did('recover').length], ['recovering', 7, 1])
  it.send(recovered)
  assert.is(it.state(), 'owned')
})

test('[M2] of two nodes that want it the slower one leaves it alone', () => {
  const it = aShard(wanted, { type: 'shard.missed' })
  assert.equal([it.state(), it.context().epoch], ['absent', null])
})

test('[M7] another node gets it after what is to be written was written', () => {
  const it = aShard(wanted, acquired, recovered, unwanted)
  assert.equal([it.state(), it.did('release').length, it.did('abandon').length], ['releasing', 1, 0])
  it.send({ type: 'shard.released' })
  assert.equal([it.state(), it.context().epoch], ['absent', null])
})

for (const [state, way] of [
  ['recovering', [acquired]],
  ['owned', [acquired, recovered]],
  ['releasing', [acquired, recovered, unwanted]],
] as const) {
  test(`[M4] refused by its store while it is ${state}, what runs is stopped and nothing is ended`, () => {
    const it = aShard(wanted, ...way, lost)
    assert.equal(
      [it.state(), it.did('abandon').length, it.did('release').length],
      ['absent', 1, state === 'releasing' ? 1 : 0],
    )
  })
  test(`[M4] the refusal of an earlier epoch says nothing of a shard that is ${state}`, () => {
    assert.is(aShard(wanted, ...way, { type: 'shard.lost', epoch: 6 }).state(), state)
  })
}

test('[M2] what cannot be read is released, for this node or another to try again', () => {
  assert.is(aShard(wanted, acquired, crashed).state(), 'releasing')
})

test('every path leads back to absent', () => {
  const events = [
    wanted,
    unwanted,
    acquired,
    recovered,
    lost,
    crashed,
    { type: 'shard.missed' },
    { type: 'shard.released' },
  ] as const
  assert.equal(walk(shardMachine, { input, events }).unreached, [])
})

test.run()
