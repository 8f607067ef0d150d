import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ActorRow } from '../../../machines/records.ts'
import type { LmdbFile } from './database.ts'
import { readLog } from './log-file.ts'
import type { Logged } from './segment.ts'
import type { Tables } from './tables.ts'

/** A log is two files by turns; one of an earlier version was one, without a number. */
const LOG_NAME = /^actors-(?<pid>\d+)-(?<id>[\da-f-]{36})(?:\.[01])?\.wal$/
export const logPath = (folder: string, id: string, part: 0 | 1, pid = process.pid) =>
  join(folder, `actors-${pid}-${id}.${part}.wal`)

/** The logs that this process writes, by their ids. */
export const OWN_LOGS = new Set<string>()

/** The logs of other processes in a folder: what they hold is brought into the tables before these are read. */
export class OtherLogs {
  readonly #file: LmdbFile
  readonly #tables: Tables
  readonly #folder: string
  readonly #ownId: string
  /** Those whose process lived when they were looked for: id to pid. */
  #living: Map<string, number> | null = null

  constructor(file: LmdbFile, tables: Tables, folder: string, ownId: string) {
    this.#file = file
    this.#tables = tables
    this.#folder = folder
    this.#ownId = ownId
  }

  /** Brings what all logs hold into the tables, and takes those of processes that were killed away. */
  async takeOver(): Promise<void> {
    const living = new Map<string, number>()
    for (const [id, { pid, paths }] of this.#found()) {
      await this.#adopt(id, paths)
      if (lives(pid, id)) living.set(id, pid)
      else for (const path of paths) rmSync(path, { force: true })
    }
    this.#living = living
    const gone: string[] = []
    for await (const { key: id } of this.#tables.logs.all()) {
      if (id !== this.#ownId && !living.has(String(id))) gone.push(String(id))
    }
    if (gone.length === 0) return
    await this.#file.write(() => {
      for (const id of gone) this.#tables.logs.remove(id)
    })
  }

  /** What those who live have written since. */
  async catchUp(): Promise<void> {
    if (this.#living === null) return this.takeOver()
    for (const [id, pid] of this.#living) {
      await this.#adopt(id, [logPath(this.#folder, id, 0, pid), logPath(this.#folder, id, 1, pid)])
    }
  }

  #found(): Map<string, { pid: number; paths: string[] }> {
    const found = new Map<string, { pid: number; paths: string[] }>()
    for (const name of readdirSync(this.#folder)) {
      const { pid, id } = LOG_NAME.exec(name)?.groups ?? {}
      if (id === undefined || id === this.#ownId) continue
      const log = found.get(id) ?? { pid: Number(pid), paths: [] }
      log.paths.push(join(this.#folder, name))
      found.set(id, log)
    }
    return found
  }

  /**
   * What is in another's log and not in the tables. That its process lives does no harm: it brings all of it into the
   * tables itself, and says up to where. Entries after a gap are left out: a loss of power took what was between.
   */
  async #adopt(id: string, paths: readonly string[]): Promise<void> {
    const { actors, journal, logs } = this.#tables
    await this.#file.transact(() => {
      const before = logs.get(id) ?? 0
      const entries = paths.flatMap((path) => [...readLog(path, before)]).sort((a, b) => a.number - b.number)
      // Most rows were written several times: only the newest of each is put.
      const rows = new Map<string, ActorRow | null>()
      let last = before
      for (const { number, text } of entries) {
        if (number !== last + 1) break
        for (const logged of JSON.parse(text) as Logged[]) {
          if (logged.length === 3) journal.put([logged[0], logged[1]], logged[2])
          else rows.set(logged[0], logged[1])
        }
        last = number
      }
      for (const [address, row] of rows) {
        if (row) actors.put(address, row)
        else actors.remove(address)
      }
      if (last > before) logs.put(id, last)
    })
  }
}

/** Whether the process that writes the log may still be there. */
function lives(pid: number, id: string): boolean {
  if (pid === process.pid) return OWN_LOGS.has(id)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
