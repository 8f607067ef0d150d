import { POPUP_MS_MAX } from '../../machines/limits.ts'
import { type Cdp, ToolError } from './page/cdp.ts'
import { executeTool } from './page/execute.ts'
import { location, type Note, PATIENCE, Page, type Patience } from './page/page.ts'
import type { RefCounter } from './page/refs.ts'
import { joinLines } from './page/result.ts'
import { pause } from './page/waiting.ts'

/** A tab that a browser has opened and attached to. */
export interface HostTab {
  readonly tabId: number
  readonly windowId: number
  readonly cdp: Cdp
  /** Closes the tab. Never rejects. */
  close(): Promise<void>
  /** Once, when the tab is gone: closed by someone, crashed, or no longer ours to drive. `why` is a sentence. */
  onGone(listener: (why: string) => void): void
  /** A window or tab that this one opened, attached already. */
  onPopup(listener: (tab: HostTab) => void): void
}

/** What a browser must be able to do for tasks. */
export interface TabHost {
  /** Opens an empty tab for a task in the background. Rejects with a ToolError when there can be none. */
  open(taskId: string): Promise<HostTab>
}

export interface Executed {
  /** The tool's own sentences. */
  readonly said: string
  /** Words of the page: untrusted. */
  readonly content: string
  /** A JPEG in base64, or `null`. */
  readonly screenshot: string | null
  /** Names what the page is and holds: another one means that something changed. `null` when it was not looked at. */
  readonly fingerprint: string | null
  readonly tab: { readonly tabId: number; readonly windowId: number }
}

interface OpenTab {
  readonly host: HostTab
  readonly page: Page
  /** Aborts with a ToolError when the tab is gone. */
  readonly lost: AbortSignal
}
/** A task's own tabs: the one that it works in is the last; those before it opened it. */
interface TaskTabs {
  stack: OpenTab[]
  /** Why there is none any more, until another one is opened. */
  gone: string | null
  takenOver: boolean
  ended: boolean
  /** Windows that the page asked for and that have not come yet. */
  expected: number
  readonly refs: RefCounter
}

/**
 * A tab of its own for every task: opened in the background on the task's first call, closed when the task ends unless
 * the user has taken it over. A window that the tab opens becomes the task's tab; when it closes, the one before is
 * used again. Calls of one task must come one after the other; tasks do not disturb each other.
 */
export class Tabs {
  readonly #host: TabHost
  readonly #patience: Patience
  readonly #firstRef: number
  readonly #tasks = new Map<string, TaskTabs>()

  /** References are counted from `firstRef`: those of an earlier life of a tab must not come again. */
  constructor(host: TabHost, patience: Patience = PATIENCE, firstRef = 1) {
    this.#host = host
    this.#patience = patience
    this.#firstRef = firstRef
  }

