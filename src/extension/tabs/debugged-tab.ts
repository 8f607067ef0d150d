import { type Cdp, type CdpSession, ToolError } from '../../browser/act/cdp.ts'
import type { Download } from '../../browser/files.ts'
import { isResponse, type PausedRequest, type RequestPaused } from '../../browser/holds/paused.ts'
import { PausedRequests } from '../../browser/holds/paused-requests.ts'
import { shrinkJpeg } from '../../browser/shrink.ts'
import type { GoneListener, HostTab } from '../../browser/task-tabs.ts'
import { SETTLE_MS } from '../limits.ts'
import { CapturedDownloads } from './captured-downloads.ts'

/** Chrome says why in words of its own, others for each kind of page. */
export const UNCONTROLLED =
  'The browser lets no extension control what the tab of this task shows now: one of its own pages, or a site that its administrator has ruled out. Use navigate to open another page in a new tab.'
export const CLOSED = 'The tab of this task was closed.'
/** What a command fails with when its tab has gone: why it went is told a moment later. */
const GONE = /detached|not attached|no tab with/i

const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }
const REQUESTS = { urlPattern: '*', requestStage: 'Request' }
const DOWNLOADS = { resourceType: 'Document', requestStage: 'Response' }

interface Session {
  readonly session: CdpSession
  readonly listeners: Listeners
  readonly requests: PausedRequests
}
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

/** What a tab of a gated task tells the browser, so that requests are paused in time. */
export interface Gating {
  /** See `PausedRequests.canRefuse`. */
  readonly canRefuse: boolean
  /** From here on its requests are paused. */
  pauses(): Promise<void>
  /** It is about to open a document of this host. */
  visits(host: string): Promise<void>
}

/**
 * [I14] A form that is sent to a new window goes to its own instead: the first request of a window cannot be held here. In
 * a world of its own.
 */
