import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, cpSync, openSync, readdirSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Store, Write } from '../../actors/ports.ts'
import { LmdbFile } from '../../src/stores/lmdb/database.ts'
import { tablesOf } from '../../src/stores/lmdb/tables.ts'
import { anEntry, collected, THEN, tempFolder } from './stores.ts'

export const put = (address: string, snapshot: unknown): Write => ({
  kind: 'actor.put',
  row: { address, version: 1, at: THEN, snapshot },
})
export const remove = (address: string): Write => ({ kind: 'actor.remove', address })
export const entry = (taskId: string, seq: number): Write => ({
  kind: 'journal.append',
  taskId,
  seq,
  entry: anEntry(String(seq)),
})
export const logsIn = (dataDir: string) => readdirSync(dataDir).filter((name) => name.endsWith('.wal'))
export const rowsOf = async (store: Store) =>
  Object.fromEntries((await collected(store.actors())).map(({ address, snapshot }) => [address, snapshot]))
/** Brings what is in the log into the tables: what is retired must not come after. */
export const broughtIn = (store: Store) => store.tasks.retire(0, 1)

/** What is in the tables themselves, whatever the log says. */
export async function inTables<T>(
  dataDir: string,
  look: (tables: ReturnType<typeof tablesOf>) => T | Promise<T>,
): Promise<T> {
  const file = new LmdbFile(join(dataDir, 'store.mdb'))
  try {
    return await look(tablesOf(file))
  } finally {
    await file.close()
  }
}

export const ended = spawn(process.execPath, ['-e', ''])
await once(ended, 'exit')

/** The folder as a kill in this moment would leave it, with logs of a process that has ended. */
export function killed(dataDir: string): string {
  const copy = tempFolder()
  // lmdb's own thread goes on: what was copied while it committed is no state that there was.
  for (let before = ''; before !== headOf(dataDir); ) {
    before = headOf(dataDir)
    cpSync(dataDir, copy, { recursive: true })
  }
  for (const name of logsIn(copy)) renameSync(join(copy, name), join(copy, name.replace(/-\d+/, `-${ended.pid}`)))
  return copy
}

/** The first pages of the file: they say what lmdb's last commit was. */
function headOf(dataDir: string): string {
  const head = Buffer.alloc(16 * 1024)
  const file = openSync(join(dataDir, 'store.mdb'), 'r')
  readSync(file, head, 0, head.length, 0)
  closeSync(file)
  return head.toString('latin1')
}
