import fs, { readdirSync, readFileSync, statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

/**
 * Watches what is on the disk of a folder's logs: of each the bytes that it had when its last sync began. What came
 * after is what a loss of power may take. A sync takes `latencyMs` more than it does.
 */
export function syncsOf(folder: string, latencyMs = () => 0) {
  const real = fs.fdatasync
  const synced = new Map<string, Buffer>()
  let failure: Error | null = null
  fs.fdatasync = ((fd: number, done: (error: Error | null) => void) => {
    const { ino } = fs.fstatSync(fd)
    const name = readdirSync(folder).find((each) => statSync(join(folder, each)).ino === ino)
    const bytes = name === undefined ? null : readFileSync(join(folder, name))
    const over = (error: Error | null) => {
      if (name !== undefined && bytes !== null && failure === null) synced.set(name, bytes)
      done(failure ?? error)
    }
    real(fd, (error) => {
      setTimeout(over, latencyMs(), error)
    })
  }) as typeof fs.fdatasync
  syncBuiltinESMExports()
  return {
    synced: (): ReadonlyMap<string, Buffer> => synced,
    fail(reason: string): void {
      failure = new Error(reason)
    },
    restore(): void {
      fs.fdatasync = real
      syncBuiltinESMExports()
    },
  }
}
