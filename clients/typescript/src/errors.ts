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
  /** The field of the body, or the parameter of the query, that is wrong. */
  readonly param: string | null
  /** Where in the body that is: a JSON pointer such as `/secrets/0/name`. */
  readonly pointer: string | null
  /** The page of the service's docs about this code. */
  readonly docUrl: string | null
  /** The task that was followed when it went wrong, where there is one: it may go on. */
  taskId: string | null = null

  constructor(
    message: string,
    fields: Pick<BrowserTaskError, 'code' | 'status'> & Partial<ErrorDetails>,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = fields.code
    this.status = fields.status
    this.requestId = fields.requestId ?? null
    this.param = fields.param ?? null
    this.pointer = fields.pointer ?? null
    this.docUrl = fields.docUrl ?? null
  }

  /** The same, of this task. */
  of(taskId: string): this {
    this.taskId = taskId
    return this
  }
}

type ErrorDetails = Pick<BrowserTaskError, 'requestId' | 'param' | 'pointer' | 'docUrl'>

/** Events behind the cursor are not kept any more. Reading can go on with `after: oldest - 1`, which leaves them out. */
export class EventsExpired extends BrowserTaskError {
  override readonly name = 'EventsExpired'
  /** The cursor of the oldest event that is kept. */
  readonly oldest: number

  constructor(message: string, details: Partial<ErrorDetails>, oldest: number) {
    super(message, { code: 'events_expired', status: 410, ...details })
    this.oldest = oldest
  }
}

/** The error for a failed response of the service at `base`, whose body may have been read already. */
export function errorOf(base: string, response: Response, body: unknown): BrowserTaskError {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : null)
  const { status } = response
  const { oldest } = fields
  const [message, code, docUrl] = [text('error') ?? `The service answered ${status}.`, text('code'), text('doc_url')]
  const details = {
    requestId: response.headers.get('x-request-id'),
    param: text('param'),
    pointer: text('pointer'),
    docUrl: docUrl?.startsWith('/') ? base + docUrl : docUrl,
  }
  if (code === 'events_expired' && typeof oldest === 'number') return new EventsExpired(message, details, oldest)
  return new BrowserTaskError(message, { code: code ?? `http_${status}`, status, ...details })
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
