import { connectionFailed } from './errors.ts'
import { Patience, type PatienceOptions, retryAfterMsOf } from './patience.ts'

/** `init` has the signal of the request again: `fetch` loses that of a request once it is garbage, even while its answer is read. */
export type Fetch = (request: Request, init: { readonly signal: AbortSignal }) => Promise<Response>

export interface RetryOptions extends Partial<PatienceOptions> {
  readonly fetch: Fetch
  /** An answer that takes longer counts as a lost connection. */
  readonly answerMsMax?: number
  /** The body is read by the caller, for as long as it goes on. */
  readonly isStream?: boolean
  /** Shared with what goes on after the answer, such as reading a stream; else each request has its own. */
  readonly patience?: Patience
}

/** Longer than the service makes anyone wait: `wait_s` is at most 60. */
const ANSWER_MS_MAX = 90_000

/**
 * [Y2] Sends a request again after 408, 429, 5xx, an Idempotency-Key that is in progress, and lost connections: after
 * `Retry-After`, else after a random time that doubles at most. Every POST has an Idempotency-Key of its own, so that
 * what was done is not done twice.
 */
export function retrying({
  fetch,
  answerMsMax = ANSWER_MS_MAX,
  isStream = false,
  patience: shared,
  ...options
}: RetryOptions): (request: Request, signal?: AbortSignal) => Promise<Response> {
  return async (request, signal = request.signal) => {
    if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', crypto.randomUUID())
    }
    const patience = shared ?? new Patience({ retriesMax: 0, ...options })
    for (;;) {
      const { response, failure } = await attempted(fetch, request, signal, answerMsMax, isStream)
      if (response !== null && !(await isTemporary(response))) return response
      const delay = patience.failed(response && retryAfterMsOf(response.headers))
      if (delay === null) {
        if (response !== null) return response
        throw connectionFailed(`No service answers at ${new URL(request.url).origin}.`, failure)
      }
      await response?.body?.cancel()
      await pause(delay, signal)
    }
  }
}

async function attempted(
  fetch: Fetch,
  request: Request,
  signal: AbortSignal,
  answerMsMax: number,
  isStream: boolean,
): Promise<{ readonly response: Response | null; readonly failure: unknown }> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`No answer in ${answerMsMax} ms`)), answerMsMax)
  try {
    const init = { signal: AbortSignal.any([signal, late.signal]) }
    const response = await fetch(new Request(request.clone(), init), init)
    return { response: isStream ? response : await whole(response), failure: null }
  } catch (failure) {
    signal.throwIfAborted()
    return { response: null, failure }
  } finally {
    clearTimeout(timer)
  }
}

/** The response with all of its body: one that breaks off half-way is a lost connection. */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response
  const bytes = await response.arrayBuffer()
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers })
}

async function isTemporary(response: Response): Promise<boolean> {
  const { status } = response
  if (status === 408 || status === 429) return true
  if (status !== 409 && status < 500) return false
  const code = await codeOf(response)
  return status === 409 ? code === 'idempotency_in_progress' : !code.endsWith('_not_configured')
}

async function codeOf(response: Response): Promise<string> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return String((body as { code?: unknown } | null)?.code ?? '')
}

/** Rejects when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
