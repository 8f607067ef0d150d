import { BrowserTaskError } from './errors.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** For how long the whole call may take, in ms; then it fails with the code `timeout`, as if its signal had aborted. */
  readonly timeout?: number | undefined
}
export interface PostOptions extends CallOptions {
  /** Of your own, such as the number of an order; else one is made. */
  readonly idempotencyKey?: string | undefined
}

/** One signal of a call's own and of its time limit; `clear` forgets the limit. */
export function limitOf({ signal, timeout }: CallOptions): { readonly signal: AbortSignal; clear(): void } {
  const limit = new AbortController()
  const late = () => limit.abort(new BrowserTaskError(`Not done in ${timeout} ms.`, { code: 'timeout', status: 0 }))
  const timer = timeout === undefined ? undefined : setTimeout(late, timeout)
  return {
    signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
    clear: () => clearTimeout(timer),
  }
}

/** Does something under the signal and the time limit of a call. */
export async function within<Result>(
  options: CallOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, clear } = limitOf(options)
  try {
    signal.throwIfAborted()
    return await work(signal)
  } finally {
    clear()
  }
}

/** A signal that aborts so much later than another. */
export function laterThan(signal: AbortSignal, ms: number): { readonly signal: AbortSignal; clear(): void } {
  const later = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const abort = () => {
    timer = setTimeout(() => later.abort(signal.reason), ms)
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return {
    signal: later.signal,
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
  }
}
