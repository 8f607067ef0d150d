import type { FileStore } from '../../../actors/runtime/ports.ts'
import type { FileRecord } from '../../../machines/file-records.ts'
import { FILE_PIECE_BYTES } from '../limits.ts'
import { collected, type Driver, insertOnce, removeRange } from '../port.ts'
import { FILE_PIECES, FILES, type FileRow, TASKS } from '../tables.ts'

/** Files of tasks, in pieces. */
export function filesOf(driver: Driver): FileStore {
  const remove = (ids: readonly string[]) =>
    driver.transact(async (tx) => {
      for (const id of ids) {
        await removeRange(tx, FILE_PIECES, null, { of: [id] })
        tx.remove(FILES, id)
      }
    })
  return {
    put: (record, bytes, until) =>
      insertOnce(driver, (tx) => {
        tx.insert(FILES, { ...record, until })
        for (let at = 0; at * FILE_PIECE_BYTES < bytes.length; at++) {
          const piece = bytes.subarray(at * FILE_PIECE_BYTES, (at + 1) * FILE_PIECE_BYTES)
          tx.add(FILE_PIECES, { fileId: record.id, number: at, bytes: piece })
        }
      }),
    get: async (id) => recordOf(await driver.get(FILES, id)),
    async read(id) {
      if ((await driver.get(FILES, id)) === null) return null
      const pieces = await collected(driver.range(FILE_PIECES, null, { of: [id] }))
      return Buffer.concat(pieces.map(({ bytes }) => bytes))
    },
    async ofTask(taskId) {
      const rows = await collected(driver.range(FILES, 'of-tasks', { of: [taskId] }))
      return rows.flatMap((row) => recordOf(row) ?? [])
    },
    async takenBy(workspaceId) {
      let [files, bytes] = [0, 0]
      for await (const { size } of driver.range(FILES, 'sizes', { of: [workspaceId] })) {
        files++
        bytes += size
      }
      return { files, bytes }
    },
    async touch(id, until) {
      await driver.patch(FILES, [id], { until })
    },
    remove,
    async sweep(now, limit) {
      const due = await collected(driver.range(FILES, 'expiring', { to: now, limit }))
      for (const row of due) {
        if (row.taskId === null || (await driver.get(TASKS, row.taskId)) === null) await remove([row.id])
        else await driver.patch(FILES, [row.id], { until: null })
      }
      return due.length
    },
  }
}

function recordOf(row: FileRow | null): FileRecord | null {
  if (row === null) return null
  const { until, ...record } = row
  return record
}
