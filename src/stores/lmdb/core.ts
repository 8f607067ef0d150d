import type { Store, Write } from '../../../actors/runtime/ports.ts'
import type { ActorRow, JournalEntry } from '../../../machines/records.ts'
import { JournalConflict } from '../errors.ts'
import type { LmdbFile } from './database.ts'
import { putEvent, putLastPosition } from './events.ts'
import type { Tables } from './tables.ts'
import { insertTask } from './tasks.ts'

/** Commits, kept actors and journals. A commit is one transaction; commits of the same moment share one, and its fsync. */
export function coreOf(file: LmdbFile, tables: Tables): Pick<Store, 'commit' | 'actors' | 'journal'> {
  return {
    async commit(writes) {
      if (writes.length === 0) return
      // All that may throw comes before the transaction: what was put in one that throws would be kept.
      const puts = writes.map((write) => putOf(tables, write))
      const last = writes.reduce(
        (max, write) => (write.kind === 'event.append' ? Math.max(max, write.record.position) : max),
        0,
      )
      await file.write(() => {
        for (const put of puts) put?.()
        if (last > 0) putLastPosition(tables, last)
      })
    },

    async *actors() {
      for await (const { value } of tables.actors.all()) yield value
    },

    async journal(taskId) {
      const bySeq = new Map<number, JournalEntry>()
      for (const { key, value } of tables.journal.under([taskId])) {
        for (const [n, entry] of [value].flat().entries()) bySeq.set(Number(key[1]) + n, entry)
      }
      return [...bySeq].sort(([a], [b]) => a - b).map(([, entry]) => entry)
    },
  }
}

/** What does the write within a transaction; `null`: nothing is to be done. @throws Error when it cannot be kept */
function putOf(tables: Tables, write: Write): (() => void) | null {
  switch (write.kind) {
    case 'journal.append': {
      const key = [write.taskId, write.seq]
      const json = jsonOf(write.entry)
      const kept = tables.journal.get(key)
      if (kept === undefined) return () => tables.journal.putBytes(key, json)
      if (!jsonOf([kept].flat()[0] as JournalEntry).equals(json)) throw new JournalConflict(write.taskId, write.seq)
      return null
    }
    case 'event.append':
      return putEvent(tables, write.record)
    case 'task.insert':
      return () => void insertTask(tables, write.record)
    case 'actor.put': {
      const json = jsonOf(write.row)
      return () => tables.actors.putBytes(write.row.address, json)
    }
    case 'actor.remove':
      return () => tables.actors.remove(write.address)
  }
}

const jsonOf = (value: ActorRow | JournalEntry) => Buffer.from(JSON.stringify(value))
