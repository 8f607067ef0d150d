import { join } from 'node:path'
import type { Log, Store } from '../../actors/runtime/ports.ts'
import type { AuthTables } from './auth-tables.ts'
import { DATA_VERSIONS_SETTING, type DataVersionsPort } from './data-versions.ts'
import { remembered } from './key-cache.ts'
import { auditOf } from './lmdb/audit.ts'
import { authTablesOf } from './lmdb/auth-tables.ts'
import { claimsOf } from './lmdb/claims.ts'
import { coreOf } from './lmdb/core.ts'
import { LmdbFile } from './lmdb/database.ts'
import { eventsOf } from './lmdb/events.ts'
import { filesOf } from './lmdb/files.ts'
import { FILES, hideFolder, prepareFolder } from './lmdb/folder.ts'
import { lockFolder } from './lmdb/folder-lock.ts'
import { keysOf, workspacesOf } from './lmdb/keys.ts'
import { ledgerOf, usageOf } from './lmdb/ledger.ts'
import { limitsOf } from './lmdb/operations.ts'
import { pairingsOf, sessionsOf } from './lmdb/sessions.ts'
import { screenshotsOf, stepsOf, tracesOf } from './lmdb/steps.ts'
import { tablesOf } from './lmdb/tables.ts'
import { tasksOf } from './lmdb/tasks.ts'
import { deliveriesOf, endpointsOf } from './lmdb/webhooks.ts'
import type { Owner } from './owner.ts'

export interface LmdbOptions {
  /** Made when it is missing. Several processes may use the same one. */
  readonly dataDir: string
  readonly log?: Log
  readonly owner?: Owner
  /** What is free on the disk of a folder, in bytes. */
  readonly freeBytes?: (folder: string) => number
}

type LmdbStore = Store & { readonly authTables: AuthTables; readonly dataVersions: DataVersionsPort }

/**
 * Opens the embedded store. What is read is what is committed by any process; a key that another process removes within KEY_CACHE_MS_MAX.
 * The files never shrink: what is removed makes room for what comes.
 * @throws StoreInUse when it is opened by its owner, and another process owns it
 * @throws Error `Data folder <path> …` in one line: it cannot be written, or it holds what is damaged or of an earlier version
 */
export async function openLmdbStore(options: LmdbOptions): Promise<LmdbStore> {
  prepareFolder(options.dataDir)
  const lock = options.owner ? lockFolder(options.dataDir, options.owner) : null
  try {
    return openTables(options, () => lock?.release())
  } catch (error) {
    lock?.release()
    throw error
  }
}

function openTables({ dataDir, log, freeBytes }: LmdbOptions, release: () => void): LmdbStore {
  const file = new LmdbFile(join(dataDir, FILES.store), log, freeBytes)
  const imageFile = new LmdbFile(join(dataDir, FILES.screenshots), log, freeBytes)
  if (!hideFolder(dataDir))
    log?.warn({ folder: dataDir }, 'Others on this machine may be able to read the data folder.')
  const tables = tablesOf(file)
  const screenshots = screenshotsOf(imageFile)
  const files = filesOf(imageFile, tables)
  return {
    kind: 'file',
    ping: async () => file.writable(),
    async close() {
      await Promise.all([file.close(), imageFile.close()])
      release()
    },
    // A lock of the kernel is held as long as the process lives.
    onLost() {},
    ...coreOf(file, tables),
    tasks: tasksOf(file, tables, screenshots, files),
    steps: stepsOf(file, tables, screenshots),
    events: eventsOf(tables),
    files,
    traces: tracesOf(file, tables),
    sessions: sessionsOf(file, tables),
    pairings: pairingsOf(file, tables),
    keys: remembered(keysOf(file, tables)),
    claims: claimsOf(file, tables),
    workspaces: workspacesOf(file, tables),
    limits: limitsOf(file, tables),
    audit: auditOf(file, tables),
    usage: usageOf(file, tables),
    ledger: ledgerOf(file, tables),
    endpoints: endpointsOf(file, tables),
    deliveries: deliveriesOf(file, tables),
    async setting(name, propose) {
      const proposed = tables.settings.get(name) ?? propose()
      return file.transact(() => {
        const kept = tables.settings.get(name)
        if (kept === undefined) tables.settings.put(name, proposed)
        return kept ?? proposed
      })
    },
    dataVersions: {
      read: async () => tables.settings.get(DATA_VERSIONS_SETTING) ?? null,
      write: (json) => file.write(() => tables.settings.put(DATA_VERSIONS_SETTING, json)),
    },
    authTables: authTablesOf(file, tables),
  }
}
