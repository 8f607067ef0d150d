import { connectionFailed } from './errors.ts'
import type { Patience } from './patience.ts'
import { pause } from './retry.ts'
import { type ServerSentEvent, serverSentEvents } from './sse.ts'

/** Three pings: a stream that is silent for longer has lost its connection. */
const SILENCE_MS_MAX = 45_000
/** A connection over which something comes after this time is a working one, even if nothing has happened. */
const STEADY_MS = 10_000

export interface StreamOptions<Item> {
  /** Opens the stream behind what was taken, over failures that may pass. */
  readonly open: (signal: AbortSignal) => Promise<Response>
  /** What an event of the stream is; `null` for one that was taken before, or that is none of the log. */
  readonly take: (event: ServerSentEvent) => Item | null
  /** Whether nothing comes after this one. */
  readonly isLast: (item: Item) => boolean
  /** What `open` and the stream share. */
  readonly patience: Patience
  /** Ends the stream. */
  readonly stop: AbortSignal
  /** What a response without events is thrown as. */
  readonly refused: (response: Response) => Promise<Error>
  readonly silenceMsMax?: number
}

/**
 * [Y3] What a stream brings, over lost connections: each is opened again behind what was taken, for as long as patience
 * lasts. Throws what the service refuses, and `connection_failed` when patience has ended.
 */
export async function* streamed<Item>({
  open,
  take,
  isLast,
  patience,
  stop,
  refused,
  silenceMsMax = SILENCE_MS_MAX,
}: StreamOptions<Item>): AsyncGenerator<Item> {
  while (!stop.aborted) {
    const response = await open(stop).catch((error: unknown) => {
      if (!stop.aborted) throw error
    })
    if (response === undefined || response.status === 204) return
    if (!isEventStream(response)) throw await refused(response)
    patience.connected()
    let cause: unknown
    try {
      const openedAt = performance.now()
      const heard = () => performance.now() - openedAt > STEADY_MS && patience.progressed()
      for await (const event of serverSentEvents(chunksOf(response.body, silenceMsMax, heard))) {
        const item = take(event)
        if (item === null) continue
        patience.progressed()
        yield item
        if (isLast(item)) return
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

/** An event with the cursor behind which reading goes on: its place in the log that was read. */
export type WithCursor<Event> = Event & { readonly cursor: number }

/** Takes the events of a log, each once: some proxies repeat what was lost on the way. What has no id is none. */
export function logAfter<Event>(after: number) {
  let cursor = after
  return {
    get cursor() {
      return cursor
    },
    take({ id, data }: ServerSentEvent): WithCursor<Event> | null {
      const position = Number(id ?? Number.NaN)
      if (!(position > cursor)) return null
      const event = { ...(JSON.parse(data) as Event), cursor: position }
      cursor = position
      return event
    },
  }
}

const isEventStream = ({ status, headers }: Response): boolean =>
  status === 200 && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

/** The chunks of a body, which ends when nothing has come for so long. Not every browser can iterate over a stream. */
async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  silenceMsMax: number,
  heard: () => void,
): AsyncGenerator<Uint8Array> {
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
      heard()
      yield value
    }
  } finally {
    clearTimeout(timer)
    cancel()
  }
}
