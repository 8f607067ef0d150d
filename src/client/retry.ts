import { BrowserTaskError } from './errors.ts'

export type Fetch = (request: Request) => Promise<Response>

export interface RetryOptions {
  readonly fetch: Fetch
  /** Further attempts. */
  readonly retriesMax: number
  /** An answer that takes longer counts as a lost connection. */
  readonly answerMsMax?: number
  /** Between 0 and 1; for tests. */
  readonly random?: () => number
}

const FIRST_DELAY_MS = 500
const DELAY_MS_MAX = 8_000
/** A service that asks for more patience than this gets none: its answer is the answer. */
const RETRY_AFTER_S_MAX = 120
const RETRY_AFTER_JITTER_MS = 250

/**
 * [Y2] Sends a request again after 408, 429, 5xx, an Idempotency-Key that is in progress, and lost connections: after
 * `Retry-After`, else after a random time that doubles at most. Every POST has an Idempotency-Key of its own, so that
 * what was done is not done twice.
 */
export function retrying({ fetch, retriesMax, answerMsMax, random = Math.random }: RetryOptions): Fetch {
  return async (request) => {
    if (request.method === 'POST' && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', crypto.randomUUID())
    }
    for (let attempt = 0; ; attempt++) {
      const { response, failure } = await attempted(fetch, request, answerMsMax)
      const delay = response === null ? jitter(attempt, random) : await delayOf(response, attempt, random)
      if (response !== null && (delay === null || attempt >= retriesMax)) return response
      if (delay === null || attempt >= retriesMax) {
        const where = new URL(request.url).origin
        throw new BrowserTaskError(`No service answers at ${where}.`, { code: 'connection_failed', status: 0 }, failure)
      }
      await response?.body?.cancel()
      await pause(delay, request.signal)
    }
  }
}

async function attempted(
  fetch: Fetch,
  request: Request,
  answerMsMax: number | undefined,
): Promise<{ readonly response: Response | null; readonly failure: unknown }> {
  try {
    const { signal } = request
    const limited = answerMsMax === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)])
    return { response: await fetch(new Request(request.clone(), { signal: limited })), failure: null }
  } catch (failure) {
    request.signal.throwIfAborted()
    return { response: null, failure }
  }
}

/** How long to wait before the next attempt, in ms; `null`: it is of no use. */
async function delayOf(response: Response, attempt: number, random: () => number): Promise<number | null> {
  if (!(await isTemporary(response))) return null
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  if (!(seconds >= 0)) return jitter(attempt, random)
  return seconds > RETRY_AFTER_S_MAX ? null : seconds * 1_000 + random() * RETRY_AFTER_JITTER_MS
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

const jitter = (attempt: number, random: () => number): number =>
  random() * Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** attempt)

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
