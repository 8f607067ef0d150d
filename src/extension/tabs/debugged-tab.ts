import type { Download } from '../../browsers/files.ts'
import { type Cdp, type CdpSession, ToolError } from '../../browsers/page/cdp.ts'
import { shrinkJpeg } from '../../browsers/shrink.ts'
import type { HostTab } from '../../browsers/tabs.ts'
import { SETTLE_MS } from '../limits.ts'
import { CapturedDownloads } from './captured-downloads.ts'

export const CLOSED = 'The tab of this task was closed.'
/** What a command fails with when its tab has gone: why it went is told a moment later. */
const GONE = /detached|not attached|no tab with/i

const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }

interface Attached {
  readonly sessionId: string
  readonly targetInfo: { readonly type: string }
}

class Listeners {
  readonly #all = new Map<string, Set<(params: never) => void>>()

  add(event: string, listener: (params: never) => void): () => void {
    const listeners = this.#all.get(event) ?? new Set()
    this.#all.set(event, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  emit(event: string, params: object): void {
    for (const listener of [...(this.#all.get(event) ?? [])]) listener(params as never)
  }
}

/** A tab that is attached to. */
export class DebuggedTab implements HostTab {
  readonly taskId: string
  readonly tabId: number
  readonly windowId: number
  readonly cdp: Cdp
  readonly close: () => Promise<void>
  /** Of the task; `null` until there is one. */
  groupId: number | null = null
  #windowAskedAt = Number.NEGATIVE_INFINITY
  readonly #listeners = new Listeners()
  /** Of cross-site frames, by the ids that the protocol gave them. */
  readonly #frames = new Map<string, { session: CdpSession; listeners: Listeners }>()
  readonly #gone: ((why: string) => void)[] = []
  readonly #popups: ((tab: HostTab) => void)[] = []
  readonly #downloadListeners: ((download: Download) => void)[] = []
  readonly #downloads = new Map<string, (isWhole: boolean) => void>()
  readonly #captured: CapturedDownloads
  #left: string | null = null

  constructor(taskId: string, tabId: number, windowId: number, close: () => Promise<void>) {
    this.taskId = taskId
    this.tabId = tabId
    this.windowId = windowId
    this.close = close
    this.cdp = {
      ...this.#session(undefined, this.#listeners),
      frameSessions: async () => [...this.#frames.values()].map(({ session }) => session),
      shrink: shrinkJpeg,
    }
    this.#captured = new CapturedDownloads(this.cdp)
  }

  /** [U5] Has downloads read on their way. */
  captureDownloads(): Promise<void> {
    return this.#captured.start()
  }

  /**
   * Has the sessions of cross-site frames told, those that there are and those to come. Those of an earlier worker are
   * told anew.
   */
  async followFrames(): Promise<void> {
    await this.cdp.send('Target.setAutoAttach', { ...AUTO_ATTACH, autoAttach: false })
    await this.cdp.send('Target.setAutoAttach', AUTO_ATTACH)
  }

  #session(sessionId: string | undefined, listeners: Listeners): CdpSession {
    const target = sessionId === undefined ? { tabId: this.tabId } : { tabId: this.tabId, sessionId }
    return {
      send: (method, params = {}) =>
        chrome.debugger.sendCommand(target, method, params).catch(async (error) => {
          if (sessionId !== undefined || !GONE.test(String(error))) throw error
          throw new ToolError(await this.#whyGone())
        }),
      on: (event, listener) => listeners.add(event, listener),
    }
  }

  /** Whether the page has asked for a window since then, which is then accounted for. */
  takeWindowAsked(since: number): boolean {
    const asked = this.#windowAskedAt >= since
    if (asked) this.#windowAskedAt = Number.NEGATIVE_INFINITY
    return asked
  }

  emit(event: string, params: object, sessionId?: string): void {
    if (event === 'Target.attachedToTarget') this.#frameAttached(params as Attached)
    if (event === 'Target.detachedFromTarget') this.#frames.delete((params as Attached).sessionId)
    if (event === 'Page.windowOpen' || opensTab(event, params)) this.#windowAskedAt = Date.now()
    if (event === 'Fetch.requestPaused' && sessionId === undefined) void this.#captured.paused(params as never)
    if (event === 'Page.downloadWillBegin') this.#downloading(params as DownloadBegins)
    if (event === 'Page.downloadProgress') this.#progressed(params as DownloadProgress)
    const listeners = sessionId === undefined ? this.#listeners : this.#frames.get(sessionId)?.listeners
    listeners?.emit(event, params)
  }

  #frameAttached({ sessionId, targetInfo }: Attached): void {
    if (targetInfo.type !== 'iframe') return
    const listeners = new Listeners()
    const session = this.#session(sessionId, listeners)
    this.#frames.set(sessionId, { session, listeners })
    // Frames within it.
    session.send('Target.setAutoAttach', AUTO_ATTACH).catch(() => {})
  }

  onGone(listener: (why: string) => void): void {
    if (this.#left === null) this.#gone.push(listener)
    else listener(this.#left)
  }

  onPopup(listener: (tab: HostTab) => void): void {
    this.#popups.push(listener)
  }

  onDownload(listener: (download: Download) => void): void {
    this.#downloadListeners.push(listener)
  }

  #downloading({ guid, suggestedFilename: name, url }: DownloadBegins): void {
    const ended = new Promise<boolean>((resolve) => this.#downloads.set(guid, resolve))
    const bytes = this.#captured.take(url)
    bytes?.catch(() => {})
    const read = bytes && (() => bytes)
    for (const listener of this.#downloadListeners) listener({ name, url, ended, read })
  }

  #progressed({ guid, state }: DownloadProgress): void {
    if (state === 'inProgress') return
    this.#downloads.get(guid)?.(state === 'completed')
    this.#downloads.delete(guid)
  }

  popup(tab: HostTab): void {
    for (const listener of this.#popups) listener(tab)
  }

  async #whyGone(): Promise<string> {
    if (this.#left === null) {
      await Promise.race([
        new Promise<string>((resolve) => this.onGone(resolve)),
        new Promise((resolve) => setTimeout(resolve, SETTLE_MS)),
      ])
    }
    return this.#left ?? CLOSED
  }

  leave(why: string): void {
    if (this.#left !== null) return
    this.#left = why
    for (const listener of this.#gone.splice(0)) listener(why)
  }
}

interface DownloadBegins {
  readonly guid: string
  readonly suggestedFilename: string
  readonly url: string
}
interface DownloadProgress {
  readonly guid: string
  readonly state: 'inProgress' | 'completed' | 'canceled'
}

/** A click with ctrl opens a tab that the page does not ask for by itself. */
const opensTab = (event: string, params: object): boolean =>
  event === 'Page.frameRequestedNavigation' &&
  ['newTab', 'newWindow'].includes((params as { disposition?: string }).disposition ?? '')
