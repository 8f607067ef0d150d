/**
 * Whatever went wrong with a request. `code` is the stable name that the API gives it (`session_not_connected`), or
 * `connection_failed` when no answer came; `status` is then 0.
 */
export class BrowserTaskError extends Error {
  override readonly name: string = 'BrowserTaskError'
  readonly code: string
  readonly status: number
  /** Names the request in the log of the service. */
  readonly requestId: string | null
  /** The task that was followed when it went wrong, where there is one: it may go on. */
  taskId: string | null = null

  constructor(
    message: string,
    fields: { readonly code: string; readonly status: number; readonly requestId?: string | null },
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = fields.code
    this.status = fields.status
    this.requestId = fields.requestId ?? null
  }

  /** The same, of this task. */
  of(taskId: string): this {
    this.taskId = taskId
    return this
  }
}

/** Events behind the cursor are not kept any more. Reading can go on with `after: oldest - 1`, which leaves them out. */
export class EventsExpired extends BrowserTaskError {
  override readonly name = 'EventsExpired'
  /** The cursor of the oldest event that is kept. */
  readonly oldest: number

  constructor(message: string, requestId: string | null, oldest: number) {
    super(message, { code: 'events_expired', status: 410, requestId })
    this.oldest = oldest
  }
}

/** The error for a failed response, whose body may have been read already. */
export function errorOf(response: Response, body: unknown): BrowserTaskError {
  const { error, code, oldest } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const { status } = response
  const message = typeof error === 'string' ? error : `The service answered ${status}.`
  const requestId = response.headers.get('x-request-id')
  if (code === 'events_expired' && typeof oldest === 'number') return new EventsExpired(message, requestId, oldest)
  return new BrowserTaskError(message, { code: typeof code === 'string' ? code : `http_${status}`, status, requestId })
}

/** The error for an answer that cannot be the service's. */
export const strangeAnswer = (base: string, cause?: unknown) =>
  new BrowserTaskError(
    `The server at ${base} is not a Browser Task Service, or has an incompatible version.`,
    { code: 'answer_invalid', status: 0 },
    cause,
  )

/** The error where no answer came. */
export const connectionFailed = (message: string, cause: unknown) =>
  new BrowserTaskError(message, { code: 'connection_failed', status: 0 }, cause)
