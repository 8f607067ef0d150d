import { type Answer, type Cdp, ToolError } from '../../browser/act/cdp.ts'
import { addressOf } from '../../browser/act/tools/address.ts'
import type { FileSource } from '../../browser/files.ts'
import type { CallAnswer } from '../../browser/relay-client.ts'
import { gateOf, guardOf, Tabs } from '../../browser/task-tabs.ts'
import type { ExecuteTool } from '../../wire/relay.ts'
import { ownFiles } from '../own-files.ts'
import { readServiceReach, readSites } from '../settings.ts'
import { refusalOf } from '../sites.ts'
import { CLOSED, type DebuggedTab, UNCONTROLLED } from './debugged-tab.ts'
import { DebuggerHost, staysOpen } from './debugger-host.ts'
import type { TabNotes } from './tab-notes.ts'

export interface DriverOptions {
  readonly notes: TabNotes
  /** See `Tabs`. */
  firstRef(): Promise<number>
  /** The user has the task's tab: nothing is done in it. */
  isHeld(taskId: string): Promise<boolean>
  cancelled(taskId: string): void
}

const TAKEN_OVER =
  'The user has taken over the tab of this task, so this was not done, or only in part. The task goes on when they hand it back: look at the page again before you do anything else.'

/** In place of what Chrome's own interfaces say, which is for programmers. */
const FAILED =
  'The browser could not do this in the tab of this task. Look at the page again before you repeat it, or use navigate.'

/** Runs tool calls in tabs of their own, within what the user allows: not in a tab that they took over, nor on sites that they ruled out. */
export class Driver {
  readonly #options: DriverOptions
  readonly #host: DebuggerHost
  #tabs: Promise<Tabs> | null = null
  /** What may be interrupted, by task. */
  readonly #running = new Map<string, AbortController>()
  /** Why a tab was sent away from a page, until the model was told. */
  readonly #blocked = new Map<string, string>()

