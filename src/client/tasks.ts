import type { components, operations } from './api.ts'
import { eventsOf, type WithCursor } from './events.ts'
import type { Http } from './http.ts'
import type { InputAnswer, OnInput } from './inputs.ts'
import { followTask, waitForTask } from './waiting.ts'

export type { InputAnswer, InputRequest, OnInput } from './inputs.ts'

type Schemas = components['schemas']
export type Task = Schemas['Task']
export type TaskSummary = Schemas['TaskSummary']
export type TaskCreated = Schemas['TaskCreated']
export type TaskEvent = Schemas['Event']
/** An event with the `cursor` behind which `events({ after })` goes on. */
export type StreamedEvent = WithCursor<TaskEvent>
export type Step = Schemas['Step']
export type TaskFile = Schemas['TaskFile']
/** What is undefined counts as left out. */
type Optional<Body> = { [Field in keyof Body]?: Body[Field] | undefined }
/** What a task may type without knowing it: with a `value`, or with `totp`. */
export type Secret = Pick<Schemas['SecretBody'], 'name' | 'domains'> & Optional<Schemas['SecretBody']>
/** A file that a start brings: by `data` and `name`, by `url`, or by `file_id`. */
export type GivenFile = Optional<Schemas['GivenFileBody']>
type StartFields<Body> = Optional<Omit<Body, 'secrets' | 'files'>> & {
  secrets?: Secret[] | null | undefined
  files?: GivenFile[] | null | undefined
}
/** What a start takes. */
export type CreateTask = Pick<Schemas['CreateTaskBody'], 'task' | 'browser_session_id'> &
  StartFields<Schemas['CreateTaskBody']>
export type RerunTask = StartFields<Schemas['RerunBody']>
export type TaskQuery = NonNullable<operations['listTasks']['parameters']['query']>

export interface CallOptions {
  readonly signal?: AbortSignal
}
export interface CreateOptions extends CallOptions {
  /** Of your own, such as the number of an order; else one is made. */
  readonly idempotencyKey?: string
  /** The span that the task's trace goes on from, as W3C Trace Context writes it. */
  readonly traceparent?: string | undefined
}
export interface WaitOptions extends CallOptions {
  /** Answers what the task asks its user. Without it a task that asks is given as it is, in `waitingForInput`. */
  readonly onInput?: OnInput
}
export interface RunOptions extends CreateOptions, WaitOptions {
  /** Each event, as it happens. */
  readonly onEvent?: (event: StreamedEvent) => unknown
}
export interface EventsOptions extends CallOptions {
  /** Only what comes after this cursor. */
  readonly after?: number
  /** Called with true when the connection is lost, with false when it is back. */
  readonly onAway?: (isAway: boolean) => void
}

/** [Y1] Tasks: start, follow, find, steer and end them. */
export class Tasks {
  readonly #http: Http
  constructor(http: Http) {
    this.#http = http
  }

  /**
   * Starts a task and gives it once it has ended, or needs an answer that `onInput` does not give: then its `state` is
   * `waitingForInput`, and `input_request` says what it asks. `signal` cancels the task.
   */
  async run(params: CreateTask, { onEvent, onInput, signal, ...start }: RunOptions = {}): Promise<Task> {
    signal?.throwIfAborted()
    // Finished whatever the signal says: of a request that was given up nobody knows what it has started.
    const { id } = await this.create(params, start)
    const options = { ...optional(signal), ...(onInput === undefined ? {} : { onInput }) }
    try {
      signal?.throwIfAborted()
      return await (onEvent === undefined ? this.wait(id, options) : followTask(this, id, onEvent, options))
    } catch (error) {
      if (signal?.aborted) await this.cancel(id).catch(() => {})
      throw error
    }
  }

