import type { components } from './api.ts'
import { eventsOf } from './events.ts'
import { createHttp, type Http, type HttpOptions, jsonOf } from './http.ts'
import { pause } from './retry.ts'
import { type EventsOptions, type StreamedEvent, type TaskEvent, Tasks } from './tasks.ts'
import { unwrap } from './webhooks.ts'

export { BrowserTaskError, EventsExpired } from './errors.ts'
export type { HttpOptions as BrowserTasksOptions } from './http.ts'
export type * from './tasks.ts'

type Schemas = components['schemas']
const LOOK_AGAIN_MS = 500
export type BrowserSession = Schemas['BrowserSession']
export type Pairing = Schemas['Pairing']
export type ApiKey = Schemas['ApiKey']
export type UploadedFile = Schemas['UploadedFile']

/**
 * A client of the Browser Task Service, for Node 20 and browsers. Requests are repeated after failures that may pass, and
 * what goes wrong is a `BrowserTaskError` with `code`, `status` and `requestId`.
 */
export class BrowserTasks {
  readonly tasks: Tasks
  readonly browsers: Browsers
  readonly keys: Keys
  readonly usage: Usage
  readonly files: Files
  readonly webhooks = { unwrap }

  readonly #http: Http

  constructor(options: HttpOptions) {
    const http = createHttp(options)
    this.#http = http
    this.tasks = new Tasks(http)
    this.browsers = new Browsers(http)
    this.keys = new Keys(http)
    this.usage = new Usage(http)
    this.files = new Files(http)
  }

  /**
   * What happens in all tasks of the workspace, from now on or behind a cursor, each event once and in order, over lost
   * connections, until `signal` aborts. Throws `EventsExpired` when events behind the cursor are not kept any more.
   */
  async *events({ types, after, signal, onAway }: EventsOfWorkspace = {}): AsyncGenerator<StreamedEvent> {
    const patience = this.#http.patience({ onAway })
    const filter = types === undefined ? '' : `&types=${types.join(',')}`
    yield* eventsOf<TaskEvent>({
      // A number from the beginning: a connection that is lost before its first event goes on behind it.
      after: after ?? (await this.#now(signal)),
      patience,
      stop: signal ?? new AbortController().signal,
      endsWithTask: false,
      open: (from, stop) => this.#http.open(`/v1/events?after=${from}${filter}`, stop, patience),
      refused: this.#http.refusal,
    })
  }

  async #now(signal: AbortSignal | undefined): Promise<number> {
    const params = { query: { after: 'now', limit: 1 } }
    const page = this.#http.api.GET('/v1/events', { params, ...(signal === undefined ? {} : { signal }) })
    return ((await this.#http.result(page)) as Schemas['EventPage']).next_cursor
  }
}

export interface EventsOfWorkspace extends EventsOptions {
  /** Only these types of events. */
  readonly types?: readonly string[]
}

/** Paired browsers. */
class Browsers {
  readonly #http: Http
  constructor(http: Http) {
    this.#http = http
  }

  /** A link by which a person pairs a browser: valid for one browser and five minutes. */
  pair(params: Schemas['PairBody'] = {}): Promise<Pairing> {
    return this.#http.result(this.#http.api.POST('/v1/browser-sessions/pair', { body: params }))
  }

  /** Every paired browser, or those with this status, newest first. */
  async *list(query: { readonly status?: BrowserSession['status'] } = {}): AsyncGenerator<BrowserSession> {
    for (let cursor: string | undefined; ; ) {
      const params = { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } }
      const page = await this.#http.result(this.#http.api.GET('/v1/browser-sessions', { params }))
      yield* page.sessions
      if (page.next_cursor === null) return
      cursor = page.next_cursor
    }
  }

  /** Of the browsers that are connected the one that connected last; `null` when none is. */
  async newest(): Promise<BrowserSession | null> {
    let newest: BrowserSession | null = null
    for await (const browser of this.list({ status: 'connected' })) {
      // A service of an earlier version gives all.
      if (browser.status !== 'connected') continue
      if (newest === null || (browser.connected_at ?? 0) > (newest.connected_at ?? 0)) newest = browser
    }
    return newest
  }

  /** The same, waited for if need be. */
  async connected({ signal }: { readonly signal?: AbortSignal } = {}): Promise<BrowserSession> {
    for (;;) {
      const browser = await this.newest()
      if (browser !== null) return browser
      await pause(LOOK_AGAIN_MS, signal ?? new AbortController().signal)
    }
  }

  /** Ends a pairing. */
  async remove(id: string): Promise<void> {
    await this.#http.result(this.#http.api.DELETE('/v1/browser-sessions/{id}', { params: { path: { id } } }))
  }
}

/** Keys of the workspace. */
class Keys {
  readonly #http: Http
  constructor(http: Http) {
    this.#http = http
  }

  /** Makes a key, whose text is in this answer and nowhere else. */
  create(params: Schemas['CreateKeyBody']): Promise<Schemas['KeyCreated']> {
    return this.#http.result(this.#http.api.POST('/v1/api-keys', { body: params }))
  }

  async list(): Promise<ApiKey[]> {
    return (await this.#http.result(this.#http.api.GET('/v1/api-keys'))).api_keys
  }

  async delete(id: string): Promise<void> {
    await this.#http.result(this.#http.api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } }))
  }
}

/** Files for tasks to come. */
class Files {
  readonly #http: Http
  constructor(http: Http) {
    this.#http = http
  }

  /** Keeps a file of up to 25 MB for 24 hours, or as long as a task that names it by `file_id`. */
  async upload(name: string, content: Blob | string | Uint8Array<ArrayBuffer>): Promise<UploadedFile> {
    const body = content instanceof Blob ? content : new Blob([content])
    const type = body.type === '' ? '' : `&media_type=${encodeURIComponent(body.type)}`
    return jsonOf(await this.#http.send(`/v1/files?name=${encodeURIComponent(name)}${type}`, { method: 'POST', body }))
  }
}

/** What was used, and what is left. */
class Usage {
  readonly #http: Http
  constructor(http: Http) {
    this.#http = http
  }

  /** Tokens, model calls, cost and tasks, from `since` (ms) on. */
  get({ since }: { readonly since?: number } = {}): Promise<Schemas['UsageSummary']> {
    const params = { query: since === undefined ? {} : { since } }
    return this.#http.result(this.#http.api.GET('/v1/usage', { params }))
  }

  credits(): Promise<Schemas['Credits']> {
    return this.#http.result(this.#http.api.GET('/v1/billing/credits'))
  }
}
