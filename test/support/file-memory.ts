import type { FileStore } from '../../actors/runtime/ports.ts'
import type { FileRecord } from '../../machines/file-records.ts'

interface Kept {
  readonly record: FileRecord
  readonly bytes: Uint8Array
  until: number | null
}

/** Files in memory, with the promises of the stores. */
export function fileMemory(hasTask: (id: string) => boolean): FileStore {
  const files = new Map<string, Kept>()
  const all = () => [...files.values()]
  return {
    async put(record, bytes, until) {
      if (files.has(record.id)) return false
      files.set(record.id, { record, bytes, until })
      return true
    },
    get: async (id) => files.get(id)?.record ?? null,
    read: async (id) => files.get(id)?.bytes ?? null,
    ofTask: async (taskId) => all().flatMap(({ record }) => (record.taskId === taskId ? [record] : [])),
    async takenBy(workspaceId) {
      const own = all().filter(({ record }) => record.workspaceId === workspaceId)
      return { files: own.length, bytes: own.reduce((sum, { record }) => sum + record.size, 0) }
    },
    async touch(id, until) {
      const kept = files.get(id)
      if (kept) kept.until = until
    },
    async remove(ids) {
      for (const id of ids) files.delete(id)
    },
    async sweep(now, limit) {
      const due = all().filter(({ until }) => until !== null && until < now)
      for (const kept of due.slice(0, limit)) {
        if (kept.record.taskId !== null && hasTask(kept.record.taskId)) kept.until = null
        else files.delete(kept.record.id)
      }
      return Math.min(due.length, limit)
    },
  }
}
