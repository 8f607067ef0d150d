import type { Store, Write } from '../../../actors/ports.ts'
import type { JournalEntry, StepRecord } from '../../../machines/records.ts'
import { recordOf, upserting } from './client.ts'
import type { Collections, EntryDoc } from './collections.ts'

type Kind<K extends Write['kind']> = Extract<Write, { kind: K }>

/** Commits, kept actors and journals. */
export function coreOf({ actors, journal, tasks }: Collections): Pick<Store, 'commit' | 'sync' | 'actors' | 'journal'> {
  return {
    // Each upsert goes by its key, so the whole can be tried again wherever it was cut short.
    async commit(writes) {
      const entries = ofKind(writes, 'journal.append').map(({ taskId, seq, entry }) => entryDoc(taskId, seq, entry))
      const inserts = ofKind(writes, 'task.insert').map(({ record }) => record)
      const rows = new Map(ofKind(writes, 'actor.put').map(({ row }) => [row.address, row]))
      const gone = ofKind(writes, 'actor.remove').map(({ address }) => address)

      if (entries.length > 0) await upserting(() => journal.bulkWrite(entries.map(replacing)))
      if (inserts.length > 0) {
        // A task that is there already may have ended since: it is left as it is.
        const upserts = inserts.map((record) => ({
          updateOne: { filter: { _id: record.id }, update: { $setOnInsert: record }, upsert: true },
        }))
        await upserting(() => tasks.bulkWrite(upserts))
      }
      if (rows.size > 0) {
        const puts = [...rows.values()].map(({ address, version, at, snapshot }) =>
          replacing({ _id: address, version, at, snapshot: JSON.stringify(snapshot) }),
        )
        await upserting(() => actors.bulkWrite(puts))
      }
      if (gone.length > 0) await actors.bulkWrite(gone.map((address) => ({ deleteOne: { filter: { _id: address } } })))
    },

    // A write is acknowledged once it is in the server's journal.
    async sync() {},

    async *actors() {
      for await (const { _id, version, at, snapshot } of actors.find()) {
        yield { address: _id, version, at, snapshot: JSON.parse(snapshot) }
      }
    },

    async journal(taskId) {
      const docs = await journal.find({ taskId }).sort({ seq: 1 }).toArray()
      return docs.map(({ record }) => JSON.parse(record) as JournalEntry)
    },
  }
}

function ofKind<K extends Write['kind']>(writes: readonly Write[], kind: K): Kind<K>[] {
  return writes.filter((write): write is Kind<K> => write.kind === kind)
}

const replacing = <Doc extends { _id: string }>(doc: Doc) => {
  const { _id, ...replacement } = doc
  return { replaceOne: { filter: { _id } as never, replacement: replacement as never, upsert: true } }
}

const entryDoc = (taskId: string, seq: number, record: object): EntryDoc => ({
  _id: `${taskId}:${seq}`,
  taskId,
  seq,
  record: JSON.stringify(record),
})

/** Task records. */
export function tasksOf({ tasks, steps, journal, screenshots, traces }: Collections): Store['tasks'] {
  return {
    get: async (id) => recordOf(await tasks.findOne({ _id: id })),

    async list({ workspaceId, status, browserSessionId, after, limit }) {
      if (limit < 1) return []
      const filter = {
        workspaceId,
        ...(status === null ? {} : { status }),
        ...(browserSessionId === null ? {} : { browserSessionId }),
        ...(after && {
          createdAt: { $lte: after.createdAt },
          $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
        }),
      }
      const docs = await tasks.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray()
      return docs.map((doc) => recordOf(doc))
    },

    async end({ taskId, model, ...facts }) {
      const { matchedCount } = await tasks.updateOne({ _id: taskId, status: 'running' }, { $set: facts })
      if (matchedCount > 0) return 'ended'
      return (await tasks.findOne({ _id: taskId })) ? 'already' : 'missing'
    },

    async *running() {
      for await (const doc of tasks.find({ status: 'running' })) yield recordOf(doc)
    },

    async retire(before, limit) {
      if (limit < 1) return 0
      const old = { status: { $in: ['complete' as const, 'error' as const] }, completedAt: { $lt: before } }
      const docs = await tasks.find(old).sort({ completedAt: 1 }).limit(limit).toArray()
      if (docs.length === 0) return 0
      const ids = { $in: docs.map(({ _id }) => _id) }
      // The record goes last: what is cut short here is found again by it.
      await Promise.all([steps, journal, screenshots, traces].map((rows) => rows.deleteMany({ taskId: ids } as never)))
      return (await tasks.deleteMany({ _id: ids })).deletedCount
    },
  }
}

/** Step records, and the screenshots that belong to them. */
export function stepsOf({ steps, screenshots }: Collections): Store['steps'] {
  return {
    async append(records, images) {
      if (images.length > 0) {
        const docs = images.map((image) => replacing({ _id: `${image.taskId}:${image.number}`, ...image }))
        await upserting(() => screenshots.bulkWrite(docs))
      }
      if (records.length > 0) {
        const docs = records.map((record) => replacing(entryDoc(record.taskId, record.seq, record)))
        await upserting(() => steps.bulkWrite(docs))
      }
    },
    async list(taskId) {
      const docs = await steps.find({ taskId }).sort({ seq: 1 }).toArray()
      return docs.map(({ record }) => JSON.parse(record) as StepRecord)
    },
    async screenshot(taskId, step) {
      const [last] = await screenshots.find({ taskId, step }).sort({ number: -1 }).limit(1).toArray()
      return last ? new Uint8Array(last.image) : null
    },
    async screenshotNumbered(taskId, number) {
      const found = await screenshots.findOne({ _id: `${taskId}:${number}` })
      return found ? new Uint8Array(found.image) : null
    },
  }
}

/** What is known of tasks beside their records. */
export function tracesOf({ traces }: Collections): Store['traces'] {
  return {
    async keep(taskId, kind, text) {
      await upserting(() => traces.bulkWrite([replacing({ _id: `${taskId}:${kind}`, taskId, text })]))
    },
    get: async (taskId, kind) => (await traces.findOne({ _id: `${taskId}:${kind}` }))?.text ?? null,
  }
}
