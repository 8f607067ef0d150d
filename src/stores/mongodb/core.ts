import type { Store, Write } from '../../../actors/runtime/ports.ts'
import { shardOf } from '../../../machines/placement.ts'
import type { ActorRow, JournalEntry, TaskRecord } from '../../../machines/records.ts'
import type { EventRecord } from '../../../machines/task-log.ts'
import { JournalConflict } from '../errors.ts'
import { type Collection, type Filter, upserting } from './client.ts'
import type { ActorDoc, Collections, EntryDoc, TaskDoc } from './collections.ts'
import { eachOnce, withoutLate } from './entries.ts'
import { keepEvents } from './events.ts'
import { type Fence, isLate, ofOlderEpoch, olderThan, type Revision } from './fence.ts'
import type { Lease } from './lease.ts'

/** Commits, kept actors and journals, under the epoch of a fence; of one shard, or of the whole store. */
export function coreOf(
  all: Collections,
  fence: Fence,
  shard: number | null = null,
): Pick<Store, 'commit' | 'actors' | 'journal'> {
  const { actors, journal, tasks } = all
  const ofShard = shard === null ? {} : { shard }
  return {
    // Each write goes by its key, so the whole can be tried again wherever it was cut short.
    async commit(writes) {
      const revision = fence.next()
      const entries: EntryDoc[] = []
      const records: TaskRecord[] = []
      const events: EventRecord[] = []
      const puts = new Map<string, ActorRow>()
      const removals: string[] = []
      for (const write of writes) {
        if (write.kind === 'journal.append') entries.push(entryOf(write, revision))
        else if (write.kind === 'task.insert') records.push(write.record)
        else if (write.kind === 'event.append') events.push(write.record)
        else if (write.kind === 'actor.put') puts.set(write.row.address, write.row)
        else removals.push(write.address)
      }
      // A record without its first row would be ended as interrupted; such a row without a record is removed at the next start.
      const begun = [...puts.values()].filter(({ snapshot }) => snapshot === null)
      await replace(
        actors,
        begun.map((row) => ({ ...rowDoc(row, revision), ...ofShard })),
        revision,
        fence,
      )
      if (records.length > 0) {
        const inserts = records.flatMap((record) => {
          const doc = { ...record, epoch: revision.epoch, shard: shardOf(record.workspaceId) }
          const { id: _id } = record
          return [
            // The same start, of a former owner whose record came too late: nobody runs that one.
            { replaceOne: { filter: { _id, ...isLate(revision.epoch) }, replacement: doc } },
            // A task that is there already may have ended since: it is left as it is. One that was ended before it was kept is refused.
            { updateOne: { filter: { _id, gone: { $exists: false } }, update: { $setOnInsert: doc }, upsert: true } },
          ]
        })
        await upserting(() => tasks.bulkWrite(inserts))
      }
      if (events.length > 0) await keepEvents(all, events, fence)
      if (entries.length > 0) await append(journal, entries, fence)
      const rows = [
        // A new owner's row is there before the old owner's is gone.
        ...[...puts.values()]
          .filter(({ snapshot }) => snapshot !== null)
          .map((row) => ({ ...rowDoc(row, revision), ...ofShard })),
        ...removals.map((address) => ({ ...tombstone(address, revision), ...ofShard })),
      ]
      await replace(actors, rows, revision, fence)
      if (writes.length > 0) await fence.verify()
    },

    async *actors() {
      // [D17] A row of a former owner that came after all were stamped may be of an actor that is over.
      const own = { snapshot: { $exists: true }, epoch: { $gte: fence.epoch }, ...ofShard }
      for await (const { _id, version, at, snapshot } of actors.find(own)) {
        yield { address: _id, version, at, snapshot: JSON.parse(snapshot) }
      }
    },

    async journal(taskId) {
      const [docs, task] = await Promise.all([
        journal.find({ taskId }).sort({ seq: 1 }).toArray(),
        tasks.findOne({ _id: taskId }, { projection: { inherited: 1 } }),
      ])
      return withoutLate(docs, task?.inherited).map(({ record }) => JSON.parse(record) as JournalEntry)
    },
  }
}

/**
 * Makes what is kept that of a new owner: what came too late from owners before the last one is removed, and the rest is
 * stamped with the new epoch, so that the last owner cannot write it any more. Where a journal ends is kept with its
 * task: entries have no stamp.
 */
