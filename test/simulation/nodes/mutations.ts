import type { Mutation } from '../mutations/list.ts'
import { struck } from './plan.ts'
import * as scenes from './scenes.ts'
import { START_MUTATIONS } from './start-mutations.ts'

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
    // The look alone would stop it, too, within half a second; what it does until then the fence refuses.
    name: 'a refusal is taken for a failure',
    file: 'actors/shard.ts',
    from: "node.registry.post(shardAddress(shard), { type: 'shard.lost', epoch: owned.epoch })",
    to: '',
    also: [
      {
        file: 'actors/cluster/node.ts',
        from: "if (epoch > own.epoch) this.registry.post(shardAddress(shard), { type: 'shard.lost', epoch: own.epoch })",
        to: 'if (epoch > own.epoch) continue',
      },
    ],
  },
  {
    name: 'an idle former owner is not told',
    file: 'actors/cluster/node.ts',
    from: "if (epoch > own.epoch) this.registry.post(shardAddress(shard), { type: 'shard.lost', epoch: own.epoch })",
    to: 'if (epoch > own.epoch) continue',
    plan: scenes.STOPPED_WHEN_IDLE,
  },
  {
    name: 'a stale lease is trusted by frames',
    file: 'actors/cluster/fenced-ports.ts',
    from: 'const isClear = () => held === 0 && isUntaken()',
    to: 'const isClear = () => held === 0',
  },
  {
    name: 'a webhook leaves without the word of the store',
    file: 'actors/cluster/fenced-ports.ts',
    from: 'if (await isOwn(owned, clock)) await webhook.post(url, body)',
    to: 'await webhook.post(url, body)',
    plan: scenes.STOPPED_AT_A_WEBHOOK,
  },
  {
    name: 'what was under way leaves after a hand-over',
    file: 'actors/cluster/node.ts',
    from: 'const isHere = () => this.#services.get(owned.shard) === own',
    to: 'const isHere = () => own !== null',
    plan: scenes.SLOW_HAND_OVERS,
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
    from: 'await service?.running.start()\n',
    to: 'void service?.running.start()\n',
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
    from: 'Promise.race([run, service.gone]).then(',
    to: 'run.then(',
    plan: scenes.CANCELLED_AT_A_HAND_OVER,
  },
  {
    name: 'a start has another id at the next owner',
    file: 'actors/cluster/desk.ts',
    from: 'named, again || start.taskId !== undefined',
    to: 'start, again || start.taskId !== undefined',
    plan: scenes.STOPPED_AFTER_A_START,
  },
  {
    name: 'browsers stay where they are when their session moves',
    file: 'actors/cluster/sockets.ts',
    from: 'if (link.epoch !== null && link.epoch < this.#node.ownerOf(link.shard).epoch) this.#close(link)',
    to: '',
  },
  {
    name: 'a result that comes before its owner knows the socket is dropped',
    file: 'actors/cluster/sockets.ts',
    from: 'link.early.push(() => this.#toOwner(link, note))',
    to: '',
    plan: scenes.SLOW_BINDS,
  },
  {
    name: 'an older socket that closes takes the session with it',
    file: 'actors/cluster/sockets.ts',
    from: 'if (link?.socketId !== socketId) return\n',
    to: 'if (!link) return\n',
  },
  {
    name: 'an acquisition whose answer was lost is left alone',
    file: 'actors/cluster/node.ts',
    from: 'const isNamed = node === this.id && !this.#leaving',
    to: 'const isNamed = node === this.id && isMine',
    plan: struck('shards', 'limbo'),
  },
  {
    name: 'a hand-over that ends late ends the service that was opened since',
    file: 'actors/shard.ts',
    from: 'if (service) node.abandon(shard, service)',
    to: 'node.abandon(shard)',
    plan: scenes.HAND_OVERS_TO_A_NODE_THAT_IS_GONE,
  },
  {
    name: 'a result that comes twice is noted twice',
    file: 'actors/task.ts',
    from: 'if (conversation.resultOf(call.requestId)) return',
    to: '',
    plan: scenes.KILLED_AT_THE_JOURNAL,
  },
  {
    name: 'a former owner answers what it comes to',
    file: 'actors/cluster/router.ts',
    from: 'const isOwn = this.#node.isUntaken || (await service.owned.isOwn().catch(() => true))',
    to: 'const isOwn = true',
    plan: scenes.CANCELLED_AT_A_FORMER_OWNER,
  },
  {
    name: 'a socket that its owner has given up stays open',
    file: 'actors/cluster/sockets.ts',
    from: '      this.#gone(service, sessionId, socketId)\n      this.#closeAnywhere(sessionId, socketId)',
    to: '      this.#gone(service, sessionId, socketId)',
    // It would be closed when it is heard of again.
    also: [{ file: 'actors/cluster/sockets.ts', from: 'else this.#closeAnywhere(sessionId, on.socketId)', to: '' }],
    plan: scenes.STOPPED_WITH_BROWSERS,
  },
  {
    name: 'results that an owner cut off from the bus has missed are not sent again',
    file: 'actors/cluster/sockets.ts',
    from: 'if (node !== this.#node.id) this.#closeAnywhere(sessionId, socketId)',
    to: 'if (node !== this.#node.id) continue',
    plan: scenes.CUT_FROM_THE_BUS,
  },
  {
    name: 'the answer that a node owed before it lost a shard is its answer when it has it again',
    file: 'actors/cluster/router.ts',
    from: 'const key = `',
    to: 'const key = call.id || `',
    plan: scenes.BACK_IN_A_MOMENT,
  },
  {
    name: 'a start is begun under an id that is being ended',
    file: 'actors/create-task-service.ts',
    from: "if (start.taskId !== undefined && registry.has(closingAddress(start.taskId))) return refused('store_away', true)\n",
    to: '',
    plan: scenes.STARTS_THAT_FAIL,
  },
  {
    name: 'the claim of a start that failed is given up before what it left is ended',
    file: 'src/http/routes/task-start.ts',
    from: 'if (!answer.refusal.left && !claim?.again) claim?.letGo()',
    to: 'if (!claim?.again) claim?.letGo()',
    plan: scenes.CUT_AT_A_START,
  },
  ...START_MUTATIONS,
]