  constructor(options: DriverOptions) {
    this.#options = options
    this.#host = new DebuggerHost({
      notes: options.notes,
      navigated: (tab, url) => {
        this.#navigated(tab, url).catch(() => {})
      },
      cancelled: options.cancelled,
    })
  }

  /** Throws a ToolError for the model to read, or the signal's reason. */
  async execute(call: ExecuteTool, signal: AbortSignal): Promise<CallAnswer> {
    const { taskId, tool, input, allowedDomains, secrets, startsAt } = call
    const interrupt = new AbortController()
    this.#running.set(taskId, interrupt)
    try {
      if (await this.#options.isHeld(taskId)) throw new ToolError(TAKEN_OVER)
      if (allowedDomains) await this.#options.notes.confine(taskId, allowedDomains)
      const tabs = await this.#open()
      await this.#check(tabs, taskId, tool, input)
      if (tool === 'navigate') await this.#leave(tabs, taskId, signal)
      const done = await tabs.execute(
        taskId,
        tool,
        input,
        AbortSignal.any([signal, interrupt.signal]),
        allowedDomains ?? null,
        secrets,
        startsAt !== undefined && (await refusalFor(startsAt)) === null ? startsAt : null,
        gateOf(call),
        guardOf(call),
      )
      if (done.held) return done
      await this.#checkAfter(tabs, taskId)
      return done
    } catch (error) {
      // Whatever went wrong on a page that was left: why it was left comes first.
      const blocked = signal.aborted ? null : this.#takeBlocked(taskId)
      if (blocked !== null) throw new ToolError(blocked)
      throw error instanceof ToolError || signal.aborted ? error : new ToolError(FAILED)
    } finally {
      this.#running.delete(taskId)
    }
  }

  /** The protocol of the tab that a task works in, to be shown; `null` while its user has it, who is not watched. */
  async shownTab(taskId: string): Promise<Cdp | null> {
    if (await this.#options.isHeld(taskId)) return null
    return (await this.#tabs)?.protocolOf(taskId) ?? null
  }

  /** What runs for the task is given up. */
  interrupt(taskId: string): void {
    this.#running.get(taskId)?.abort(new ToolError(TAKEN_OVER))
  }

  /** [R60] The user has the task's tabs from now on: what runs in them is given up, what is held is not sent. */
  async release(taskId: string): Promise<void> {
    this.interrupt(taskId)
    await (await this.#tabs)?.release(taskId)
    await this.#host.release(taskId)
  }

  /** Brings the task's tab before the user. */
  show = (taskId: string): Promise<void> => this.#host.show(taskId)

  /** The tasks that have tabs here. */
  tasks = (): Promise<string[]> => this.#options.notes.tasks()

  /** The task has ended: its tabs are released, and closed unless the user has taken them over. */
  async end(taskId: string, keepOpen: boolean): Promise<void> {
    this.#blocked.delete(taskId)
    const tabs = await this.#open()
    if (keepOpen) tabs.takeOver(taskId)
    await tabs.end(taskId)
    await this.#host.end(taskId, keepOpen)
  }

  #open(): Promise<Tabs> {
    this.#tabs ??= this.#options.firstRef().then((firstRef) => new Tabs(this.#host, { firstRef, files: this.#files() }))
    return this.#tabs
  }

  /** [U4] At the service that this browser is paired with. What the user downloads in a tab that they have is theirs. */
  #files(): FileSource {
    return {
      ...ownFiles,
      keep: async (taskId, file, bytes) => {
        if (await this.#options.isHeld(taskId)) throw new ToolError(TAKEN_OVER)
        await ownFiles.keep(taskId, file, bytes)
      },
    }
  }

  /** Before a call: the page that it would act on, or open. */
  async #check(tabs: Tabs, taskId: string, tool: string, input: Record<string, unknown>): Promise<void> {
    const blocked = this.#takeBlocked(taskId)
    if (tool === 'navigate') {
      const wanted = String(input.url).trim()
      if (/^(back|forward)$/i.test(wanted)) return
      const refusal = await refusalFor(addressOf(wanted))
      if (refusal !== null) throw new ToolError(refusal)
      return
    }
    if (blocked !== null) throw new ToolError(blocked)
    const refusal = await this.#refusalHere(tabs, taskId)
    if (refusal !== null) throw new ToolError(refusal)
  }

  /** What nobody may control, such as a page's source, cannot even be left: a new tab takes the place of its tab. */
  async #leave(tabs: Tabs, taskId: string, signal: AbortSignal): Promise<void> {
    const cdp = tabs.protocolOf(taskId)
    if (cdp && (await addressIn(cdp)) === null) await tabs.execute(taskId, 'tabs', { action: 'open' }, signal)
  }

  /** After a call: a window that it opened may have been on its page before anyone looked. */
  async #checkAfter(tabs: Tabs, taskId: string): Promise<void> {
    const refusal = this.#takeBlocked(taskId) ?? (await this.#refusalHere(tabs, taskId))
    if (refusal !== null) throw new ToolError(refusal)
  }

  async #refusalHere(tabs: Tabs, taskId: string): Promise<string | null> {
    const cdp = tabs.protocolOf(taskId)
    if (!cdp) return null
    const address = await addressIn(cdp)
    if (address !== null) return refusalFor(address)
    // Of a tab that was closed its next call says so.
    const tab = tabs.tabOf(taskId)
    return tab && (await staysOpen(tab.tabId)) ? UNCONTROLLED : null
  }

  /** After a navigation: a page that is ruled out is left at once, and nothing of it is told. */
  async #navigated(tab: DebuggedTab, url: string): Promise<void> {
    const refusal = await refusalFor(url)
    if (refusal === null || (await this.#options.isHeld(tab.taskId))) return
    this.#blocked.set(tab.taskId, refusal)
    this.#running.get(tab.taskId)?.abort(new ToolError(refusal))
    await tab.cdp.send('Page.navigate', { url: 'about:blank' })
  }

  #takeBlocked(taskId: string): string | null {
    const blocked = this.#blocked.get(taskId) ?? null
    this.#blocked.delete(taskId)
    return blocked
  }
}

/** Why no task may act at this address: it is the service's own, or the user ruled it out. */
async function refusalFor(address: string): Promise<string | null> {
  const [service, sites] = await Promise.all([readServiceReach(), readSites()])
  return service.refusalOf(address) ?? refusalOf(sites, address)
}

/**
 * As the browser has it: while a navigation is held, Chromium passes no question on to the page. `null`: it shows what nobody
 * may control.
 */
async function addressIn(cdp: Cdp): Promise<string | null> {
  const history = await cdp.send('Page.getNavigationHistory').catch((error) => {
    // Of a page's source Chrome says that the tab is not attached to, and never that it was detached.
    if (error instanceof ToolError && error.message !== CLOSED) throw error
    return null
  })
  if (history === null) return null
  const { entries, currentIndex } = history as Answer<'Page.getNavigationHistory'>
  return entries[currentIndex]?.url ?? ''
}
