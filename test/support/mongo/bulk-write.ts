import { CommandError, type Doc } from './doc.ts'
import { isConflict } from './transaction.ts'

interface Counts {
  readonly n: number
  readonly nModified?: number
  readonly upserted?: unknown
}

/** What a `bulkWrite` does with the collection of each of its operations. */
export interface Writes {
  insert(ns: string, document: Doc): Counts
  update(ns: string, update: Doc): Counts
  delete(ns: string, removal: Doc): Counts
}

interface BulkWrite {
  readonly ops: readonly Doc[]
  readonly nsInfo: readonly { readonly ns: string }[]
  readonly ordered?: boolean
  readonly errorsOnly?: boolean
}

/** The command `bulkWrite` of MongoDB 8: writes to several collections. In order, the first that fails is the last. */
export function bulkWrite(
  command: Doc,
  writes: Writes,
  failed: (error: unknown) => Doc,
): { results: Doc[]; counts: Doc } {
  const { ops, nsInfo, ordered = true, errorsOnly = false } = command as unknown as BulkWrite
  const counts = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 }
  const results: Doc[] = []
  for (const [idx, op] of ops.entries()) {
    try {
      const done = one(op)
      if (!errorsOnly) results.push({ ok: 1, idx, ...done })
    } catch (error) {
      if (isConflict(error)) throw error
      counts.nErrors++
      results.push({ idx, n: 0, ...failed(error) })
      if (ordered) break
    }
  }
  return { results, counts }

  function one(op: Doc): Counts {
    const { ns = '' } = nsInfo[Number(op.insert ?? op.update ?? op.delete)] ?? {}
    if (op.insert !== undefined) {
      const done = writes.insert(ns, op.document as Doc)
      counts.nInserted++
      return done
    }
    if (op.delete !== undefined) {
      const done = writes.delete(ns, { q: op.filter, limit: op.multi ? 0 : 1 })
      counts.nDeleted += done.n
      return done
    }
    if (op.update === undefined) throw new CommandError(2, 'An operation inserts, updates or deletes')
    const { filter: q, updateMods: u, ...options } = op
    const { upserted, ...done } = writes.update(ns, { ...options, q, u })
    if (upserted === undefined) counts.nMatched += done.n
    else counts.nUpserted++
    counts.nModified += done.nModified ?? 0
    return { ...done, ...(upserted === undefined ? {} : { upserted: { _id: upserted } }) }
  }
}
