import type { Clock, OutgoingFrame } from '../../actors/runtime/ports.ts'
import { LIVE_FRAME_MS_MIN, LIVE_VIEWERS_MAX } from './limits.ts'

/** Sees a picture of the tab, a JPEG in base64. */
type See = (jpeg: string) => void

interface View {
  readonly sessionId: string
  readonly viewers: Set<See>
  shownAt: number
}

export interface LiveViewsOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly send: (sessionId: string, frame: OutgoingFrame) => boolean
  /** Whether a browser can show its tabs; `null` while it is away. */
  readonly canShow: (sessionId: string) => boolean | null
}

/**
 * [R52] Who looks at which task: the first viewer has its browser asked for pictures, with the last one it stops.
 * A viewer that leaves and one that comes at once are one look.
 */
export class LiveViews {
  readonly #options: LiveViewsOptions
  readonly #views = new Map<string, View>()

  constructor(options: LiveViewsOptions) {
    this.#options = options
  }

  /** Why nobody more can look: the browser cannot show its tabs, or enough look already. */
  refusal(taskId: string, sessionId: string): 'no_live_view' | 'too_many_viewers' | null {
    if (this.#options.canShow(sessionId) === false) return 'no_live_view'
    return (this.#views.get(taskId)?.viewers.size ?? 0) >= LIVE_VIEWERS_MAX ? 'too_many_viewers' : null
  }

  /** Gives what ends it. */
  watch(taskId: string, sessionId: string, see: See): () => void {
    const view = this.#views.get(taskId) ?? { sessionId, viewers: new Set(), shownAt: Number.NEGATIVE_INFINITY }
    view.viewers.add(see)
    this.#views.set(taskId, view)
    // Also for one who comes later: a page that does not change shows nothing new.
    this.#options.send(sessionId, { type: 'live_start', taskId })
    return () => {
      if (!view.viewers.delete(see) || view.viewers.size > 0) return
      this.#views.delete(taskId)
      this.#options.send(sessionId, { type: 'live_stop', taskId })
    }
  }

  /** A picture came. One of a task that nobody looks at, or that comes too soon after the last, is dropped. */
  shown(sessionId: string, taskId: string, jpeg: string): void {
    const view = this.#views.get(taskId)
    const now = this.#options.clock.now()
    if (view?.sessionId !== sessionId || now - view.shownAt < LIVE_FRAME_MS_MIN) return
    view.shownAt = now
    for (const see of view.viewers) see(jpeg)
  }

  /** A browser has connected again: it knows of no viewers. */
  connected(sessionId: string): void {
    for (const [taskId, view] of this.#views) {
      if (view.sessionId === sessionId) this.#options.send(sessionId, { type: 'live_start', taskId })
    }
  }
}
