import { type Address, closingAddress, parseAddress, taskAddress } from '../../machines/addresses.ts'
import { STORE_RETRY_MS } from '../../machines/limits.ts'
import type { ActorRow, Ms, ScreenshotRecord } from '../../machines/records.ts'
import { KEEP_MS_MAX, STORE_FAILURES_TOGETHER_MAX, STORE_REFUSALS_MAX } from '../limits.ts'
import { messageOf } from './effects.ts'
import type { Clock, Log, Store, Write } from './ports.ts'
import { rowVersion } from './row-versions.ts'

export interface SnapshotWriterOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The actor's snapshot as it is to be kept; `undefined` when it is gone. */
  readonly persisted: (address: Address) => unknown
  /** Ends the actors whose writes the store refuses. No barrier resolves before. */
  readonly refused?: (addresses: readonly Address[]) => void
  /** Runs its argument soon, after what is happening now: the writes of one moment share one commit. */
  readonly soon?: (work: () => void) => void
  /** Runs its argument after KEEP_MS_MAX. Returns a function that cancels it. */
  readonly later?: Later
}

export type Later = (work: () => void) => () => void

/**
 * Keeps actors and logs: what changed is marked, and all that was marked is written by one commit as soon as
 * somebody waits for it, and after KEEP_MS_MAX in any case. A row is read when it is written, so that many changes cost
 * one write. A commit that fails is repeated, with whatever came since, until it succeeds: a barrier waits as long. After
 * a few failures the writes of each task are committed by themselves, and one whose writes are refused while others
 * are taken is ended, so that it holds up nobody else.
 */
export class SnapshotWriter {
  readonly #options: SnapshotWriterOptions
  readonly #soon: (work: () => void) => void
  readonly #later: Later
  /** What is to be put (true) or removed (false). */
  #rows = new Map<Address, boolean>()
  #appends: Append[] = []
  #waiting: (() => void)[] = []
  #writing = false
  #scheduled = false
  /** Cancels the delayed write of what nothing waits for. */
  #callOff: (() => void) | null = null
  #stopped = false
  #failures = 0
  #failingSince: Ms | null = null

  constructor(options: SnapshotWriterOptions) {
    this.#options = options
    this.#soon = options.soon ?? setImmediate
    this.#later = options.later ?? afterAWhile(options.clock)
  }

  /** The actor's row is to be written as it is when the commit is made. */
  markDirty(address: Address): void {
    this.#rows.set(address, true)
    this.#schedule()
  }

  /** The actor's row is to be removed. */
  markDeleted(address: Address): void {
    this.#rows.set(address, false)
    this.#schedule()
  }

  /** Written in the order in which they were added, and in the commit of the rows that are marked in the same moment. */
  add(append: Append): void {
    this.#appends.push(append)
    this.#schedule()
  }

  /** An image that is to be there when what is added with it is read. */
  addImage(image: ScreenshotRecord): void {
    this.add({ taskId: image.taskId, write: () => ({ kind: 'image.put', image }), settled() {} })
  }

