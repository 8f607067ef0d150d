import type { Log, Store } from '../../actors/ports.ts'
import { SECOND_MS, STORE_OPEN_MS_MAX, STORE_RETRY_EVERY_MS } from '../../machines/limits.ts'
import type { AuthTables } from './auth-tables.ts'
import { reasonOf } from './errors.ts'
import { openLmdbStore } from './lmdb.ts'

export type OpenedStore = Store & { readonly authTables: AuthTables }

export interface OpenOptions {
  /** `null`: the embedded store in `dataDir`. */
  readonly mongodbUrl: string | null
  readonly dataDir: string
  readonly log: Log
  /** What the opening waits on; the real thing when it is left out. */
  readonly world?: {
    now(): number
    delay(ms: number): Promise<void>
    openMongo(options: { url: string; log: Log }): Promise<OpenedStore>
  }
}

const REAL: NonNullable<OpenOptions['world']> = {
  now: () => performance.now(),
  delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  openMongo: async (options) => (await import('./mongodb.ts')).openMongoStore(options),
}

/**
 * Opens the store that the configuration names. MongoDB that is down is tried again for STORE_OPEN_MS_MAX, one log line each time.
 * @throws Error with one sentence: the folder that cannot be written, or the server that cannot be reached
 */
export async function openStore({ mongodbUrl, dataDir, log, world = REAL }: OpenOptions): Promise<OpenedStore> {
  if (mongodbUrl === null) return openLmdbStore({ dataDir, log })
  // The driver is loaded where it is used alone: a service on the embedded store starts sooner without it.
  const { hostsOf, MongoUrlInvalid } = await import('./mongodb/client.ts')
  const hosts = hostsOf(mongodbUrl)
  const until = world.now() + STORE_OPEN_MS_MAX
  for (let attempt = 1; ; attempt++) {
    try {
      return await world.openMongo({ url: mongodbUrl, log })
    } catch (error) {
      if (error instanceof MongoUrlInvalid) throw error
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
