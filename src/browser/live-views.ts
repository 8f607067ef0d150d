import { LIVE_JPEG_CHARS_MAX } from '../wire/limits.ts'
import type { Cdp } from './act/cdp.ts'
import {
  LIVE_FRAME_MS,
  LIVE_HEIGHT_PX_MAX,
  LIVE_LOOK_MS,
  LIVE_QUALITY,
  LIVE_QUALITY_MIN,
  LIVE_STILL_MS,
  LIVE_WIDTH_PX_MAX,
} from './limits.ts'
import { LIVE_PICTURE, pictureOf } from './picture.ts'

export interface LiveViewsOptions {
  /** The protocol of the tab that a task works in; `null` while it has none, or when its user does not want to be watched. */
  tabOf(taskId: string): Cdp | null | Promise<Cdp | null>
  /** False: the connection does not take it now, and it is dropped. */
  send(frame: object): boolean
}

/** [R52] Shows the tabs of tasks while somebody looks: a few pictures a second, and none of what does not change. */
export class LiveViews {
  readonly #options: LiveViewsOptions
  readonly #views = new Map<string, LiveView>()

  constructor(options: LiveViewsOptions) {
    this.#options = options
  }

  /** Once more: what it shows now is sent again. */
  start(taskId: string): void {
    this.stop(taskId)
    const { tabOf, send } = this.#options
    const view = new LiveView({
      tab: async () => tabOf(taskId),
      show: (jpeg) => send({ type: 'live_frame', taskId, jpeg }),
    })
    this.#views.set(taskId, view)
  }

  stop(taskId: string): void {
    this.#views.get(taskId)?.end()
    this.#views.delete(taskId)
  }

  stopAll(): void {
    for (const taskId of [...this.#views.keys()]) this.stop(taskId)
  }
}

interface ViewOptions {
  tab(): Promise<Cdp | null>
  show(jpeg: string): boolean
}

/**
 * One tab as Chrome's screencast sends it. Chrome sends the next picture when the last one was acknowledged, which is
 * done late: that is the rate. Of a tab in the background there is no screencast: it is looked at from time to time.
 */
class LiveView {
  readonly #options: ViewOptions
  #cdp: Cdp | null = null
  #leave: (() => void)[] = []
  #timer: ReturnType<typeof setTimeout>
  #isOver = false
  #quality = LIVE_QUALITY
  /** When the screencast last showed something, and when it was asked to. */
  #castAt = 0
  /** When the next picture may be asked for. */
  #nextAt = 0
  #isHidden = false
  #last = ''

  constructor(options: ViewOptions) {
    this.#options = options
    this.#timer = setTimeout(() => void this.#look(), 0)
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#left()
  }

  /** The tab of a task can be another one at any moment. */
  async #look(): Promise<void> {
    try {
      const cdp = await this.#options.tab()
      if (this.#isOver) return
      if (cdp !== this.#cdp) {
        this.#left()
        if (cdp) await this.#enter(cdp)
      } else if (cdp && this.#isHidden && Date.now() - this.#castAt >= LIVE_STILL_MS) {
        this.#castAt = Date.now()
        const picture = await pictureOf(cdp, LIVE_PICTURE)
        if (picture !== null) this.#show(picture)
      } else if (cdp && this.#last === '' && Date.now() - this.#castAt >= LIVE_STILL_MS) this.#isHidden = true
    } catch {
      // The tab may be gone: the next look finds another one.
    }
    if (!this.#isOver) this.#timer = setTimeout(() => void this.#look(), LIVE_LOOK_MS)
  }

  async #enter(cdp: Cdp): Promise<void> {
    this.#cdp = cdp
    this.#castAt = Date.now()
    this.#isHidden = false
    this.#last = ''
    this.#leave = [
      cdp.on('Page.screencastFrame', ({ data, sessionId }: { data: string; sessionId: number }) => {
        this.#castAt = Date.now()
        this.#isHidden = false
        this.#show(data)
        const acknowledge = () => cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => {})
        // Chrome sends a few ahead: each is acknowledged so long after the one before.
        this.#nextAt = Math.max(this.#castAt, this.#nextAt) + LIVE_FRAME_MS
        setTimeout(acknowledge, this.#nextAt - this.#castAt)
      }),
      cdp.on('Page.screencastVisibilityChanged', ({ visible }: { visible: boolean }) => {
        this.#isHidden = !visible
      }),
    ]
    await this.#cast(cdp)
  }

  #cast = (cdp: Cdp) =>
    cdp.send('Page.startScreencast', {
      format: 'jpeg',
      quality: this.#quality,
      maxWidth: LIVE_WIDTH_PX_MAX,
      maxHeight: LIVE_HEIGHT_PX_MAX,
    })

  #show(jpeg: string): void {
    if (this.#isOver || jpeg === this.#last) return
    if (jpeg.length > LIVE_JPEG_CHARS_MAX) {
      // What is too large now will be so again.
      this.#quality = Math.max(LIVE_QUALITY_MIN, Math.round(this.#quality * 0.7))
      if (this.#cdp) this.#cast(this.#cdp).catch(() => {})
      return
    }
    if (this.#options.show(jpeg)) this.#last = jpeg
  }

  #left(): void {
    for (const leave of this.#leave.splice(0)) leave()
    this.#cdp?.send('Page.stopScreencast').catch(() => {})
    this.#cdp = null
  }
}
