import { shardOf } from '../../../machines/placement.ts'
import type { Doc } from '../../support/mongo/doc.ts'
import type { Put, SimulatedDatabase } from './database.ts'
import type { KeptInDatabase } from './kept.ts'

/** Acquired by whom, with the documents that were there. */
interface Taken {
  readonly epoch: number
  readonly inherited: ReadonlySet<string>
}

/** [M2] Looks at every document that is written: once a shard has a new owner, no former one changes what is the owner's. */
export class FenceCheck {
  readonly #kept: () => KeptInDatabase
  readonly #database: () => SimulatedDatabase
  readonly #broken: (how: string) => void
  readonly #taken = new Map<number, Taken>()
  /** When a document was first carried out under an epoch, in the commit that is looked at. */
  readonly #carriedOut = new Map<string, number>()

  constructor(kept: () => KeptInDatabase, database: () => SimulatedDatabase, broken: (how: string) => void) {
    this.#kept = kept
    this.#database = database
    this.#broken = broken
  }

  /** A node has been told that the shard is its own. */
  acquired(shard: number, epoch: number): void {
    const before = this.#taken.get(shard)
    // One that was stopped meanwhile hears of an older one: what it writes under that is refused.
    if (before && before.epoch > epoch) return
    if (before && before.epoch === epoch) this.#broken(`shard ${shard} is acquired twice under epoch ${epoch}`)
    const database = this.#database()
    const rows = database.find('actors', { shard }).filter(({ snapshot }) => snapshot !== undefined)
    const running = database.find('tasks', { shard }).filter(({ status }) => status === 'running')
    this.#taken.set(shard, { epoch, inherited: new Set([...rows, ...running].map(({ _id }) => String(_id))) })
  }

  put({ collection, id, epoch, before, after }: Put, now: number): void {
    const key = `${collection} ${id} ${epoch}`
    if (!this.#carriedOut.has(key)) this.#carriedOut.set(key, now)
    if (!before || !after || before === after || (collection !== 'actors' && collection !== 'tasks')) return
    if (isOlder(after, before)) this.#broken(`an older ${collection} ${id} replaces a newer one`)
    const shard = Number(after.shard ?? before.shard ?? (after.workspaceId ? shardOf(String(after.workspaceId)) : -1))
    const taken = this.#taken.get(shard)
    if (!taken || epoch >= taken.epoch) return
    if (Number(before.epoch) >= taken.epoch || taken.inherited.has(id))
      this.#broken(`${collection} ${id} is changed under epoch ${epoch}, and its owner's is ${taken.epoch}`)
  }

  /** A commit begins: what is carried out from here on counts for it. */
  begins(keys: readonly string[]): void {
    for (const key of keys) this.#carriedOut.delete(key)
  }

  /** A commit is acknowledged: then none of it was carried out after a newer epoch was taken. */
  acknowledged(shard: number, epoch: number, keys: readonly string[]): void {
    for (const key of keys) {
      const at = this.#carriedOut.get(key)
      if (at !== undefined && this.#kept().wasTakenBefore(shard, epoch, at))
        this.#broken(`${key} of shard ${shard} is acknowledged, and was written after a newer epoch was taken`)
    }
  }
}

const isOlder = (a: Doc, b: Doc): boolean =>
  Number(a.epoch ?? 0) < Number(b.epoch ?? 0) ||
  (a.epoch === b.epoch && a.seq !== undefined && Number(a.seq) < Number(b.seq ?? 0))
