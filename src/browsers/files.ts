import { FILE_BYTES_MAX } from './limits.ts'
import { ToolError } from './page/cdp.ts'

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

/** The source of the files that are given with tasks. A task sees its own files only. */
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

/** A download as a file of the task. */
export function asFile({ name, read, ended }: Download): TaskFile {
  return {
    name,
    mediaType: mediaTypeOf(name),
    async read() {
      if (!read) throw new ToolError('This browser keeps its downloads to its user: the file cannot be read here.')
      if (!(await ended)) throw new ToolError('The download failed.')
      const bytes = await read()
      if (bytes.length > FILE_BYTES_MAX) throw new ToolError(`The file is larger than ${FILE_BYTES_MAX} bytes.`)
      return bytes
    },
  }
}
