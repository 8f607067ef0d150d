import { shardAddress } from '../machines/addresses.ts'
import { shardMachine } from '../machines/shard.ts'
import type { ClusterNode } from './cluster/node.ts'
import { answering } from './runtime/effects.ts'

/** Runs a shard: its workspaces and their actors are a service of their own, over a store that is fenced by its epoch. */
export const shardActor = (node: ClusterNode) => {
  const { clock, log } = node.ports
  return shardMachine.provide({
    actors: {
      acquire: answering(node.registry, async ({ shard }) => {
        const owned = await node.shards.acquire(shard, node.ownerOf(shard))
        if (!owned) return { type: 'shard.missed' }
        node.open(owned)
        owned.onLost(() => {
          log.warn({ shard, epoch: owned.epoch }, 'Another node owns this shard now. Its actors stop and end no task.')
          node.lost(shard)
          node.registry.post(shardAddress(shard), { type: 'shard.lost', epoch: owned.epoch })
        })
        return { type: 'shard.acquired', epoch: owned.epoch, at: clock.now() }
      }),
      recover: answering(node.registry, async ({ shard }) => {
        const service = node.service(shard)
        await node.recover(async () => {
          // It may have been lost while it waited.
          if (!service || service !== node.service(shard)) return
          await service.running.start()
          service.opened()
        })
        return { type: 'shard.recovered', at: clock.now() }
      }),
      release: answering(node.registry, async ({ shard }) => {
        const service = node.service(shard)
        service?.close()
        // What is not written in time is lost as in a crash: the next node does it again.
        if (node.endsTasks) await service?.running.stop()
        else await service?.handOver()
        // It may have been lost and acquired anew meanwhile.
        if (service) node.abandon(shard, service)
        await service?.owned.release()
        return { type: 'shard.released' }
      }),
    },
    actions: { abandon: (_, { shard }) => node.abandon(shard) },
  })
}
