import createFetchClient, { type Client } from 'openapi-fetch'
import type { paths } from './api.ts'
import { errorOf } from './errors.ts'
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
  send(path: string, init?: RequestInit & { readonly accept?: string }): Promise<Response>
  /** The same without retries, for what is opened again by itself. */
  sendOnce(path: string, init?: RequestInit & { readonly accept?: string }): Promise<Response>
}

const RETRIES_MAX = 4

export function createHttp({ baseUrl, key, maxRetries = RETRIES_MAX, fetch: given }: HttpOptions): Http {
  const base = baseUrl.replace(/\/+$/, '')
  const once: Fetch = given ?? ((request) => fetch(request))
  const retried = retrying({ fetch: once, retriesMax: maxRetries })
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const send =
    (by: Fetch): Http['send'] =>
    (path, { accept, ...init } = {}) =>
      by(
        new Request(base + path, {
          ...init,
          headers: {
            ...headers,
            ...(accept === undefined ? {} : { accept }),
            ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(init.headers as Record<string, string> | undefined),
          },
        }),
      )
  return {
    api: createFetchClient<paths>({ baseUrl: base, fetch: retried, headers }),
    async result(answer) {
      const { data, error, response } = await answer
      if (!response.ok) throw errorOf(response, error)
      return data as NonNullable<typeof data>
    },
    send: send(retried),
    sendOnce: send(once),
  }
}

/** JSON of an answer; throws a `BrowserTaskError` for a refusal. */
export async function jsonOf<Data>(response: Response): Promise<Data> {
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw errorOf(response, body)
  return body as Data
}
