import type { MongoDatabase } from './client.ts'
import type { LeaseDoc } from './lease.ts'
import { PARCEL_SECONDS } from './limits.ts'

/** One of the nodes that share the store. */
export interface NodeDoc {
  _id: string
  address: string
  leaving: boolean
  format?: number
  /** By the database's clock. */
  renewedAt: Date
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
  /** Of the newest owner that it had. */
  format?: number
}

/** Who owns what: the collections that are no tables of the store. */
export function collectionsOf(database: Pick<MongoDatabase, 'collection'>) {
  return {
    leases: database.collection<LeaseDoc>('leases'),
    nodes: database.collection<NodeDoc>('nodes'),
    shards: database.collection<ShardDoc>('shards'),
    /** Messages between nodes that are too long to be sent. */
    parcels: database.collection<{ _id: string; text: string; at: Date }>('parcels'),
  }
}
export type Collections = ReturnType<typeof collectionsOf>

/** Parcels that nobody read go by themselves. */
export const expireParcels = ({ parcels }: Pick<Collections, 'parcels'>) =>
  parcels.createIndex({ at: 1 }, { expireAfterSeconds: PARCEL_SECONDS, commitQuorum: 'majority' })
