import { type AnyBulkWriteOperation, type Collection, duplicateIndex, isDuplicate } from './client.ts'
import type { EntryDoc } from './collections.ts'

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

/** Without entries of an older epoch than one before them: they came after the newer owner had read the journal. */
export function withoutLate<Doc extends EntryDoc>(docs: readonly Doc[]): Doc[] {
  let newest = 0
  return docs.filter(({ epoch = 0 }) => {
    if (epoch < newest) return false
    newest = epoch
    return true
  })
}
