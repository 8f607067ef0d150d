import { BrowserTaskError, BrowserTasks } from '../../client/index.ts'

export type { BrowserSession, Task, TaskEvent, TaskFile, TaskSummary } from '../../client/index.ts'
export { BrowserTaskError, EventsExpired } from '../../client/index.ts'

/** The public API, as who is signed in, in one workspace. */
export interface Api extends BrowserTasks {
  /** A request that the client for programs has no method for; throws what went wrong. */
  post(path: string, body?: object): Promise<unknown>
  get<Answer>(path: string): Promise<Answer>
  patch(path: string, body: object): Promise<unknown>
  delete(path: string): Promise<unknown>
  /** Saves what a path answers as a file of the reader's. */
  save(path: string, name: string): Promise<void>
}

/** By then the browser has taken what it saves. */
const SAVED_MS = 10_000

export function openApi(workspaceId: string): Api {
  const headers = { 'x-workspace-id': workspaceId }
  const client = new BrowserTasks({
    baseUrl: location.origin,
    // A person who waits is told at once, and can press again.
    maxRetries: 0,
    // A page that is open follows for as long as it is.
    retryForMs: Number.POSITIVE_INFINITY,
    fetch(request) {
      request.headers.set('x-workspace-id', workspaceId)
      return fetch(request)
    },
  })
  const save = async (path: string, name: string): Promise<void> => {
    const answer = await fetch(path, { headers })
    if (!answer.ok) throw new Error(`The service answered ${answer.status}.`)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(await answer.blob())
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), SAVED_MS)
  }
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(path, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const json: unknown = await answer.json().catch(() => null)
    if (answer.ok) return json
    const { error, code } = (json ?? {}) as { readonly error?: string; readonly code?: string }
    const { status } = answer
    throw new BrowserTaskError(error ?? `The service answered ${status}.`, { code: code ?? `http_${status}`, status })
  }
  return Object.assign(client, {
    post: (path: string, body: object = {}) => send('POST', path, body),
    get: <Answer>(path: string) => send('GET', path) as Promise<Answer>,
    save,
    patch: (path: string, body: object) => send('PATCH', path, body),
    delete: (path: string) => send('DELETE', path),
  })
}

/** What went wrong, for a person to read. */
export const messageOf = (error: unknown): string =>
  error instanceof BrowserTaskError && error.status === 401
    ? 'Your access has ended. Sign in again.'
    : error instanceof Error
      ? error.message
      : String(error)
