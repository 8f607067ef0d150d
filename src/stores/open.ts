import type { Shards } from '../../actors/cluster/ports.ts'
import type { Log, Store } from '../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../machines/limits.ts'
import type { AuthTables } from './auth-tables.ts'
import { checkDataVersions, type DataVersionsPort, noteDataVersions } from './data-versions.ts'
import { reasonOf, StoreInUse } from './errors.ts'
import { STORE_OPEN_MS_MAX, STORE_RETRY_EVERY_MS } from './limits.ts'
import { hasStore } from './lmdb/folder.ts'
import { openLmdbStore } from './lmdb.ts'
import type { Owner } from './owner.ts'

export type OpenedStore = Store & {
  readonly authTables: AuthTables
  readonly dataVersions: DataVersionsPort
  /** How a node that shares the store gets its part of it. */
  readonly shards?: Shards
}

export interface OpenOptions {
  /** `null`: the embedded store in `dataDir`. */
  readonly mongodbUrl: string | null
  readonly dataDir: string
  readonly log: Log
  /**
   * Takes the ownership of the store, which one process at a time has: the service does. Without it the store is opened
   * beside its owner, as the command line does.
   */
  readonly owner?: Owner
  /** Refuses a data folder without a store instead of making one there. */
  readonly mustExist?: boolean
  /** What the opening waits on; the real thing when it is left out. */
  readonly world?: {
    now(): number
    delay(ms: number): Promise<void>
    openMongo(options: { url: string; log: Log; owner?: Owner }): Promise<OpenedStore>
  }
}

const REAL: NonNullable<OpenOptions['world']> = {
  now: () => performance.now(),
  delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  openMongo: async (options) => (await import('./mongodb.ts')).openMongoStore(options),
}

/**
 * Opens the store that the configuration names. MongoDB that is down is tried again for STORE_OPEN_MS_MAX, one log line each time.
 * @throws StoreInUse when `owner` is given and another process owns it
 * @throws Error with one sentence: the folder that cannot be written, the server that cannot be reached, or [O3] data of a
 * newer version
 */
export async function openStore(options: OpenOptions): Promise<OpenedStore> {
  const store = await opened(options)
  try {
    const where = options.mongodbUrl === null ? `Data folder ${options.dataDir}` : 'The MongoDB database'
    const isNode = options.owner?.shared ?? false
    await checkDataVersions(store.dataVersions, where, isNode)
    if (options.owner && !isNode) await noteDataVersions(store.dataVersions)
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

async function opened({
  mongodbUrl,
  dataDir,
  log,
  owner,
  mustExist = false,
  world = REAL,
}: OpenOptions): Promise<OpenedStore> {
  const owning = owner ? { owner } : {}
  if (mongodbUrl === null && mustExist && !hasStore(dataDir)) {
    throw new Error(`There is no store in ${dataDir}: start the service there first, or set DATA_DIR to its folder`)
  }
  if (mongodbUrl === null) return openLmdbStore({ dataDir, log, ...owning })
  // The driver is loaded where it is used alone: a service on the embedded store starts sooner without it.
  const { hostsOf, MongoUrlInvalid } = await import('./mongodb/client.ts')
  const hosts = hostsOf(mongodbUrl)
  const until = world.now() + STORE_OPEN_MS_MAX
  for (let attempt = 1; ; attempt++) {
    try {
      return await world.openMongo({ url: mongodbUrl, log, ...owning })
    } catch (error) {
      if (error instanceof MongoUrlInvalid || error instanceof StoreInUse) throw error
      const reason = reasonOf(error)
      log.warn({ attempt, hosts, reason }, 'MongoDB could not be opened.')
      if (world.now() + STORE_RETRY_EVERY_MS >= until) {
        const seconds = STORE_OPEN_MS_MAX / SECOND_MS
        throw new Error(`MongoDB at ${hosts} could not be opened within ${seconds} s: ${reason}`, { cause: error })
      }
      await world.delay(STORE_RETRY_EVERY_MS)
    }
  }
}
