import { REGISTER_BYTES_MAX } from '../../machines/limits.ts'
import type { ActReport } from '../../machines/recipe.ts'
import { CALLS_REMEMBERED_MAX } from '../wire/limits.ts'
import type { RememberedCall } from '../wire/relay.ts'
import type { CallLoad } from './call-load.ts'
import { RESULTS_REMEMBERED_CHARS_MAX } from './limits.ts'

/** One call that this browser was asked to run. */
export interface KeptCall {
  readonly requestId: string
  readonly taskId: string
  /** The `tool_result` frame that answers it, as text; `null` while it runs. */
  readonly result: string | null
  /** The service is known to have the result. */
  readonly received: boolean
}
export interface KeptCalls {
  /** Names this memory: another one means that what was remembered is lost. */
  readonly instance: string
  /** Oldest first. */
  readonly calls: readonly KeptCall[]
}
/** Where calls are kept for as long as the browser lives: an extension's worker may be stopped at any moment. */
export interface CallStorage {
  load(): Promise<KeptCalls | null>
  /** Resolves when the change is kept. Changes are made in the order in which they are asked for. */
  save(change: KeptChange): Promise<void>
}
export interface KeptChange {
  readonly instance: string
  /** Added, or put in the place of the one with its requestId. */
  readonly put: readonly KeptCall[]
  /** The requestIds of those that are forgotten. */
  readonly removed: readonly string[]
}

const INTERRUPTED =
  'The browser was interrupted while it did this, so the outcome is unknown. Look at the page before you repeat it.'

interface Failure {
  /** Words of the page. */
  readonly content?: string
  readonly act?: ActReport | null
  readonly load?: CallLoad | undefined
}

/** The frame for a call that was lost, or that failed, in `error`'s words. */
export const failedResult = (
  requestId: string,
  error: string,
  { content = '', act = null, load }: Failure = {},
): string =>
  JSON.stringify({
    ...{ type: 'tool_result', requestId, error },
    ...(content === '' ? {} : { content }),
    ...(act === null ? {} : { act }),
    ...(load ? { load } : {}),
  })

/**
 * What a browser remembers of the calls that it was asked to run, the newest CALLS_REMEMBERED_MAX: what makes it run
 * each at most once, whatever breaks in between.
 */
export class CallMemory {
  readonly instance: string
  readonly #storage: CallStorage
  readonly #calls = new Map<string, KeptCall>()

  private constructor(storage: CallStorage, kept: KeptCalls) {
    this.#storage = storage
    this.instance = kept.instance
    for (const call of kept.calls) {
      // The process that ran it has ended, and how far it came is unknown.
      const result = call.result ?? failedResult(call.requestId, INTERRUPTED)
      this.#calls.set(call.requestId, { ...call, result })
    }
  }

  static async load(storage: CallStorage): Promise<CallMemory> {
    const kept = await storage.load()
    return new CallMemory(storage, kept ?? { instance: crypto.randomUUID(), calls: [] })
  }

  get(requestId: string): KeptCall | null {
    return this.#calls.get(requestId) ?? null
  }

  /** Must resolve before the call is run: a memory that does not know of it would let it run twice. */
  async started(requestId: string, taskId: string): Promise<void> {
    // A task asks one thing after the other: the next question says that the last answer came.
    await this.#save([...this.#received(taskId), { requestId, taskId, result: null, received: false }])
  }

  async finished(requestId: string, result: string): Promise<void> {
    const call = this.#calls.get(requestId)
    if (!call) return
    await this.#save([{ ...call, result }])
  }

  /** Nothing of this task is waited for any more. */
  async taskEnded(taskId: string): Promise<void> {
    const received = this.#received(taskId)
    if (received.length > 0) await this.#save(received)
  }

  /** Results that the service may not have. */
  undelivered(): string[] {
    return [...this.#calls.values()].flatMap(({ result, received }) => (result !== null && !received ? [result] : []))
  }

  /** For `register`: what runs, then the newest, as many as fit beside the rest of the frame. */
  remembered(bytesElsewhere: number): RememberedCall[] {
    const newestFirst = [...this.#calls.values()].reverse()
    const running = newestFirst.filter(({ result }) => result === null)
    const ordered = [...running, ...newestFirst.filter(({ result }) => result !== null)]
    const named: RememberedCall[] = []
    let bytes = bytesElsewhere
    for (const { requestId, result } of ordered.slice(0, CALLS_REMEMBERED_MAX)) {
      const entry: RememberedCall = { requestId, state: result === null ? 'running' : 'done' }
      bytes += new TextEncoder().encode(JSON.stringify(entry)).length + 1
      if (bytes > REGISTER_BYTES_MAX) break
      named.push(entry)
    }
    return named
  }

  /** The finished calls of a task, as they are when the service has their results. */
  #received(taskId: string): KeptCall[] {
    return [...this.#calls.values()]
      .filter((call) => call.taskId === taskId && call.result !== null && !call.received)
      .map((call) => ({ ...call, received: true }))
  }

  #save(put: readonly KeptCall[]): Promise<void> {
    for (const call of put) this.#calls.set(call.requestId, call)
    return this.#storage.save({ instance: this.instance, put, removed: this.#forget() })
  }

  /** The oldest finished calls go first; what runs stays. */
  #forget(): string[] {
    const finished = [...this.#calls.values()].filter(({ result }) => result !== null)
    let chars = finished.reduce((sum, { result }) => sum + (result?.length ?? 0), 0)
    const removed: string[] = []
    for (const call of finished) {
      if (this.#calls.size <= CALLS_REMEMBERED_MAX && chars <= RESULTS_REMEMBERED_CHARS_MAX) break
      this.#calls.delete(call.requestId)
      removed.push(call.requestId)
      chars -= call.result?.length ?? 0
    }
    return removed
  }
}

/** Storage that keeps nothing: the calls are remembered in memory until the process ends. */
export const inProcess = (): CallStorage => ({ load: async () => null, save: async () => {} })
