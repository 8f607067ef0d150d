import type * as Api from './api.ts'
import type { Routes, TaskFile, TaskSummary } from './api.ts'
import { BrowserTaskError } from './errors.ts'
import { logAfter, streamed, type WithCursor } from './events.ts'
import { type Http, itemsOf } from './http.ts'
import { type InputAnswer, Inputs, type OnInput } from './inputs.ts'
import { jsonSchemaOf, type OutputOf, type OutputSchema, withOutput } from './output.ts'
import type { Patience } from './patience.ts'
import { pause } from './retry.ts'
import { type CallOptions, laterThan, limitOf, type PostOptions, within } from './within.ts'

/** A task; `Output` is the type of its output where a schema was given. */
export type Task<Output = Api.Task['output']> = Omit<Api.Task, 'output'> & { output: Output | null }
/** An event with the `cursor` behind which `events({ after })` goes on. */
export type StreamedEvent = WithCursor<Api.Event>
type Given<Schema> = { readonly output?: Schema | undefined }
/** A task whose output was given this schema. */
export type TaskWith<Schema> = Task<[Schema] extends [never] ? Api.Task['output'] : OutputOf<Schema>>
/** What a start takes. `output`, a Standard Schema or JSON Schema, says what the task's output has to fit. */
export type CreateTask<Schema = OutputSchema> = Api.CreateTaskBody & InBrowser & Given<Schema>
/** A start names its browser, or the pool that its browser is taken from. */
type InBrowser = { browser_session_id: string } | { browser: { pool: string } }
export type RerunTask = Api.RerunBody & Given<OutputSchema>
export type TaskQuery = NonNullable<Routes['GET /v1/tasks']['query']>

export interface CreateOptions extends PostOptions {
  /** The span that the task's trace goes on from, as W3C Trace Context writes it. */
  readonly traceparent?: string | undefined
}
export interface GetOptions<Schema> extends CallOptions {
  /** The schema of the task's output: it is checked, and typed. */
  readonly output?: Schema | undefined
}
interface FollowOptions extends CallOptions {
  /** Answers what the task asks its user. Without it a task that asks is given as it is, in `waitingForInput`. */
  readonly onInput?: OnInput | undefined
}
export interface WaitOptions<Schema = OutputSchema> extends FollowOptions, GetOptions<Schema> {}
export interface RunOptions extends CreateOptions, FollowOptions {
  /** Each event, as it happens. */
  readonly onEvent?: ((event: StreamedEvent) => unknown) | undefined
}
export interface StreamOptions extends CallOptions {
  /** A read token, for who has no key: a page. */
  readonly token?: string | undefined
  /** Called with true when the connection is lost, with false when it is back. */
  readonly onAway?: ((isAway: boolean) => void) | undefined
}
export interface EventsOptions extends StreamOptions {
  /** Only what comes after this cursor, or from now on; else all that is kept. */
  readonly after?: number | 'now' | undefined
  /** Only these types of events. `task.ended`, after which nothing comes, is always one of them. */
  readonly types?: readonly Api.Event['type'][] | undefined
}

const WAIT_S = 30
/** What is answered sooner than this was not waited for. */
const AT_ONCE_MS = 1_000
const ASK_AGAIN_MS = 1_000
const ASK_AGAIN_MS_MAX = 8_000
/** For how long a start that is under way is finished when its signal aborts. */
const FINISH_MS_MAX = 30_000

/** [Y1] Tasks: start, follow, find, steer and end them. */
export class Tasks {
  readonly #http: Http
  constructor(http: Http) {
    this.#http = http
  }

  /**
   * Starts a task and gives it once it has ended, or needs an answer that `onInput` does not give: then its `state` is
   * `waitingForInput`, and `input_request` says what it asks. `signal` and `timeout` cancel the task, also while its start
   * is under way.
   */
  run<const Schema extends OutputSchema = never>(
    params: CreateTask<Schema>,
    options: RunOptions = {},
  ): Promise<TaskWith<Schema>> {
    const { onEvent, onInput, ...start } = options
    return within(options, async (signal) => {
      const { id } = await this.create(params, { ...start, timeout: undefined, signal })
      try {
        const task = await this.#follow(id, { signal, onInput }, onEvent)
        return (await withOutput(task, params.output)) as TaskWith<Schema>
      } catch (error) {
        if (signal.aborted) await this.cancel(id).catch(() => {})
        throw error instanceof BrowserTaskError ? error.of(id) : error
      }
    })
  }

