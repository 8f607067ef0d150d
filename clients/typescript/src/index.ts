import type * as Api from './api.ts'
import { type AnswerOf, Http, type HttpOptions, type RequestTo, type Route } from './http.ts'
import {
  Account,
  Audit,
  Browsers,
  Files,
  Keys,
  Limits,
  Members,
  Profiles,
  Recipes,
  Usage,
  Webhooks,
} from './resources.ts'
import { type EventsOptions, eventsOf, type StreamedEvent, Tasks } from './tasks.ts'
import type { CallOptions } from './within.ts'

/** Every schema of the API, by its name in the document. */
export type * as Api from './api.ts'
export type {
  ApiKey,
  BrowserSession,
  Event as TaskEvent,
  InputRequest,
  Pairing,
  Step,
  TaskFile,
  TaskSummary,
  UploadedFile,
  WebhookEvent,
} from './api.ts'
export { BrowserTaskError, EventsExpired } from './errors.ts'
export type { HttpOptions as BrowserTasksOptions, RequestTo, Route } from './http.ts'
export type { InputAnswer, OnInput } from './inputs.ts'
export { type JsonSchema, OutputMismatch, type OutputOf, type OutputSchema, type StandardSchema } from './output.ts'
export { serverSentEvents } from './sse.ts'
export type * from './tasks.ts'
export { unwrap } from './webhooks.ts'
export type { CallOptions, PostOptions } from './within.ts'

/**
 * A client of the Browser Task Service, for Node 20 and browsers. Requests are repeated after failures that may pass, and
 * what goes wrong is a `BrowserTaskError` with `code`, `status` and `requestId`.
 */
export class BrowserTasks {
  readonly tasks: Tasks
  readonly browsers: Browsers
  readonly profiles: Profiles
  readonly webhooks: Webhooks
  readonly recipes: Recipes
  readonly files: Files
  readonly keys: Keys
  readonly usage: Usage
  readonly limits: Limits
  readonly audit: Audit
  readonly members: Members
  readonly account: Account

  readonly #http: Http

  constructor(options: HttpOptions) {
    const http = new Http(options)
    this.#http = http
    this.tasks = new Tasks(http)
    this.browsers = new Browsers(http)
    this.profiles = new Profiles(http)
    this.webhooks = new Webhooks(http)
    this.recipes = new Recipes(http)
    this.files = new Files(http)
    this.keys = new Keys(http)
    this.usage = new Usage(http)
    this.limits = new Limits(http)
    this.audit = new Audit(http)
    this.members = new Members(http)
    this.account = new Account(http)
  }

  /**
   * What happens in all tasks of the workspace, from now on or behind a cursor, each event once and in order, over lost
   * connections, until `signal` aborts. Throws `EventsExpired` when events behind the cursor are not kept any more.
   */
  events(options: EventsOptions = {}): AsyncGenerator<StreamedEvent> {
    return eventsOf(this.#http, '/v1/events', { after: 'now', ...options }, false)
  }

  /** Who is signed in, or whose key this is. */
  me(options: CallOptions = {}): Promise<Api.Me> {
    return this.#http.request('GET /v1/me', options)
  }

  /** Whether the service can work. */
  health(options: CallOptions = {}): Promise<Api.Health> {
    return this.#http.request('GET /v1/health', options)
  }

  /** Asks any route of the API, typed as its document says: `request('GET /v1/tasks/{id}', { path: { id } })`. */
  request<R extends Route>(
    route: R,
    ...[given]: Record<never, never> extends RequestTo<R> ? [given?: RequestTo<R>] : [given: RequestTo<R>]
  ): Promise<AnswerOf<R>> {
    return this.#http.request(route, (given ?? {}) as RequestTo<R>)
  }
}
