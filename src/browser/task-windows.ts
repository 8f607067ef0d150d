import { outsideDomains } from '../../machines/domains.ts'
import type { Gate } from '../../machines/held.ts'
import { POPUP_MS_MAX } from '../../machines/limits.ts'
import type { ActReport, Guard } from '../../machines/recipe.ts'
import type { FrameSecret } from '../../machines/secrets.ts'
import { type Answer, ToolError } from './act/cdp.ts'
import { type Note, Page, type Patience } from './act/page.ts'
import type { RefCounter } from './act/refs.ts'
import { openFirst } from './act/tools/navigate.ts'
import { pause } from './act/waiting.ts'
import type { Action, NumberedTab, Workplace } from './act/workplace.ts'
import type { FileSource, TaskFile } from './files.ts'
import { Holds } from './holds/holds.ts'
import { TaskDownloads } from './task-downloads.ts'
import type { HostTab, TabHost } from './task-tabs.ts'
import { leaveOutside } from './within-domains.ts'

const LOOK_MS = 20
/** So long a tab is given to begin with its first document. */
const ADDRESS_MS_MAX = 500
/** How long a click with ctrl may take to open a tab; not every such click opens one. */
const BACKGROUND_TAB_MS_MAX = 500
const NOTES_MAX = 5
export const REOPEN = 'Use navigate to open a page in a new one.'
export const CLOSED = `The tab of this task was closed. ${REOPEN}`

export interface TaskTab extends NumberedTab {
  readonly host: HostTab
  /** Aborts with a ToolError when the tab is gone. */
  readonly lost: AbortSignal
  /** What was told of it when a page opened it, as long as it has shown no document. */
  opened: Note | null
}

/** A window that a page has asked for and that has not come yet. */
interface Asked {
  readonly url: string
  /** It was opened by a user gesture: the user's own, or one of the task's clicks. */
  readonly byGesture: boolean
  /** The action that was under way, or `null`. */
  readonly action: Action | null
  /** Its address seems to be a download: then it shows nothing, and some browsers close it by themselves. */
  isDownload: boolean
}

export interface TaskTabsOptions {
  readonly taskId: string
  readonly host: TabHost
  readonly patience: Patience
  readonly refs: RefCounter
  readonly files: FileSource
  /** [F4] The domains that its pages must be of; `null`: any. */
  readonly domains: readonly string[] | null
  /** Secrets that it has typed. */
  typed(): readonly FrameSecret[]
}

/**
 * The tabs of one task. The one that its tools work in is the last that was used. A window that an action opens
 * becomes that tab; one that comes later is told and listed; one that nobody clicked for is closed and told.
 */
export class TaskTabs implements Workplace {
  /** Why there is no tab any more, until another one is opened. */
  gone: string | null = null
  takenOver = false
  ended = false
  /** The acting call that is under way. */
  action: Action | null = null
  /** The present tab went away between two calls: the next one would act on another page than the model means. */
  replaced = false
  /** [I5] What is held of a task with approvals. */
  holds: Holds | null = null
  /** [J7] The act that is held, and what its browser was to heed. */
  heldAct: { readonly act: ActReport; readonly guard: Guard } | null = null
  readonly #options: TaskTabsOptions
  #tabs: TaskTab[] = []
  #asked: Asked[] = []
  /** A click with ctrl is under way, or was the last action: the page does not announce the tab that it opens. */
  #awaitsTab = false
  /** Windows that have come and are not attached to yet. */
  readonly #opening = new Set<Asked>()
  #notes: Note[] = []
  readonly #downloads: TaskDownloads
  #nextNumber = 1
  #isRunning = false
  /** Its user has its tabs, or had them until this call. */
  #isReleased = false

  constructor(options: TaskTabsOptions) {
    this.#options = options
    this.#downloads = new TaskDownloads(options.taskId, options.files)
  }

