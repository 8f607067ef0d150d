import { sourcesOf } from '../../../machines/domains.ts'
import { POPUP_MS_MAX } from '../../../machines/limits.ts'
import { type CdpSession, ToolError } from '../../browser/act/cdp.ts'
import { isResponse, type RequestPaused } from '../../browser/holds/paused.ts'
import { PausedRequests } from '../../browser/holds/paused-requests.ts'
import { requestFrom } from '../../browser/holds/request-from.ts'
import type { HostTab, TabHost } from '../../browser/task-tabs.ts'
import { CLOSING_MS } from '../limits.ts'
import { blockRequests } from './blocked-requests.ts'
import { CLOSED, DebuggedTab, UNCONTROLLED } from './debugged-tab.ts'
import { NOTHING_UNSEEN } from './disabled-apis.ts'
import { FrontTabs } from './front-tabs.ts'
import type { TabNotes } from './tab-notes.ts'
import { groupTitle } from './task-groups.ts'

const PROTOCOL = '1.3'
const REPLACED = 'The browser shows another kind of page in this tab now. Look at it again.'
const TAKEN = 'The user has taken over the tab of this task.'
const STOPPED = 'The user stopped the control of this tab.'

export interface HostOptions {
  /** Which tab belongs to which task: it outlives the worker. */
  readonly notes: TabNotes
  /** A page came into the main frame of a task's tab. */
  navigated(tab: DebuggedTab, url: string): void
  /** The user pressed “Cancel” in the bar with which Chrome tells of every controlled tab. */
  cancelled(taskId: string): void
}

/** Opens tabs and drives them over `chrome.debugger`: those that it opened, and those that they opened. */
export class DebuggerHost implements TabHost {
  readonly #options: HostOptions
  readonly #tabs = new Map<number, DebuggedTab>()
  /** Windows of tasks with approvals whose requests are not paused yet. */
  readonly #beginning = new Set<number>()
  readonly #front = new FrontTabs()
  /** Tabs that are being closed. */
  readonly #closing = new Set<number>()
  /** The tab in which it is tried whether requests can be held. */
  #testing: Promise<void> | null = null
  #tested: { readonly tabId: number; readonly requests: PausedRequests } | null = null
  #blocking: Promise<void> = Promise.resolve()

