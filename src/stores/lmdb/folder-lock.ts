import { spawnSync } from 'node:child_process'
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { reasonOf, StoreInUse } from '../errors.ts'
import { inUse, type Owner } from '../owner.ts'

/** Opens with an exclusive lock, where the system's `open` can: see open(2) of macOS, and libuv's UV_FS_O_EXLOCK. */
const OPEN_LOCKED: Readonly<Partial<Record<NodeJS.Platform, number>>> = { darwin: 0x20, win32: 0x10000000 }

const Holder = v.object({ pid: v.number(), address: v.string() })

export interface FolderLock {
  release(): void
}

/**
 * Takes the data folder, which is there, for this process: an exclusive lock on `owner.lock` in it, which the kernel releases when the
 * process ends, however it ends, and which is seen across containers that share the folder.
 * The file names its holder, for those who come second.
 * @throws StoreInUse when another process has it
 * @throws Error `Data folder <path> cannot be …` in one line
 */
export function lockFolder(folder: string, { address }: Owner): FolderLock {
  const path = join(folder, 'owner.lock')
  const fd = openLocked(folder, path)
  try {
    ftruncateSync(fd)
    writeSync(fd, JSON.stringify({ pid: process.pid, address }), 0)
  } catch (error) {
    closeSync(fd)
    throw new Error(`Data folder ${folder} cannot be written: ${reasonOf(error)}`, { cause: error })
  }
  return { release: () => closeSync(fd) }
}

function openLocked(folder: string, path: string): number {
  const flag = OPEN_LOCKED[process.platform]
  let fd: number
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_CREAT | (flag ?? 0) | constants.O_NONBLOCK, 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (flag !== undefined && (code === 'EAGAIN' || code === 'EBUSY')) throw held(folder, path)
    throw new Error(`Data folder ${folder} cannot be written: ${reasonOf(error)}`, { cause: error })
  }
  if (flag !== undefined) return fd
  // flock(2) locks what was opened, and a child shares that: the lock stays here when flock(1) has ended.
  const { status, error, stderr } = spawnSync('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd] })
  if (status === 0) return fd
  closeSync(fd)
  if (status === 1) throw held(folder, path)
  const reason = error ? reasonOf(error) : String(stderr).trim()
  throw new Error(`Data folder ${folder} cannot be locked with flock (util-linux or busybox): ${reason}`)
}

function held(folder: string, path: string): StoreInUse {
  return new StoreInUse(inUse(`Data folder ${folder}`, holderOf(path)))
}

/** Where the service that has this data folder listens, or listened last; `null` when that is not known. */
export const addressOf = (folder: string): string | null => holderOf(join(folder, 'owner.lock'))?.address ?? null

/** Who wrote the file; `null` when it was not written yet, or cannot be read. */
function holderOf(path: string): v.InferOutput<typeof Holder> | null {
  try {
    return v.parse(Holder, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}
