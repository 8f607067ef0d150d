import type { Store, Write } from '../../../actors/runtime/ports.ts'
import { shardOf } from '../../../machines/placement.ts'
import { UniqueConflict } from '../errors.ts'
import { collected, type Driver, type Transaction } from '../port.ts'
import { ACTORS, JOURNAL, TASKS } from '../tables.ts'
import { appendEvents } from './events.ts'

/** Commits, kept actors and journals; of one shard, or of the whole store. A commit is one transaction. */
export function coreOf(driver: Driver, shard: number | null = null): Pick<Store, 'commit' | 'actors' | 'journal'> {
  return {
    async commit(writes) {
      if (writes.length === 0) return
      const all = (given: readonly Write[]) =>
        driver.transact(async (tx) => {
          for (const write of given) make(tx, write, shard)
          await appendEvents(tx, eventsIn(given), shard)
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

    async *actors() {
      const rows = shard === null ? driver.range(ACTORS, null) : driver.range(ACTORS, 'shards', { of: [shard] })
      for await (const { shard: _, ...row } of rows) yield row
    },

    journal: async (taskId) =>
      (await collected(driver.range(JOURNAL, null, { of: [taskId] }))).map(({ record }) => record),
  }
}

const eventsIn = (writes: readonly Write[]) =>
  writes.flatMap((write) => (write.kind === 'event.append' ? [write.record] : []))

function make(tx: Transaction, write: Write, shard: number | null): void {
  if (write.kind === 'task.insert') tx.insert(TASKS, { ...write.record, shard: shardOf(write.record.workspaceId) })
  if (write.kind === 'journal.append') tx.add(JOURNAL, { taskId: write.taskId, seq: write.seq, record: write.entry })
  // Its shard is what it was.
  if (write.kind === 'actor.put') tx.add(ACTORS, shard === null ? write.row : { ...write.row, shard })
  if (write.kind === 'actor.remove') tx.remove(ACTORS, write.address)
}
