import { type AnyBulkWriteOperation, type Collection, duplicateIndex, isDuplicate } from './client.ts'
import type { EntryDoc, Fenced, Inherited } from './collections.ts'
import { type Fence, notAfter } from './fence.ts'

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

/** Puts documents under the epoch of a fence. One of a newer epoch is left as it is, and the writer refused. */
export async function putUnder<Doc extends Fenced & { _id: string }>(
  fence: Fence,
  collection: Collection<Doc>,
  docs: readonly Doc[],
): Promise<void> {
  const { epoch } = fence
  const operations = docs.map(({ _id, ...rest }) => ({
    replaceOne: {
      filter: { _id, ...notAfter(epoch) } as never,
      replacement: { ...rest, epoch } as never,
      upsert: true,
    },
  }))
  await eachOnce(collection, operations, async (index) => {
    const kept = await collection.findOne({ _id: docs[index]?._id as never }, { projection: { epoch: 1 } })
    if (kept && (kept.epoch ?? 0) > epoch) fence.refuse()
    return 'again'
  })
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
