import type { Address } from '../machines/addresses.ts'
import { KEEP_MS_MAX, STORE_RETRY_MS } from '../machines/limits.ts'
import type { ActorRow, JournalEntry } from '../machines/records.ts'
import { messageOf } from './effects.ts'
import type { Clock, Log, Store, Write } from './ports.ts'

/**
 * The version of each kept machine's rows. A row of another version is not restored but closed with a clear answer.
 * Raise it when a state or a field of the context changes its meaning.
 */
export const ROW_VERSION = 4

export interface KeeperOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The actor's snapshot as it is to be kept; `undefined` when it is gone. */
  readonly persisted: (address: Address) => unknown
  /** Runs its argument soon, after what is happening now: the writes of one moment share one commit. */
  readonly soon?: (work: () => void) => void
  /** Runs its argument after KEEP_MS_MAX, and gives what calls it off. */
  readonly later?: Later
}

export type Later = (work: () => void) => () => void

/**
 * Keeps actors and journals: what changed is marked, and all that was marked is written by one commit as soon as
 * somebody waits for it, and after KEEP_MS_MAX in any case. A row is read when it is written, so that many changes cost
 * one write. A commit that fails is repeated, with whatever came since, until it succeeds: a barrier waits as long.
 */
export class Keeper {
  readonly #options: KeeperOptions
  readonly #soon: (work: () => void) => void
  readonly #later: Later
  /** What is to be put (true) or removed (false). */
  #rows = new Map<Address, boolean>()
  #journal: Write[] = []
  #waiting: (() => void)[] = []
  #writing = false
  #scheduled = false
  /** Calls off the writing of what nobody waits for. */
  #callOff: (() => void) | null = null
  #stopped = false
  #failures = 0

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#soon = options.soon ?? setImmediate
    this.#later = options.later ?? afterAWhile(options.clock)
  }

  /** The actor's row is to be written as it is when the commit is made. */
  mark(address: Address): void {
    this.#rows.set(address, true)
    this.#schedule()
  }

  /** The actor's row is to be removed. */
  forget(address: Address): void {
    this.#rows.set(address, false)
    this.#schedule()
  }

  append(taskId: string, seq: number, entry: JournalEntry): void {
    this.#journal.push({ kind: 'journal.append', taskId, seq, entry })
    this.#schedule()
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

  /** What waits to be written. */
  get lag(): number {
    return this.#rows.size + this.#journal.length
  }

  /** Writes no more; barriers that wait then never resolve. */
  stop(): void {
    this.#stopped = true
  }

  get #dirty(): boolean {
    return this.#rows.size > 0 || this.#journal.length > 0
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

  /** Whether it will be written later. An actor that marks must not pay for a clock that throws. */
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
        const rows = this.#rows
        const journal = this.#journal
        const waiting = this.#waiting
        this.#rows = new Map()
        this.#journal = []
        this.#waiting = []
        if (await this.#commit(rows, journal)) {
          for (const resolve of waiting) resolve()
        } else {
          // What was marked since is newer than what could not be written.
          this.#rows = new Map([...rows, ...this.#rows])
          this.#journal = [...journal, ...this.#journal]
          this.#waiting = [...waiting, ...this.#waiting]
          await new Promise<void>((resolve) => this.#options.clock.setTimeout(resolve, STORE_RETRY_MS))
        }
      }
    } finally {
      this.#writing = false
    }
  }

  async #commit(rows: Map<Address, boolean>, journal: readonly Write[]): Promise<boolean> {
    const { store, log } = this.#options
    if (rows.size === 0 && journal.length === 0) return true
    try {
      await store.commit(this.#writes(rows, journal))
      if (this.#failures > 0) log.info({ rows: rows.size }, 'The store takes writes again')
      this.#failures = 0
      return true
    } catch (error) {
      this.#failures++
      if (this.#failures === 1)
        log.error({ err: messageOf(error) }, 'The store takes no writes; trying again until it does')
      return false
    }
  }

  #writes(rows: Map<Address, boolean>, journal: readonly Write[]): Write[] {
    const at = this.#options.clock.now()
    const puts: Write[] = []
    const removals: Write[] = []
    for (const [address, put] of rows) {
      const snapshot = put ? this.#options.persisted(address) : undefined
      if (snapshot === undefined) removals.push({ kind: 'actor.remove', address })
      else puts.push({ kind: 'actor.put', row: rowOf(address, at, snapshot) })
    }
    // A new owner's row is there before the old owner's is gone.
    return [...journal, ...puts, ...removals]
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
  version: ROW_VERSION,
  at,
  snapshot,
})
