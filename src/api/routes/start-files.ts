import type { GivenFile } from '../../../actors/files.ts'
import type { FileInfo } from '../../../machines/file-records.ts'
import type { Response } from '../../net/transport.ts'
import { Windows } from '../../net/windows.ts'
import { bytesOf, fileNameIn, type GivenFileBody, mediaTypeOf, TOO_LARGE_TOGETHER } from '../../wire/files.ts'
import { TASK_FILES_BYTES_MAX } from '../../wire/limits.ts'
import type { FetchedFile, HttpDeps } from '../deps.ts'
import {
  FETCHES_AT_ONCE_MAX,
  FETCHES_PER_WORKSPACE_MAX,
  UPLOADS_PER_WORKSPACE_MAX,
  UPLOADS_WINDOW_MS,
} from '../limits.ts'
import { badField, refuse } from '../refusals.ts'

export const NO_FILE: GivenFileBody = { name: null, media_type: null, data: null, url: null, file_id: null }

/** [U9] Nothing in it differs for an address that may not be called and one at which nobody answers. */
const notFetched = (at: number): Response =>
  badField(
    'file_not_fetched',
    `files[${at}].url could not be fetched: it must be answered 200 within 20 seconds, from an address of the public internet`,
    ['files', at, 'url'],
  )

/**
 * [U1, U9] Fetches what a start names by URL, and keeps its files before the task is: none that it was promised can be missing.
 * What fails here has taken no place and no allowance.
 */
export function createFileKeeper({ taskService, fetchFiles, clock }: HttpDeps) {
  const starts = new Windows(UPLOADS_WINDOW_MS, UPLOADS_PER_WORKSPACE_MAX)
  const fetching = new Map<string, number>()
  let fetchingAtOnce = 0

  async function fetchAll(workspaceId: string, given: readonly GivenFileBody[], signal: AbortSignal) {
    const urls = given.flatMap(({ url }) => url ?? [])
    if (urls.length === 0) return []
    if (!fetchFiles) return notFetched(given.findIndex(({ url }) => url !== null))
    const own = fetching.get(workspaceId) ?? 0
    if (own >= FETCHES_PER_WORKSPACE_MAX) return refuse('too_many_fetches')
    if (fetchingAtOnce >= FETCHES_AT_ONCE_MAX) return refuse('too_many_uploads')
    fetching.set(workspaceId, own + 1)
    fetchingAtOnce++
    try {
      const fetched = await fetchFiles(urls, TASK_FILES_BYTES_MAX - bytesOf(given), signal)
      if (!('failed' in fetched)) return fetched
      const { failed, isTooLarge } = fetched
      if (isTooLarge) return badField('files_invalid', `files ${TOO_LARGE_TOGETHER}`)
      return notFetched(given.indexOf(given.filter(({ url }) => url !== null)[failed] ?? NO_FILE))
    } finally {
      const left = (fetching.get(workspaceId) ?? 1) - 1
      if (left === 0) fetching.delete(workspaceId)
      else fetching.set(workspaceId, left)
      fetchingAtOnce--
    }
  }

  return async (
    workspaceId: string,
    taskId: string,
    given: readonly GivenFileBody[],
    signal: AbortSignal,
  ): Promise<readonly FileInfo[] | Response> => {
    if (!starts.takes(workspaceId, clock.now())) return refuse('too_many_files')
    const fetched = await fetchAll(workspaceId, given, signal)
    if ('status' in fetched) return fetched
    const bytes = fetched[Symbol.iterator]()
    const files = await taskService.giveFiles(
      workspaceId,
      taskId,
      given.map((file) => givenOf(file, file.url === null ? null : bytes.next().value)),
    )
    if (files === 'files_full') return refuse(files)
    if (files !== 'file_not_found') return files
    return badField('files_invalid', 'files must name files of this workspace by their file_id')
  }
}

function givenOf(file: GivenFileBody, fetched: FetchedFile | null | undefined): GivenFile {
  const { media_type: mediaType, file_id: fileId } = file
  if (fileId !== null) return { fileId, name: file.name, mediaType }
  const name = file.name ?? (file.url === null ? '' : fileNameIn(new URL(file.url)))
  const bytes = fetched?.bytes ?? Buffer.from(file.data ?? '', 'base64')
  return { name, mediaType: mediaType ?? fetched?.mediaType ?? mediaTypeOf(name), bytes }
}
