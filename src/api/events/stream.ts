import type { LiveWords } from '../../../actors/events/live-words.ts'
import type { Clock, Log } from '../../../actors/runtime/ports.ts'
import type { LogType } from '../../../machines/task-log.ts'
import type { Response, ResponseStream } from '../../net/transport.ts'
import { EVENTS_READ_MAX, VIEWERS_MAX } from '../limits.ts'
import { type Feed, type FeedItem, jsonOf } from './feed.ts'
import { isTooMuch, ViewerOutput } from './viewer-output.ts'

export interface StreamOptions {
  readonly feed: Feed
  readonly after: number
  /** [V10] The words of replies, too, while they come. */
  readonly live: boolean
  /** `null`: all. */
  readonly types: ReadonlySet<LogType> | null
  /** Asked again while the stream is open: keys are deleted, people sign out. */
  readonly isAllowed: () => Promise<boolean>
  readonly clock: Clock
  readonly log: Log
}

/** [V6] Comes at once: how long to wait before a reconnection, that the stream is there, and the cursor that it begins behind. */
const openingOf = (cursor: number) => `retry: 1000\n: connected\n: cursor ${cursor}\n\n`

const HEADERS: Response['headers'] = [
  ['Content-Type', 'text/event-stream; charset=utf-8'],
  ['Cache-Control', 'no-cache, no-transform'],
  // A proxy that gathers would hold back what is to be seen now.
  ['X-Accel-Buffering', 'no'],
]

/** [V6] The events of a feed as Server-Sent Events: what is kept, then what comes. */
export const streamOf = (options: StreamOptions): Response => ({
  status: 200,
  headers: HEADERS,
  body: null,
  stream: (stream) => new FeedStream(stream, options).begin(),
})

/**
 * One viewer's stream. It subscribes to new events before it reads the kept ones, and holds them back until all kept ones were
 * sent: each event once, in order.
 */
class FeedStream {
  readonly #options: StreamOptions
  readonly #output: ViewerOutput
  readonly #stream: ResponseStream
  #cursor: number
  #reading = true
  #isMore = false
  #held: FeedItem[] = []
  #heldChars = 0

  constructor(stream: ResponseStream, options: StreamOptions) {
    this.#options = options
    this.#stream = stream
    this.#cursor = options.after
    this.#output = new ViewerOutput(stream, options.clock, options.isAllowed)
  }

  begin(): void {
    const { feed } = this.#options
    // Several may have come in the same moment.
    if (feed.viewers() >= VIEWERS_MAX) {
      this.#stream.end()
      return
    }
    this.#stream.onClose(feed.watch((item) => this.#heard(item)))
    if (this.#options.live && feed.hear) this.#stream.onClose(feed.hear((words) => this.#tell(words)))
    this.#output.send(openingOf(this.#cursor))
    void this.#read()
  }

  #heard(item: FeedItem | null): void {
    if (item === null) {
      this.#isMore = true
      if (!this.#reading) void this.#read()
    } else if (this.#reading) {
      this.#held.push(item)
      this.#heldChars += this.#options.feed.jsonOf(item).length
      if (isTooMuch(this.#held.length, this.#heldChars)) this.#output.cutOff()
    } else this.#send(item)
  }

  /** Nobody misses words that a viewer takes too slowly: more of them come, and then the reply. They have no id. */
  #tell(words: LiveWords): void {
    if (!this.#reading && this.#output.clear) this.#output.send(`event: ${words.type}\ndata: ${jsonOf(words)}\n\n`)
  }

  async #read(): Promise<void> {
    const { feed, log } = this.#options
    this.#reading = true
    try {
      let isOver: boolean
      do {
        this.#isMore = false
        // Asked before the last reading, which then has all of it.
        isOver = await feed.isOver()
        await this.#readKept()
      } while (this.#isMore && !this.#output.closed)
      this.#reading = false
      for (const item of this.#held.splice(0)) this.#send(item)
      if (isOver) await this.#output.end()
    } catch (error) {
      log.warn({ err: error }, 'Events could not be read; a stream ends')
      this.#stream.end()
    }
  }

  async #readKept(): Promise<void> {
    for (;;) {
      const items = await this.#options.feed.read(this.#cursor, EVENTS_READ_MAX)
      for (const item of items) {
        this.#send(item)
        // What is kept can wait in the store.
        if (!this.#output.clear) await this.#output.whenClear()
      }
      if (items.length < EVENTS_READ_MAX || this.#output.closed) return
    }
  }

  #send(item: FeedItem): void {
    const { cursor, event } = item
    if (cursor <= this.#cursor || this.#output.closed) return
    this.#cursor = cursor
    const { types, feed } = this.#options
    if (types === null || types.has(event.type)) {
      this.#output.send(`id: ${cursor}\nevent: ${event.type}\ndata: ${feed.jsonOf(item)}\n\n`)
    }
    if (event.type === 'task.ended' && feed.endsWithTask) void this.#output.end()
  }
}
