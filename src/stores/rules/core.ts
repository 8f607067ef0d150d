import type { Store, Write } from '../../../actors/runtime/ports.ts'
import { shardOf } from '../../../machines/placement.ts'
import { UniqueConflict } from '../errors.ts'
import type { Driver, Transaction } from '../port.ts'
import { ACTORS, IMAGES, partsOf, TASKS } from '../tables.ts'
import { type AppendingTransaction, logAfter, logOf, logOfStep } from './log.ts'

/** Commits, kept actors and logs; of one shard, or of the whole store. A commit is one transaction. */
export function coreOf(
  driver: Driver,
  appending: AppendingTransaction,
  shard: number | null = null,
): Pick<Store, 'commit' | 'actors' | 'log' | 'image'> {
  return {
    async commit(writes) {
      if (writes.length === 0) return
      const all = (given: readonly Write[]) =>
        appending((tx, append) => {
          for (const write of given) make(tx, write, shard)
          return append(recordsIn(given))
        })
      try {
        await all(writes)
      } catch (error) {
        if (!(error instanceof UniqueConflict)) throw error
        // A commit that is tried again: a task that is there may have ended since, and is left as it is.
        const isThere = async (write: Write) =>
          write.kind === 'task.insert' && (await driver.get(TASKS, write.record.id)) !== null
        const there = await Promise.all(writes.map(isThere))
        await all(writes.filter((_, n) => !there[n]))
      }
    },

    async *actors(damaged = () => {}) {
      const rows =
        shard === null
          ? driver.range(ACTORS, null, { damaged })
          : driver.range(ACTORS, 'shards', { of: [shard], damaged })
      for await (const { shard: _, ...row } of rows) yield row
    },

    log(taskId, part) {
      if (part === undefined) return logOf(driver, taskId)
      return 'step' in part ? logOfStep(driver, taskId, part.step) : logAfter(driver, taskId, part.after)
    },

    async image(taskId, number) {
      const row = await driver.get(IMAGES, taskId, number)
      return row && new Uint8Array(row.image)
    },
  }
}

const recordsIn = (writes: readonly Write[]) =>
  writes.flatMap((write) => (write.kind === 'log.append' ? [write.record] : []))

function make(tx: Transaction, write: Write, shard: number | null): void {
  if (write.kind === 'task.insert') {
    const { record } = write
    tx.insert(TASKS, { ...record, shard: shardOf(record.workspaceId), ...partsOf(record) })
  }
  if (write.kind === 'image.put') {
    const { taskId, number, image } = write.image
    tx.add(IMAGES, { taskId, number, image })
  }
  // Its shard is what it was.
  if (write.kind === 'actor.put') tx.add(ACTORS, shard === null ? write.row : { ...write.row, shard })
  if (write.kind === 'actor.remove') tx.remove(ACTORS, write.address)
}