  /** Resolves when all that was marked up to now is kept. */
  barrier(): Promise<void> {
    if (!this.#dirty && !this.#writing) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#schedule()
    })
  }

  /** Commits that failed in a row; 0 while the store is well. */
  get failures(): number {
    return this.#failures
  }

  /** Since when commits fail; `null` while the store is well. */
  get failingSince(): Ms | null {
    return this.#failingSince
  }

  /** What waits to be written. */
  get lag(): number {
    return this.#rows.size + this.#appends.length
  }

  /** Writes no more; barriers that wait then never resolve. */
  stop(): void {
    this.#stopped = true
  }

  get #dirty(): boolean {
    return this.#rows.size > 0 || this.#appends.length > 0
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing || this.#stopped) return
    if (this.#waiting.length === 0 && this.#putOff()) return
    this.#scheduled = true
    this.#soon(() => {
      this.#scheduled = false
      void this.#flush()
    })
  }

  /** Schedules a delayed write; false if the clock throws, which must not fail the actor that marked its row. */
  #putOff(): boolean {
    try {
      this.#callOff ??= this.#later(() => void this.#flush())
      return true
    } catch (error) {
      this.#options.log.warn({ err: messageOf(error) }, 'What changed is written at once')
      return false
    }
  }

  async #flush(): Promise<void> {
    this.#callOff?.()
    this.#callOff = null
    if (this.#writing || this.#stopped) return
    this.#writing = true
    try {
      while ((this.#dirty || this.#waiting.length > 0) && !this.#stopped) {
        const batch = { rows: this.#rows, appends: this.#appends }
        const waiting = this.#waiting
        this.#rows = new Map()
        this.#appends = []
        this.#waiting = []
        const left = await this.#write(batch)
        if (left === null) {
          for (const resolve of waiting) resolve()
        } else {
          // What was marked since is newer than what could not be written.
          this.#rows = new Map([...left.rows, ...this.#rows])
          this.#appends = [...left.appends, ...this.#appends]
          this.#waiting = [...waiting, ...this.#waiting]
          await new Promise<void>((resolve) => this.#options.clock.setTimeout(resolve, STORE_RETRY_MS))
        }
      }
    } finally {
      this.#writing = false
    }
  }

  /** Resolves to what could not be written, `null` when all of it was, or was refused for good. */
  async #write(batch: WriteBatch): Promise<WriteBatch | null> {
    const { log, clock } = this.#options
    if (batch.rows.size === 0 && batch.appends.length === 0) return null
    let left: WriteBatch | null = batch
    const reason = await this.#commit(batch)
    if (reason === null) left = null
    else if (this.#failures >= STORE_FAILURES_TOGETHER_MAX && (await this.#takesWrites())) {
      left = await this.#writeSingly(batch)
    }
    if (left === null) {
      if (this.#failures > 0) log.info({ rows: batch.rows.size }, 'The store takes writes again')
      this.#failures = 0
      this.#failingSince = null
    } else {
      this.#failures++
      this.#failingSince ??= clock.now()
      if (this.#failures === 1) log.error({ err: reason }, 'The store takes no writes; trying again until it does')
    }
    return left
  }

  /** The writes of each task by themselves. Resolves to what is left when the store takes no writes at all. */
  async #writeSingly(batch: WriteBatch): Promise<WriteBatch | null> {
    const batches = [...batchesByTask(batch)]
    for (const [n, [id, own]] of batches.entries()) {
      let refusals = 0
      for (let reason = await this.#commit(own); reason !== null; reason = await this.#commit(own)) {
        if (!(await this.#takesWrites())) return joined(batches.slice(n).map(([, each]) => each))
        refusals++
        if (refusals < STORE_REFUSALS_MAX) continue
        this.#options.log.error({ id, err: reason }, 'The store refuses what an actor wrote: it is ended')
        for (const append of own.appends) append.settled(false)
        const rows = [...own.rows.keys()]
        this.#options.refused?.(own.appends.length > 0 ? [...rows, taskAddress(id), closingAddress(id)] : rows)
        break
      }
    }
    return null
  }

  /** Resolves to why it failed, or to `null`. */
  async #commit({ rows, appends }: WriteBatch): Promise<string | null> {
    try {
      await this.#options.store.commit(this.#writes(rows, appends))
    } catch (error) {
      return messageOf(error)
    }
    for (const append of appends) append.settled(true)
    return null
  }

  /** Whether the store accepts a harmless write: the removal of a row that does not exist. */
  async #takesWrites(): Promise<boolean> {
    const probe: Write = { kind: 'actor.remove', address: 'none' }
    return this.#options.store.commit([probe]).then(
      () => true,
      () => false,
    )
  }

  #writes(rows: WriteBatch['rows'], appends: readonly Append[]): Write[] {
    const at = this.#options.clock.now()
    // First, so that the row of a task says where these end.
    const appended = appends.map((append) => append.write())
    const puts: Write[] = []
    const removals: Write[] = []
    for (const [address, put] of rows) {
      const snapshot = put ? this.#options.persisted(address) : undefined
      if (snapshot === undefined) removals.push({ kind: 'actor.remove', address })
      else puts.push({ kind: 'actor.put', row: rowOf(address, at, snapshot) })
    }
    // Puts come before removals: an ending's row exists before its task's row is removed.
    return [...appended, ...puts, ...removals]
  }
}

const afterAWhile =
  (clock: Clock): Later =>
  (work) => {
    const timer = clock.setTimeout(work, KEEP_MS_MAX)
    return () => clock.clearTimeout(timer)
  }

/** The row of an actor. `null` as snapshot: it has not begun yet. */
export const rowOf = (address: Address, at: number, snapshot: unknown): ActorRow => ({
  address,
  version: rowVersion(address),
  at,
  snapshot,
})

/** What is added to a task's log, or an image of it. Its write is asked for when the batch is made, and is the same from then on. */
export interface Append {
  readonly taskId: string
  write(): Write
  /** It is kept; or, false, it was refused for good. */
  settled(kept: boolean): void
}

/** What is to be written. Of rows: put (true) or removed (false). */
interface WriteBatch {
  readonly rows: ReadonlyMap<Address, boolean>
  readonly appends: readonly Append[]
}

type OwnBatch = { readonly rows: Map<Address, boolean>; readonly appends: Append[] }

/** A task's log, its row and that of its ending are written together; others by themselves. */
function batchesByTask({ rows, appends }: WriteBatch): Map<string, WriteBatch> {
  const batches = new Map<string, OwnBatch>()
  const of = (id: string) => {
    const batch: OwnBatch = batches.get(id) ?? { rows: new Map(), appends: [] }
    batches.set(id, batch)
    return batch
  }
  for (const append of appends) of(append.taskId).appends.push(append)
  for (const [address, put] of rows) {
    const { actorKind, id } = parseAddress(address)
    of(actorKind === 'task' || actorKind === 'closing' ? id : address).rows.set(address, put)
  }
  return batches
}

const joined = (batches: readonly WriteBatch[]): WriteBatch => ({
  rows: new Map(batches.flatMap(({ rows }) => [...rows])),
  appends: batches.flatMap(({ appends }) => appends),
})
