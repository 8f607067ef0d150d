import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Log } from '../../../actors/runtime/ports.ts'
import { reasonOf, StoreUnwritable } from '../errors.ts'
import { DISK_CHECK_EVERY_MS, DISK_FREE_BYTES_MIN } from '../limits.ts'
import { openRoot, type Root, Table } from './table.ts'

/**
 * One lmdb file. A resolved write was committed and synced, so it outlives `kill -9` and a loss of power; writes of the
 * same moment share one commit.
 * lmdb 3.5 damages its heap or hangs when the disk is full, so writes are refused while less than DISK_FREE_BYTES_MIN
 * is free, and for good after a commit that failed all the same.
 */
export class LmdbFile {
  readonly #root: Root
  readonly #folder: string
  readonly #log: Log | undefined
  readonly #freeBytes: (folder: string) => number
  #free = 0
  #checkedAt = Number.NEGATIVE_INFINITY
  #pendingBytes = 0
  #broken: string | null = null

  /** @throws Error `Data folder <path> cannot be written: …` */
  constructor(path: string, log?: Log, freeBytes: (folder: string) => number = bytesFree) {
    this.#folder = dirname(path)
    this.#log = log
    this.#freeBytes = freeBytes
    try {
      accessSync(this.#folder, constants.W_OK)
      const isNew = !existsSync(path)
      this.#root = openRoot(path)
      // Else a loss of power could leave a file without its beginning, which is damage.
      if (isNew) for (const each of [path, this.#folder]) sync(each)
    } catch (error) {
      throw new Error(`Data folder ${this.#folder} cannot be written: ${reasonOf(error)}`, { cause: error })
    }
  }

  table<V>(name: string, encoding: 'json' | 'binary' = 'json'): Table<V> {
    return new Table(this.#root, name, encoding)
  }

  /** The names of its tables. */
  names(): string[] {
    return [...this.#root.getKeys()].map(String)
  }

  /** Removes a table with all that is in it. */
  async drop(name: string): Promise<void> {
    await this.table(name, 'binary').drop()
  }

  /** Blind puts and removes: all of them are kept, or none. The cheapest write there is. */
  async write(action: () => void, bytes = 0): Promise<void> {
    await this.#settled(bytes, () => this.#root.batch(action))
  }

  /**
   * Reads and writes that nobody else's write comes between. `action` must not throw once it has written. All other
   * writes wait until this thread has time for it, so it is not for what happens often.
   */
  transact<T>(action: () => T): Promise<T> {
    return this.#settled(0, () => this.#root.transaction(action))
  }

  /** What is read from now on is what any process has committed by now. */
  readAnew(): void {
    this.#root.resetReadTxn()
  }

  /** Whether a write would be accepted now. */
  writable(): boolean {
    try {
      accessSync(this.#folder, constants.W_OK)
      this.admit()
      return true
    } catch {
      return false
    }
  }

  /** @throws StoreUnwritable when a write of so many bytes would not be accepted now */
  admit(bytes = 0): void {
    if (this.#broken) throw new StoreUnwritable(this.#broken)
    const now = performance.now()
    if (now - this.#checkedAt >= DISK_CHECK_EVERY_MS) {
      this.#free = this.#freeBytes(this.#folder)
      this.#checkedAt = now
    }
    if (this.#free - this.#pendingBytes - bytes < DISK_FREE_BYTES_MIN) {
      const left = Math.floor(this.#free / 1_000_000)
      throw new StoreUnwritable(`Data folder ${this.#folder} cannot be written: ${left} MB are left on its disk`)
    }
  }

  /** Refuses all further writes until a restart. Returns the error that they are refused with. */
  fail(error: unknown): StoreUnwritable {
    if (error instanceof StoreUnwritable) return error
    const reason = reasonOf(error)
    this.#broken = `Data folder ${this.#folder} cannot be written until a restart: ${reason}`
    this.#log?.error({ folder: this.#folder, reason }, 'A write failed, the store refuses writes until a restart.')
    return new StoreUnwritable(this.#broken)
  }

  async close(): Promise<void> {
    await this.#root.close()
  }

  async #settled<T>(bytes: number, begin: () => Promise<T>): Promise<T> {
    this.admit(bytes)
    this.#pendingBytes += bytes
    try {
      return await begin()
    } catch (error) {
      const { commitError } = error as { commitError?: Promise<never> }
      throw commitError ? this.fail(await commitError.catch((cause: unknown) => cause)) : error
    } finally {
      this.#pendingBytes -= bytes
    }
  }
}

/** How a path is opened to be synced; `null`: it cannot be. Windows syncs files that are open for writing alone, and no folders. */
export const syncFlags = (isFolder: boolean, platform: NodeJS.Platform = process.platform): 'r' | 'r+' | null =>
  isFolder ? (platform === 'win32' ? null : 'r') : 'r+'

/** Waits until a file or a folder is on the disk. */
export function sync(path: string): void {
  const flags = syncFlags(statSync(path).isDirectory())
  if (flags === null) return
  const fd = openSync(path, flags)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function bytesFree(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
