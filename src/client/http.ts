import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths } from './api.ts'
import { BrowserTaskError, errorOf } from './errors.ts'
import { type Fetch, retrying } from './retry.ts'

export interface HttpOptions {
  /** Where the service is, such as `https://svc.example.com`. */
  readonly baseUrl: string
  /** A key of the workspace; without one the cookie of a signed-in user counts. */
  readonly key?: string
  /** Further attempts after a failure that may pass; 4 when it is left out. */
  readonly maxRetries?: number
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
  /** Opens a stream, which is opened again by who reads it. */
  open(path: string, signal: AbortSignal): Promise<Response>
}

const RETRIES_MAX = 4
/** Longer than the service makes anyone wait: `wait_s` is at most 60. */
const ANSWER_MS_MAX = 90_000

export function createHttp({ baseUrl, key, maxRetries = RETRIES_MAX, fetch: given }: HttpOptions): Http {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new BrowserTaskError(`${baseUrl} is not a valid service address.`, { code: 'base_url_invalid', status: 0 })
  }
  const base = baseUrl.replace(/\/+$/, '')
  const fetch: Fetch = given ?? ((request) => globalThis.fetch(request))
  const retried = retrying({ fetch, retriesMax: maxRetries, answerMsMax: ANSWER_MS_MAX })
  const once = retrying({ fetch, retriesMax: 0 })
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
    send: (path, init = undefined) => retried(new Request(base + path, { ...init, headers })),
    open: (path, signal) =>
      once(new Request(base + path, { headers: { ...headers, accept: 'text/event-stream' }, signal })),
  }
}

const strangeAnswer = (base: string, cause: unknown) =>
  new BrowserTaskError(
    `The server at ${base} is not a Browser Task Service, or has an incompatible version.`,
    { code: 'answer_invalid', status: 0 },
    cause,
  )

/** JSON of an answer; throws a `BrowserTaskError` for a refusal. */
export async function jsonOf<Data>(response: Response): Promise<Data> {
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw errorOf(response, body)
  return body as Data
}
