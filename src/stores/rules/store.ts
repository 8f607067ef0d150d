import type { Store } from '../../../actors/runtime/ports.ts'
import type { AuthTables } from '../auth-tables.ts'
import { DATA_VERSIONS_SETTING, type DataVersionsPort } from '../data-versions.ts'
import type { Driver, Settings } from '../port.ts'
import { authTablesOf } from './auth-tables.ts'
import { coreOf } from './core.ts'
import { filesOf } from './files.ts'
import { ledgerOf } from './ledger.ts'
import { appendingTo, eventsOf } from './log.ts'
import {
  auditOf,
  claimsOf,
  keysOf,
  limitsOf,
  pairingsOf,
  profilesOf,
  recipesOf,
  sessionsOf,
  workspacesOf,
} from './records.ts'
import { tasksOf, tracesOf } from './tasks.ts'
import { usageOf } from './usage.ts'
import { deliveriesOf, endpointsOf } from './webhooks.ts'

/** What a store does beside keeping: it is the driver's. */
type Life = 'kind' | 'ping' | 'close' | 'onLost'
export type Rules = Omit<Store, Life> & { readonly authTables: AuthTables; readonly dataVersions: DataVersionsPort }

/** Every rule of the store over a driver; what runs is of one shard, or of the whole store. */
export const rulesOver = (driver: Driver, settings: Settings, shard: number | null = null): Rules => {
  const appending = appendingTo(driver, shard === null ? 'store' : `shard ${shard}`)
  return {
    ...coreOf(driver, appending, shard),
    tasks: tasksOf(driver, appending, shard),
    events: eventsOf(driver),
    files: filesOf(driver),
    traces: tracesOf(driver),
    sessions: sessionsOf(driver),
    pairings: pairingsOf(driver),
    keys: keysOf(driver),
    claims: claimsOf(driver),
    workspaces: workspacesOf(driver),
    limits: limitsOf(driver),
    recipes: recipesOf(driver),
    profiles: profilesOf(driver),
    audit: auditOf(driver),
    usage: usageOf(driver),
    ledger: ledgerOf(driver),
    endpoints: endpointsOf(driver),
    deliveries: deliveriesOf(driver),
    setting: async (name, propose) => (await settings.get(name)) ?? settings.propose(name, propose()),
    dataVersions: {
      read: () => settings.get(DATA_VERSIONS_SETTING),
      write: (json) => settings.put(DATA_VERSIONS_SETTING, json),
    },
    authTables: authTablesOf(driver),
  }
}
