import type { Log, Store } from '../../actors/ports.ts'
import type { AuthTables } from './auth-tables.ts'
import { remembered } from './key-cache.ts'
import { authTablesOf } from './mongodb/auth-tables.ts'
import { connect, hostsOf, insertOnce, worded } from './mongodb/client.ts'
import { collectionsOf, makeIndexes } from './mongodb/collections.ts'
import { keysOf, workspacesOf } from './mongodb/keys.ts'
import { ledgerOf, usageOf } from './mongodb/ledger.ts'
import { pairingsOf, sessionsOf } from './mongodb/sessions.ts'
import { coreOf, stepsOf, tasksOf, tracesOf } from './mongodb/tasks.ts'
import type { Owner } from './owner.ts'

export interface MongoOptions {
  /** A standalone server will do; without a database in its path, it is `browser_task_service`. */
  readonly url: string
  readonly log?: Log
  readonly owner?: Owner
}

/**
 * Opens the store on MongoDB, and makes its indexes. While the server is away calls are rejected within seconds,
 * with `MongoDB at <hosts> cannot be reached: …`; once it is back they work again.
 * @throws MongoUrlInvalid, or Error when the server cannot be reached
 */
export async function openMongoStore({ url, log }: MongoOptions): Promise<Store & { readonly authTables: AuthTables }> {
  const database = await connect(url)
  const collections = collectionsOf(database)
  const { settings } = collections
  try {
    await makeIndexes(collections)
  } catch (error) {
    await database.close()
    throw error
  }
  log?.info({ hosts: hostsOf(url) }, 'MongoDB is connected.')
  const store: Store & { readonly authTables: AuthTables } = {
    kind: 'mongodb',
    ping: database.ping,
    close: database.close,
    onLost() {},
    ...coreOf(collections),
    tasks: tasksOf(collections),
    steps: stepsOf(collections),
    traces: tracesOf(collections),
    sessions: sessionsOf(collections),
    pairings: pairingsOf(collections),
    keys: remembered(keysOf(collections)),
    workspaces: workspacesOf(collections),
    usage: usageOf(collections),
    ledger: ledgerOf(collections),
    async setting(name, propose) {
      const kept = await settings.findOne({ _id: name })
      if (kept) return kept.value
      const proposed = propose()
      if (await insertOnce(settings, { _id: name, value: proposed })) return proposed
      return (await settings.findOne({ _id: name }))?.value ?? proposed
    },
    authTables: authTablesOf(collections),
  }
  return worded(store, hostsOf(url))
}
