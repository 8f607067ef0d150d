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
 * Keeps actors and logs. [W18] Each workspace has commits of its own, one after another: one that hangs, is slow or fails
 * holds up no other workspace. The driver may make one transaction of those of several.
 */
export class SnapshotWriter {
  readonly #options: SnapshotWriterOptions
  readonly #writers = new Map<string, WorkspaceWriter>()
  readonly #shared: Shared
  #stopped = false
  #failingSince: Ms | null = null

  constructor(options: SnapshotWriterOptions) {
    this.#options = options
    this.#shared = {
      refused() {},
      soon: setImmediate,
      later: afterAWhile(options.clock),
      ...options,
      isStopped: () => this.#stopped,
      tried: (failure) => this.#tried(failure),
    }
  }

  /** The actor's row is to be written as it is when the commit is made. */
  markDirty(workspaceId: string, address: Address): void {
    this.#of(workspaceId).mark(address, true)
  }

  /** The actor's row is to be removed. */
  markDeleted(workspaceId: string, address: Address): void {
    this.#of(workspaceId).mark(address, false)
  }

  /** Written in the order in which they were added, and in the commit of the rows that are marked in the same moment. */
  add(append: Append): void {
    this.#of(append.workspaceId).add(append)
  }

  /** An image that is to be there when what is added with it is read. */
  addImage(workspaceId: string, image: ScreenshotRecord): void {
    this.add({ workspaceId, taskId: image.taskId, write: () => ({ kind: 'image.put', image }), settled() {} })
  }

  /** Resolves when all that was marked up to now is kept: of one workspace, or of all. */
  async barrier(workspaceId?: string): Promise<void> {
    if (workspaceId !== undefined) return this.#writers.get(workspaceId)?.barrier()
    await Promise.all([...this.#writers.values()].map((each) => each.barrier()))
  }

  /** Since when no commit of any workspace has succeeded and some have failed; `null` while the store is well. */
  get failingSince(): Ms | null {
    return this.#failingSince
  }

  /** What waits to be written. */
  get lag(): number {
    return [...this.#writers.values()].reduce((sum, { lag }) => sum + lag, 0)
  }

  /** Writes no more; barriers that wait then never resolve. */
  stop(): void {
    this.#stopped = true
  }

  #of(workspaceId: string): WorkspaceWriter {
    const known = this.#writers.get(workspaceId)
    if (known) return known
    const writer: WorkspaceWriter = new WorkspaceWriter(this.#shared, () => {
      if (this.#writers.get(workspaceId) === writer) this.#writers.delete(workspaceId)
    })
    this.#writers.set(workspaceId, writer)
    return writer
  }

  #tried(failure: string | null): void {
    const { log, clock } = this.#options
    if (failure === null) {
      if (this.#failingSince !== null) log.info({}, 'The store takes writes again')
      this.#failingSince = null
    } else if (this.#failingSince === null) {
      this.#failingSince = clock.now()
      log.error({ err: failure }, 'The store takes no writes; trying again until it does')
    }
  }
}

/** In place of the workspace of a row that does not say it: its actor is gone for good. */
export const UNKNOWN_WORKSPACE = ''

/** What the writers of all workspaces share. */
interface Shared extends Required<SnapshotWriterOptions> {
  isStopped(): boolean
  /** A commit was made, or failed for this reason. */
  tried(failure: string | null): void
}

/**
 * The writes of one workspace: what changed is marked, and all that was marked is written by one commit as soon as
 * somebody waits for it, and after KEEP_MS_MAX in any case. A row is read when it is written, so that many changes cost
 * one write. A commit that fails is repeated, with whatever came since, until it succeeds: a barrier waits as long. After
 * a few failures the writes of each task are committed by themselves, and one whose writes are refused while others
 * are taken is ended, so that it holds up nobody else.
 */
class WorkspaceWriter {
  readonly #shared: Shared
  /** Nothing is left to write. */
  readonly #idle: () => void
  /** What is to be put (true) or removed (false). */
  #rows = new Map<Address, boolean>()
  #appends: Append[] = []
  #waiting: (() => void)[] = []
  #writing = false
  #scheduled = false
  /** Cancels the delayed write of what nothing waits for. */
  #callOff: (() => void) | null = null
  #failures = 0

  constructor(shared: Shared, idle: () => void) {
    this.#shared = shared
    this.#idle = idle
  }

  /** The row is to be put (true) or removed (false). */
  mark(address: Address, put: boolean): void {
    this.#rows.set(address, put)
    this.#schedule()
  }

  add(append: Append): void {
    this.#appends.push(append)
    this.#schedule()
  }

  barrier(): Promise<void> {
    if (!this.#dirty && !this.#writing) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#schedule()
    })
  }

  get lag(): number {
    return this.#rows.size + this.#appends.length
  }

  get #dirty(): boolean {
    return this.lag > 0
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing || this.#shared.isStopped()) return
    if (this.#waiting.length === 0 && this.#putOff()) return
    this.#scheduled = true
    this.#shared.soon(() => {
      this.#scheduled = false
      void this.#flush()
    })
  }

  /** Schedules a delayed write; false if the clock throws, which must not fail the actor that marked its row. */
  #putOff(): boolean {
    try {
      this.#callOff ??= this.#shared.later(() => void this.#flush())
      return true
    } catch (error) {
      this.#shared.log.warn({ err: messageOf(error) }, 'What changed is written at once')
      return false
    }
  }

  async #flush(): Promise<void> {
    this.#callOff?.()
    this.#callOff = null
    if (this.#writing || this.#shared.isStopped()) return
    this.#writing = true
    try {
      while ((this.#dirty || this.#waiting.length > 0) && !this.#shared.isStopped()) {
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
          await new Promise<void>((resolve) => this.#shared.clock.setTimeout(resolve, STORE_RETRY_MS))
        }
      }
    } finally {
      this.#writing = false
    }
    if (!this.#dirty) this.#idle()
  }

  /** Resolves to what could not be written, `null` when all of it was, or was refused for good. */
  async #write(batch: WriteBatch): Promise<WriteBatch | null> {
    if (batch.rows.size === 0 && batch.appends.length === 0) return null
    let left: WriteBatch | null = batch
    const reason = await this.#commit(batch)
    if (reason === null) left = null
    else if (this.#failures >= STORE_FAILURES_TOGETHER_MAX && (await this.#takesWrites())) {
      left = await this.#writeSingly(batch)
    }
    this.#failures = left === null ? 0 : this.#failures + 1
    this.#shared.tried(left === null ? null : reason)
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
        this.#shared.log.error({ id, err: reason }, 'The store refuses what an actor wrote: it is ended')
        for (const append of own.appends) append.settled(false)
        const rows = [...own.rows.keys()]
        this.#shared.refused(own.appends.length > 0 ? [...rows, taskAddress(id), closingAddress(id)] : rows)
        break
      }
    }
    return null
  }

  /** Resolves to why it failed, or to `null`. */
  async #commit({ rows, appends }: WriteBatch): Promise<string | null> {
    try {
      await this.#shared.store.commit(this.#writes(rows, appends))
    } catch (error) {
      return messageOf(error)
    }
    for (const append of appends) append.settled(true)
    return null
  }

  /** Whether the store accepts a harmless write: the removal of a row that does not exist. */
  async #takesWrites(): Promise<boolean> {
    const probe: Write = { kind: 'actor.remove', address: 'none' }
    return this.#shared.store.commit([probe]).then(
      () => true,
      () => false,
    )
  }

  #writes(rows: WriteBatch['rows'], appends: readonly Append[]): Write[] {
    const at = this.#shared.clock.now()
    // First, so that the row of a task says where these end.
    const appended = appends.map((append) => append.write())
    const puts: Write[] = []
    const removals: Write[] = []
    for (const [address, put] of rows) {
      const snapshot = put ? this.#shared.persisted(address) : undefined
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
  readonly workspaceId: string
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
