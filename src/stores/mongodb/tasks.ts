import type { Store, TaskFilter } from '../../../actors/runtime/ports.ts'
import type { StepRecord, TaskRecord } from '../../../machines/records.ts'
import { insertOnce, recordOf, upserting } from './client.ts'
import type { Collections, EntryDoc, TaskDoc } from './collections.ts'
import { putUnder } from './entries.ts'
import { DELETED, expire, keepEvents } from './events.ts'
import { type Fence, isLate, notAfter } from './fence.ts'
import { removeFilesOf } from './files.ts'
import { rollUp } from './usage.ts'

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

/**
 * Task records, whose endings carry the epoch of a fence; those that run are of one shard, or of the whole store. For
 * their owner, which has stamped what it found [M14], one of an older epoch is not there.
 */
export function tasksOf(
  all: Collections,
  fence: Fence,
  { shard = null, isOwner }: { shard?: number | null; isOwner: boolean },
): Store['tasks'] {
  const own = isOwner ? { $nor: [isLate(fence.epoch)] } : {}
  const { tasks, steps, journal, screenshots, traces, deliveries, changes, usage } = all
  /** The record goes last: what is cut short here is found again by it. */
  const removeAll = async (old: readonly string[], why: 'retired' | 'deleted') => {
    const ids = { $in: [...old] }
    await rollUp(all, fence, await usage.find({ _id: ids }).toArray())
    await changes.deleteMany({ _id: { $in: old.map((id) => `task:${id}`) } })
    await Promise.all([
      ...[steps, journal, screenshots, traces, deliveries].map((rows) => rows.deleteMany({ taskId: ids } as never)),
      removeFilesOf(all, old),
      expire(all, { taskId: ids }, why === 'deleted' ? DELETED : undefined),
    ])
    return (await tasks.deleteMany({ _id: ids })).deletedCount
  }

  return {
    get: async (id) => taskOf(await tasks.findOne({ _id: id, gone: { $exists: false }, ...own })),

    async list({ workspaceId, status, browserSessionId, after, limit, filter: further }) {
      if (limit < 1) return []
      const filter = {
        workspaceId,
        ...own,
        ...(status === null ? {} : { status }),
        ...(browserSessionId === null ? {} : { browserSessionId }),
        ...(after && {
          createdAt: { $lte: after.createdAt },
          $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
        }),
        ...conditions(further),
      }
      const docs = await tasks.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).toArray()
      return docs.map((doc) => taskOf(doc))
    },

    async end({ taskId, model, ...facts }, event) {
      const { epoch, seq } = fence.next()
      // What former owners have recorded of a task that ran under them becomes its own first.
      let found: object = { inherited: { $exists: false } }
      let records = {}
      for (;;) {
        const running = { _id: taskId, status: 'running' as const, ...notAfter(epoch) }
        const { matchedCount } = await tasks.updateOne({ ...running, ...found } as never, {
          $set: { ...facts, epoch, ...records },
          // [X1] The secrets of a task are gone with its end.
          $unset: { sealedSecrets: '' },
        })
        if (matchedCount > 0) {
          if (event) await keepEvents(all, [event], fence)
          return 'ended'
        }
        const kept = await tasks.findOne({ _id: taskId })
        if (kept?.status === 'running') {
          if ((kept.epoch ?? 0) > epoch) fence.refuse()
          if (!kept.inherited) continue
          const stamp = `${epoch}:${seq}`
          await takeRecords(all, taskId, epoch, stamp)
          found = {}
          records = { 'inherited.records': epoch, 'inherited.stamp': stamp }
          continue
        }
        if (kept) return kept.gone ? 'missing' : 'already'
        // An insert that was given up may still come: it must not begin a task that was ended.
        const ended = { _id: taskId, gone: new Date(), epoch }
        if (await insertOnce(tasks, ended as unknown as TaskDoc)) return 'missing'
      }
    },

    async *running() {
      const ofShard = shard === null ? {} : { shard }
      for await (const doc of tasks.find({ status: 'running', ...ofShard, ...own })) yield taskOf(doc)
    },

    async retire(before, limit) {
      if (limit < 1) return 0
      const old = { status: { $in: ['complete' as const, 'error' as const] }, completedAt: { $lt: before } }
      const docs = await tasks.find(old).sort({ completedAt: 1 }).limit(limit).toArray()
      if (docs.length === 0) return 0
      return removeAll(
        docs.map(({ _id }) => _id),
        'retired',
      )
    },

    async remove(id) {
      const kept = await tasks.findOne({ _id: id, gone: { $exists: false } })
      if (!kept) return 'missing'
      if (kept.status === 'running') return 'running'
      await removeAll([id], 'deleted')
      return 'removed'
    },

    async strip(ids, what) {
      const taskId = { $in: [...ids] }
      if (what === 'events') await expire(all, { taskId })
      else await Promise.all([screenshots.deleteMany({ taskId }), removeFilesOf(all, ids)])
    },
  }
}

