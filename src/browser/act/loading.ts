import type { Cdp, Frame } from './cdp.ts'
import { pause } from './waiting.ts'

type Stage = 'navigating' | 'committed' | 'ready' | 'loaded'

/**
 * How far the main frame has come. `navigating`: a navigation was asked for and no new document is there yet;
 * `committed`: the document is there; `ready`: it is parsed; `loaded`: its load event has fired, or it gave up loading.
 */
export class Loading {
  /** The main frame, and the load that its present document came with. */
  frameId: string
  #loaderId: string
  #failedUrl: string | null
  #stage: Stage
  #watchers = new Set<() => void>()
  /** Another document took the place of the one before: what was known of its elements is void. */
  onNewDocument: () => void = () => {}
  /** Counts the documents and the moves within them, so that a caller can tell whether anything happened. */
  moves = 0

  constructor(cdp: Cdp, main: Frame, stage: Stage) {
    this.frameId = main.id
    this.#loaderId = main.loaderId
    this.#failedUrl = main.unreachableUrl ?? null
    this.#stage = stage
    cdp.on('Page.frameNavigated', (event: { frame: Frame; type?: string }) => this.#navigated(event))
    cdp.on('Page.lifecycleEvent', (event: { frameId: string; loaderId: string; name: string }) => {
      if (event.frameId !== this.frameId || event.loaderId !== this.#loaderId) return
      if (event.name === 'DOMContentLoaded' && this.#stage === 'committed') this.#enter('ready')
      if (event.name === 'load') this.#enter('loaded')
    })
    cdp.on('Page.frameRequestedNavigation', (event: { frameId: string; disposition: string }) => {
      if (event.frameId === this.frameId && event.disposition === 'currentTab') this.#enter('navigating')
    })
    cdp.on('Page.frameStartedNavigating', (event: { frameId: string; navigationType?: string }) => {
      if (event.frameId === this.frameId && !/sameDocument/i.test(event.navigationType ?? '')) this.#enter('navigating')
    })
    cdp.on('Page.frameStoppedLoading', (event: { frameId: string }) => {
      // A navigation that came to nothing (a download, 204, a stopped load) leaves the old document in place.
      if (event.frameId === this.frameId) this.#enter('loaded')
    })
    cdp.on('Page.navigatedWithinDocument', (event: { frameId: string }) => {
      if (event.frameId !== this.frameId) return
      this.moves += 1
      if (this.#stage === 'navigating') this.#enter('loaded')
      this.#tell()
    })
  }

  get stage(): Stage {
    return this.#stage
  }

  /** The same document as then, as far as this load goes. */
  get loaderId(): string {
    return this.#loaderId
  }

  /** The address that could not be opened, in place of that of the browser's own page which says so. */
  toldUrl(url: string): string {
    return url.startsWith('chrome-error:') ? (this.#failedUrl ?? url) : url
  }

  /** Resolves to whether the stage was reached within `ms`. Ends early, with what is, when the signal aborts. */
  reach(stages: readonly Stage[], ms: number, signal: AbortSignal): Promise<boolean> {
    return this.until(() => stages.includes(this.#stage), ms, signal)
  }

  /** Resolves to whether the condition came to hold within `ms`; it is looked at whenever the main frame moves on. */
  async until(holds: () => boolean, ms: number, signal: AbortSignal): Promise<boolean> {
    if (holds()) return true
    const ended = new AbortController()
    const look = () => {
      if (holds()) ended.abort()
    }
    this.#watchers.add(look)
    await pause(ms, AbortSignal.any([signal, ended.signal]))
    this.#watchers.delete(look)
    return holds()
  }

  #navigated({ frame, type }: { frame: Frame; type?: string }): void {
    if (frame.parentId !== undefined) return
    this.frameId = frame.id
    this.#loaderId = frame.loaderId
    this.#failedUrl = frame.unreachableUrl ?? null
    this.moves += 1
    this.onNewDocument()
    // A page out of the back/forward cache is as it was left: no load event follows.
    this.#enter(type === 'BackForwardCacheRestore' ? 'loaded' : 'committed')
  }

  #enter(stage: Stage): void {
    this.#stage = stage
    this.#tell()
  }

  #tell(): void {
    for (const watcher of [...this.#watchers]) watcher()
  }
}
