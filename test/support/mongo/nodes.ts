import type { OwnedShard, Shards } from '../../../actors/cluster/ports.ts'
import { openMongoStore } from '../../../src/stores/mongodb.ts'
import type { MongoServer } from './start.ts'

/** The store as one of several nodes has it open. */
export const openAtNode = (server: MongoServer, n: number) =>
  openMongoStore({ url: server.url, owner: { address: `http://127.0.0.1:${n}`, shared: true } })

/** The node gets the shard from whoever has it. */
export async function taken({ shards }: { shards?: Shards }, shard: number): Promise<OwnedShard> {
  const seen = (await shards?.refreshView({ leaving: false, reachesBus: true }))?.owners[shard]
  const owned = seen && (await shards?.acquire(shard, seen))
  if (!owned) throw new Error('It was not acquired')
  return owned
}

/** What a promise was rejected with; `null`: it was not. */
export const errorOf = (promise: Promise<unknown>): Promise<Error | null> =>
  promise.then(
    () => null,
    (error: Error) => error,
  )