  /** Throws a ToolError for the model to read, or the signal's reason. */
  async execute(taskId: string, tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<Executed> {
    const task = await this.#taskFor(taskId, tool)
    const current = task.stack.at(-1)
    if (!current) throw new ToolError(task.gone ?? CLOSED)
    if (task.stack.length > 1 && tool === 'navigate' && String(input.url).trim().toLowerCase() === 'back') {
      const closed = await this.#closeWindow(task, current, signal)
      if (closed) return closed
    }
    const { lost } = current
    const done = await executeTool(current.page, tool, input, AbortSignal.any([signal, lost])).catch((error) => {
      // A click may well close its own window.
      if (signal.aborted || !lost.aborted || task.stack.length === 0) throw error
      return { said: 'Done. The window was closed by it.', content: '', screenshot: undefined }
    })
    const window = await this.#followed(task, current, signal)
    const tab = task.stack.at(-1) ?? current
    return {
      said: joinLines(done.said, window.said),
      content: joinLines(done.content, window.content),
      screenshot: done.screenshot ?? null,
      fingerprint: null,
      tab: { tabId: tab.host.tabId, windowId: tab.host.windowId },
    }
  }

  /** The tab that a task works in, if it has one. */
  tabOf(taskId: string): { tabId: number; windowId: number } | null {
    const tab = this.#tasks.get(taskId)?.stack.at(-1)
    return tab ? { tabId: tab.host.tabId, windowId: tab.host.windowId } : null
  }

  /** The protocol of that tab. */
  protocolOf(taskId: string): Cdp | null {
    return this.#tasks.get(taskId)?.stack.at(-1)?.host.cdp ?? null
  }

  /** The user works in the task's tab from now on: it stays open when the task ends. */
  takeOver(taskId: string): void {
    const task = this.#tasks.get(taskId)
    if (task) task.takenOver = true
  }

  /** The task has ended: its tabs are closed, unless the user has taken them over. */
  async end(taskId: string): Promise<void> {
    const task = this.#tasks.get(taskId)
    if (!task) return
    this.#tasks.delete(taskId)
    task.ended = true
    if (task.takenOver) return
    await Promise.all(task.stack.splice(0).map(({ host }) => host.close()))
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#tasks.keys()].map((taskId) => this.end(taskId)))
  }

  async #taskFor(taskId: string, tool: string): Promise<TaskTabs> {
    let task = this.#tasks.get(taskId)
    if (!task) {
      task = {
        stack: [],
        gone: null,
        takenOver: false,
        ended: false,
        expected: 0,
        refs: { next: this.#firstRef, nextFrame: this.#firstRef },
      }
      this.#tasks.set(taskId, task)
    }
    // A tab that someone closed is not opened again behind their back, except to open a page anew.
    if (task.stack.length > 0 || (task.gone !== null && tool !== 'navigate')) return task
    await this.#adopt(task, await this.#host.open(taskId))
    task.gone = null
    return task
  }

  async #adopt(task: TaskTabs, host: HostTab): Promise<void> {
    const lost = new AbortController()
    const tab: OpenTab = { host, page: await Page.attach(host.cdp, this.#patience, task.refs), lost: lost.signal }
    if (task.ended) return host.close()
    task.stack.push(tab)
    host.cdp.on('Page.windowOpen', () => {
      task.expected += 1
    })
    host.onPopup((popup) => {
      this.#adopt(task, popup).catch(() => popup.close())
    })
    host.onGone((why) => {
      lost.abort(new ToolError(why))
      task.stack = task.stack.filter((other) => other !== tab)
      if (task.stack.length === 0) task.gone = `${why} ${REOPEN}`
    })
  }

  /** Waits for windows that the call opened; answers which tab the task is in now, when it is another. */
  async #followed(task: TaskTabs, before: OpenTab, signal: AbortSignal): Promise<Note> {
    for (
      let waited = 0;
      task.expected > 0 && task.stack.at(-1) === before && waited < POPUP_MS_MAX;
      waited += LOOK_MS
    ) {
      await pause(LOOK_MS, signal)
    }
    const blocked = task.expected > 0 && task.stack.at(-1) === before
    task.expected = 0
    const now = task.stack.at(-1)
    if (blocked) return { said: 'The page wanted to open a new window, but none appeared.' }
    if (!now || now === before) return { said: '' }
    if (!task.stack.includes(before))
      return {
        said: 'The window was closed. The one before is the tab of this task again.',
        content: await whereIs(now, signal),
      }
    await now.page.loading.reach(['loaded'], this.#patience.actionLoadMs, signal)
    const content = await whereIs(now, signal)
    return { said: 'A new window opened. It is the tab of this task now; navigate "back" closes it.', content }
  }

  /** Back from the first page of a window that was opened: the window closes. `null` when it has pages to go back to. */
  async #closeWindow(task: TaskTabs, current: OpenTab, signal: AbortSignal): Promise<Executed | null> {
    const { currentIndex } = await current.page.call(signal).send('Page.getNavigationHistory')
    if (currentIndex > 0) return null
    task.stack = task.stack.filter((tab) => tab !== current)
    await current.host.close()
    const now = task.stack.at(-1)
    if (!now) throw new ToolError(CLOSED)
    const said = 'The new window was closed. The one before is the tab of this task again.'
    const tab = { tabId: now.host.tabId, windowId: now.host.windowId }
    return { said, content: await whereIs(now, signal), screenshot: null, fingerprint: null, tab }
  }
}

const LOOK_MS = 20
const REOPEN = 'Use navigate to open a page in a new one.'
const CLOSED = `The tab of this task was closed. ${REOPEN}`

async function whereIs({ page }: OpenTab, signal: AbortSignal): Promise<string> {
  const { url, title } = await location(page.call(signal))
  return `Page: ${JSON.stringify(title)} (${url})`
}
