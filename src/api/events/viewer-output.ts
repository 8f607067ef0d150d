import type { Clock } from '../../../actors/runtime/ports.ts'
import type { ResponseStream } from '../../net/transport.ts'
import {
  VIEWER_PING_MS,
  VIEWER_STALLED_MS_MAX,
  VIEWER_WAITING_BYTES_MAX,
  VIEWER_WAITING_EVENTS_MAX,
} from '../limits.ts'

/**
 * [V6 V7] What goes to one viewer. Frames that its connection does not take yet wait here; one that leaves too many
 * waiting, or takes nothing for VIEWER_STALLED_MS_MAX, is cut off: its cursor brings it back. After VIEWER_PING_MS of
 * silence a comment says that the stream lives.
 */
export class ViewerOutput {
  readonly #stream: ResponseStream
  readonly #clock: Clock
  readonly #isAllowed: () => Promise<boolean>
  #waiting: string[] = []
  #waitingChars = 0
  #clear = true
  #closed = false
  #timer: unknown
  #wroteAt: number
  #clearAt: number
  #cleared: (() => void)[] = []

  constructor(stream: ResponseStream, clock: Clock, isAllowed: () => Promise<boolean>) {
    this.#stream = stream
    this.#clock = clock
    this.#isAllowed = isAllowed
    this.#wroteAt = clock.now()
    this.#clearAt = this.#wroteAt
    stream.onDrain(() => this.#drained())
    stream.onClose(() => this.#gone())
    this.#timer = clock.setTimeout(() => this.#tick(), VIEWER_PING_MS)
  }

  /** Whether nothing waits. */
  get clear(): boolean {
    return this.#clear
  }

  get closed(): boolean {
    return this.#closed
  }

  send(frame: string): void {
    if (this.#closed) return
    if (this.#clear) {
      this.#write(frame)
      return
    }
    this.#waiting.push(frame)
    this.#waitingChars += frame.length
    if (isTooMuch(this.#waiting.length, this.#waitingChars)) this.cutOff()
  }

  /** Resolves when nothing waits, or the viewer is gone. */
  whenClear(): Promise<void> {
    if (this.#clear || this.#closed) return Promise.resolve()
    return new Promise((resolve) => void this.#cleared.push(resolve))
  }

  /** All that was sent arrives, and then the end. */
  async end(): Promise<void> {
    await this.whenClear()
    this.#stream.end()
  }

  cutOff(): void {
    this.#stream.destroy()
    this.#gone()
  }

  #write(frame: string): void {
    this.#wroteAt = this.#clock.now()
    this.#clear = this.#stream.write(frame)
    if (this.#clear) this.#clearAt = this.#wroteAt
  }

  #drained(): void {
    if (this.#closed) return
    this.#clear = true
    this.#clearAt = this.#clock.now()
    const frames = this.#waiting
    this.#waiting = []
    this.#waitingChars = 0
    if (frames.length > 0) this.#write(frames.join(''))
    if (this.#clear) this.#settle()
  }

  #tick(): void {
    const now = this.#clock.now()
    if (!this.#clear && now - this.#clearAt >= VIEWER_STALLED_MS_MAX) {
      this.cutOff()
      return
    }
    if (now - this.#wroteAt >= VIEWER_PING_MS) this.send(': ping\n\n')
    const inMs = Math.max(0, this.#wroteAt + VIEWER_PING_MS - now) || VIEWER_PING_MS
    this.#timer = this.#clock.setTimeout(() => this.#tick(), inMs)
    this.#isAllowed().then(
      (isAllowed) => !isAllowed && this.#stream.end(),
      () => {},
    )
  }

  #gone(): void {
    this.#closed = true
    this.#waiting = []
    this.#clock.clearTimeout(this.#timer)
    this.#settle()
  }

  #settle(): void {
    for (const resolve of this.#cleared.splice(0)) resolve()
  }
}

export const isTooMuch = (events: number, chars: number): boolean =>
  events > VIEWER_WAITING_EVENTS_MAX || chars > VIEWER_WAITING_BYTES_MAX
