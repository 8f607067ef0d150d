import { randomUUID } from 'node:crypto'
import type { Shards } from '../../actors/cluster/ports.ts'
import type { Log, Store } from '../../actors/runtime/ports.ts'
import type { AuthTables } from './auth-tables.ts'
import { DATA_VERSIONS_SETTING, type DataVersionsPort } from './data-versions.ts'
import { remembered } from './key-cache.ts'
import { assignShards } from './mongodb/assign-shards.ts'
import { auditOf } from './mongodb/audit.ts'
import { authTablesOf } from './mongodb/auth-tables.ts'
import { claimsOf } from './mongodb/claims.ts'
import { connect, hostsOf, insertOnce, inTime, type MongoDatabase, upserting } from './mongodb/client.ts'
import { type Collections, collectionsOf, makeIndexes } from './mongodb/collections.ts'
import { coreOf, settle } from './mongodb/core.ts'
import { eventsOf } from './mongodb/events.ts'
import type { Fence } from './mongodb/fence.ts'
import { filesOf } from './mongodb/files.ts'
import { keysOf, workspacesOf } from './mongodb/keys.ts'
import { besideOwner, type Lease, shareLease, takeLease } from './mongodb/lease.ts'
import { ledgerOf } from './mongodb/ledger.ts'
import { limitsOf } from './mongodb/operations.ts'
import { pairingsOf, sessionsOf } from './mongodb/sessions.ts'
import { shardsOf } from './mongodb/shards.ts'
import { stepsOf, tasksOf, tracesOf } from './mongodb/tasks.ts'
import { usageOf } from './mongodb/usage.ts'
import { deliveriesOf, endpointsOf } from './mongodb/webhooks.ts'
import { unopened, worded } from './mongodb/wording.ts'
import type { Owner } from './owner.ts'

export interface MongoOptions {
  /** A standalone server will do; without a database in its path, it is `browser_task_service`. */
  readonly url: string
  readonly log?: Log
  readonly owner?: Owner
}

type MongoStore = Store & {
  readonly authTables: AuthTables
  readonly dataVersions: DataVersionsPort
  readonly shards?: Shards
}

/**
 * Opens the store on MongoDB, and makes its indexes; with `owner`, once its lease is taken. While the server is away
 * calls are rejected within seconds with StoreUnwritable; once it is back they work again.
 * @throws StoreInUse when it is opened by its owner, and another process owns it
 * @throws MongoUrlInvalid, or Error when the server cannot be reached
 */
export async function openMongoStore({ url, log, owner }: MongoOptions): Promise<MongoStore> {
  const hosts = hostsOf(url)
  let database: MongoDatabase | null = null
  let lease: Lease | null = null
  try {
    database = await connect(url)
    const collections = collectionsOf(database)
    const where = `MongoDB at ${hosts}`
    if (owner?.shared) return await openShared(database, collections, where, owner, log)
    if (owner) lease = await takeLease(collections, where, owner, log)
    await makeIndexes(collections, database.replicated)
    if (lease) await settle(collections, lease)
    const fence = lease ?? (await besideOwner(collections.leases))
    log?.info({ hosts, epoch: fence.epoch }, 'MongoDB is connected.')
    return worded(storeOf(database, collections, fence, lease), hosts, log)
  } catch (error) {
    await lease?.release()
    await database?.close()
    throw unopened(hosts, error)
  }
}

/** [M1] As one of several nodes: it owns nothing by itself, and `shards` is how it gets its part. */
async function openShared(
  database: MongoDatabase,
  all: Collections,
  where: string,
  owner: Owner,
  log: Log | undefined,
): Promise<MongoStore> {
  const hosts = where.replace(/^.* /, '')
  await makeIndexes(all, database.replicated)
  const lease = await shareLease(all, where, owner, () => assignShards(all), log)
  let taken = (_: string): void => {}
  const bare = storeOf(database, all, await besideOwner(all.leases), null)
  // [K6] A key that another node deletes is invalid at once: none is remembered here.
  const base = { ...bare, keys: keysOf(all), ledger: ledgerOf(all, null) }
  const cluster = await base.setting('cluster', () => randomUUID().slice(0, 8))
  const onTaken = () => taken(`${where} is in use by another process, which owns all of it`)
  const shards = shardsOf({ all, store: base, lease, ...owner, cluster, onTaken })
  log?.info({ hosts, node: shards.node }, 'MongoDB is connected; the store is shared.')
  return {
    ...worded(base, hosts, log),
    shards: {
      ...worded(shards, hosts, log),
      async acquire(shard, seen) {
        const owned = await shards.acquire(shard, seen)
        return owned && { ...owned, store: worded(owned.store, hosts, log) }
      },
    },
    onLost(listener) {
      taken = listener
    },
    async close() {
      await inTime(shards.close().then(() => true))
      await database.close()
    },
  }
}

/** The store over a database that is connected, under the epoch of a fence. */
export function storeOf(
  database: Pick<MongoDatabase, 'ping' | 'close'>,
  collections: Collections,
  fence: Fence,
  lease: Lease | null,
): MongoStore {
  const { settings } = collections
  return {
    kind: 'mongodb',
    // An owner's is a write: reading goes on where no write can succeed.
    ping: lease ? () => inTime(lease.renew()) : database.ping,
    async close() {
      await lease?.release()
      await database.close()
    },
    onLost: (listener) => lease?.onLost(listener),
    ...coreOf(collections, fence),
    tasks: tasksOf(collections, fence, { isOwner: lease !== null }),
    steps: stepsOf(collections, fence),
    events: eventsOf(collections),
    files: filesOf(collections),
    traces: tracesOf(collections),
    sessions: sessionsOf(collections),
    pairings: pairingsOf(collections),
    keys: remembered(keysOf(collections)),
    claims: claimsOf(collections),
    workspaces: workspacesOf(collections),
    limits: limitsOf(collections),
    audit: auditOf(collections),
    usage: usageOf(collections, fence),
    ledger: ledgerOf(collections, fence),
    endpoints: endpointsOf(collections),
    deliveries: deliveriesOf(collections, fence),
    async setting(name, propose) {
      const kept = await settings.findOne({ _id: name })
      if (kept) return kept.value
      const proposed = propose()
      if (await insertOnce(settings, { _id: name, value: proposed })) return proposed
      return (await settings.findOne({ _id: name }))?.value ?? proposed
    },
    dataVersions: {
      read: async () => (await settings.findOne({ _id: DATA_VERSIONS_SETTING }))?.value ?? null,
      async write(value) {
        await upserting(() => settings.replaceOne({ _id: DATA_VERSIONS_SETTING }, { value }, { upsert: true }))
      },
    },
    authTables: authTablesOf(collections),
  }
}