  /** Listens from here on: a worker must do so in its first turn, or it misses what woke it. */
  constructor(options: HostOptions) {
    this.#options = options
    chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
      if (tabId === undefined) return
      const tab = this.#tabs.get(tabId)
      if (tab) tab.emit(method, params ?? {}, sessionId)
      else if (method === 'Page.javascriptDialogOpening') this.#asksToStay(tabId)
      else if (method !== 'Fetch.requestPaused') return
      else if (this.#tested?.tabId === tabId) this.#tested.requests.takes(params as object as RequestPaused)
      else settleOrphan(sessionId === undefined ? { tabId } : { tabId, sessionId }, params as object as RequestPaused)
    })
    chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
      const tab = tabId === undefined ? undefined : this.#tabs.get(tabId)
      if (!tab) return
      const byUser = reason === 'canceled_by_user'
      if (byUser) {
        // Its note stays: the task is ended, and its tabs with it.
        this.#tabs.delete(tab.tabId)
        tab.leave(STOPPED)
        this.#options.cancelled(tab.taskId)
      } else void this.#detached(tab)
    })
    chrome.tabs.onRemoved.addListener((tabId) => {
      this.#closing.delete(tabId)
      const tab = this.#tabs.get(tabId)
      if (tab) this.#forget(tab, CLOSED)
      else void this.#options.notes.remove(tabId)
    })
    chrome.tabs.onCreated.addListener((created) => {
      const { id, windowId } = created
      const opener = this.#openerOf(created)
      if (!opener || id === undefined) {
        // The user opened this tab, not a confined page.
        void this.#blockConfined()
        return
      }
      void this.#front.opened(created, opener.tabId).catch(() => {})
      if (opener.isPaused) this.#beginning.add(id)
      this.#attach(opener.taskId, id, windowId).then(
        (tab) => {
          tab.reopens = opener.takeStopped()
          opener.popup(tab)
        },
        () => {},
      )
    })
  }

  /** Chrome's viewer of PDFs takes the place of a page, and so does the next page: the tab is still that of the task. */
  async #detached(tab: DebuggedTab): Promise<void> {
    if (!(await staysOpen(tab.tabId))) return this.#forget(tab, CLOSED)
    this.#tabs.delete(tab.tabId)
    tab.leave(REPLACED, true)
  }

  /** A new tab, in a group named after the task. */
  async open(taskId: string): Promise<HostTab> {
    const { id, windowId } = await newTab()
    if (id === undefined) throw new ToolError('The browser could not open a tab.')
    await this.#selfTest(id).catch(() => {})
    return this.#attach(taskId, id, windowId)
  }

  /** [I20] Once in the life of a browser, in an empty tab to which no rule applies yet. */
  #selfTest(tabId: number): Promise<void> {
    this.#testing ??= this.#testIn(tabId).finally(() => {
      this.#tested = null
    })
    return this.#testing
  }

  async #testIn(tabId: number): Promise<void> {
    const { notes } = this.#options
    if ((await notes.canRefuse()) !== null) return
    const send: CdpSession['send'] = (method, params = {}) => chrome.debugger.sendCommand({ tabId }, method, params)
    const requests = new PausedRequests({ send })
    this.#tested = { tabId, requests }
    await attach(tabId)
    await send('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] })
    await notes.setCanRefuse(await requests.selfTest((address) => requestFrom({ send }, address)))
  }

  /** The tabs that the task had before the worker was stopped. Rejects when none of them can be controlled now. */
  async kept(taskId: string): Promise<readonly HostTab[]> {
    const tabs: HostTab[] = []
    let refused: unknown = null
    for (const tabId of await this.#options.notes.of(taskId)) {
      const there = await chrome.tabs.get(tabId).catch(() => null)
      if (!there) continue
      try {
        tabs.push(await this.#attach(taskId, tabId, there.windowId))
      } catch (error) {
        refused = error
      }
    }
    if (tabs.length === 0 && refused !== null) throw refused
    return tabs
  }

  leftAt = (taskId: string): Promise<string | null> => this.#options.notes.leftAt(taskId)

  /**
   * [R60] The user has the task's tabs from here on: the debugger leaves them, so that nothing of the page is answered, held or
   * blocked that would not be in a tab of their own. `kept` attaches to them again.
   */
  async release(taskId: string): Promise<void> {
    for (const tabId of await this.#options.notes.of(taskId)) {
      this.#tabs.delete(tabId)
      await chrome.debugger.detach({ tabId }).catch(() => {})
    }
    await this.#block()
  }

  /** The task has ended: its remaining tabs are closed, or the debugger is detached from them if the user has taken them over. */
  async end(taskId: string, keepOpen: boolean): Promise<void> {
    for (const tabId of await this.#options.notes.of(taskId)) {
      this.#tabs.delete(tabId)
      await this.#options.notes.remove(tabId)
      // A tab that is closed is held to its task until then.
      await (keepOpen ? chrome.debugger.detach({ tabId }).catch(() => {}) : this.#close(tabId))
      if (keepOpen) await chrome.tabs.ungroup(tabId).catch(() => {})
    }
    await this.#options.notes.free(taskId)
    await this.#block()
  }

  /** Brings the task's tab before the user. */
  async show(taskId: string): Promise<void> {
    const tabId = (await this.#options.notes.of(taskId)).at(-1)
    if (tabId === undefined) return
    const { windowId } = await chrome.tabs.get(tabId)
    await chrome.tabs.update(tabId, { active: true })
    await chrome.windows.update(windowId, { focused: true })
  }

  async #attach(taskId: string, tabId: number, windowId: number): Promise<DebuggedTab> {
    const known = this.#tabs.get(tabId)
    if (known) return known
    const { notes } = this.#options
    const close = async () => {
      this.#forget(tab, CLOSED)
      await this.#close(tabId)
    }
    const [isGated, canRefuse] = await Promise.all([notes.isGated(taskId), notes.canRefuse()])
    const tab = new DebuggedTab(taskId, tabId, windowId, close, {
      canRefuse: canRefuse === true,
      visits: async (host) => {
        if (await notes.visit(taskId, host)) await this.#block()
      },
      pauses: async () => {
        if (this.#beginning.delete(tabId)) await this.#block()
      },
    })
    // Before the attachment: its first events are ours.
    this.#tabs.set(tabId, tab)
    try {
      await this.#options.notes.add(tabId, taskId)
      await this.#block()
      await attach(tabId)
      await tab.captureDownloads(isGated)
      await tab.followFrames()
      const domains = await this.#options.notes.domainsOf(taskId)
      if (domains) await tab.beginWith(NOTHING_UNSEEN + policyFor(domains))
      // [R60] Whoever took it over while it was being attached to has it to themselves.
      if (await notes.isTheUsers(taskId)) throw new ToolError(TAKEN)
    } catch {
      this.#tabs.delete(tabId)
      const isTaken = await notes.isTheUsers(taskId)
      if (isTaken) await chrome.debugger.detach({ tabId }).catch(() => {})
      throw new ToolError(isTaken ? TAKEN : UNCONTROLLED)
    }
    tab.cdp.on('Page.frameNavigated', ({ frame }: { frame: { parentId?: string; url: string } }) => {
      if (frame.parentId !== undefined) return
      void notes.shows(tabId, frame.url).catch(() => {})
      this.#options.navigated(tab, frame.url)
    })
    this.#group(taskId, tabId).catch(() => {})
    return tab
  }

  async #blockConfined(): Promise<void> {
    const { notes } = this.#options
    if ((await notes.confined()).length > 0 || (await notes.gatedHosts()).length > 0) await this.#block()
  }

  /** Sets the rules from the notes as they are when its turn comes: the rules of two calls at once have the same ids. */
  #block(): Promise<void> {
    const { notes } = this.#options
    const blocked = this.#blocking.then(async () =>
      blockRequests(await notes.driven(), await notes.confined(), await notes.gatedHosts(), this.#beginning),
    )
    this.#blocking = blocked.catch(() => {})
    return blocked
  }

  /**
   * Chrome names the tab in front as the opener of a tab that a page in the background opens, but puts it into the group
   * of that page: a new tab in a task's group, just after its page asked for a window, is that window.
   */
  #openerOf({ openerTabId, groupId }: chrome.tabs.Tab): DebuggedTab | undefined {
    const named = openerTabId === undefined ? undefined : this.#tabs.get(openerTabId)
    if (named || groupId < 0) return named
    const since = Date.now() - POPUP_MS_MAX
    return [...this.#tabs.values()].find((tab) => tab.groupId === groupId && tab.takeWindowAsked(since))
  }

  /** Each task has its own tab group, where the window supports groups. */
  async #group(taskId: string, tabId: number): Promise<void> {
    const others = [...this.#tabs.values()].filter((each) => each.taskId === taskId && each.tabId !== tabId)
    const sibling = others[0] && (await chrome.tabs.get(others[0].tabId))
    const groupId = await chrome.tabs.group(
      sibling && sibling.groupId >= 0 ? { tabIds: tabId, groupId: sibling.groupId } : { tabIds: tabId },
    )
    const tab = this.#tabs.get(tabId)
    if (tab) tab.groupId = groupId
    await chrome.tabGroups.update(groupId, { title: groupTitle(taskId), color: 'blue' })
  }

  /** A page asks whether it may be left, in a tab that is being closed. */
  #asksToStay(tabId: number): void {
    if (!this.#closing.has(tabId)) return
    chrome.debugger.sendCommand({ tabId }, 'Page.handleJavaScriptDialog', { accept: true }).catch(() => {})
  }

  async #close(tabId: number): Promise<void> {
    this.#closing.add(tabId)
    await chrome.tabs.remove(tabId).catch(() => {})
  }

  #forget(tab: DebuggedTab, why: string): void {
    this.#tabs.delete(tab.tabId)
    void this.#options.notes.remove(tab.tabId)
    tab.leave(why)
  }
}

