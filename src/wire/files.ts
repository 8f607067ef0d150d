import * as v from 'valibot'
import { AT, FILE } from './example-values.ts'
import { absentable, count, created_at, field, httpUrl, ms, uuid } from './fields.ts'
import { plainFileName } from './file-names.ts'
import {
  FILE_NAME_CHARS_MAX,
  MEDIA_TYPE_CHARS_MAX,
  TASK_FILES_BYTES_MAX,
  TASK_FILES_MAX,
  URL_CHARS_MAX,
} from './limits.ts'
import { listOf, numberCursor, pageLimit } from './list.ts'

const wrongName = `must be a file name of 1 to ${FILE_NAME_CHARS_MAX} characters, without a path and control characters`
/** [U2] A name that means a file in the folder at hand, on every system. */
export const fileName = v.pipe(
  v.string(wrongName),
  v.minLength(1, wrongName),
  v.maxLength(FILE_NAME_CHARS_MAX, wrongName),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be in a name
  v.regex(/^(?!\.{1,2}$)[^/\\\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]+$/, wrongName),
  v.check((name) => !/\p{Cs}/u.test(name) && name.trim() !== '', wrongName),
)

const wrongType = 'must be a media type such as application/pdf'
/** [U2] Without parameters. */
export const mediaType = v.pipe(
  v.string(wrongType),
  v.maxLength(MEDIA_TYPE_CHARS_MAX, wrongType),
  v.regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/, wrongType),
)

const wrongData = 'must be base64, padded and without line breaks'
const wrongFiles = 'must be a list of files'
const base64 = v.pipe(
  v.string(wrongData),
  v.check((data) => data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data), wrongData),
)
const bytesIn = (data: string): number => (data.length / 4) * 3 - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0)

/** [U1, U9] A file that a task is started with: its bytes in base64, where they are fetched, or one that was uploaded. */
export const GivenFileBody = v.pipe(
  v.object(
    {
      name: field(
        absentable(fileName),
        'The name by which the model finds it; needed beside data, else the end of the url or the name of the upload.',
        'contract.pdf',
      ),
      media_type: field(
        absentable(mediaType),
        'Its media type; when it is left out, as the server of its url says, or by the end of the name.',
        'application/pdf',
      ),
      data: field(absentable(base64), 'Its bytes in base64.', 'JVBERi0xLjQK'),
      url: field(
        absentable(httpUrl(URL_CHARS_MAX)),
        'In place of data: where the service fetches it when the task is started, by http or https. Only addresses of the public internet are called.',
        'https://example.com/contract.pdf',
      ),
      file_id: field(
        absentable(v.pipe(v.string('must be a string'), v.uuid('must be the id of an uploaded file'))),
        'In place of data: a file that was uploaded, or belongs to an earlier task.',
        FILE,
      ),
    },
    wrongFiles,
  ),
  v.check(
    (file) => [file.data, file.url, file.file_id].filter((source) => source !== null).length === 1,
    'must have one of data, url and file_id',
  ),
  v.check(({ data, name }) => data === null || name !== null, 'need a name beside data'),
)
export type GivenFileBody = v.InferOutput<typeof GivenFileBody>

/** How many bytes the data of these files is. */
export const bytesOf = (files: readonly Pick<GivenFileBody, 'data'>[]): number =>
  files.reduce((sum, { data }) => sum + bytesIn(data ?? ''), 0)

/** [U2, U9] */
export const TOO_LARGE_TOGETHER = `must take at most ${TASK_FILES_BYTES_MAX} bytes in all: upload larger ones by POST /v1/files and name their file_id`

/** [U1] */
export const givenFiles = v.pipe(
  v.array(GivenFileBody, wrongFiles),
  v.maxLength(TASK_FILES_MAX, `must be at most ${TASK_FILES_MAX}`),
  v.check((files) => bytesOf(files) <= TASK_FILES_BYTES_MAX, TOO_LARGE_TOGETHER),
  v.check((files) => {
    const names = files.flatMap(({ name }) => name ?? [])
    return new Set(names).size === names.length
  }, 'must have different names'),
)

/** [U3, U5] What is said of a file whose bytes are the body. */
export const FileQuery = v.object({
  name: field(fileName, 'The name, without a path.', 'contract.pdf'),
  media_type: field(
    v.optional(mediaType),
    'The media type; by the end of the name when it is left out.',
    'application/pdf',
  ),
})

/** [U3] */
export const UploadedFile = v.object({
  id: field(uuid, 'The file_id for a task.', FILE),
  name: field(v.string(), 'The name.', 'contract.pdf'),
  media_type: field(v.string(), 'Its media type.', 'application/pdf'),
  size: field(count, 'In bytes.', 48_213),
  created_at,
  expires_at: field(ms, 'When it is removed unless a task uses it, in milliseconds since 1970.', AT + 86_400_000),
})

/** [U6] A file of a task. */
export const TaskFile = v.object({
  id: field(uuid, 'The id.', FILE),
  name: field(v.string(), 'The name.', 'invoice.pdf'),
  media_type: field(v.string(), 'Its media type.', 'application/pdf'),
  size: field(count, 'In bytes.', 48_213),
  origin: field(
    v.picklist(['given', 'downloaded', 'written']),
    'Whether it was given with the task, or downloaded by it.',
    'downloaded',
  ),
  created_at,
})
export type TaskFile = v.InferOutput<typeof TaskFile>

/** [U6] */
export const FileListQuery = v.object({
  limit: pageLimit(100, 100),
  cursor: numberCursor,
})

/** [U6] The oldest first. */
export const FileList = listOf('files', TaskFile, 'The oldest first.')
export type FileList = v.InferOutput<typeof FileList>

/** [U6] The bytes of a file. */
export const FileContent = v.string()

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

/** [U9] What a file is called after the end of its address. */
export function fileNameIn({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    return plainFileName(decodeURIComponent(last))
  } catch {
    return plainFileName(last)
  }
}

/** Where browsers exchange the files of their tasks with the service. */
export const BROWSER_FILES_PATH = '/v1/browser-files'
export const isOfBrowserFiles = (path: string): boolean =>
  path === BROWSER_FILES_PATH || path.startsWith(`${BROWSER_FILES_PATH}/`)
