import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Messages } from '../../actors/cluster/messages.ts'
import type { ClusterNode } from '../../actors/cluster/node.ts'
import { OwnerAway } from '../../actors/cluster/owner-calls.ts'
import { Router } from '../../actors/cluster/router.ts'
import { StoreUnwritable } from '../../actors/runtime/ports.ts'
import { HandClock } from '../support/hand-clock.ts'

const test = suite('calls to the owner of a workspace')

/** Two nodes, one of which owns everything, with what it answers. What crosses between them is JSON. */
function edgeOf(
  limitsLeft: () => Promise<unknown>,
  { leaseIsSafe = true, owns = async () => true, mayBeOwned = true } = {},
) {
  const clock = new HandClock(0)
  const handlers = new Map<string, (message: never) => unknown>()
  const messages = {
    connected: true,
    serve: (name: string, handler: (message: never) => unknown) => handlers.set(name, handler),
    ask: async (name: string, message: object) =>
      JSON.parse(JSON.stringify(await handlers.get(name)?.(JSON.parse(JSON.stringify(message)) as never))),
  } as unknown as Messages
  const running = { taskService: { limitsLeft, events: {} }, system: { ports: { store: {} } } }
  let handOver = () => {}
  const gone = new Promise<void>((resolve) => (handOver = resolve))
  const service = { isOpen: true, gone, running, owned: { isOwn: owns, epoch: 1 } }
  const nodeOf = (id: string, own: unknown) =>
    ({
      id,
      ports: { clock, ids: { uuid: () => 'an id' } },
      ownerOf: () => ({ node: 'owner', epoch: 1 }),
      service: () => own,
      leaseIsSafe,
      mayBeOwned: () => mayBeOwned,
      refreshView: async () => {},
    }) as unknown as ClusterNode
  const router = (id: string, own?: unknown) => new Router(nodeOf(id, own), messages, undefined)
  const owner = router('owner', service)
  owner.serve()
  return {
    owner,
    edge: router('edge'),
    clock,
    service,
    handOver: () => handOver(),
    call: (message: object) => messages.ask('owner.call', message, 0),
  }
}

for (const [what, thrown, kind] of [
  ['a store that is away', new StoreUnwritable('The database cannot be reached.'), StoreUnwritable],
  ['an owner that is away', new OwnerAway(), OwnerAway],
  ['a bug', new Error('a bug'), Error],
] as const) {
  test(`[D22 M3] ${what} at the owner is the same at the node that was asked`, async () => {
    const error = await edgeOf(() => Promise.reject(thrown))
      .edge.callOwner('w', 'limitsLeft', () => ['w'])
      .catch((error: unknown) => error as Error)
    assert.is((error as Error).constructor, kind)
    if (kind !== OwnerAway) assert.is((error as Error).message, thrown.message)
  })
}

test('[M4] what a former owner comes to is not an answer: one that could not look lately asks the store', async () => {
  let isRaised = true
  let runs = 0
  const owns = async () => !isRaised
  const { owner, clock } = edgeOf(async () => ++runs, { leaseIsSafe: false, owns })
  const answer = owner.callOwner('w', 'limitsLeft', () => ['w'])
  for (let n = 0; n < 20; n++) await Promise.resolve()
  assert.is(runs, 1)
  isRaised = false
  clock.turn(1_000)
  assert.equal(await answer, 2)
})

test('[M4] what an owner comes to whose store does not answer is its answer', async () => {
  const owns = () => Promise.reject(new Error('away'))
  const { owner } = edgeOf(async () => 7, { leaseIsSafe: false, owns })
  assert.equal(await owner.callOwner('w', 'limitsLeft', () => ['w']), 7)
})

test('[M4] an owner that hands over answers at once that it is not known, and nothing after it', async () => {
  let finish = (_: number) => {}
  const limitsLeft = () => new Promise<number>((resolve) => (finish = resolve))
  const { call, handOver } = edgeOf(limitsLeft)
  let answer: unknown = 'none'
  void call({ id: 'a call', shard: 1, name: 'limitsLeft', args: [] }).then((given) => (answer = given))
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  await settled()
  assert.is(answer, 'none')
  handOver()
  await settled()
  finish(7)
  await settled()
  assert.is(answer, null)
})

test('[M3] a call that comes again is answered once under an epoch; a node that lost its shard and has it again is another owner', async () => {
  let runs = 0
  const { call, service } = edgeOf(async () => ++runs)
  const once = { id: 'a call', shard: 1, name: 'limitsLeft', args: [] }
  assert.equal([await call(once), await call(once)], [{ value: 1 }, { value: 1 }])
  service.owned.epoch = 3
  assert.equal(await call(once), { value: 2 })
})

test('[M11] what nobody can own is answered at once', async () => {
  const { edge, service } = edgeOf(async () => 7, { mayBeOwned: false })
  service.isOpen = false
  const error = await edge.callOwner('w', 'limitsLeft', () => ['w']).catch((error: unknown) => error)
  assert.instance(error, OwnerAway)
})

test.run()
