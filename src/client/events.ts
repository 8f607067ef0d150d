import { streamedEvents } from '../wire/event-stream.ts'
import { connectionFailed } from './errors.ts'
import type { Patience } from './patience.ts'
import { pause } from './retry.ts'

/** Three pings: a stream that is silent for longer has lost its connection. */
const SILENCE_MS_MAX = 45_000
/** A connection over which something comes after this time is a working one, even if nothing has happened. */
const STEADY_MS = 10_000

/** An event with the cursor behind which reading goes on: its place in the log that was read. */
export type WithCursor<Event> = Event & { readonly cursor: number }

export interface StreamOptions {
  /** Opens the stream behind a cursor, over failures that may pass. */
  readonly open: (after: number, signal: AbortSignal) => Promise<Response>
  /** What `open` and the stream share. */
  readonly patience: Patience
  /** Ends the events. */
  readonly stop: AbortSignal
  /** What a response without events is thrown as. */
  readonly refused: (response: Response) => Promise<Error>
  /** The log of a task ends with it; that of a workspace goes on. */
  readonly endsWithTask: boolean
  /** Only what comes after this cursor. */
  readonly after: number
  readonly silenceMsMax?: number
}

/**
 * [Y3] The events of a log, each once and in order. A lost connection is opened again behind what was seen, for as long
 * as patience lasts. Throws what the service refuses, and `connection_failed` when patience has ended.
 */
export async function* eventsOf<Event extends { readonly type: string }>({
  open,
  patience,
  stop,
  refused,
  endsWithTask,
  after,
  silenceMsMax = SILENCE_MS_MAX,
}: StreamOptions): AsyncGenerator<WithCursor<Event>> {
  let cursor = after
  while (!stop.aborted) {
    const response = await open(cursor, stop).catch((error: unknown) => {
      if (!stop.aborted) throw error
    })
    if (response === undefined || response.status === 204) return
    if (!isEventStream(response)) throw await refused(response)
    patience.connected()
    let cause: unknown
    try {
      const openedAt = performance.now()
      const heard = () => performance.now() - openedAt > STEADY_MS && patience.progressed()
      for await (const { id, data } of streamedEvents(chunksOf(response.body, silenceMsMax), heard)) {
        const position = Number(id ?? Number.NaN)
        // Some proxies repeat what was lost on the way; what has no id is no event of the log.
        if (!(position > cursor)) continue
        const event = { ...(JSON.parse(data) as Event), cursor: position }
        cursor = position
        patience.progressed()
        yield event
        if (event.type === 'task.ended' && endsWithTask) return
      }
    } catch (error) {
      cause = error
    }
    if (stop.aborted) return
    const delay = patience.failed()
    if (delay === null) throw connectionFailed('The connection was lost again and again before an event came.', cause)
    await pause(delay, stop).catch(() => {})
  }
}

const isEventStream = ({ status, headers }: Response): boolean =>
  status === 200 && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

/** The chunks of a body, which ends when nothing has come for so long. Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array> | null, silenceMsMax: number): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      timer = setTimeout(cancel, silenceMsMax)
      const { value, done } = await reader.read()
      clearTimeout(timer)
      if (done) return
      yield value
    }
  } finally {
    clearTimeout(timer)
    cancel()
  }
}
