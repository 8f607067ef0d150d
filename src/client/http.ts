import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths } from './api.ts'
import { BrowserTaskError, errorOf, strangeAnswer } from './errors.ts'
import { Patience, type PatienceOptions } from './patience.ts'
import { type Fetch, retrying } from './retry.ts'

export interface HttpOptions {
  /** Where the service is, such as `https://svc.example.com`. */
  readonly baseUrl: string
  /** A key of the workspace; without one the cookie of a signed-in user counts. */
  readonly key?: string
  /** Further attempts after a failure that may pass; 4 when it is left out. */
  readonly maxRetries?: number
  /**
   * For how long `run`, `wait` and `events` try to reach a service again that has answered before, in ms; 5 minutes when
   * it is left out.
   */
  readonly retryForMs?: number
  /** In place of the global `fetch`. */
  readonly fetch?: Fetch
}

/** An answer as openapi-fetch gives it. */
interface Answered<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** The requests of one client: typed by the OpenAPI document, retried, with one kind of error. */
export interface Http {
  readonly api: Client<paths>
  /** What was answered; throws a `BrowserTaskError` for a refusal. */
  result<Data>(answer: Promise<Answered<Data>>): Promise<Data>
  /** A request by its path, as it is; the caller reads the answer. */
  send(path: string, init?: { readonly method: string; readonly body: Blob }): Promise<Response>
  /** What a response is thrown as that is not what was asked for. */
  refusal(response: Response): Promise<BrowserTaskError>
  /** For what goes on over many requests. */
  patience(options?: Pick<PatienceOptions, 'onAway'>): Patience
  /** Sends with this patience. */
  fetchWith(patience: Patience): Fetch
  /** Opens a stream with this patience. */
  open(path: string, signal: AbortSignal, patience: Patience): Promise<Response>
}

const RETRIES_MAX = 4
const RETRY_FOR_MS = 5 * 60_000

export function createHttp({
  baseUrl,
  key,
  maxRetries: retriesMax = RETRIES_MAX,
  retryForMs = RETRY_FOR_MS,
  fetch: given,
}: HttpOptions): Http {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new BrowserTaskError(`${baseUrl} is not a valid service address.`, { code: 'base_url_invalid', status: 0 })
  }
  const base = baseUrl.replace(/\/+$/, '')
  const fetch: Fetch = given ?? ((request) => globalThis.fetch(request))
  const retried = retrying({ fetch, retriesMax })
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return {
    api: createFetchClient<paths>({ baseUrl: base, fetch: retried, headers }),
    async result(answer) {
      const { data, error, response } = await answer.catch((reason: unknown) => {
        throw reason instanceof SyntaxError ? strangeAnswer(base, reason) : reason
      })
      if (!response.ok) throw errorOf(response, error)
      return data as NonNullable<typeof data>
    },
    refusal: async (response) =>
      response.ok ? strangeAnswer(base) : errorOf(response, await response.json().catch(() => null)),
    send: (path, init = undefined) => retried(new Request(base + path, { ...init, headers })),
    patience: (options = {}) => new Patience({ retriesMax, retryForMs, ...options }),
    fetchWith: (patience) => retrying({ fetch, patience }),
    open: (path, signal, patience) =>
      retrying({ fetch, patience, isStream: true })(
        new Request(base + path, { headers: { ...headers, accept: 'text/event-stream' }, signal }),
      ),
  }
}

/** JSON of an answer; throws a `BrowserTaskError` for a refusal. */
export async function jsonOf<Data>(response: Response): Promise<Data> {
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw errorOf(response, body)
  return body as Data
}
