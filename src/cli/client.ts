import * as v from 'valibot'
import { type EventsOptions, eventsOf } from '../client/events.ts'
import type { Event } from '../wire/events.ts'
import { InputAccepted } from '../wire/inputs.ts'
import { Pairing, SessionList } from '../wire/sessions.ts'
import { StepList, Task, TaskCreated } from '../wire/tasks.ts'
import { Failed } from './terminal.ts'

const ANSWER_MS_MAX = 30_000
const ErrorBody = v.object({ error: v.string() })

/** A service as any client sees it: over HTTP, with a key. Whatever goes wrong is a `Failed` with one line. */
export class ServiceClient {
  readonly #url: string
  readonly #key: string

  constructor(url: string, key: string) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new Failed(`${url} is not a valid service address.`)
    this.#url = url.replace(/\/+$/, '')
    this.#key = key
  }

  pair(label: string): Promise<Pairing> {
    return this.#json(Pairing, '/v1/browser-sessions/pair', { label })
  }

  async sessions(): Promise<SessionList['sessions']> {
    return (await this.#json(SessionList, '/v1/browser-sessions')).sessions
  }

  start(request: { task: string; url: string | null; browserSessionId: string }): Promise<TaskCreated> {
    const { task, url, browserSessionId } = request
    return this.#json(TaskCreated, '/v1/tasks', { task, url, browser_session_id: browserSessionId })
  }

  task(id: string): Promise<Task> {
    return this.#json(Task, `/v1/tasks/${id}`)
  }

  cancel(id: string): Promise<Task> {
    return this.#json(Task, `/v1/tasks/${id}/cancel`, {})
  }

  /** [I8] */
  answer(id: string, requestId: string, action: string, content: string | null): Promise<unknown> {
    return this.#json(InputAccepted, `/v1/tasks/${id}/inputs/${requestId}`, { action, content })
  }

  /** Each event of a task once, until it has ended; over lost connections and restarts of the service. */
  events(id: string, { stop, onAway }: Required<Pick<EventsOptions, 'stop' | 'onAway'>>): AsyncGenerator<Event> {
    const headers = { authorization: `Bearer ${this.#key}`, accept: 'text/event-stream' }
    return eventsOf<Event>({
      stop,
      onAway,
      open: (after, signal) =>
        fetch(`${this.#url}/v1/tasks/${id}/events?after=${after}`, { headers, signal }).catch(() => {
          throw new Failed(`No service answers at ${this.#url}.`)
        }),
      refused: (response) => this.#refusal(response),
    })
  }

  async steps(id: string): Promise<StepList['steps']> {
    return (await this.#json(StepList, `/v1/tasks/${id}/steps`)).steps
  }

  /** The JPEG of a step; `null` when there is none. */
  async screenshot(id: string, step: number): Promise<Uint8Array | null> {
    const response = await this.#ask(`/v1/tasks/${id}/screenshots/${step}`)
    if (response.status === 404) return null
    if (response.status !== 200) throw new Failed(`The service answered ${response.status} for a screenshot.`)
    return new Uint8Array(await response.arrayBuffer())
  }

  /** GET, or POST when there is a body. */
  async #json<const Schema extends v.GenericSchema>(
    schema: Schema,
    path: string,
    body?: object,
  ): Promise<v.InferOutput<Schema>> {
    const response = await this.#ask(path, body)
    if (!response.ok) throw await this.#refusal(response)
    const parsed = v.safeParse(schema, await response.json().catch(() => null))
    if (parsed.success) return parsed.output
    throw new Failed(`The server at ${this.#url} is not a Browser Task Service, or has an incompatible version.`)
  }

  async #refusal(response: Response): Promise<Failed> {
    const refused = v.safeParse(ErrorBody, await response.json().catch(() => null))
    const words = refused.success ? refused.output.error : `The service answered ${response.status}.`
    return new Failed(response.status === 401 ? `The key was not accepted: ${words}` : words)
  }

  async #ask(path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(ANSWER_MS_MAX)
    const init =
      body === undefined ? { headers, signal } : { method: 'POST', headers, signal, body: JSON.stringify(body) }
    try {
      return await fetch(this.#url + path, init)
    } catch {
      throw new Failed(`No service answers at ${this.#url}.`)
    }
  }
}