const SAME_WINDOW = `addEventListener('submit', ({ target: form, submitter }) => {
  const name = submitter?.getAttribute('formtarget') || form.target
  if (!name || /^_(self|top|parent)$/i.test(name) || document.getElementsByName(name).length > 0) return
  form.target = '_self'
  submitter?.removeAttribute('formtarget')
}, true)`

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
  readonly #frames = new Map<string, Session>()
  readonly #own: Omit<Session, 'listeners'>
  readonly #gone: GoneListener[] = []
  readonly #popups: ((tab: HostTab) => void)[] = []
  readonly #downloadListeners: ((download: Download) => void)[] = []
  readonly #downloads = new Map<string, (isWhole: boolean) => void>()
  readonly #captured: CapturedDownloads
  #listener: ((request: PausedRequest) => void) | null = null
  /** Requests of a gated task's tab that came before the listener; `null`: they go on. */
  #waiting: PausedRequest[] | null = null
  readonly #gating: Gating
  /** Runs in every document before the page's own scripts; `null`: none does. */
  #firstScript: string | null = null
  /** [I14] The address that a window of it was to open, whose request the browser has blocked. */
  #stopped: string | null = null
  /** Where this window was to begin: it does so once its requests are paused. */
  reopens: string | null = null
  #left: string | null = null

  constructor(taskId: string, tabId: number, windowId: number, close: () => Promise<void>, gating: Gating) {
    this.#gating = gating
    this.taskId = taskId
    this.tabId = tabId
    this.windowId = windowId
    this.close = close
    this.cdp = {
      ...this.#session(undefined, this.#listeners),
      frameSessions: async () => [...this.#frames.values()].map(({ session }) => session),
      shrink: shrinkJpeg,
      isHidden: async () => !(await chrome.tabs.get(tabId)).active,
    }
    this.#own = { session: this.cdp, requests: this.#pausedIn(this.cdp) }
    this.#captured = new CapturedDownloads(this.cdp)
  }

  /**
   * [U5] Has downloads read on their way. Begins anew: what was paused for an earlier worker goes on, and of what was held
   * its failure. `isGated`: requests wait from here on for the one who will take them.
   */
  async captureDownloads(isGated: boolean): Promise<void> {
    this.#waiting = isGated ? [] : null
    const ended = this.cdp.send('Fetch.disable')
    const begun = this.cdp.send('Fetch.enable', { patterns: isGated ? [DOWNLOADS, REQUESTS] : [DOWNLOADS] })
    await Promise.all([ended, begun])
  }

  #pausedIn(session: CdpSession): PausedRequests {
    const requests = new PausedRequests(session)
    requests.canRefuse = this.#gating.canRefuse
    return requests
  }

  /** [I5] Frames wait for it, too, before their first request. Of service workers the tab's pages make no use. */
  async pauseRequests(listener: (request: PausedRequest) => void): Promise<void> {
    this.#listener = listener
    for (const request of this.#waiting?.splice(0) ?? []) listener(request)
    await this.cdp.send('Network.enable')
    await this.cdp.send('Network.setBypassServiceWorker', { bypass: true })
    await this.cdp.send('Fetch.enable', { patterns: [DOWNLOADS, REQUESTS] })
    await Promise.all([...this.#frames.values()].map(({ session }) => pauseIn(session).catch(() => {})))
    await this.cdp.send('Target.setAutoAttach', { ...AUTO_ATTACH, waitForDebuggerOnStart: true })
    const script = { source: SAME_WINDOW, worldName: 'browser-task-forms', runImmediately: true }
    await this.cdp.send('Page.addScriptToEvaluateOnNewDocument', script)
    await this.#gating.pauses()
    if (this.reopens !== null) this.cdp.send('Page.navigate', { url: this.reopens }).catch(() => {})
    this.reopens = null
  }

  /** Every document begins with this script, also of frames in processes of their own. */
  async beginWith(source: string): Promise<void> {
    this.#firstScript = source
    await beginIn(this.cdp, source)
    await Promise.all([...this.#frames.values()].map(({ session }) => beginIn(session, source).catch(() => {})))
    await this.cdp.send('Target.setAutoAttach', { ...AUTO_ATTACH, waitForDebuggerOnStart: true })
  }

  get isPaused(): boolean {
    return this.#listener !== null
  }

  /** See `reopens`. A form is not sent again. */
  takeStopped(): string | null {
    const url = this.#listener && this.#stopped
    this.#stopped = null
    return url
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
    this.#noteStopped(event, params)
    if (event === 'Fetch.requestPaused') this.#paused(params as RequestPaused, sessionId)
    if (event === 'Page.downloadWillBegin') this.#downloading(params as DownloadBegins)
    if (event === 'Page.downloadProgress') this.#progressed(params as DownloadProgress)
    const listeners = sessionId === undefined ? this.#listeners : this.#frames.get(sessionId)?.listeners
    listeners?.emit(event, params)
  }

  #noteStopped(event: string, params: object): void {
    const { url = '', reason = '' } = params as { url?: string; reason?: string }
    if (event !== 'Page.windowOpen' && !opensTab(event, params)) return
    if (/^formSubmission/.test(reason)) this.#stopped = null
    else if (/^https?:/.test(url)) this.#stopped = url
  }

  #paused(event: RequestPaused, sessionId: string | undefined): void {
    const { session, requests } = sessionId === undefined ? this.#own : (this.#frames.get(sessionId) ?? {})
    if (!session || !requests || requests.takes(event)) return
    if (isResponse(event)) return void this.#captured.paused(event)
    const request = requests.of(event)
    if (!this.#listener && !this.#waiting) return void request.proceed()
    // Where it leads is noted before it goes there: nothing may pass between the pause and the decision.
    const proceed: PausedRequest['proceed'] = async (isWanted) => {
      if (request.type === 'Document') await this.#visits(request.url)
      return request.proceed(isWanted)
    }
    if (this.#listener) this.#listener({ ...request, proceed })
    else this.#waiting?.push({ ...request, proceed })
  }

  async #visits(url: string): Promise<void> {
    if (/^https?:/.test(url)) await this.#gating.visits(new URL(url).hostname).catch(() => {})
  }

  #frameAttached({ sessionId, targetInfo }: Attached): void {
    const listeners = new Listeners()
    const session = this.#session(sessionId, listeners)
    const isFrame = targetInfo.type === 'iframe'
    if (isFrame) this.#frames.set(sessionId, { session, listeners, requests: this.#pausedIn(session) })
    // Frames within it.
    const waits = this.#listener !== null || this.#firstScript !== null
    if (isFrame) session.send('Target.setAutoAttach', { ...AUTO_ATTACH, waitForDebuggerOnStart: waits }).catch(() => {})
    if (!waits) return
    if (isFrame && this.#listener) pauseIn(session).catch(() => {})
    if (isFrame && this.#firstScript !== null) beginIn(session, this.#firstScript).catch(() => {})
    // Commands are carried out in their order.
    session.send('Runtime.runIfWaitingForDebugger').catch(() => {})
  }

  onGone(listener: GoneListener): void {
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

  leave(why: string, isThere = false): void {
    if (this.#left !== null) return
    this.#left = why
    for (const listener of this.#gone.splice(0)) listener(why, isThere)
  }
}

async function beginIn(session: CdpSession, source: string): Promise<void> {
  await Promise.all([
    session.send('Page.enable'),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true }),
  ])
}

async function pauseIn(session: CdpSession): Promise<void> {
  await Promise.all([
    session.send('Network.enable'),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Fetch.enable', { patterns: [REQUESTS] }),
  ])
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