/** [T56] Nothing of it is read as a condition of the database's own: keys of metadata have no `.` and `$`. */
function conditions({ endedBy, createdAfter, createdBefore, metadata, text }: TaskFilter = {}) {
  const has = text === undefined ? null : { $regex: text.replace(/[^\p{L}\p{N} ]/gu, '\\$&'), $options: 'i' }
  const all = [
    ...(endedBy === undefined ? [] : [{ endedBy }]),
    ...(createdAfter === undefined ? [] : [{ createdAt: { $gt: createdAfter } }]),
    ...(createdBefore === undefined ? [] : [{ createdAt: { $lt: createdBefore } }]),
    ...Object.entries(metadata ?? {}).map(([key, value]) => ({ [`metadata.${key}`]: value })),
    ...(has === null ? [] : [{ $or: [{ task: has }, { answer: has }] }]),
  ]
  return all.length === 0 ? {} : { $and: all }
}

/** A task's record, without what the store keeps beside it. */
function taskOf(doc: TaskDoc): TaskRecord
function taskOf(doc: TaskDoc | null): TaskRecord | null
function taskOf(doc: TaskDoc | null): TaskRecord | null {
  if (doc === null) return null
  const { epoch, gone, shard, inherited, ...record } = recordOf(doc)
  return record
}

/**
 * Stamps the step records and screenshots of a task with the epoch of the owner that ends it, and with which stamp it is: one
 * that comes late marks what it finds as its own.
 */
async function takeRecords({ steps, screenshots }: Collections, taskId: string, epoch: number, stamp: string) {
  const found = { taskId, $or: [{ epoch: { $lt: epoch } }, { epoch, stamps: { $exists: true } }] }
  const taken = { $set: { epoch }, $addToSet: { stamps: stamp } }
  await Promise.all([steps.updateMany(found, taken), screenshots.updateMany(found, taken)])
}

/**
 * Matches the step records and screenshots that are of a task: once it has ended, those that its last owner found or wrote
 * [M4], and those of versions that did not stamp them [M11].
 */
export const recordsInTime = ({ inherited }: Pick<TaskDoc, 'inherited'>): object => ({
  epoch: { $not: { $lt: inherited?.records ?? 0 } },
  ...(inherited?.stamp === undefined ? {} : { stamps: { $in: [null, inherited.stamp] } }),
})

/** Step records, and the screenshots that belong to them, under the epoch of a fence. */
export function stepsOf({ tasks, steps, screenshots }: Collections, fence: Fence): Store['steps'] {
  const ofTask = async (taskId: string) =>
    recordsInTime((await tasks.findOne({ _id: taskId }, { projection: { inherited: 1 } })) ?? {})
  return {
    async append(records, images) {
      fence.next()
      const shots = images.map((image) => ({ _id: `${image.taskId}:${image.number}`, ...image }))
      if (shots.length > 0) await putUnder(fence, screenshots, shots)
      await putUnder(
        fence,
        steps,
        records.map((record) => entryDoc(record.taskId, record.seq, record)),
      )
    },
    async list(taskId) {
      const docs = await steps
        .find({ taskId, ...(await ofTask(taskId)) })
        .sort({ seq: 1 })
        .toArray()
      return docs.map(({ record }) => JSON.parse(record) as StepRecord)
    },
    async screenshot(taskId, step) {
      const ofStep = { taskId, step, ...(await ofTask(taskId)) }
      const [last] = await screenshots.find(ofStep).sort({ number: -1 }).limit(1).toArray()
      return last ? new Uint8Array(last.image) : null
    },
    async screenshotNumbered(taskId, number) {
      const found = await screenshots.findOne({ _id: `${taskId}:${number}`, ...(await ofTask(taskId)) })
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
