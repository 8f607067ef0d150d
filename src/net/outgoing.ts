import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, errors, request } from 'undici'
import { NetworkError } from './network-error.ts'

/** How connections of one kind are made. Times in milliseconds. */
export interface OutgoingSettings {
  /** How long an idle connection is kept for the next request; 0: every request makes its own. */
  readonly keepAliveMs: number
  /** The longest silence: while connecting, before the answer's head, between two pieces of its body. */
  readonly silenceMs: number
  /** A longer answer fails. */
  readonly answerBytesMax: number
  /** In place of the system's name resolution. It is not asked for a host that is an address already. */
  readonly lookup?: LookupFunction
}

export interface OutgoingRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  readonly signal: AbortSignal | null
}

export interface OutgoingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** An answer whose body is still on its way. */
export interface OpenAnswer extends Pick<OutgoingAnswer, 'status' | 'headers'> {
  /** Rejects as `exchange` does. To stop before its end closes the connection. */
  readonly body: AsyncIterable<Uint8Array>
}

/** Is given an answer as it arrives. What it throws ends the exchange, which then fails with that. */
export interface AnswerReader {
  head(answer: Pick<OutgoingAnswer, 'status' | 'headers'>): void
  /** @returns true when nothing more is needed: the exchange is complete, whether or not the connection goes on. */
  chunk(bytes: Uint8Array): boolean
}

export interface Outgoing {
  /** As `exchange`, but resolves with the head of the answer. */
  open(url: string, request: OutgoingRequest): Promise<OpenAnswer>
  /** As `exchange`, but hands the answer on piece by piece, with no stream between: for answers of thousands of pieces. */
  read(url: string, request: OutgoingRequest, reader: AnswerReader): Promise<void>
  /**
   * One exchange, its whole body read. Redirects are not followed, nothing is repeated.
   * Rejects with the signal's reason when it aborts, with a `NetworkError` when the exchange was not completed.
   */
  exchange(url: string, request: OutgoingRequest): Promise<OutgoingAnswer>
  /** Closes every connection; what is under way fails. */
  close(): Promise<void>
}

/** Opens a pool of outgoing HTTP connections. */
export function openOutgoing(settings: OutgoingSettings): Outgoing {
  const agent = new Agent({
    connect: { timeout: settings.silenceMs, ...(settings.lookup ? { lookup: settings.lookup } : {}) },
    headersTimeout: settings.silenceMs,
    bodyTimeout: settings.silenceMs,
    maxResponseSize: settings.answerBytesMax,
    ...(settings.keepAliveMs > 0 ? { keepAliveTimeout: settings.keepAliveMs } : { pipelining: 0 }),
  })
  return {
    open: (url, wanted) => untilAborted(open(agent, url, wanted), wanted.signal),
    read: (url, wanted, reader) => read(agent, url, wanted, reader),
    exchange: (url, wanted) => untilAborted(exchange(agent, url, wanted), wanted.signal),
    close: () => agent.destroy(),
  }
}

function read(agent: Dispatcher, url: string, wanted: OutgoingRequest, reader: AnswerReader): Promise<void> {
  const { signal, headers, body } = wanted
  const { origin, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null
    const end = () => signal?.removeEventListener('abort', abort)
    const fail = (error: unknown) => {
      end()
      reject(failureOf(error, signal))
    }
    /** Ends the exchange with what the reader threw, which is no failure of the network. */
    const give = <T>(work: () => T, otherwise: T): T => {
      try {
        return work()
      } catch (error) {
        end()
        reject(error)
        controller?.abort(error instanceof Error ? error : new Error(String(error)))
        return otherwise
      }
    }
    function abort() {
      fail(signal?.reason)
      controller?.abort(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    const options = { origin, path: pathname + search, method: wanted.method as Dispatcher.HttpMethod, headers, body }
    agent.dispatch(options, {
      onRequestStart(started) {
        controller = started
        if (signal?.aborted) started.abort(signal.reason)
      },
      onResponseStart(_, status, received) {
        if (status >= 200) give(() => reader.head({ status, headers: plain(received) }), undefined)
      },
      onResponseData(_, chunk) {
        if (!give(() => reader.chunk(chunk), false)) return
        end()
        resolve()
      },
      onResponseEnd() {
        end()
        resolve()
      },
      onResponseError: (_, error) => fail(error),
    })
  })
}

async function exchange(agent: Dispatcher, url: string, wanted: OutgoingRequest): Promise<OutgoingAnswer> {
  const { body, ...head } = await open(agent, url, wanted)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return { ...head, body: Buffer.concat(chunks) }
}

async function open(agent: Dispatcher, url: string, wanted: OutgoingRequest): Promise<OpenAnswer> {
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent,
      method: wanted.method as Dispatcher.HttpMethod,
      headers: { ...wanted.headers },
      body: wanted.body,
      signal: wanted.signal,
    })
    return { status: statusCode, headers: plain(headers), body: chunksOf(body, wanted.signal) }
  } catch (error) {
    throw failureOf(error, wanted.signal)
  }
}

async function* chunksOf(body: AsyncIterable<Uint8Array>, signal: AbortSignal | null): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw failureOf(error, signal)
  }
}

function failureOf(error: unknown, signal: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason
  // A header or URL that cannot be sent at all is the caller's mistake, not the network's.
  return error instanceof errors.InvalidArgumentError ? error : new NetworkError(error)
}

/** undici notices an abort only once it is connected: resolving the name and connecting would go on. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | null): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function plain(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const out: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) out[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return out
}
