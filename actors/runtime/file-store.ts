import type { FileRecord } from '../../machines/file-records.ts'
import type { Ms } from '../../machines/records.ts'

/** [U8] What files of one workspace, or of one task, take together. */
export interface FilesTaken {
  readonly files: number
  readonly bytes: number
}

/** [U7, U8] Files of tasks, and files that were uploaded for tasks to come. Those of a task are retired with it. */
export interface FileStore {
  /**
   * Keeps a file whole, or nothing of it: false when there is one of this id. What belongs to no task then is removed
   * after `until`.
   */
  put(record: FileRecord, bytes: Uint8Array, until: Ms): Promise<boolean>
  get(id: string): Promise<FileRecord | null>
  /** Its bytes. */
  read(id: string): Promise<Uint8Array | null>
  /** Those of a task, the oldest first. */
  ofTask(taskId: string): Promise<FileRecord[]>
  takenBy(workspaceId: string): Promise<FilesTaken>
  /** Extends the life of a file that was used. */
  touch(id: string, until: Ms): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  /** Removes expired files whose task does not exist, at most `limit`; resolves to how many it has checked. */
  sweep(now: Ms, limit: number): Promise<number>
}
