import { BrowserTaskError, BrowserTasks, type Api as Client } from '../../client/index.ts'

export type { BrowserSession, Task, TaskEvent, TaskFile, TaskQuery, TaskSummary } from '../../client/index.ts'
export type CreateKeyBody = Client.CreateKeyBody
export type CreateEndpointBody = Client.CreateEndpointBody
export { BrowserTaskError, EventsExpired } from '../../client/index.ts'

/** The public API, as who is signed in, in one workspace. */
export type Api = BrowserTasks

/** By then the browser has taken what it saves. */
const SAVED_MS = 10_000

/** `null`: as somebody who need not be known. */
export const openApi = (workspaceId: string | null): Api =>
  new BrowserTasks({
    baseUrl: location.origin,
    // A person who waits is told at once, and can press again.
    maxRetries: 0,
    // A page that is open follows for as long as it is.
    retryForMs: Number.POSITIVE_INFINITY,
    fetch(request) {
      if (workspaceId !== null) request.headers.set('x-workspace-id', workspaceId)
      return fetch(request)
    },
  })

/** Saves bytes as a file of the reader's. */
export function saveAs(bytes: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS)
}

/** What went wrong, for a person to read. */
export const messageOf = (error: unknown): string =>
  error instanceof BrowserTaskError && error.status === 401
    ? 'Your access has ended. Sign in again.'
    : error instanceof Error
      ? error.message
      : String(error)
