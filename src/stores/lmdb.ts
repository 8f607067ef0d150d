import { join } from 'node:path'
import type { Log, Store } from '../../actors/runtime/ports.ts'
import { remembered } from './key-cache.ts'
import { LmdbFile } from './lmdb/database.ts'
import { LmdbDriver, settingsOf } from './lmdb/driver.ts'
import { FILES, hideFolder, prepareFolder } from './lmdb/folder.ts'
import { lockFolder } from './lmdb/folder-lock.ts'
import { isOfEarlierLayout, moveProfileValues, upgradeTables } from './lmdb/upgrade.ts'
import type { Owner } from './owner.ts'
import { type Rules, rulesOver } from './rules/store.ts'

export interface LmdbOptions {
  /** Made when it is missing. Several processes may use the same one. */
  readonly dataDir: string
  readonly log?: Log
  readonly owner?: Owner
  /** What is free on the disk of a folder, in bytes. */
  readonly freeBytes?: (folder: string) => number
}

type LmdbStore = Store & Rules

/**
 * Opens the embedded store. A transaction sees all that any process has committed before it, another read what was committed
 * a turn of this process ago; a key that another process removes is refused within KEY_CACHE_MS_MAX.
 * The files never shrink: what is removed makes room for what comes.
 * @throws StoreInUse when it is opened by its owner, and another process owns it
 * @throws Error `Data folder <path> …` in one line: it cannot be written, or it holds what is damaged or of an earlier version
 */
export async function openLmdbStore(options: LmdbOptions): Promise<LmdbStore> {
  prepareFolder(options.dataDir)
  const lock = options.owner ? lockFolder(options.dataDir, options.owner) : null
  try {
    return await openTables(options, () => lock?.release())
  } catch (error) {
    lock?.release()
    throw error
  }
}

async function openTables({ dataDir, owner, log, freeBytes }: LmdbOptions, release: () => void): Promise<LmdbStore> {
  const file = new LmdbFile(join(dataDir, FILES.store), log, freeBytes)
  const largeFile = new LmdbFile(join(dataDir, FILES.screenshots), log, freeBytes)
  if (!hideFolder(dataDir))
    log?.warn({ folder: dataDir }, 'Others on this machine may be able to read the data folder.')
  const driver = new LmdbDriver(file, largeFile)
  if (isOfEarlierLayout(file)) {
    if (!owner) {
      await Promise.all([file.close(), largeFile.close()])
      throw new Error(
        `Data folder ${dataDir} is of an earlier version: start the service on it once, which upgrades it`,
      )
    }
    await upgradeTables(file, largeFile, log)
  }
  if (owner) await moveProfileValues(file, largeFile)
  const rules = rulesOver(driver, settingsOf(file))
  return {
    ...rules,
    kind: 'file',
    keys: remembered(rules.keys),
    ping: async () => file.writable(),
    async close() {
      await Promise.all([file.close(), largeFile.close()])
      release()
    },
    // A lock of the kernel is held as long as the process lives.
    onLost() {},
  }
}