/**
 * [I20] Of a tab that this worker does not know yet: the one that did was stopped. Nobody is left who could judge what a page
 * of a task with approvals sends, and only of those requests are paused before they leave.
 */
function settleOrphan(target: chrome.debugger.DebuggerSession, event: RequestPaused): void {
  const { requestId, request, resourceType, responseErrorReason } = event
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method) && resourceType !== 'Document'
  const goesOn = isResponse(event) ? responseErrorReason === undefined : isRead
  const [method, more] = goesOn ? ['Fetch.continueRequest', {}] : ['Fetch.failRequest', { errorReason: 'Aborted' }]
  chrome.debugger.sendCommand(target, method, { requestId, ...more }).catch(() => {})
}

/** In the background of the window that was used last, or in a window of its own where there is none. */
async function newTab(): Promise<chrome.tabs.Tab> {
  const window = await chrome.windows.getLastFocused({ windowTypes: ['normal'] }).catch(() => null)
  if (window?.id !== undefined) return chrome.tabs.create({ url: 'about:blank', active: false, windowId: window.id })
  const created = await chrome.windows.create({ url: 'about:blank', type: 'normal', focused: false })
  const [tab] = created?.tabs ?? []
  if (!tab) throw new ToolError('The browser could not open a tab.')
  return tab
}

/**
 * [F3] Requests outlive their pages: beacons, what a page asks for as it is left, redirects that come late. To the browser's
 * rules they are of no tab then, and those of a sandboxed frame of no site either. So each document has a policy before its
 * first script, which the browser keeps to for as long as its requests live. Taken out of the page again, it still counts.
 */
function policyFor(domains: readonly string[]): string {
  const sources = `'self' ${sourcesOf(domains).join(' ')}`
  const policy = `default-src ${sources} data: blob: filesystem: 'unsafe-inline' 'unsafe-eval'; form-action ${sources}`
  return `{
    const make = (name) => document.createElementNS('http://www.w3.org/1999/xhtml', name)
    const root = document.documentElement === null ? document.appendChild(make('html')) : null
    const head = document.head ?? root?.appendChild(make('head'))
    const meta = make('meta')
    meta.httpEquiv = 'Content-Security-Policy'
    meta.content = ${JSON.stringify(policy)}
    head?.append(meta)
    meta.remove()
    root?.remove()
  }`
}

/** An attachment outlives the worker that made it: then it is ours already. */
async function attach(tabId: number): Promise<void> {
  try {
    await chrome.debugger.attach({ tabId }, PROTOCOL)
  } catch (error) {
    // A page whose document waits answers nothing; what its requests wait for is the browser's own affair.
    const alive = await chrome.debugger.sendCommand({ tabId }, 'Fetch.disable').then(
      () => true,
      () => false,
    )
    if (!alive) throw error
  }
}

/** Whether a tab is still there when one that was closed is gone: Chrome lets go of the debugger first. */
export async function staysOpen(tabId: number): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, CLOSING_MS))
  return chrome.tabs.get(tabId).then(
    () => true,
    () => false,
  )
}
