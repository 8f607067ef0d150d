import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Store, Write } from '../../../actors/ports.ts'
import { LOG_BYTES_MAX } from '../../../machines/limits.ts'
import type { ActorRow, JournalEntry } from '../../../machines/records.ts'
import type { LmdbFile } from './database.ts'
import type { Tables } from './tables.ts'
import { insertTask } from './tasks.ts'
import { readLog, WriteAheadLog } from './write-ahead-log.ts'

const LOG_NAME = /^actors-(?<pid>\d+)-(?<id>.+)\.wal$/
/** The logs that this process writes, by their ids. */
const OWN_LOGS = new Set<string>()

/** A write as it is in a log. */
type Logged =
  | readonly [address: string, row: ActorRow | null]
  | readonly [taskId: string, seq: number, entry: JournalEntry]

/**
 * Commits, kept actors and journals. What a step waits for goes to a write-ahead log, which takes no wait for the disk,
 * and from there to the tables with the next write of the file, before it and in its commit: the tables are at any time
 * as all was at some moment. A kill takes nothing back; a loss of power nothing that was there before the last write
 * of a record. A start is written to the tables at once.
 */
export class Core implements Pick<Store, 'commit' | 'actors' | 'journal'> {
  readonly #file: LmdbFile
  readonly #tables: Tables
  readonly #folder: string
  #log: WriteAheadLog | null = null
  readonly #logId = randomUUID() as string
  /** What is in the log and not yet in the tables, as JSON: rows by address, journal entries by task. */
  #rows = new Map<string, string | null>()
  #entries = new Map<string, (readonly [seq: number, json: string])[]>()
  /** The logs of other processes that lived when they were looked for: path to id. */
  #others: Map<string, string> | null = null

  constructor(file: LmdbFile, tables: Tables, folder: string) {
    this.#file = file
    this.#tables = tables
    this.#folder = folder
  }

  /** @throws StoreUnwritable, or an Error of the file system */
  async commit(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return
    const log = this.#openLog()
    const { last } = log
    if (log.bytes < LOG_BYTES_MAX && writes.every(isLogged)) {
      this.#append(log, writes)
      return
    }
    await this.#file.write(() => {
      for (const write of writes) this.#put(write)
    })
    // What was logged before went along: the log is needed no more, unless it was added to meanwhile.
    if (log.last === last) log.rewind()
  }

  async *actors(): AsyncGenerator<ActorRow> {
    await this.#file.caughtUp()
    await this.#takeOver()
    for await (const { value } of this.#tables.actors.all()) yield value
  }

  async journal(taskId: string): Promise<JournalEntry[]> {
    await (this.#entries.has(taskId) ? this.#file.caughtUp() : this.#file.begun())
    if (this.#others === null) await this.#takeOver()
    else for (const [path, id] of this.#others) await this.#adopt(path, id)
    return this.#tables.journal.under([taskId]).map(({ value }) => value)
  }

  /** Brings all into the tables and takes the log away; it stays when that fails. */
  async close(): Promise<void> {
    try {
      await this.#file.caughtUp()
    } catch {
      return
    }
    this.#log?.remove()
    OWN_LOGS.delete(this.#logId)
  }

  #openLog(): WriteAheadLog {
    if (this.#log === null) {
      this.#log = new WriteAheadLog(join(this.#folder, `actors-${process.pid}-${this.#logId}.wal`))
      OWN_LOGS.add(this.#logId)
    }
    return this.#log
  }

  #append(log: WriteAheadLog, writes: readonly LoggedWrite[]): void {
    const jsons = writes.map(jsonOf)
    if (this.#rows.size === 0 && this.#entries.size === 0) this.#file.behind(() => this.#catchUp(log))
    log.append(`[${writes.map((write, n) => loggedOf(write, jsons[n])).join(',')}]`)
    for (const [n, write] of writes.entries()) this.#remember(write, jsons[n] ?? '')
  }

  #remember(write: LoggedWrite, json: string): void {
    if (write.kind === 'actor.put') this.#rows.set(write.row.address, json)
    else if (write.kind === 'actor.remove') this.#rows.set(write.address, null)
    else {
      const others = this.#entries.get(write.taskId)
      if (others) others.push([write.seq, json])
      else this.#entries.set(write.taskId, [[write.seq, json]])
    }
  }

  /** Within a commit of the file. */
  #catchUp(log: WriteAheadLog): void {
    const { actors, journal, logs } = this.#tables
    for (const [taskId, entries] of this.#entries) {
      for (const [seq, json] of entries) journal.putText([taskId, seq], json)
    }
    for (const [address, json] of this.#rows) {
      if (json === null) actors.remove(address)
      else actors.putText(address, json)
    }
    logs.put(this.#logId, log.last)
    this.#rows.clear()
    this.#entries.clear()
  }

  #put(write: Write): void {
    const { actors, journal } = this.#tables
    if (write.kind === 'task.insert') insertTask(this.#tables, write.record)
    else if (write.kind === 'journal.append') journal.put([write.taskId, write.seq], write.entry)
    else if (write.kind === 'actor.put') actors.put(write.row.address, write.row)
    else actors.remove(write.address)
  }

  /** Brings what is in others' logs into the tables, and takes the logs of processes that were killed away. */
  async #takeOver(): Promise<void> {
    const others = new Map<string, string>()
    for (const name of readdirSync(this.#folder)) {
      const { pid, id } = LOG_NAME.exec(name)?.groups ?? {}
      if (id === undefined || id === this.#logId) continue
      const path = join(this.#folder, name)
      await this.#adopt(path, id)
      if (lives(Number(pid), id)) others.set(path, id)
      else rmSync(path, { force: true })
    }
    this.#others = others
    const known = new Set([this.#logId, ...others.values()])
    const gone: string[] = []
    for await (const { key: id } of this.#tables.logs.all()) if (!known.has(String(id))) gone.push(String(id))
    if (gone.length === 0) return
    await this.#file.write(() => {
      for (const id of gone) this.#tables.logs.remove(id)
    })
  }

  /**
   * What is in another's log and not in the tables. That its process lives does no harm: it has the newest of each row
   * in hand, and writes that later.
   */
  async #adopt(path: string, id: string): Promise<void> {
    const { actors, journal, logs } = this.#tables
    await this.#file.transact(() => {
      const before = logs.get(id) ?? 0
      let last = before
      for (const { number, text } of readLog(path, before)) {
        for (const [key, seqOrRow, entry] of JSON.parse(text) as Logged[]) {
          if (typeof seqOrRow === 'number') journal.put([key, seqOrRow], entry as JournalEntry)
          else if (seqOrRow === null) actors.remove(key)
          else actors.put(key, seqOrRow)
        }
        last = number
      }
      if (last > before) logs.put(id, last)
    })
  }
}

type LoggedWrite = Exclude<Write, { kind: 'task.insert' }>
const isLogged = (write: Write): write is LoggedWrite => write.kind !== 'task.insert'

/** What is kept of a write, as JSON: it is made once, for the log and for the tables. */
function jsonOf(write: LoggedWrite): string {
  if (write.kind === 'actor.remove') return 'null'
  return JSON.stringify(write.kind === 'actor.put' ? write.row : write.entry)
}

/** A `Logged`, as JSON. */
function loggedOf(write: LoggedWrite, json: string | undefined): string {
  if (write.kind === 'journal.append') return `[${JSON.stringify(write.taskId)},${write.seq},${json}]`
  return `[${JSON.stringify(write.kind === 'actor.put' ? write.row.address : write.address)},${json}]`
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
