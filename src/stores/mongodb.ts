import { randomUUID } from 'node:crypto'
import type { Shards } from '../../actors/cluster/ports.ts'
import type { Log, Store } from '../../actors/runtime/ports.ts'
import { parseAddress } from '../../machines/addresses.ts'
import { shardOf } from '../../machines/placement.ts'
import { noteDataVersions } from './data-versions.ts'
import { remembered } from './key-cache.ts'
import { connect, hostsOf, inTime, type MongoDatabase } from './mongodb/client.ts'
import { type Collections, collectionsOf, expireUnused } from './mongodb/collections.ts'
import { MongoDriver, settingsOf } from './mongodb/driver.ts'
import { fenceOf, raiseFence, removeFences, STORE_FENCE } from './mongodb/fencing.ts'
import { type Lease, shareLease, takeLease } from './mongodb/lease.ts'
import { isShared, nodesWithShards, shardsOf, takeAll } from './mongodb/shards.ts'
import { isOfEarlierVersion, upgradeDatabase, upgradeLogs } from './mongodb/upgrade.ts'
import { unopened, worded } from './mongodb/wording.ts'
import type { Owner } from './owner.ts'
import { type Rules, rulesOver } from './rules/store.ts'
import { ACTORS, type ActorKept, ALL_TABLES, TASKS } from './tables.ts'

export interface MongoOptions {
  /** Of a replica set; one member will do. Without a database in its path, it is `browser_task_service`. */
  readonly url: string
  readonly log?: Log
  readonly owner?: Owner
}

type MongoStore = Store & Rules & { readonly shards?: Shards }

/**
 * Opens the store on MongoDB, and makes its indexes; with `owner`, once its lease is taken. While the server is away
 * calls are rejected within seconds with StoreUnwritable; once it is back they work again.
 * @throws StoreInUse when it is opened by its owner, and another process owns it
 * @throws MongoUrlInvalid, or Error when the server cannot be reached, or the store is of an earlier version
 */
export async function openMongoStore({ url, log, owner }: MongoOptions): Promise<MongoStore> {
  const hosts = hostsOf(url)
  let database: MongoDatabase | null = null
  let renewals: MongoDatabase | null = null
  let lease: Lease | null = null
  try {
    database = await connect(url)
    const all = collectionsOf(database)
    const where = `MongoDB at ${hosts}`
    if (owner?.shared) {
      // What a node has to do in time waits for nothing else.
      renewals = await connect(url)
      return await openShared(database, renewals, all, where, owner, log)
    }
    const driver = new MongoDriver(database)
    if (owner) {
      lease = await takeLease(all.leases, where, owner, () => isShared(all), log)
      await ownAll(database, all, lease, log)
    } else if (await isOfEarlierVersion(database.present().db))
      throw new Error(`${where} is of an earlier version: start the service on it once, which upgrades it`)
    await driver.makeIndexes(ALL_TABLES)
    // Who opens it beside its owner writes what is of no owner, such as keys.
    const own = lease ? driver.under({ ...fenceOf(STORE_FENCE), ...lease }) : driver
    log?.info({ hosts, epoch: lease?.epoch }, 'MongoDB is connected.')
    return worded(storeOf(database, own, lease), hosts, log)
  } catch (error) {
    await lease?.release()
    await renewals?.close()
    await database?.close()
    throw unopened(hosts, error)
  }
}

/** [M1] As one of several nodes: it owns nothing by itself, and `shards` is how it gets its part. */
async function openShared(
  database: MongoDatabase,
  renewals: MongoDatabase,
  all: Collections,
  where: string,
  owner: Owner,
  log: Log | undefined,
): Promise<MongoStore> {
  const hosts = where.replace(/^.* /, '')
  const driver = new MongoDriver(database)
  const prepare = async (taken: Lease) => {
    await ownAll(database, all, taken, log)
    await assignShards(driver)
  }
  const lease = await shareLease(all.leases, where, owner, () => isShared(all), prepare, log)
  await expireUnused(all)
  await driver.makeIndexes(ALL_TABLES)
  const present = await nodesWithShards(all)
  await removeFences(database, (node) => !present.has(node))
  let taken = (_: string): void => {}
  // [K6] A key that another node deletes is invalid at once: none is remembered here.
  const base = { ...storeOf(database, driver, null), keys: rulesOver(driver, settingsOf(database)).keys }
  const cluster = await base.setting('cluster', () => randomUUID().slice(0, 8))
  const onTaken = () => taken(`${where} is in use by another process, which owns all of it`)
  const shards = shardsOf({
    ...{
      all,
      renewals: collectionsOf(renewals).nodes,
      store: base,
      settings: settingsOf(database),
      lease,
      ...owner,
      cluster,
      onTaken,
    },
    beforeNewest: () => noteDataVersions(base.dataVersions),
    driverUnder: (fence) => driver.under(fence),
    raise: (fence) => raiseFence(database, fence),
  })
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
      const closed = async () => {
        await shards.close()
        await removeFences(database, (node) => node === shards.node)
        return true
      }
      await inTime(closed())
      await renewals.close()
      await database.close()
    },
  }
}

/** Makes the store that of the holder of this lease alone: nobody before it writes anything from here on. */
async function ownAll(database: MongoDatabase, all: Collections, { epoch }: Lease, log: Log | undefined) {
  await raiseFence(database, { ...fenceOf(STORE_FENCE), epoch })
  await removeFences(database, () => true)
  await takeAll(all)
  await upgradeDatabase(database.present().db, log)
  await upgradeLogs(database)
}

/** Rows that one process wrote for itself get their shards. */
async function assignShards(driver: MongoDriver): Promise<void> {
  for await (const row of driver.range(ACTORS, null)) {
    if (row.shard !== undefined) continue
    const workspaceId = workspaceIn(row) ?? (await driver.get(TASKS, parseAddress(row.address).id))?.workspaceId
    await driver.patch(ACTORS, [row.address], { shard: workspaceId === undefined ? 0 : shardOf(workspaceId) })
  }
}

function workspaceIn({ address, snapshot }: ActorKept): string | undefined {
  const { actorKind, id } = parseAddress(address)
  if (actorKind === 'workspace') return id
  return (snapshot as { context?: { workspaceId?: string } } | null)?.context?.workspaceId
}

/** The store over a driver. */
function storeOf(database: MongoDatabase, driver: MongoDriver, lease: Lease | null): MongoStore {
  const rules = rulesOver(driver, settingsOf(database))
  return {
    ...rules,
    kind: 'mongodb',
    keys: remembered(rules.keys),
    // An owner's is a write: reading goes on where no write can succeed.
    ping: lease ? () => inTime(lease.renew()) : database.ping,
    async close() {
      await lease?.release()
      await database.close()
    },
    onLost: (listener) => lease?.onLost(listener),
  }
}
