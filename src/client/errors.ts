/**
 * Whatever went wrong with a request. `code` is the stable name that the API gives it (`session_not_connected`), or
 * `connection_failed` when no answer came; `status` is then 0.
 */
export class BrowserTaskError extends Error {
  override readonly name = 'BrowserTaskError'
  readonly code: string
  readonly status: number
  /** Names the request in the log of the service. */
  readonly requestId: string | null

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
}

/** The error for a failed response, whose body may have been read already. */
export function errorOf(response: Response, body: unknown): BrowserTaskError {
  const { error, code } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown; code?: unknown }
  const { status } = response
  return new BrowserTaskError(typeof error === 'string' ? error : `The service answered ${status}.`, {
    code: typeof code === 'string' ? code : `http_${status}`,
    status,
    requestId: response.headers.get('x-request-id'),
  })
}