export async function settle(
  { actors, tasks, journal }: Collections,
  lease: Pick<Lease, 'epoch' | 'settledBefore' | 'settle'>,
  ofShard: { shard?: number } = {},
): Promise<void> {
  const late = { epoch: { $lt: lease.settledBefore }, ...ofShard }
  const running = { status: 'running' as const }
  await actors.deleteMany(late)
  await tasks.deleteMany({ ...running, ...late })
  await actors.updateMany({ ...ofOlderEpoch(lease.epoch), ...ofShard }, { $set: { epoch: lease.epoch, seq: 0 } })
  await inherit({ tasks, journal }, lease.epoch, { ...running, ...ofOlderEpoch(lease.epoch), ...ofShard })
  await lease.settle()
  // What comes late from here on is not read: nothing has to keep it out.
  await actors.deleteMany({ snapshot: { $exists: false }, ...ofShard })
}

/** How many tasks at a time are stamped: their journals are read for it, without what the entries say. */
const INHERITED_AT_ONCE = 500

/** [T33] Stamps tasks with the epoch of their new owner, and with how many entries it finds in their journals. */
async function inherit(
  { tasks, journal }: Pick<Collections, 'tasks' | 'journal'>,
  epoch: number,
  which: Filter<TaskDoc>,
): Promise<void> {
  const found = await tasks.find(which, { projection: { inherited: 1 } }).toArray()
  for (let at = 0; at < found.length; at += INHERITED_AT_ONCE) {
    const some = found.slice(at, at + INHERITED_AT_ONCE)
    const entries = new Map<string, EntryDoc[]>(some.map(({ _id }) => [_id, []]))
    const ofSome = { taskId: { $in: [...entries.keys()] } }
    for (const entry of await journal
      .find(ofSome, { projection: { record: 0 } })
      .sort({ taskId: 1, seq: 1 })
      .toArray())
      entries.get(entry.taskId)?.push(entry)
    const stamps = some.map(({ _id, inherited }) => {
      const known = withoutLate(entries.get(_id) ?? [], inherited).length
      return {
        updateOne: { filter: { _id, ...which }, update: { $set: { epoch, inherited: { entries: known, epoch } } } },
      }
    })
    await tasks.bulkWrite(stamps, { ordered: false })
  }
}

const entryOf = (
  { taskId, seq, entry }: Extract<Write, { kind: 'journal.append' }>,
  { epoch }: Revision,
): EntryDoc => ({
  _id: `${taskId}:${seq}`,
  taskId,
  seq,
  record: JSON.stringify(entry),
  epoch,
})

const rowDoc = ({ address, version, at, snapshot }: ActorRow, revision: Revision): ActorDoc => ({
  _id: address,
  version,
  at,
  snapshot: JSON.stringify(snapshot),
  ...revision,
})

/** What is left of a removed row for a while: a put that comes late finds it, and is older. */
const tombstone = (address: string, revision: Revision) =>
  ({ _id: address, gone: new Date(), ...revision }) as unknown as ActorDoc

/** Puts each document unless a newer one is there. In their order: a refused one does not keep the next from being made. */
async function replace(actors: Collection<ActorDoc>, docs: ActorDoc[], revision: Revision, fence: Fence) {
  if (docs.length === 0) return
  const operations = docs.map(({ _id, ...replacement }) => ({
    replaceOne: { filter: { _id, ...olderThan(revision) } as never, replacement, upsert: true },
  }))
  await eachOnce(actors, operations, async (index) => {
    const kept = await actors.findOne({ _id: docs[index]?._id as string }, { projection: { epoch: 1, seq: 1 } })
    if (!kept) return 'again'
    if ((kept.epoch ?? 0) > revision.epoch) fence.refuse()
    return kept.epoch === revision.epoch && (kept.seq ?? 0) >= revision.seq ? 'skip' : 'again'
  })
}

/** Appends entries. One that is there under this epoch stays, and has to be the same; one of an older epoch came too late. */
async function append(journal: Collection<EntryDoc>, entries: EntryDoc[], fence: Fence) {
  const operations = entries.map(({ _id, ...entry }) => ({
    replaceOne: { filter: { _id, ...ofOlderEpoch(fence.epoch) } as never, replacement: entry, upsert: true },
  }))
  await eachOnce(journal, operations, async (index) => {
    const { _id, record, taskId, seq } = entries[index] as EntryDoc
    const kept = await journal.findOne({ _id })
    if (!kept) return 'again'
    if ((kept.epoch ?? 0) > fence.epoch) fence.refuse()
    if (kept.record === record) return 'skip'
    if ((kept.epoch ?? 0) < fence.epoch) return 'again'
    throw new JournalConflict(taskId, seq)
  })
}
