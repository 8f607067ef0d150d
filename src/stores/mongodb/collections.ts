import type { MongoDatabase } from './client.ts'
import type { LeaseDoc } from './lease.ts'
import { LARGE_MESSAGE_SECONDS, NODE_KEPT_SECONDS } from './limits.ts'

/** One of the nodes that share the store. */
export interface NodeDoc {
  _id: string
  address: string
  leaving: boolean
  reachesBus: boolean
  format: number
  /** By the database's clock. */
  renewedAt: Date
}
/** Beside the nodes: it changes whenever the owner of a shard may have changed. */
export interface OwnersVersionDoc {
  _id: 'owners'
  version: number
}
/** Which node owns a shard, as long as that node renews itself. */
export interface ShardDoc {
  /** The shard's number. */
  _id: string
  node: string | null
  /** Raised by each new owner. */
  epoch: number
  /** The epoch of the fence of its newest owner. */
  fence?: number
  /** The newest that its rows may have. */
  format?: number
}

/** Who owns what: the collections that are no tables of the store. */
export function collectionsOf(database: Pick<MongoDatabase, 'collection'>) {
  return {
    leases: database.collection<LeaseDoc>('leases'),
    nodes: database.collection<NodeDoc | OwnersVersionDoc>('nodes'),
    shards: database.collection<ShardDoc>('shards'),
    /** Messages between nodes that are too long to be sent. */
    largeMessages: database.collection<{ _id: string; text: string; at: Date }>('large_messages'),
  }
}
export type Collections = ReturnType<typeof collectionsOf>

/** Messages that nobody read, and nodes that were killed, are removed by the server. */
export const expireUnused = ({ largeMessages, nodes }: Pick<Collections, 'largeMessages' | 'nodes'>) =>
  Promise.all([
    largeMessages.createIndex({ at: 1 }, { expireAfterSeconds: LARGE_MESSAGE_SECONDS, commitQuorum: 'majority' }),
    nodes.createIndex({ renewedAt: 1 }, { expireAfterSeconds: NODE_KEPT_SECONDS, commitQuorum: 'majority' }),
  ])
