import type { Mutation } from '../mutations/list.ts'
import { struck } from './plan.ts'
import * as scenes from './scenes.ts'

/** Each takes away something that several nodes rely on. Three simulated nodes must find every one. */
export const NODE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'an epoch is not raised',
    file: 'src/stores/mongodb/shards.ts',
    from: 'epoch: seen.epoch + 1 }))',
    to: 'epoch: Math.max(seen.epoch, 1) }))',
  },
  {
    name: 'the fence of a former owner is not raised',
    file: 'src/stores/mongodb/shards.ts',
    from: 'await endNodes(wanted.map(({ seen }) => seen))',
    to: '',
  },
  {
    name: 'two nodes acquire a shard at once',
    file: 'src/stores/mongodb/shards.ts',
    from: 'filter: { _id, node: seen.node, epoch: seen.epoch, format',
    to: 'filter: { _id, epoch: { $lte: seen.epoch + 1 }, format',
  },
  {
    name: 'a stale lease is trusted by frames',
    file: 'actors/cluster/fenced-ports.ts',
    from: 'const isClear = () => waiting === 0 && leaseIsSafe()',
    to: 'const isClear = () => waiting === 0',
  },
  {
    name: 'a webhook leaves without the word of the store',
    file: 'actors/cluster/fenced-ports.ts',
    from: 'if (await isOwn(owned, clock)) await webhook.post(url, body)',
    to: 'await webhook.post(url, body)',
    plan: scenes.STOPPED_AT_A_WEBHOOK,
  },
  {
    name: 'a hand-over is not awaited',
    file: 'actors/shard.ts',
    from: 'else await service?.handOver()',
    to: 'else void service?.handOver()',
  },
  {
    name: 'a shard takes requests before it has recovered',
    file: 'actors/shard.ts',
    from: 'await service.running.start()\n',
    to: 'void service.running.start()\n',
  },
  {
    name: 'a call that comes twice is carried out twice',
    file: 'actors/cluster/router.ts',
    from: 'if (before) return before',
    to: '',
    plan: scenes.MESSAGES_TWICE,
  },
  {
    name: 'an owner that has handed over still answers',
    file: 'actors/cluster/router.ts',
    from: 'Promise.race([run, service.gone.then(() => null)])',
    to: 'run',
    plan: scenes.CANCELLED_AT_A_HAND_OVER,
  },
  {
    name: 'browsers stay where they are when their session moves',
    file: 'actors/cluster/browser-sockets.ts',
    from: 'if (route.epoch !== null && route.epoch < this.#node.ownerOf(route.shard).epoch) this.#close(route)',
    to: '',
  },
  {
    name: 'a result that comes before its owner knows the socket is dropped',
    file: 'actors/cluster/browser-sockets.ts',
    from: 'route.early.push(() => this.#toOwner(route, note))',
    to: '',
    plan: scenes.SLOW_BINDS,
  },
  {
    name: 'an acquisition whose answer was lost is left alone',
    file: 'actors/cluster/node.ts',
    from: 'const isNamed = node === this.id && !this.#leaving',
    to: 'const isNamed = node === this.id && isMine',
    plan: struck('shards', 'limbo'),
  },
  {
    name: 'the claim of a start that failed is given up before what it left is ended',
    file: 'src/api/routes/task-start.ts',
    from: 'if (!answer.refusal.left && !claim?.again) claim?.letGo()',
    to: 'if (!claim?.again) claim?.letGo()',
    plan: scenes.CUT_AT_A_START,
  },
  {
    name: 'a start that is sent again has an id of its own',
    file: 'src/api/idempotency.ts',
    from: 'const next = again ? { ...claim, createdId: kept.createdId } : claim',
    to: 'const next = claim',
  },
]
