/** A file that a task may read or upload: given with the task, or downloaded by it. */
export interface TaskFile {
  readonly name: string
  readonly mediaType: string
  /** Rejects with a ToolError when it cannot be had, or is larger than FILE_BYTES_MAX. */
  read(): Promise<Uint8Array>
}

/** A download that a tab has begun. */
export interface Download {
  readonly name: string
  readonly url: string
  /** Resolves when it has ended, to whether the file is whole. Never rejects. */
  readonly ended: Promise<boolean>
  /** `null` where the browser does not let its files be read. */
  readonly read: (() => Promise<Uint8Array>) | null
}

/** Where the files come from that are given with a task. Those of the other tasks are none of this one's. */
export interface FileSource {
  filesOf(taskId: string): Promise<readonly TaskFile[]>
}

export const NO_FILES: FileSource = { filesOf: async () => [] }

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** By the end of the name. */
export const mediaTypeOf = (name: string): string =>
  MEDIA_TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream'
