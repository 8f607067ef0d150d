import { type AnyBulkWriteOperation, type Collection, duplicateIndex, isDuplicate } from './client.ts'
import type { EntryDoc, Inherited } from './collections.ts'

/** Runs upserts in their order. One that meets a document that its filter leaves out is decided on by `met`. */
export async function eachOnce<Doc extends { _id: string }>(
  collection: Collection<Doc>,
  operations: readonly AnyBulkWriteOperation<Doc>[],
  met: (index: number) => Promise<'again' | 'skip'>,
): Promise<void> {
  for (let at = 0; at < operations.length; ) {
    try {
      await collection.bulkWrite(operations.slice(at))
      return
    } catch (error) {
      if (!isDuplicate(error)) throw error
      at += duplicateIndex(error)
      if ((await met(at)) === 'skip') at++
    }
  }
}

/**
 * Without entries of an older epoch than one before them, and than the owner that found fewer: they came after that owner
 * had taken over.
 */
export function withoutLate<Doc extends EntryDoc>(docs: readonly Doc[], inherited?: Inherited): Doc[] {
  let newest = 0
  return docs.filter(({ epoch = 0, seq }) => {
    if (inherited && seq >= inherited.entries) newest = Math.max(newest, inherited.epoch)
    if (epoch < newest) return false
    newest = epoch
    return true
  })
}
