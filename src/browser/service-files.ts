import * as v from 'valibot'
import { BROWSER_FILES_PATH, FileList, UploadedFile } from '../wire/files.ts'
import { ToolError } from './act/cdp.ts'
import type { FileSource, KeptFile } from './files.ts'
import { FILE_SEND_MS_MAX, FILE_SEND_TRIES_MAX, RECONNECT_MS_FIRST } from './limits.ts'

/** Where the service is, and this browser's token there. */
interface Service {
  readonly serviceUrl: string
  readonly sessionToken: string
}

interface Uploads {
  /** [U10] Keeps a file for a task to come, and resolves to its id. */
  upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string>
}

/**
 * [U4] The files of this browser's tasks at its service. Bytes travel by HTTP, beside the relay: a large file is in
 * nobody's way there.
 */
export function serviceFiles(service: () => Promise<Service>): FileSource & Uploads {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const { serviceUrl, sessionToken } = await service()
    const headers = { ...init.headers, authorization: `Bearer ${sessionToken}` }
    const signal = AbortSignal.timeout(FILE_SEND_MS_MAX)
    return fetch(new URL(`${BROWSER_FILES_PATH}${path}`, serviceUrl), { ...init, headers, signal })
  }
  const read = async (path: string): Promise<Response> => {
    const response = await ask(path).catch(() => null)
    if (response?.ok) return response
    throw new ToolError('The files of this task cannot be read from the service now.')
  }
  return {
    async filesOf(taskId) {
      const { files } = v.parse(FileList, await (await read(`/${taskId}`)).json())
      return files.map(({ id, name, media_type: mediaType, size }) => ({
        id,
        name,
        mediaType,
        size,
        read: async () => new Uint8Array(await (await read(`/${taskId}/${id}`)).arrayBuffer()),
      }))
    },

    async upload(name, bytes) {
      const response = await ask(`?${new URLSearchParams({ name })}`, { ...BYTES, body: new Blob([bytes]) }).catch(
        () => null,
      )
      const body: unknown = await response?.json().catch(() => null)
      if (!response?.ok) throw new ToolError(sentenceOf(body))
      return v.parse(UploadedFile, body).id
    },

    async keep(taskId, { id, name, mediaType }: KeptFile, bytes) {
      const path = `/${taskId}/${id}?${new URLSearchParams({ name, media_type: mediaType })}`
      const init = { ...BYTES, body: new Blob([bytes]) }
      for (let tries = 1; ; tries++) {
        // Sent again under the same id it is kept once.
        const response = await ask(path, init).catch(() => null)
        if (response?.ok) return
        const body: unknown = await response?.json().catch(() => null)
        const isOver = response && response.status < 500
        if (isOver || tries === FILE_SEND_TRIES_MAX) throw new ToolError(sentenceOf(body))
        await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS_FIRST * 2 ** tries))
      }
    },
  }
}

const BYTES = { method: 'POST', headers: { 'content-type': 'application/octet-stream' } }

const sentenceOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
    ? body.error
    : 'The service does not answer.'
