import { randomUUID } from 'node:crypto'
import type { Store, Write } from '../../../actors/ports.ts'
import { taskAddress } from '../../../machines/addresses.ts'
import { LOG_BYTES_MAX, LOG_MS_MAX, LOG_SYNC_MS_MAX } from '../../../machines/limits.ts'
import type { ActorRow, JournalEntry } from '../../../machines/records.ts'
import type { LmdbFile } from './database.ts'
import { logPath, OtherLogs, OWN_LOGS } from './other-logs.ts'
import { isLogged, type LoggedWrite, Segment } from './segment.ts'
import type { Tables } from './tables.ts'
import { insertTask } from './tasks.ts'

/** So many rows are brought into the tables at a time: others have their turn in between. */
const ROWS_AT_A_TIME = 256

/**
 * Commits, kept actors and journals. Rows and journal entries go to a write-ahead log, which takes one write call and no
 * wait for the disk, and reach the tables after LOG_MS_MAX: most of what a task writes is over by then and never does.
 * The log has two parts by turns: one is written while the other is brought into the tables. A kill takes nothing
 * back; a loss of power what was not synced, which is done after LOG_SYNC_MS_MAX and whenever somebody waits for it.
 */
export class Core implements Pick<Store, 'commit' | 'sync' | 'actors' | 'journal'> {
  readonly #file: LmdbFile
  readonly #tables: Tables
  readonly #folder: string
  readonly #id = randomUUID() as string
  readonly #others: OtherLogs
  /** The number of the last commit in the log. */
  #last = 0
  /** The part that is written. */
  #open: Segment | null = null
  /** The part that is on its way into the tables. */
  #full: Segment | null = null
  /** The parts that are free. */
  readonly #spare: Segment[] = []
  #parts = 0
  #bringing: Promise<void> | null = null
  #bringTimer: NodeJS.Timeout | undefined
  #syncTimer: NodeJS.Timeout | undefined
  #closed = false

  constructor(file: LmdbFile, tables: Tables, folder: string) {
    this.#file = file
    this.#tables = tables
    this.#folder = folder
    this.#others = new OtherLogs(file, tables, folder, this.#id)
  }

  /** @throws StoreUnwritable, or an Error of the file system */
  async commit(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return
    this.#file.admit()
    const logged = writes.filter(isLogged)
    if (logged.length > 0) {
      // It fills faster than it is brought into the tables: who writes waits for that.
      while (this.#open !== null && this.#open.bytes >= 2 * LOG_BYTES_MAX) await this.#bringIn()
      this.#append(logged)
    }
    if (logged.length < writes.length) await this.#file.write(() => this.#insert(writes))
  }

  async sync(): Promise<void> {
    clearTimeout(this.#syncTimer)
    this.#syncTimer = undefined
    try {
      await Promise.all([this.#full?.sync(), this.#open?.sync()])
    } catch (error) {
      // What the system did not write then it may never write, and say the next time that it had.
      throw this.#file.fail(error)
    }
  }

  async *actors(): AsyncGenerator<ActorRow> {
    await this.bringAllIn()
    await this.#others.takeOver()
    for await (const { value } of this.#tables.actors.all()) yield value
  }

  async journal(taskId: string): Promise<JournalEntry[]> {
    await this.#others.catchUp()
    const bySeq = new Map<number, JournalEntry>()
    for (const { key, value } of this.#tables.journal.under([taskId])) {
      for (const [n, entry] of [value].flat().entries()) bySeq.set(Number(key[1]) + n, entry)
    }
    for (const segment of [this.#full, this.#open]) {
      for (const [seq, entry] of segment?.entriesOf(taskId) ?? []) bySeq.set(seq, entry)
    }
    return [...bySeq].sort(([a], [b]) => a - b).map(([, entry]) => entry)
  }

  /** Brings all into the tables and takes the log away; it stays when that fails. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#bringTimer)
    try {
      await this.bringAllIn()
    } catch {
      return
    } finally {
      clearTimeout(this.#syncTimer)
    }
    for (const segment of this.#spare) segment.remove()
    OWN_LOGS.delete(this.#id)
  }

  /** The records of tasks that start, each with its first row: they are there both, also after a loss of power. */
  #insert(writes: readonly Write[]): void {
    const started = new Set<string>()
    for (const write of writes) {
      if (write.kind !== 'task.insert' || !insertTask(this.#tables, write.record)) continue
      started.add(taskAddress(write.record.id))
    }
    for (const write of writes) {
      if (write.kind === 'actor.put' && started.has(write.row.address)) {
        this.#tables.actors.put(write.row.address, write.row)
      }
    }
  }

  #append(writes: readonly LoggedWrite[]): void {
    this.#open ??= this.#spare.pop() ?? this.#newPart()
    this.#open.append(this.#last + 1, writes)
    this.#last++
    if (this.#open.bytes >= LOG_BYTES_MAX) this.#bringInByItself()
    else this.#bringTimer ??= setTimeout(() => this.#bringInByItself(), LOG_MS_MAX)
    this.#syncTimer ??= setTimeout(() => this.sync().catch(() => {}), LOG_SYNC_MS_MAX)
  }

  #newPart(): Segment {
    OWN_LOGS.add(this.#id)
    const segment = new Segment(logPath(this.#folder, this.#id, this.#parts === 0 ? 0 : 1))
    this.#parts++
    return segment
  }

  /** Resolves when all that was committed is in the tables. */
  async bringAllIn(): Promise<void> {
    while (this.#full !== null || this.#open !== null) await this.#bringIn()
  }

  #bringInByItself(): void {
    clearTimeout(this.#bringTimer)
    this.#bringTimer = undefined
    this.#bringIn().catch(() => {
      // Whoever writes next is told. Meanwhile it is all in the log.
      if (!this.#closed) this.#bringTimer ??= setTimeout(() => this.#bringInByItself(), LOG_MS_MAX)
    })
  }

  /** Brings a part of the log into the tables: the one that was begun with and failed, else the one that is open. */
  #bringIn(): Promise<void> {
    this.#bringing ??= this.#bring().finally(() => {
      this.#bringing = null
    })
    return this.#bringing
  }

  async #bring(): Promise<void> {
    if (this.#full === null) {
      this.#full = this.#open
      this.#open = null
    }
    const full = this.#full
    if (full === null) return
    if (!full.isEmpty) await this.#bringInAll(full)
    full.rewind()
    this.#spare.push(full)
    this.#full = null
  }

  async #bringInAll(full: Segment): Promise<void> {
    // First the log is on the disk: a loss of power must not find rows in the tables that are newer than others.
    await this.sync()
    const puts = full.puts(this.#tables)
    for (let done = false; !done; ) {
      await this.#file.write(() => {
        for (let n = 0; n < ROWS_AT_A_TIME && !done; n++) {
          const { value: put, done: over } = puts.next()
          put?.()
          if (over) done = true
        }
        // Up to here nobody needs the log: with the last of the rows, and in its commit.
        if (done) this.#tables.logs.put(this.#id, full.last)
      })
    }
  }
}
