import type { Ms } from './records.ts'

/** A file of a task, as its record, its model and its clients know it. */
export interface FileInfo {
  readonly id: string
  /** Without any path. */
  readonly name: string
  readonly mediaType: string
  /** In bytes. */
  readonly size: number
}

/** A kept file: given with a task, downloaded or written by one, or uploaded for a later one. */
export interface FileRecord extends FileInfo {
  readonly workspaceId: string
  /** `null`: it was uploaded for tasks to come. */
  readonly taskId: string | null
  readonly origin: 'given' | 'downloaded' | 'written'
  readonly createdAt: Ms
}

export interface ScreenshotRecord {
  readonly taskId: string
  readonly step: number
  /** Counts the screenshots of a task from 0. */
  readonly number: number
  /** The JPEG itself. */
  readonly image: Uint8Array
}
