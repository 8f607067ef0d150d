import { ToolError } from './act/cdp.ts'

/** A file that a task may read or upload: given with the task, or downloaded by it. */
export interface TaskFile {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  /** In bytes; `null` while it is downloaded. */
  readonly size: number | null
  /** Rejects with a ToolError when it cannot be had, or is larger than FILE_BYTES_MAX. */
  read(): Promise<Uint8Array>
}

export const tooLarge = (bytesMax: number): ToolError => new ToolError(`The file is larger than ${bytesMax} bytes.`)

/** A download that a tab has begun. */
export interface Download {
  readonly name: string
  readonly url: string
  /** Resolves when it has ended, to whether the file is whole. Never rejects. */
  readonly ended: Promise<boolean>
  /** `null` where the browser does not let its files be read. */
  readonly read: (() => Promise<Uint8Array<ArrayBuffer>>) | null
}

/** What a download is kept as: its id is chosen before, so that it is kept once however often it is sent. */
export type KeptFile = Pick<TaskFile, 'id' | 'name' | 'mediaType'>

/** Where the files of tasks are: those given with them, and those they downloaded. A task sees its own files only. */
export interface FileSource {
  /** Rejects with a ToolError when they cannot be had. */
  filesOf(taskId: string): Promise<readonly TaskFile[]>
  /** Keeps a download. Rejects with a ToolError that says why not. */
  keep(taskId: string, file: KeptFile, bytes: Uint8Array<ArrayBuffer>): Promise<void>
}

export const NO_FILES: FileSource = { filesOf: async () => [], keep: async () => {} }
