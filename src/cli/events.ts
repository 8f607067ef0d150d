import { setTimeout as pause } from 'node:timers/promises'
import * as v from 'valibot'
import { streamedEvents } from '../wire/event-stream.ts'
import { Event } from '../wire/events.ts'

/** Three pings: a stream that is silent for longer has lost its connection. */
const SILENCE_MS_MAX = 45_000
const RECONNECT_MS = 1_000
const Expired = v.object({ code: v.literal('events_expired'), oldest: v.number() })

export interface EventsOptions {
  /** Opens the stream behind a cursor; rejects when the service cannot be reached. */
  readonly open: (after: number, signal: AbortSignal) => Promise<Response>
  /** Ends the events. */
  readonly stop: AbortSignal
  /** Called with true when the connection is lost, with false when it is back. */
  readonly onAway: (isAway: boolean) => void
  /** What a response that no reconnection mends is thrown as. */
  readonly refused: (response: Response) => Promise<Error>
}

/**
 * The events of a task, each once and in order, until it has ended. A lost connection is opened again behind what was
 * seen, however often that happens: the service may be started again meanwhile.
 * Rejects when the first connection fails, or the service refuses.
 */
export async function* eventsOf({ open, stop, onAway, refused }: EventsOptions): AsyncGenerator<Event> {
  let after = 0
  for (let attempt = 0; !stop.aborted; attempt++) {
    const silence = silenceAfter(SILENCE_MS_MAX)
    try {
      const response = await open(after, AbortSignal.any([stop, silence.signal]))
      if (attempt > 0) onAway(false)
      if (response.status === 204) return
      if (response.status === 410) after = v.parse(Expired, await response.json()).oldest - 1
      else if (response.status < 500 && response.status !== 200) throw new Refused(await refused(response))
      if (response.status !== 200) continue
      for await (const { id, data } of streamedEvents(response.body ?? NOTHING, silence.heard)) {
        after = Number(id)
        const event = v.safeParse(Event, JSON.parse(data))
        // A type that is not known yet is passed over.
        if (!event.success) continue
        yield event.output
        if (event.output.type === 'task.ended') return
      }
    } catch (error) {
      if (error instanceof Refused) throw error.reason
      if (attempt === 0 && after === 0) throw error
    } finally {
      silence.end()
    }
    if (stop.aborted) return
    onAway(true)
    await pause(RECONNECT_MS, undefined, { signal: stop }).catch(() => {})
  }
}

class Refused extends Error {
  readonly reason: Error
  constructor(reason: Error) {
    super(reason.message)
    this.reason = reason
  }
}

const NOTHING: AsyncIterable<Uint8Array> = (async function* nothing() {})()

/** Aborts when nothing is heard for so long. */
function silenceAfter(ms: number) {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), ms)
  return { signal: silence.signal, heard: () => void timer.refresh(), end: () => clearTimeout(timer) }
}
