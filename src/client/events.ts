import { streamedEvents } from '../wire/event-stream.ts'
import { pause } from './retry.ts'

/** Three pings: a stream that is silent for longer has lost its connection. */
const SILENCE_MS_MAX = 45_000
const RECONNECT_MS = 1_000

export interface EventsOptions {
  /** Opens the stream behind a cursor; rejects when the service cannot be reached. */
  readonly open: (after: number, signal: AbortSignal) => Promise<Response>
  /** Ends the events. */
  readonly stop: AbortSignal
  /** What a response that no reconnection mends is thrown as. */
  readonly refused: (response: Response) => Promise<Error>
  /** Called with true when the connection is lost, with false when it is back. */
  readonly onAway?: (isAway: boolean) => void
  /** The log of a task ends with it; that of a workspace goes on. */
  readonly endsWithTask?: boolean
  /** Only what comes after this event. */
  readonly after?: number
}

/**
 * [Y3] The events of a task, each once and in order, until it has ended. A lost connection is opened again behind what
 * was seen, however often that happens: the service may be started again meanwhile.
 * Rejects when the first connection fails, or the service refuses.
 */
export async function* eventsOf<Event extends { readonly type: string }>(
  options: EventsOptions,
): AsyncGenerator<Event> {
  const { open, stop, refused, onAway = () => {}, endsWithTask = true } = options
  const first = options.after ?? 0
  let after = first
  for (let attempt = 0; !stop.aborted; attempt++) {
    const silence = silenceAfter(SILENCE_MS_MAX)
    try {
      const response = await open(after, AbortSignal.any([stop, silence.signal]))
      if (attempt > 0) onAway(false)
      if (response.status === 204) return
      if (response.status === 410) after = ((await response.json()) as { oldest: number }).oldest - 1
      else if (response.status < 500 && response.status !== 200) throw new Refused(await refused(response))
      if (response.status === 200) {
        for await (const { id, data } of streamedEvents(chunksOf(response.body), silence.heard)) {
          after = Number(id)
          const event = JSON.parse(data) as Event
          yield event
          if (event.type === 'task.ended' && endsWithTask) return
        }
      }
    } catch (error) {
      if (error instanceof Refused) throw error.reason
      if (attempt === 0 && after === first && !stop.aborted) throw error
    } finally {
      silence.end()
    }
    if (stop.aborted) return
    onAway(true)
    await pause(RECONNECT_MS, stop).catch(() => {})
  }
}

class Refused extends Error {
  readonly reason: Error
  constructor(reason: Error) {
    super(reason.message)
    this.reason = reason
  }
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Aborts when nothing has been received for this time. */
function silenceAfter(ms: number) {
  const silence = new AbortController()
  const abort = () => silence.abort()
  let timer = setTimeout(abort, ms)
  return {
    signal: silence.signal,
    heard: () => {
      clearTimeout(timer)
      timer = setTimeout(abort, ms)
    },
    end: () => clearTimeout(timer),
  }
}