  /** Starts a task and gives it at once: it runs in the background. */
  create(params: CreateTask, options: CreateOptions = {}): Promise<TaskCreated> {
    const { signal } = options
    return this.#http.result(
      this.#http.api.POST('/v1/tasks', {
        body: params as Schemas['CreateTaskBody'],
        params: { header: headersOf(options) },
        ...optional(signal),
      }),
    )
  }

  /** Starts the same request again; `changes` replace its fields. */
  rerun(id: string, changes: RerunTask = {}, options: CreateOptions = {}): Promise<TaskCreated> {
    const { signal } = options
    return this.#http.result(
      this.#http.api.POST('/v1/tasks/{id}/rerun', {
        body: changes as Schemas['RerunBody'],
        params: { path: { id }, header: headersOf(options) },
        ...optional(signal),
      }),
    )
  }

  get(id: string, { signal }: CallOptions = {}): Promise<Task> {
    return this.#http.result(this.#http.api.GET('/v1/tasks/{id}', { params: { path: { id } }, ...optional(signal) }))
  }

  /**
   * The task once it has ended, however long that takes, or needs an answer that `onInput` does not give (see `run`).
   * `signal` ends the waiting, and not the task.
   */
  wait(id: string, options: WaitOptions = {}): Promise<Task> {
    return waitForTask(this.#http, this, id, options)
  }

  /** What happens in a task, each event once and in order, until it has ended; over lost connections. */
  events(id: string, { signal, after = 0, onAway }: EventsOptions = {}): AsyncGenerator<StreamedEvent> {
    const patience = this.#http.patience({ onAway })
    return eventsOf<TaskEvent>({
      after,
      patience,
      stop: signal ?? new AbortController().signal,
      endsWithTask: true,
      open: (from, stop) => this.#http.open(`${pathOf(id)}/events?after=${from}`, stop, patience),
      refused: this.#http.refusal,
    })
  }

  /** Every task that fulfils the conditions, newest first; pages are read as they are needed. */
  async *list(query: TaskQuery = {}, { signal }: CallOptions = {}): AsyncGenerator<TaskSummary> {
    for (let cursor = query.cursor; ; ) {
      const params = { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } }
      const page = await this.#http.result(this.#http.api.GET('/v1/tasks', { params, ...optional(signal) }))
      yield* page.tasks
      if (page.next_cursor === null) return
      cursor = page.next_cursor
    }
  }

  /** Every step, in order. */
  async *steps(id: string, { signal }: CallOptions = {}): AsyncGenerator<Step> {
    for (let cursor: string | undefined; ; ) {
      const params = { path: { id }, query: { limit: 200, ...(cursor === undefined ? {} : { cursor }) } }
      const page = await this.#http.result(this.#http.api.GET('/v1/tasks/{id}/steps', { params, ...optional(signal) }))
      yield* page.steps
      if (page.next_cursor === null) return
      cursor = page.next_cursor
    }
  }

  /** Ends a running task; the task once it has ended. */
  cancel(id: string, { signal }: CallOptions = {}): Promise<Task> {
    return this.#http.result(
      this.#http.api.POST('/v1/tasks/{id}/cancel', { params: { path: { id } }, body: {}, ...optional(signal) }),
    )
  }

  /** Removes a task that has ended. */
  async delete(id: string): Promise<void> {
    await this.#http.result(this.#http.api.DELETE('/v1/tasks/{id}', { params: { path: { id } } }))
  }

  /** Says something to a running task: the model reads it before its next step, or at once (`interrupt`). */
  async message(id: string, text: string, { interrupt = false }: { readonly interrupt?: boolean } = {}): Promise<void> {
    const params = { path: { id } }
    await this.#http.result(this.#http.api.POST('/v1/tasks/{id}/messages', { params, body: { text, interrupt } }))
  }

  /** Answers what a task asks its user: its `input_request`. */
  async answer(id: string, requestId: string, answer: InputAnswer): Promise<void> {
    const params = { path: { id, request_id: requestId } }
    const body = answer as Schemas['InputBody']
    await this.#http.result(this.#http.api.POST('/v1/tasks/{id}/inputs/{request_id}', { params, body }))
  }

  /** Keeps a task from making calls until it is resumed. */
  pause(id: string): Promise<Task> {
    return this.#http.result(this.#http.api.POST('/v1/tasks/{id}/pause', { params: { path: { id } }, body: {} }))
  }

  resume(id: string): Promise<Task> {
    return this.#http.result(this.#http.api.POST('/v1/tasks/{id}/resume', { params: { path: { id } }, body: {} }))
  }

  /** The screenshot of a step, a JPEG; `null` when there is none. */
  screenshot(id: string, step: number): Promise<Blob | null> {
    return this.#bytes(`${pathOf(id)}/screenshots/${step}`)
  }

  async #bytes(path: string): Promise<Blob | null> {
    const response = await this.#http.send(path)
    if (response.status === 404) return null
    if (!response.ok) throw await this.#http.refusal(response)
    return response.blob()
  }

  /** The files that the task was given, and those that it downloaded, oldest first. */
  async *files(id: string, { signal }: CallOptions = {}): AsyncGenerator<TaskFile> {
    for (let cursor: string | undefined; ; ) {
      const params = { path: { id }, query: cursor === undefined ? {} : { cursor } }
      const page = await this.#http.result(this.#http.api.GET('/v1/tasks/{id}/files', { params, ...optional(signal) }))
      yield* page.files
      if (page.next_cursor === null) return
      cursor = page.next_cursor
    }
  }

  /** The bytes of a file of the task; `null` when there is none. */
  file(id: string, fileId: string): Promise<Blob | null> {
    return this.#bytes(`${pathOf(id)}/files/${encodeURIComponent(fileId)}`)
  }
}

const pathOf = (id: string): string => `/v1/tasks/${encodeURIComponent(id)}`
const headersOf = ({ idempotencyKey, traceparent }: CreateOptions) => ({
  ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
  ...(traceparent === undefined ? {} : { traceparent }),
})
const optional = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal })
