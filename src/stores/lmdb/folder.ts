import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, existsSync, fstatSync, mkdirSync, openSync, readdirSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { reasonOf } from '../errors.ts'

/** The files of tables in a data folder. */
export const FILES = { store: 'store.mdb', screenshots: 'screenshots.mdb' } as const

const OLD_LOG = /^actors-.*\.wal$/

/** Where lmdb's meta page, of which there are two at the beginning of a file, says what: `MDB_meta` behind the header of a page. */
const META = { magic: 24, version: 28, pageSize: 48, lastPage: 144, transaction: 152, bytes: 160 } as const
const MAGIC = 0xbeefc0de
const VERSION = 2
const PAGE_BYTES_MIN = 256
const PAGE_BYTES_MAX = 65_536

/**
 * Makes the data folder when it is missing, and looks at what is in it before lmdb does, which
 * reads a file that was cut off as far as it gets, and then ends the process.
 * @throws Error [N10] `Data folder <path> …` in one line: it cannot be written, it holds the log of an earlier version, a file is damaged
 */
export function prepareFolder(folder: string): void {
  let names: string[]
  try {
    makeFolder(folder)
    names = readdirSync(folder)
  } catch (error) {
    throw new Error(`Data folder ${folder} cannot be written: ${reasonOf(error)}`, { cause: error })
  }
  const log = names.find((name) => OLD_LOG.test(name))
  if (log !== undefined) {
    throw new Error(
      `Data folder ${folder} was left by the first version (d80f725) without a stop: what ran then is in its log (${log}), which only that version reads. Start that version on it once and stop it with SIGTERM`,
    )
  }
  for (const name of Object.values(FILES)) {
    const damage = existsSync(join(folder, name)) ? damageOf(join(folder, name)) : null
    if (damage !== null) {
      throw new Error(
        `Data folder ${folder} is damaged: ${name} ${damage}. Put a copy of the folder in its place, or move ${name} away to begin without it`,
      )
    }
  }
}

/** Makes a folder and those above it, for this user alone. Node's own `recursive` never ends where a file system takes no folders (/proc). */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/**
 * Takes the folder and what the stores keep in it from all eyes but its owner's. A folder that is not ours alone keeps its
 * mode. False when the system does not let us, as where the folder is another user's.
 */
export function hideFolder(folder: string): boolean {
  try {
    const names = readdirSync(folder)
    for (const name of names) if (isOurs(name)) chmodSync(join(folder, name), 0o600)
    if (names.every(isOurs)) chmodSync(folder, 0o700)
    return true
  } catch {
    return false
  }
}

/** Whether there is a store in the folder. */
export const hasStore = (folder: string): boolean => existsSync(join(folder, FILES.store))

const isOurs = (name: string) => /\.mdb(-lock)?$|^owner\.lock$/.test(name)

/** What is wrong with a file of lmdb, in words that follow its name. */
function damageOf(path: string): string | null {
  const fd = openSync(path, 'r')
  try {
    const { size } = fstatSync(fd)
    if (!fstatSync(fd).isFile()) return null
    if (size === 0) return 'is empty'
    const [first, pageSize] = metaAt(fd, 0)
    const second = first === null ? null : metaAt(fd, pageSize)[0]
    if (first === null || second === null) return 'does not begin as a file of lmdb does'
    const { lastPage } = first.transaction > second.transaction ? first : second
    // Free pages at the end need not have been written.
    if (size < (lastPage + 1) * pageSize && !canBeRead(path)) return `was cut off at ${size} bytes`
    return null
  } finally {
    closeSync(fd)
  }
}

function metaAt(fd: number, at: number): [meta: { lastPage: number; transaction: number } | null, pageSize: number] {
  const bytes = Buffer.alloc(META.bytes)
  const pageSize = readSync(fd, bytes, 0, META.bytes, at) === META.bytes ? bytes.readUInt32LE(META.pageSize) : 0
  const isMeta =
    bytes.readUInt32LE(META.magic) === MAGIC &&
    (bytes.readUInt32LE(META.version) & 0xffff) === VERSION &&
    pageSize >= PAGE_BYTES_MIN &&
    pageSize <= PAGE_BYTES_MAX
  if (!isMeta) return [null, 0]
  const lastPage = Number(bytes.readBigUInt64LE(META.lastPage))
  return [{ lastPage, transaction: Number(bytes.readBigUInt64LE(META.transaction)) }, pageSize]
}

/** Reads all of a file, in a process of its own, because lmdb ends the process when the file is damaged. */
export function canBeRead(path: string): boolean {
  const walk = `
    const root = require(process.argv[1]).open({ path: process.argv[2], noSubdir: true, readOnly: true, maxDbs: 100 })
    for (const name of [...root.getKeys()]) {
      for (const { value } of root.openDB(String(name), { encoding: 'binary' }).getRange()) value?.length
    }`
  const lmdb = createRequire(import.meta.url).resolve('lmdb')
  return spawnSync(process.execPath, ['-e', walk, lmdb, path], { stdio: 'ignore' }).status === 0
}
