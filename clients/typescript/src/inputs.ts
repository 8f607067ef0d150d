import type { InputBody, InputRequest } from './api.ts'
import { BrowserTaskError } from './errors.ts'

/** `accept` (with `content` for a question), `decline` or `cancel`. */
export type InputAnswer = InputBody
type Answered = InputAnswer | undefined | null
/**
 * Answers what a task asks; gives nothing when somebody else is to answer. `signal` aborts when no answer is needed any
 * more, since the task has ended.
 */
export type OnInput = (request: InputRequest, options: { readonly signal: AbortSignal }) => Answered | Promise<Answered>

/** Puts what a task asks to the caller's function, each request once, while the task is followed. */
export class Inputs {
  readonly #onInput: OnInput
  readonly #send: (request: InputRequest, answer: InputAnswer) => Promise<void>
  readonly #failed = new AbortController()
  readonly #over = new AbortController()
  #last: string | null = null

  constructor(onInput: OnInput, send: (request: InputRequest, answer: InputAnswer) => Promise<void>) {
    this.#onInput = onInput
    this.#send = send
  }

  /** Aborts with what the caller's function or its answer failed with. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  /** Asks, beside what else goes on. */
  put(request: InputRequest): void {
    if (request.id === this.#last) return
    this.#last = request.id
    this.#answer(request).catch((error: unknown) => this.#failed.abort(error))
  }

  end(): void {
    this.#over.abort()
  }

  async #answer(request: InputRequest): Promise<void> {
    const answer = await this.#onInput(request, { signal: this.#over.signal })
    if (!answer || this.#over.signal.aborted) return
    await this.#send(request, answer).catch((error: unknown) => {
      if (!isTooLate(error)) throw error
    })
  }
}

/** Somebody else has answered, or the time to answer is over. */
const isTooLate = (error: unknown): boolean =>
  error instanceof BrowserTaskError && (error.status === 404 || error.status === 409)
