import type { FileStore } from '../../../actors/runtime/ports.ts'
import type { FileRecord } from '../../../machines/file-records.ts'
import { FILE_PIECE_BYTES } from '../limits.ts'
import type { LmdbFile } from './database.ts'
import { type Key, upwards } from './table.ts'
import type { Tables } from './tables.ts'

type Row = FileRecord & { readonly until: number }

/** Files of tasks, beside the screenshots: large writes must not stand between the small ones that tasks wait for. */
export function filesOf(file: LmdbFile, tables: Pick<Tables, 'tasks'>) {
  const records = file.table<Row>('files')
  /** [file, number of the piece] */
  const pieces = file.table<Uint8Array>('files.pieces', 'binary')
  /** [task, createdAt, file] */
  const ofTasks = file.table<string>('files.of-tasks')
  /** [workspace, file]: its size */
  const sizes = file.table<number>('files.sizes')
  /** [until, file]: those whose task is not known to exist. */
  const expiring = file.table<string>('files.expiring')

  const putIndexes = (row: Row) => {
    records.put(row.id, row)
    sizes.put([row.workspaceId, row.id], row.size)
    expiring.put([row.until, row.id], row.id)
    if (row.taskId !== null) ofTasks.put([row.taskId, row.createdAt, row.id], row.id)
  }
  const remove = (ids: readonly string[]): Promise<void> => {
    const rows = ids.flatMap((id) => records.get(id) ?? [])
    return file.write(() => {
      for (const { id, workspaceId, taskId, createdAt, until } of rows) {
        for (const key of pieces.keysUnder([id])) pieces.remove(key)
        sizes.remove([workspaceId, id])
        expiring.remove([until, id])
        if (taskId !== null) ofTasks.remove([taskId, createdAt, id])
        records.remove(id)
      }
    })
  }
  const idsOf = (taskId: string) => ofTasks.under([taskId]).map(({ value }) => value)

  return {
    put: (record, bytes, until) =>
      file.writeIf(
        records.absent(record.id),
        () => {
          for (let at = 0; at * FILE_PIECE_BYTES < bytes.length; at++)
            pieces.put([record.id, at], bytes.subarray(at * FILE_PIECE_BYTES, (at + 1) * FILE_PIECE_BYTES))
          putIndexes({ ...record, until })
        },
        bytes.length,
      ),
    get: async (id) => recordOf(records.get(id)),
    read: async (id) => (records.has(id) ? Buffer.concat(pieces.under([id]).map(({ value }) => value)) : null),
    ofTask: async (taskId) => idsOf(taskId).flatMap((id) => recordOf(records.get(id)) ?? []),
    async takenBy(workspaceId) {
      let [files, bytes] = [0, 0]
      for await (const { value } of sizes.scan(upwards(workspaceId))) {
        files++
        bytes += value
      }
      return { files, bytes }
    },
    touch: (id, until) => {
      const row = records.get(id)
      return row ? move(row, until) : Promise.resolve()
    },
    remove,
    async sweep(now, limit) {
      const due: { key: Key; value: string }[] = expiring.range({ from: [0], to: [now], limit })
      const rows = due.flatMap(({ value }) => records.get(value) ?? [])
      const isOfTask = ({ taskId }: Row) => taskId !== null && tables.tasks.has(taskId)
      await remove(rows.filter((row) => !isOfTask(row)).map(({ id }) => id))
      await file.write(() => {
        for (const { key } of due) expiring.remove(key)
      })
      return due.length
    },
    removeOf: (taskIds: readonly string[]) => remove(taskIds.flatMap(idsOf)),
  } satisfies FileStore & { removeOf(taskIds: readonly string[]): Promise<void> }

  function move(row: Row, until: number): Promise<void> {
    return file.write(() => {
      expiring.remove([row.until, row.id])
      putIndexes({ ...row, until })
    })
  }
}
export type Files = ReturnType<typeof filesOf>

function recordOf(row: Row | undefined): FileRecord | null {
  if (!row) return null
  const { until, ...record } = row
  return record
}
