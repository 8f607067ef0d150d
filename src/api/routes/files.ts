import type * as v from 'valibot'
import { FILE_UNUSED_KEPT_MS } from '../../../actors/limits.ts'
import type { FileRecord } from '../../../machines/file-records.ts'
import { isUuid, uuidAt } from '../../../machines/uuid.ts'
import type { Request, Response } from '../../net/transport.ts'
import { Windows } from '../../net/windows.ts'
import {
  BROWSER_FILES_PATH,
  FileContent,
  FileList,
  FileListQuery,
  FileQuery,
  mediaTypeOf,
  TaskFile,
  UploadedFile,
} from '../../wire/files.ts'
import { pageOf } from '../../wire/list.ts'
import type { HttpDeps } from '../deps.ts'
import { UPLOADS_PER_WORKSPACE_MAX, UPLOADS_WINDOW_MS } from '../limits.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, publicRoute, type Route } from '../route.ts'
import { browserOf } from './session-token.ts'

const tag = 'Files'
const BYTES = 'application/octet-stream'
const TOO_LARGE = { 413: ['body_too_large'], 503: ['too_many_uploads'] }

/** [U1–U8] Files: uploaded by clients, exchanged with browsers, read by clients. */
export function fileRoutes({ taskService, store, clock, ids }: HttpDeps): readonly Route[] {
  const uploads = new Windows(UPLOADS_WINDOW_MS, UPLOADS_PER_WORKSPACE_MAX)

  /** The task that a browser may bring downloads to: it runs, or has just ended. */
  async function taskOfBrowser(request: Request, taskId: string) {
    const session = await browserOf({ store, clock }, request)
    if ('status' in session) return session
    const task = isUuid(taskId) ? await taskService.taskOfBrowser(session, taskId) : null
    return task ?? refuse('task_not_found')
  }
  /** [U4] The task whose files a browser may read: nothing of one that has ended. */
  async function runningTaskOfBrowser(request: Request, taskId: string) {
    const task = await taskOfBrowser(request, taskId)
    return 'completedAt' in task && task.completedAt !== null ? refuse('task_not_found') : task
  }

  async function upload(workspaceId: string, createdId: string | undefined, query: About, bytes: Uint8Array) {
    const now = clock.now()
    if (!uploads.takes(workspaceId, now)) return refuse('too_many_files')
    const id = createdId ?? uuidAt(now, ids.uuid())
    const file = await taskService.uploadFile(workspaceId, id, aboutOf(query), bytes)
    if (file === 'files_full') return refuse(file)
    const { name, mediaType: media_type, size, createdAt: created_at } = file
    return json(201, { id, name, media_type, size, created_at, expires_at: created_at + FILE_UNUSED_KEPT_MS })
  }

  return [
    keyRoute({
      method: 'POST',
      path: '/v1/files',
      action: 'create tasks',
      body: 'bytes',
      query: FileQuery,
      about: {
        summary: 'Upload a file',
        tag,
        answers: { 201: UploadedFile },
        errors: { 409: ['files_full'], 429: ['too_many_files'], ...TOO_LARGE },
      },
      run: ({ principal: { workspaceId }, request, query, claim }) =>
        upload(workspaceId, claim?.createdId, query, request.body),
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id/files',
      action: 'access tasks',
      query: FileListQuery,
      about: {
        summary: 'List the files of a task',
        tag,
        answers: { 200: FileList },
        errors: { 404: ['task_not_found'] },
      },
      run: async ({ principal, params: [id = ''], query: { limit, cursor } }) => {
        const files = isUuid(id) ? await taskService.filesOf(principal.workspaceId, id) : null
        if (files === null) return refuse('task_not_found')
        const from = Number(cursor ?? 0)
        const next = files.length > from + limit ? String(from + limit) : null
        return json(200, pageOf('files', files.slice(from, from + limit).map(fileJson), next))
      },
    }),
    keyRoute({
      method: 'GET',
      path: '/v1/tasks/:id/files/:file_id',
      action: 'access tasks',
      about: {
        summary: 'Download a file',
        tag,
        answers: { 200: [FileContent, BYTES] },
        errors: { 404: ['file_not_found'] },
      },
      run: async ({ principal, params: [id = '', fileId = ''] }) => {
        const isThere = isUuid(id) && isUuid(fileId)
        const file = isThere ? await taskService.file(principal.workspaceId, id, fileId) : null
        return file ? attachment(file.record, file.bytes) : refuse('file_not_found')
      },
    }),
    publicRoute({
      method: 'POST',
      path: BROWSER_FILES_PATH,
      body: 'bytes',
      query: FileQuery,
      about: {
        summary: 'Upload a file from a browser',
        tag,
        answers: { 201: UploadedFile },
        errors: {
          401: ['session_token_invalid'],
          403: ['tasks_not_allowed'],
          409: ['files_full'],
          429: ['too_many_files'],
          ...TOO_LARGE,
        },
      },
      run: async ({ request, query }) => {
        const session = await browserOf({ store, clock }, request)
        if ('status' in session) return session
        // [S18] Who may start no task needs no files for it.
        if (session.allowTasks === false) return refuse('tasks_not_allowed')
        return upload(session.workspaceId, undefined, query, request.body)
      },
    }),
    publicRoute({
      method: 'GET',
      path: `${BROWSER_FILES_PATH}/:task_id`,
      about: {
        summary: 'List files for a browser',
        tag,
        answers: { 200: FileList },
        errors: { 401: ['session_token_invalid'], 404: ['task_not_found'] },
      },
      run: async ({ request, params: [taskId = ''] }) => {
        const task = await runningTaskOfBrowser(request, taskId)
        if (!('workspaceId' in task)) return task
        const files = (await taskService.filesOf(task.workspaceId, task.id)) ?? []
        return json(200, pageOf('files', files.map(fileJson)))
      },
    }),
    publicRoute({
      method: 'GET',
      path: `${BROWSER_FILES_PATH}/:task_id/:file_id`,
      about: {
        summary: 'Download a file for a browser',
        tag,
        answers: { 200: [FileContent, BYTES] },
        errors: { 401: ['session_token_invalid'], 404: ['task_not_found', 'file_not_found'] },
      },
      run: async ({ request, params: [taskId = '', fileId = ''] }) => {
        const task = await runningTaskOfBrowser(request, taskId)
        if (!('workspaceId' in task)) return task
        const file = isUuid(fileId) ? await taskService.file(task.workspaceId, task.id, fileId) : null
        return file ? attachment(file.record, file.bytes) : refuse('file_not_found')
      },
    }),
    publicRoute({
      method: 'POST',
      path: `${BROWSER_FILES_PATH}/:task_id/:file_id`,
      body: 'bytes',
      query: FileQuery,
      about: {
        summary: 'Store a downloaded file',
        tag,
        answers: { 201: TaskFile },
        errors: {
          401: ['session_token_invalid'],
          404: ['task_not_found', 'file_not_found'],
          409: ['files_full'],
          ...TOO_LARGE,
        },
      },
      run: async ({ request, params: [taskId = '', fileId = ''], query }) => {
        const task = await taskOfBrowser(request, taskId)
        if (!('workspaceId' in task)) return task
        if (!isUuid(fileId)) return refuse('file_not_found')
        const file = await taskService.keepDownload(task, fileId, aboutOf(query), request.body)
        return typeof file === 'string' ? refuse(file) : json(201, fileJson(file))
      },
    }),
  ]
}

type About = v.InferOutput<typeof FileQuery>
const aboutOf = ({ name, media_type }: About) => ({
  name,
  mediaType: media_type ?? mediaTypeOf(name),
})

export const fileJson = ({ id, name, mediaType, size, origin, createdAt }: FileRecord): TaskFile => ({
  id,
  name,
  media_type: mediaType,
  size,
  origin,
  created_at: createdAt,
})

/** [U6] A file is saved and never shown here, whatever it says it is: its type is in the list of files. */
const attachment = ({ name }: FileRecord, body: Uint8Array): Response => ({
  status: 200,
  headers: [
    ['Content-Type', BYTES],
    ['Content-Disposition', `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${encoded(name)}`],
    ['Content-Security-Policy', "sandbox; default-src 'none'"],
    ['Cross-Origin-Resource-Policy', 'same-site'],
  ],
  body,
})

const asciiName = (name: string): string => name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
/** As RFC 8187 writes it. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