  /**
   * Starts a task and gives it at once: it runs in the background. A start that is under way when `signal` aborts is
   * finished, and its task cancelled: of a request that was given up nobody knows what it has started.
   */
  create(params: CreateTask, options: CreateOptions = {}): Promise<Api.Task> {
    return this.#start(options, (call) => this.#http.request('POST /v1/tasks', { body: bodyOf(params), ...call }))
  }

  /** Starts the same request again; `changes` replace its fields. */
  rerun(id: string, changes: RerunTask = {}, options: CreateOptions = {}): Promise<Api.Task> {
    return this.#start(options, (call) =>
      this.#http.request('POST /v1/tasks/{id}/rerun', { path: { id }, body: bodyOf(changes), ...call }),
    )
  }

  #start(options: CreateOptions, send: (call: CreateOptions) => Promise<Api.Task>): Promise<Api.Task> {
    const { signal: _, timeout: __, ...rest } = options
    return within(options, async (signal) => {
      const finish = laterThan(signal, FINISH_MS_MAX)
      try {
        const created = await send({ ...rest, signal: finish.signal })
        if (signal.aborted) await this.cancel(created.id, { signal: finish.signal }).catch(() => {})
        else return created
      } catch (error) {
        if (!signal.aborted) throw error
      } finally {
        finish.clear()
      }
      throw signal.reason
    })
  }

  async get<const Schema extends OutputSchema = never>(
    id: string,
    { output, ...options }: GetOptions<Schema> = {},
  ): Promise<TaskWith<Schema>> {
    const task = await this.#http.request('GET /v1/tasks/{id}', { path: { id }, ...options })
    return (await withOutput(task, output)) as TaskWith<Schema>
  }

  /**
   * The task once it has ended, however long that takes, or needs an answer that `onInput` does not give (see `run`).
   * `signal` and `timeout` end the waiting, and not the task.
   */
  async wait<const Schema extends OutputSchema = never>(
    id: string,
    { output, ...options }: WaitOptions<Schema> = {},
  ): Promise<TaskWith<Schema>> {
    return (await withOutput(await this.#follow(id, options), output)) as TaskWith<Schema>
  }

  /** Waits for the task by its state or, where the caller is told of them, by its events. */
  #follow(
    id: string,
    { onInput, ...options }: FollowOptions,
    onEvent?: (event: StreamedEvent) => unknown,
  ): Promise<Api.Task> {
    return within(options, async (signal) => {
      const inputs =
        onInput && new Inputs(onInput, (request, answer) => this.answer(id, request.id, answer, { signal }))
      const needsAnswer = ({ state, input_request: request }: Api.Task): boolean => {
        if (state !== 'waitingForInput') return false
        if (request) inputs?.put(request)
        return inputs === undefined
      }
      const both = inputs ? AbortSignal.any([signal, inputs.failed]) : signal
      try {
        return await (onEvent === undefined
          ? this.#waited(id, needsAnswer, both)
          : this.#told(id, onEvent, needsAnswer, both))
      } finally {
        inputs?.end()
      }
    })
  }

  async #waited(id: string, needsAnswer: (task: Api.Task) => boolean, signal: AbortSignal): Promise<Api.Task> {
    const patience = this.#http.patience()
    let sooner = 0
    for (let since: number | undefined; ; ) {
      const askedAt = performance.now()
      const query = { wait_s: WAIT_S, since }
      const task = await this.#http.request('GET /v1/tasks/{id}', { path: { id }, query, signal, patience })
      if (task.status !== 'running' || needsAnswer(task)) return task
      patience.progressed()
      since = task.seq
      // A service of an earlier version does not wait while the task waits for its user.
      sooner = performance.now() - askedAt < AT_ONCE_MS ? sooner + 1 : 0
      if (sooner > 0) await pause(Math.min(ASK_AGAIN_MS * 2 ** (sooner - 1), ASK_AGAIN_MS_MAX), signal)
    }
  }

  async #told(
    id: string,
    onEvent: (event: StreamedEvent) => unknown,
    needsAnswer: (task: Api.Task) => boolean,
    signal: AbortSignal,
  ): Promise<Api.Task> {
    const get = () =>
      this.#http.request('GET /v1/tasks/{id}', { path: { id }, signal, patience: this.#http.patience() })
    for await (const event of this.events(id, { signal })) {
      await onEvent(event)
      if (event.type !== 'input.requested') continue
      const task = await get()
      if (needsAnswer(task)) return task
    }
    signal.throwIfAborted()
    return get()
  }

  /** What happens in a task, each event once and in order, until it has ended; over lost connections. */
  events(id: string, options: EventsOptions = {}): AsyncGenerator<StreamedEvent> {
    const { types } = options
    const all = types && ([...types, 'task.ended'] as const)
    return eventsOf(this.#http, `/v1/tasks/${encodeURIComponent(id)}/events`, { ...options, types: all }, true)
  }

  /** What the browser of a running task shows: pictures, until the task has ended. */
  async *live(id: string, { token, onAway, ...options }: StreamOptions = {}): AsyncGenerator<Api.LivePicture> {
    const { signal, clear } = limitOf(options)
    const patience = this.#http.patience({ onAway })
    try {
      yield* streamed<Api.LivePicture>({
        open: (stop) => this.#http.open(`/v1/tasks/${encodeURIComponent(id)}/live`, { token }, stop, patience),
        take: ({ data }) => JSON.parse(data) as Api.LivePicture,
        isLast: () => false,
        patience,
        stop: signal,
        refused: this.#http.refusal,
      })
    } finally {
      clear()
    }
    throwTimeout(signal)
  }

  /** Clicks and types in the page of a task that is paused, or has asked its user to take over. */
  async input(id: string, events: Api.LiveInputBody['events'], options: PostOptions = {}): Promise<void> {
    await this.#http.request('POST /v1/tasks/{id}/live/input', { path: { id }, body: { events }, ...options })
  }

  /** A token by which a page without a key follows `events` and `live` of this task for 15 minutes. */
  token(id: string, options: PostOptions = {}): Promise<Api.ReadToken> {
    return this.#http.request('POST /v1/tasks/{id}/tokens', { path: { id }, body: {}, ...options })
  }

  /** A link by which anybody reads task, answer and output, for a week or `expires_in_s`; a link made earlier ends. */
  share(id: string, body: Api.CreateShareBody = {}, options: PostOptions = {}): Promise<Api.CreatedShare> {
    return this.#http.request('POST /v1/tasks/{id}/share', { path: { id }, body, ...options })
  }

  /** Ends the link to the result. */
  async unshare(id: string, options: PostOptions = {}): Promise<void> {
    await this.#http.request('DELETE /v1/tasks/{id}/share', { path: { id }, ...options })
  }

  /** Every task that fulfils the conditions, newest first; pages are read as they are needed. */
  list({ cursor, ...query }: TaskQuery = {}, options: CallOptions = {}): AsyncGenerator<TaskSummary> {
    return itemsOf(cursor, async (from) => {
      const page = await this.#http.request('GET /v1/tasks', { query: { ...query, cursor: from }, ...options })
      return { items: page.data, next: page.next_cursor }
    })
  }

  /** Every step, in order. */
  steps(id: string, options: CallOptions = {}): AsyncGenerator<Api.Step> {
    return itemsOf(undefined, async (cursor) => {
      const query = { limit: 200, cursor }
      const page = await this.#http.request('GET /v1/tasks/{id}/steps', { path: { id }, query, ...options })
      return { items: page.data, next: page.next_cursor }
    })
  }

  /** Ends a running task; the task once it has ended. */
  cancel(id: string, options: PostOptions = {}): Promise<Api.Task> {
    return this.#http.request('POST /v1/tasks/{id}/cancel', { path: { id }, body: {}, ...options })
  }

  /** Removes a task that has ended. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#http.request('DELETE /v1/tasks/{id}', { path: { id }, ...options })
  }

  /** Says something to a running task: the model reads it before its next step, or at once (`interrupt`). */
  async message(
    id: string,
    text: string,
    { interrupt = false, ...options }: PostOptions & { readonly interrupt?: boolean | undefined } = {},
  ): Promise<void> {
    const body = { text, interrupt }
    await this.#http.request('POST /v1/tasks/{id}/messages', { path: { id }, body, ...options })
  }

  /** Answers what a task asks its user: its `input_request`. */
  async answer(id: string, requestId: string, answer: InputAnswer, options: PostOptions = {}): Promise<void> {
    const path = { id, request_id: requestId }
    await this.#http.request('POST /v1/tasks/{id}/inputs/{request_id}', { path, body: answer, ...options })
  }

  /** Keeps a task from making calls until it is resumed. */
  pause(id: string, options: PostOptions = {}): Promise<Api.Task> {
    return this.#http.request('POST /v1/tasks/{id}/pause', { path: { id }, body: {}, ...options })
  }

  resume(id: string, options: PostOptions = {}): Promise<Api.Task> {
    return this.#http.request('POST /v1/tasks/{id}/resume', { path: { id }, body: {}, ...options })
  }

  /** The screenshot of a step, a JPEG; `null` when there is none. */
  screenshot(id: string, step: number, options: CallOptions = {}): Promise<Blob | null> {
    const path = { id, step: String(step) }
    return orNull(this.#http.request('GET /v1/tasks/{id}/screenshots/{step}', { path, ...options }))
  }

  /** What the tab showed after a call: the `picture` of an event `picture.taken`; `null` when there is none. */
  picture(id: string, picture: number, options: CallOptions = {}): Promise<Blob | null> {
    const path = { id, picture: String(picture) }
    return orNull(this.#http.request('GET /v1/tasks/{id}/pictures/{picture}', { path, ...options }))
  }

  /** The files that the task was given, and those that it downloaded, oldest first. */
  files(id: string, options: CallOptions = {}): AsyncGenerator<TaskFile> {
    return itemsOf(undefined, async (cursor) => {
      const page = await this.#http.request('GET /v1/tasks/{id}/files', { path: { id }, query: { cursor }, ...options })
      return { items: page.data, next: page.next_cursor }
    })
  }

  /** The bytes of a file of the task; `null` when there is none. */
  file(id: string, fileId: string, options: CallOptions = {}): Promise<Blob | null> {
    const path = { id, file_id: fileId }
    return orNull(this.#http.request('GET /v1/tasks/{id}/files/{file_id}', { path, ...options }))
  }
}

/** The events of a log, each once and in order. */
export async function* eventsOf(
  http: Http,
  path: string,
  { after = 0, types, token, onAway, ...options }: EventsOptions,
  endsWithTask: boolean,
): AsyncGenerator<StreamedEvent> {
  const { signal, clear } = limitOf(options)
  const patience: Patience = http.patience({ onAway })
  const query = { types: types?.join(','), token }
  try {
    // A number from the beginning: a connection that is lost before its first event goes on behind it.
    const from = after === 'now' ? await endOf(http, path, token, signal, patience) : after
    const log = logAfter<Api.Event>(from)
    yield* streamed<StreamedEvent>({
      open: (stop) => http.open(path, { after: log.cursor, ...query }, stop, patience),
      take: log.take,
      isLast: ({ type }) => endsWithTask && type === 'task.ended',
      patience,
      stop: signal,
      refused: http.refusal,
    })
  } finally {
    clear()
  }
  throwTimeout(signal)
}

/** The cursor behind all that has happened so far. */
async function endOf(
  http: Http,
  path: string,
  token: string | undefined,
  signal: AbortSignal,
  patience: Patience,
): Promise<number> {
  const query = { after: 'now', limit: 1, token }
  // Both logs answer alike, and this path is filled in.
  const page = await http.request(`GET ${path}` as 'GET /v1/events', { query, signal, patience })
  return page.next_cursor
}

/** A stream whose signal aborts ends; one whose time is over has failed. */
function throwTimeout({ reason }: AbortSignal): void {
  if (reason instanceof BrowserTaskError && reason.code === 'timeout') throw reason
}

function bodyOf<Body extends { readonly output_schema?: unknown }>({ output, ...body }: Body & Given<OutputSchema>) {
  return output === undefined ? body : { ...body, output_schema: jsonSchemaOf(output) }
}

const orNull = (bytes: Promise<Blob>): Promise<Blob | null> =>
  bytes.catch((error: unknown) => {
    if (error instanceof BrowserTaskError && error.status === 404) return null
    throw error
  })
