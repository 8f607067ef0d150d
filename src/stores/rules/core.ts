import type { Store, Write } from '../../../actors/runtime/ports.ts'
import { shardOf } from '../../../machines/placement.ts'
import { JournalConflict } from '../errors.ts'
import { collected, type Driver, type Transaction } from '../port.ts'
import { ACTORS, JOURNAL, TASKS } from '../tables.ts'
import { appendEvents } from './events.ts'

/** Commits, kept actors and journals; of one shard, or of the whole store. A commit is one transaction. */
export function coreOf(driver: Driver, shard: number | null = null): Pick<Store, 'commit' | 'actors' | 'journal'> {
  return {
    async commit(writes) {
      if (writes.length === 0) return
      await driver.transact(async (tx) => {
        for (const write of writes) await make(tx, write, shard)
        await appendEvents(tx, eventsIn(writes), shard)
      })
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

async function make(tx: Transaction, write: Write, shard: number | null): Promise<void> {
  switch (write.kind) {
    case 'task.insert':
      // A task that is there already may have ended since: a commit that is tried again leaves it as it is.
      if ((await tx.get(TASKS, write.record.id)) === null)
        tx.add(TASKS, { ...write.record, shard: shardOf(write.record.workspaceId) })
      return
    case 'journal.append': {
      const { taskId, seq, entry } = write
      const kept = await tx.get(JOURNAL, taskId, seq)
      if (kept === null) tx.add(JOURNAL, { taskId, seq, record: entry })
      else if (JSON.stringify(kept.record) !== JSON.stringify(entry)) throw new JournalConflict(taskId, seq)
      return
    }
    case 'actor.put':
      tx.put(ACTORS, shard === null ? write.row : { ...write.row, shard })
      return
    case 'actor.remove':
      tx.remove(ACTORS, write.address)
      return
    case 'event.append':
      return
  }
}
