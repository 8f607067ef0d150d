import type { Routes } from './api.ts'
import { BrowserTaskError, errorOf, strangeAnswer } from './errors.ts'
import { Patience, type PatienceOptions } from './patience.ts'
import { type Fetch, retrying } from './retry.ts'
import { type PostOptions, within } from './within.ts'

export interface HttpOptions {
  /** Where the service is, such as `https://svc.example.com`. */
  readonly baseUrl: string
  /** A key of the workspace; without one the cookie of a signed-in user counts. */
  readonly key?: string | undefined
  /** Further attempts after a failure that may pass; 4 when it is left out. */
  readonly maxRetries?: number
  /**
   * For how long `run`, `wait` and `events` try to reach a service again that has answered before, in ms; 5 minutes when
   * it is left out.
   */
  readonly retryForMs?: number
  /**
   * Called with what the service notes about a request that it took, such as a field that it does not know and ignored;
   * `console.warn` when it is left out.
   */
  readonly onWarning?: (message: string) => void
  /** In place of the global `fetch`. */
  readonly fetch?: Fetch
}

export type Route = keyof Routes
export type AnswerOf<R extends Route> = Routes[R]['answer']
/** What a request to a route takes: `path`, `query` and `body` as the document says, and the options of every call. */
export type RequestTo<R extends Route> = Omit<Routes[R], 'answer'> & RequestOptions
export interface RequestOptions extends PostOptions {
  /** The span that the task's trace goes on from, as W3C Trace Context writes it. */
  readonly traceparent?: string | undefined
  /** For what goes on over many requests. */
  readonly patience?: Patience
}
interface AnyRequest extends RequestOptions {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
}

const RETRIES_MAX = 4
const RETRY_FOR_MS = 5 * 60_000

/** The requests of one client: typed by the OpenAPI document, retried, with one kind of error. */
export class Http {
  readonly #base: string
  readonly #fetch: Fetch
  readonly #headers: Readonly<Record<string, string>>
  readonly #patience: Pick<PatienceOptions, 'retriesMax' | 'retryForMs'>
  readonly #onWarning: (message: string) => void
  #hasAnswered = false

  constructor({
    baseUrl,
    key,
    maxRetries = RETRIES_MAX,
    retryForMs = RETRY_FOR_MS,
    onWarning = (message) => console.warn(message),
    fetch: given,
  }: HttpOptions) {
    if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
      throw new BrowserTaskError(`${baseUrl} is not a valid service address.`, { code: 'base_url_invalid', status: 0 })
    this.#base = baseUrl.replace(/\/+$/, '')
    this.#fetch = given ?? ((request, init) => globalThis.fetch(request, init))
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    this.#patience = { retriesMax: maxRetries, retryForMs }
    this.#onWarning = onWarning
  }

  /** For what goes on over many requests. */
  patience(options: Pick<PatienceOptions, 'onAway'> = {}): Patience {
    const patience = new Patience({ ...this.#patience, ...options })
    if (this.#hasAnswered) patience.connected()
    return patience
  }

  /** Asks a route. Gives the JSON of its answer, a text that is a program, or a `Blob`; throws what it refuses. */
  request<R extends Route>(route: R, given: RequestTo<R>): Promise<AnswerOf<R>> {
    const { path, query, body, idempotencyKey, traceparent, patience, ...options } = given as AnyRequest
    const [method = '', template = ''] = route.split(' ')
    const isBytes = body instanceof Blob
    const headers = {
      ...this.#headers,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
    }
    return within<AnswerOf<R>>(options, async (signal) => {
      const request = new Request(this.#base + pathOf(template, path, query), {
        method,
        headers,
        ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
      })
      const response = await retrying({
        fetch: this.#fetch,
        ...this.#patience,
        retryForMs: 0,
        ...(patience && { patience }),
      })(request, signal)
      if (!response.ok) throw await this.refusal(response)
      this.#hasAnswered = true
      for (const message of warningsIn(response.headers)) this.#onWarning(`${method} ${template}: ${message}`)
      if (method === 'GET' && BYTES.test(template)) return response.blob()
      if (PROGRAM.test(response.headers.get('content-type') ?? ''))
        return (await response.text()) as unknown as AnswerOf<R>
      const answer: unknown = await response.json().catch((reason: unknown) => {
        throw strangeAnswer(this.#base, reason)
      })
      if (typeof answer !== 'object' || answer === null) throw strangeAnswer(this.#base)
      return answer as AnswerOf<R>
    })
  }

  /** Opens a stream with this patience, and gives whatever the service answers. */
  open(path: string, query: AnyRequest['query'], signal: AbortSignal, patience: Patience): Promise<Response> {
    const headers = { ...this.#headers, accept: 'text/event-stream' }
    const request = new Request(this.#base + pathOf(path, {}, query), { headers })
    return retrying({ fetch: this.#fetch, patience, isStream: true })(request, signal)
  }

  /** What a response is thrown as that is not what was asked for. */
  refusal = async (response: Response): Promise<BrowserTaskError> =>
    response.ok ? strangeAnswer(this.#base) : errorOf(this.#base, response, await response.json().catch(() => null))
}

/** The texts of `Warning`, which are quoted strings. */
const warningsIn = (headers: Headers): string[] =>
  [...(headers.get('warning') ?? '').matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)

/** Routes that answer with bytes, whatever type these have. */
const BYTES = /\/(screenshots|pictures|files)\/\{\w+\}$|\/browser-files\/\{\w+\}\/\{\w+\}$/

const PROGRAM = /^text\/x-playwright/

/** A path with its parameters, and a query in which an object is written `name[key]=value`. */
export function pathOf(template: string, path: AnyRequest['path'] = {}, query: AnyRequest['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    if (typeof value !== 'object') parameters.append(name, String(value))
    else for (const [key, inner] of Object.entries(value)) parameters.append(`${name}[${key}]`, String(inner))
  }
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const text = parameters.toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** Every item of a list, over its pages, which are read as they are needed. */
export async function* itemsOf<Item>(
  cursor: string | undefined,
  page: (cursor: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>,
): AsyncGenerator<Item> {
  for (let from = cursor; ; ) {
    const { items, next } = await page(from)
    yield* items
    if (next === null) return
    if (next === from)
      throw new BrowserTaskError('The pages of the list go round.', { code: 'answer_invalid', status: 0 })
    from = next
  }
}
