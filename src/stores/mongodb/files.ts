import type { FileStore } from '../../../actors/runtime/ports.ts'
import type { FileRecord } from '../../../machines/file-records.ts'
import { FILE_PIECE_BYTES } from '../limits.ts'
import { insertOnce, recordOf, upserting } from './client.ts'
import type { Collections, FileDoc } from './collections.ts'

/** Files of tasks. A document can have 16 MB: the bytes are in pieces, and a file is there once all of them are. */
export function filesOf({ files, filePieces, tasks }: Collections): FileStore {
  const whole = { whole: true as const }
  const remove = async (ids: readonly string[]) => {
    // The record goes last: what is cut short here is found again by it.
    await filePieces.deleteMany({ fileId: { $in: [...ids] } })
    await files.deleteMany({ _id: { $in: [...ids] } })
  }
  return {
    async put(record, bytes, until) {
      const { id } = record
      await insertOnce(files, { _id: id, ...record, until, whole: false })
      if (await files.findOne({ _id: id, ...whole })) return false
      for (let at = 0; at * FILE_PIECE_BYTES < bytes.length; at++) {
        const piece = bytes.slice(at * FILE_PIECE_BYTES, (at + 1) * FILE_PIECE_BYTES)
        const doc = { fileId: id, number: at, bytes: piece }
        await upserting(() => filePieces.replaceOne({ _id: `${id}:${at}` }, doc, { upsert: true }))
      }
      const { matchedCount } = await files.updateOne(
        { _id: id, whole: false },
        { $set: { ...record, until, ...whole } },
      )
      return matchedCount > 0
    },
    get: async (id) => fileOf(await files.findOne({ _id: id, ...whole })),
    async read(id) {
      const doc = await files.findOne({ _id: id, ...whole })
      if (!doc) return null
      const docs = await filePieces.find({ fileId: id }).sort({ number: 1 }).toArray()
      return Buffer.concat(docs.map(({ bytes }) => new Uint8Array(bytes)))
    },
    async ofTask(taskId) {
      const docs = await files
        .find({ taskId, ...whole })
        .sort({ createdAt: 1, _id: 1 })
        .toArray()
      return docs.flatMap((doc) => fileOf(doc) ?? [])
    },
    async takenBy(workspaceId) {
      const sum = { $group: { _id: null, files: { $sum: 1 }, bytes: { $sum: '$size' } } }
      const [taken] = await files
        .aggregate<{ files: number; bytes: number }>([{ $match: { workspaceId } }, sum])
        .toArray()
      return { files: taken?.files ?? 0, bytes: taken?.bytes ?? 0 }
    },
    async touch(id, until) {
      await files.updateOne({ _id: id }, { $set: { until } })
    },
    remove,
    async sweep(now, limit) {
      const due = await files
        .find({ until: { $lt: now } })
        .sort({ until: 1 })
        .limit(limit)
        .toArray()
      const taskIds = due.flatMap(({ taskId }) => taskId ?? [])
      const kept = await tasks.find({ _id: { $in: taskIds }, gone: { $exists: false } }).toArray()
      const known = new Set(kept.map(({ _id }) => _id))
      const isOfTask = ({ taskId, whole }: FileDoc) => whole && taskId !== null && known.has(taskId)
      await remove(due.filter((doc) => !isOfTask(doc)).map(({ _id }) => _id))
      const staying = due.filter(isOfTask).map(({ _id }) => _id)
      await files.updateMany({ _id: { $in: staying } }, { $unset: { until: '' } })
      return due.length
    },
  }
}

/** Removes all files of tasks that go. */
export async function removeFilesOf({ files, filePieces }: Collections, taskIds: readonly string[]): Promise<void> {
  const docs = await files.find({ taskId: { $in: [...taskIds] } }).toArray()
  const ids = docs.map(({ _id }) => _id)
  if (ids.length === 0) return
  await filePieces.deleteMany({ fileId: { $in: ids } })
  await files.deleteMany({ _id: { $in: ids } })
}

function fileOf(doc: FileDoc | null): FileRecord | null {
  if (doc === null) return null
  const { until, whole, ...record } = recordOf(doc)
  return record
}
