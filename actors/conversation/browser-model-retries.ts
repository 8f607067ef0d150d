import PQueue from 'p-queue'
import { MODEL_ATTEMPT_MS_MAX, MODEL_ATTEMPTS_MAX } from '../../machines/limits.ts'
import type { Ms } from '../../machines/records.ts'
import { TO_BROWSER, TO_MODEL } from '../../machines/texts.ts'
import { fractionOf } from '../../machines/uuid.ts'
import { MODEL_BACKOFF_MS_FIRST, MODEL_BACKOFF_MS_MAX, MODEL_CALLS_MAX } from '../limits.ts'
import { waitFor, within } from '../runtime/effects.ts'
import type { ModelReply, ModelRequest, Ports } from '../runtime/ports.ts'
import { chosenModel } from './chosen-model.ts'

interface Attempt {
  readonly limitMs?: Ms
  readonly hear?: (textSoFar: string) => void
}

/**
 * All calls to the language model go through it, those of tasks and those of browsers: it limits how many run at once and how
 * long an attempt may take, and computes the wait before the next attempt.
 */
export class ModelGateway {
  readonly #ports: Pick<Ports, 'model' | 'clock' | 'ids'>
  readonly #queue = new PQueue({ concurrency: MODEL_CALLS_MAX })

  constructor(ports: Pick<Ports, 'model' | 'clock' | 'ids'>) {
    this.#ports = ports
  }

  /** Runs `work` once a slot is free. It builds its request only then, because thousands may be waiting. */
  whenFree<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.add(work)
  }

  /**
   * [L5] One attempt. Resolves to `late` if nothing of the reply has arrived for `limitMs`, or the signal aborts. `hear` is
   * called with the text so far.
   */
  attempt(
    request: ModelRequest,
    cancelled: AbortSignal,
    { limitMs = MODEL_ATTEMPT_MS_MAX, hear }: Attempt = {},
  ): Promise<ModelReply | 'late'> {
    const { model, clock } = this.#ports
    return within(clock, limitMs, cancelled, (signal, renew) =>
      chosenModel(model, request.model).ask(request, signal, (textSoFar) => {
        renew()
        if (!signal.aborted) hear?.(textSoFar)
      }),
    )
  }

  /**
   * [L19] An attempt, and once more where asking differently helps: a reply that was cut off or withheld is asked for
   * again, shorter; a request that is too long is built again after `shrink`.
   */
  async attemptFitting(
    build: () => ModelRequest,
    shrink: () => void,
    cancelled: AbortSignal,
    attempt: Attempt = {},
  ): Promise<ModelReply | 'late'> {
    const first = await this.attempt(build(), cancelled, attempt)
    if (first === 'late' || first.kind === 'reply' || first.reason === undefined || cancelled.aborted) return first
    if (first.reason === 'too_long') {
      shrink()
      return this.attempt(build(), cancelled, attempt)
    }
    const request = build()
    const messages = [...request.messages, { role: 'user' as const, text: TO_MODEL.beBrief }]
    return this.attempt({ ...request, messages }, cancelled, attempt)
  }

  /** [L3][L20] How long to wait before the attempt after this one: what the endpoint asked for, else full jitter. */
  waitMs(attempt: number, retryAfterMs: Ms | null): Ms {
    if (retryAfterMs !== null) return retryAfterMs
    const limit = Math.min(MODEL_BACKOFF_MS_MAX, MODEL_BACKOFF_MS_FIRST * 2 ** attempt)
    return Math.round(limit * fractionOf(this.#ports.ids.uuid()))
  }

  /** [R34] All attempts of one request, with the waits between them. Rejects when the signal aborts. */
  async complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.whenFree(() => this.attempt(request, signal))
      signal.throwIfAborted()
      const reply = answer === 'late' ? TIMED_OUT : answer
      if (reply.kind === 'reply' || !reply.retryable || attempt + 1 >= MODEL_ATTEMPTS_MAX) return reply
      const waitMs = Math.min(MODEL_BACKOFF_MS_MAX, this.waitMs(attempt, reply.retryAfterMs))
      await waitFor(this.#ports.clock, waitMs, signal)
      signal.throwIfAborted()
    }
  }
}

const TIMED_OUT: ModelReply = {
  kind: 'failed',
  message: TO_BROWSER.modelTimedOut,
  rateLimited: false,
  retryable: true,
  retryAfterMs: null,
}