  get current(): TaskTab {
    const current = this.#tabs.at(-1)
    if (!current) throw new ToolError(this.gone ?? CLOSED)
    return current
  }
  get tabs(): readonly TaskTab[] {
    return [...this.#tabs].sort((one, other) => one.number - other.number)
  }
  get isEmpty(): boolean {
    return this.#tabs.length === 0
  }

  /** [I5] The task has approvals: from here on its tabs' requests pass here. */
  async gate(gate: Gate): Promise<void> {
    this.holds?.update(gate)
    if (this.holds) return
    this.holds = new Holds(gate, () => this.#options.typed())
    for (const { host } of this.#tabs) await this.holds.follow(host, true)
  }

  /** A call begins or ends: what happens between calls is told differently. */
  running(isRunning: boolean): void {
    this.#isRunning = isRunning
    if (!isRunning) this.action = null
  }

  /**
   * The tabs that the task had before, else a new one: [I10] at this address, or empty. When its user had them and has closed
   * them, only a call that `opens` a page gets a new one.
   */
  async open(startsAt: string | null, opens: boolean, signal: AbortSignal): Promise<void> {
    const { host, taskId } = this.#options
    const kept =
      (await host.kept?.(taskId).catch((error) => {
        if (!opens) throw error
        return []
      })) ?? []
    if (this.#isReleased && kept.length === 0 && !opens) {
      this.gone = CLOSED
      throw new ToolError(CLOSED)
    }
    this.#isReleased = false
    const left = kept.length > 0 || opens ? null : ((await host.leftAt?.(taskId)) ?? null)
    if (left !== null) {
      this.gone = CLOSED
      throw new ToolError(CLOSED, `It was at: ${left}`)
    }
    // What was pressed in those that there were is not known any more.
    const isNew = kept.length === 0
    for (const tab of isNew ? [await host.open(taskId)] : kept) await this.#adopt(tab, true, isNew)
    this.gone = null
    const note =
      startsAt === null || opens || kept.length > 0 ? null : await openFirst(this.current, this, startsAt, signal)
    if (note) this.note(note)
  }

  /** [R60] The user has the tabs from here on. What is held is not sent, and an open dialog is theirs to answer. */
  async release(): Promise<void> {
    await this.holds?.drop()
    for (const { page } of this.#tabs) page.dialogs.keepOpen()
    this.#tabs = []
    this.#asked = []
    this.#nextNumber = 1
    this.gone = null
    this.#isReleased = true
  }

  async openTab(): Promise<void> {
    await this.#adopt(await this.#options.host.open(this.#options.taskId), true)
  }

  switchTab(number: number): void {
    const tab = this.#numbered(number)
    this.#tabs = [...this.#tabs.filter((other) => other !== tab), tab]
  }

  async closeTab(number: number): Promise<void> {
    const tab = this.#numbered(number)
    this.#tabs = this.#tabs.filter((other) => other !== tab)
    await tab.host.close()
    if (this.isEmpty) this.gone = CLOSED
  }

  /** The task has ended. */
  async closeAll(): Promise<void> {
    this.ended = true
    await this.holds?.end()
    if (this.takenOver) return
    await Promise.all(this.#tabs.splice(0).map(({ host }) => host.close()))
  }

  files(): Promise<readonly TaskFile[]> {
    return this.#downloads.files()
  }

  downloadsEnded(signal: AbortSignal): Promise<void> {
    return this.#downloads.ended(signal)
  }

  acting(action: Action): void {
    this.action = action
    this.#awaitsTab = action.background
    this.#asked = this.#asked.filter(({ isDownload }) => !isDownload)
  }

  async windowsOpened(signal: AbortSignal): Promise<void> {
    for (let waited = 0; this.#awaitsTab && waited < BACKGROUND_TAB_MS_MAX && !signal.aborted; waited += LOOK_MS) {
      await pause(LOOK_MS, signal)
    }
    const isAwaited = () =>
      [...this.#asked.filter(({ isDownload }) => !isDownload), ...this.#opening].some(
        ({ action }) => action !== null && action === this.action,
      )
    for (let waited = 0; isAwaited() && waited < POPUP_MS_MAX && !signal.aborted; waited += LOOK_MS) {
      await pause(LOOK_MS, signal)
    }
    if (!isAwaited()) return
    this.#asked = []
    this.note({ said: 'The page wanted to open a new window, but none appeared.' })
  }

  note(note: Note): void {
    this.#notes.push(note)
  }

  takeNotes(): Note[] {
    const notes = [...this.#notes.splice(0), ...this.#downloads.takeNotes()]
    const more = notes.length - NOTES_MAX
    return more > 0 ? [...notes.slice(0, NOTES_MAX), { said: `${more} more things of this kind happened.` }] : notes
  }

  #numbered(number: number): TaskTab {
    const tab = this.#tabs.find((other) => other.number === number)
    if (!tab) throw new ToolError(`There is no tab ${number}. Use tabs list.`)
    return tab
  }

  async #adopt(host: HostTab, asCurrent: boolean, isOpened = true): Promise<TaskTab | null> {
    const lost = new AbortController()
    await this.holds?.follow(host, isOpened)
    const page = await Page.attach(host.cdp, this.#options.patience, this.#options.refs)
    const tab: TaskTab = { number: this.#nextNumber++, host, page, lost: lost.signal, opened: null }
    page.onNote = (note) => this.note(note)
    const { domains } = this.#options
    if (domains)
      leaveOutside(host.cdp, domains, (url) => this.note({ said: outsideDomains(domains), content: `Left: ${url}` }))
    if (this.ended) {
      await host.close()
      return null
    }
    // [R60] Its user has taken it over meanwhile.
    if (this.#isReleased) return null
    if (asCurrent) this.#tabs.push(tab)
    else this.#tabs.splice(-1, 0, tab)
    host.cdp.on('Page.windowOpen', ({ url, userGesture }: { url: string; userGesture: boolean }) => {
      const byGesture = userGesture && this.action?.opensWindows !== false
      this.#asked.push({ url, byGesture, action: this.action, isDownload: false })
    })
    host.onPopup((popup) => {
      this.#opened(popup).catch(() => popup.close())
    })
    host.onDownload((download) => {
      this.#downloads.begin(download)
      this.#emptied(download.url).catch(() => {})
    })
    host.onGone((why, isThere = false) => {
      // Closed by its own task.
      if (!this.#tabs.includes(tab)) return
      const wasCurrent = this.#tabs.at(-1) === tab
      this.#tabs = this.#tabs.filter((other) => other !== tab)
      if (this.isEmpty) this.gone = isThere ? null : `${why} ${REOPEN}`
      else if (wasCurrent && !this.#isRunning) this.replaced = true
      // Who waits for it may go on at once, and must find it gone.
      lost.abort(new ToolError(why))
    })
    return tab
  }

  async #opened(popup: HostTab): Promise<void> {
    // A click with ctrl is not told as a window that the page asks for.
    const byGesture = this.action !== null || this.#awaitsTab
    const [first] = this.#asked
    const asked = this.#asked.find(({ isDownload }) => !isDownload) ??
      first ?? { url: '', byGesture, action: this.action, isDownload: false }
    this.#awaitsTab = false
    this.#opening.add(asked)
    try {
      await this.#take(popup, asked)
    } finally {
      this.#opening.delete(asked)
    }
  }

  async #take(popup: HostTab, asked: Asked): Promise<void> {
    this.#asked = this.#asked.filter((other) => other !== asked)
    if (!asked.byGesture) {
      await popup.close()
      this.note({ said: 'A window that nobody clicked for opened. It was closed.', content: `Window: ${asked.url}` })
      return
    }
    if (asked.isDownload && !(await beginsDocument(popup))) return popup.close()
    const isCurrent = asked.action !== null && asked.action === this.action && !asked.action.background
    const tab = await this.#adopt(popup, isCurrent, false)
    if (!tab) return
    const url = asked.url || (await addressOf(tab))
    const said = isCurrent
      ? `A new window opened: tab ${tab.number}. It is the tab of this task now; navigate "back" closes it.`
      : `A new window opened: tab ${tab.number}. The tab of this task is still tab ${this.current.number}.`
    const note = { said, content: url && `Tab ${tab.number}: ${url}` }
    if (asked.url) tab.opened = note
    this.note(note)
  }

  /** [G28] A download has begun. When a window was opened for it, that window shows nothing: it is closed, or not waited for. */
  async #emptied(url: string): Promise<void> {
    const coming = [...this.#asked, ...this.#opening].filter((asked) => asked.action === this.action && asked.url)
    const asked = coming.find((each) => each.url === url) ?? coming[0]
    if (asked) {
      asked.isDownload = true
      return
    }
    for (const tab of this.#tabs.filter(({ opened, page }) => opened !== null && page.loading.stage !== 'navigating')) {
      if ((await showsDocument(tab.host)) || this.#tabs.length < 2) continue
      this.#tabs = this.#tabs.filter((other) => other !== tab)
      this.#notes = this.#notes.filter((note) => note !== tab.opened)
      await tab.host.close()
    }
  }
}

/** Whether a window shows something: one that became a download never does. */
async function showsDocument({ cdp }: HostTab): Promise<boolean> {
  const history = await cdp.send('Page.getNavigationHistory').catch(() => null)
  const { entries } = (history ?? { entries: [] }) as Pick<Answer<'Page.getNavigationHistory'>, 'entries'>
  return entries.some(({ url }) => !/^(|:|about:blank)$/.test(url))
}

/** The same of a window that has just come, which is given time to begin. */
async function beginsDocument(popup: HostTab): Promise<boolean> {
  const signal = AbortSignal.timeout(ADDRESS_MS_MAX)
  while (!signal.aborted) {
    if (await showsDocument(popup)) return true
    await pause(LOOK_MS, signal)
  }
  return false
}

/** Where a tab goes that was opened without saying so: by a click with ctrl. Empty when it does not begin to. */
async function addressOf({ host, page }: TaskTab): Promise<string> {
  await page.loading.until(() => page.loading.moves > 0, ADDRESS_MS_MAX, new AbortController().signal)
  const history = await host.cdp.send('Page.getNavigationHistory').catch(() => null)
  const { entries, currentIndex } = (history ?? { entries: [], currentIndex: 0 }) as Answer<'Page.getNavigationHistory'>
  const url = entries[currentIndex]?.url ?? ''
  return url === 'about:blank' ? '' : url
}
