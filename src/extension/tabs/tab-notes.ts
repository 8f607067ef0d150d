import type { ConfinedTabs } from './blocked-requests.ts'
import { HELD } from './holds.ts'

const PREFIX = 'tab:'
const DOMAINS = 'domains:'
const HOSTS = 'hosts:'
const REFUSES = 'refuses'
/** Where the last tab of a task was that has none any more. */
const LEFT = 'left:'
const KNOWN = 'tabs:known'

export interface TabNote {
  readonly tabId: number
  readonly taskId: string
  readonly at: number
  /** The address that it showed last; empty: none yet. */
  readonly url: string
}

/** Resolves to the tab that a noted one is now; `null`: it is gone. */
export type FindTab = (note: TabNote) => Promise<number | null>

/**
 * Which tab belongs to which task: only those that a task was given, and for as long as they are. `area` outlives the extension
 * and the browser; `session` does not: where it knows nothing, every noted tab is looked for first.
 */
export class TabNotes {
  readonly #area: chrome.storage.StorageArea
  readonly #session: chrome.storage.StorageArea
  /** Changes come one after the other. */
  #last: Promise<unknown>

  constructor(area: chrome.storage.StorageArea, session: chrome.storage.StorageArea, find: FindTab) {
    this.#area = area
    this.#session = session
    this.#last = this.#reclaim(find).catch(() => {})
  }

  add = (tabId: number, taskId: string): Promise<void> =>
    this.#inTurn(async () => {
      const { [PREFIX + tabId]: known } = await this.#area.get(PREFIX + tabId)
      await this.#area.set({ [PREFIX + tabId]: known ?? { taskId, at: Date.now(), url: '' } })
      await this.#area.remove(LEFT + taskId)
    })

  remove = (tabId: number): Promise<void> =>
    this.#inTurn(async () => {
      const notes = await this.#all()
      const note = notes.find((each) => each.tabId === tabId)
      await this.#area.remove(PREFIX + tabId)
      if (note?.url && notes.every((each) => each === note || each.taskId !== note.taskId))
        await this.#area.set({ [LEFT + note.taskId]: note.url })
    })

  /** The tab shows this address now. */
  shows = (tabId: number, url: string): Promise<void> =>
    this.#inTurn(async () => {
      const key = PREFIX + tabId
      const { [key]: note } = await this.#area.get(key)
      if (note) await this.#area.set({ [key]: { ...note, url } })
    })

  /** Where the last tab of a task was that has lost all of them; `null`: it has some, or had none. */
  async leftAt(taskId: string): Promise<string | null> {
    await this.#last
    return ((await this.#area.get(LEFT + taskId))[LEFT + taskId] ?? null) as string | null
  }

  /** The extension was reloaded or updated, or the browser started again. */
  async #reclaim(find: FindTab): Promise<void> {
    if (KNOWN in (await this.#session.get(KNOWN))) return
    const found = new Set<number>()
    const notes = await this.#all()
    await this.#area.remove(notes.map(({ tabId }) => PREFIX + tabId))
    for (const note of notes) {
      const tabId = await find(note).catch(() => null)
      const { taskId, at, url } = note
      if (tabId !== null && !found.has(tabId)) await this.#area.set({ [PREFIX + tabId]: { taskId, at, url } })
      if (tabId !== null) found.add(tabId)
    }
    const left = new Set((await this.#all()).map(({ taskId }) => taskId))
    for (const { taskId, url } of notes) if (url && !left.has(taskId)) await this.#area.set({ [LEFT + taskId]: url })
    await this.#session.set({ [KNOWN]: true })
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change)
    this.#last = done.catch(() => {})
    return done
  }

  /** The task's tabs, the first one first. */
  async of(taskId: string): Promise<number[]> {
    await this.#last
    return (await this.#all()).flatMap((note) => (note.taskId === taskId ? [note.tabId] : []))
  }

  /** The task is confined to these domains from here on. */
  confine = (taskId: string, domains: readonly string[]): Promise<void> =>
    this.#area.set({ [DOMAINS + taskId]: domains })
  free = (taskId: string): Promise<void> =>
    this.#inTurn(() => this.#area.remove([DOMAINS + taskId, HOSTS + taskId, LEFT + taskId]))

  /** [I14] A task with approvals opens pages of this host. Resolves to whether it is a new one. */
  async visit(taskId: string, host: string): Promise<boolean> {
    const key = HOSTS + taskId
    const hosts = ((await this.#area.get(key))[key] ?? []) as string[]
    if (hosts.includes(host)) return false
    await this.#area.set({ [key]: [...hosts, host] })
    return true
  }

  isGated = async (taskId: string): Promise<boolean> => HOSTS + taskId in (await this.#area.get(HOSTS + taskId))

  /** [I20] Whether this browser can hold a request; `null`: it was not tried yet. */
  async canRefuse(): Promise<boolean | null> {
    return ((await this.#session.get(REFUSES))[REFUSES] ?? null) as boolean | null
  }
  setCanRefuse = (canRefuse: boolean): Promise<void> => this.#session.set({ [REFUSES]: canRefuse })

  /** Those of all tasks with approvals whose tabs are driven. */
  async gatedHosts(): Promise<string[]> {
    const all = await this.#area.get(null)
    const stored = Object.entries(all).filter(
      ([key]) => key.startsWith(HOSTS) && !isTheUsers(all, key.slice(HOSTS.length)),
    )
    return [...new Set(stored.flatMap(([, hosts]) => hosts as string[]))]
  }

  /** What the task is confined to; `null`: nothing. */
  async domainsOf(taskId: string): Promise<readonly string[] | null> {
    const key = DOMAINS + taskId
    return ((await this.#area.get(key))[key] ?? null) as readonly string[] | null
  }

  /** The driven tabs of tasks that are confined. */
  async confined(): Promise<ConfinedTabs[]> {
    const stored = await this.#area.get(null)
    const notes = (await this.#all()).filter(({ taskId }) => !isTheUsers(stored, taskId))
    return Object.entries(stored).flatMap(([key, domains]) => {
      const tabIds = notes.flatMap(({ taskId, tabId }) => (key === DOMAINS + taskId ? [tabId] : []))
      return tabIds.length === 0 ? [] : [{ tabIds, domains: domains as string[] }]
    })
  }

  /** [R60] The tabs that tasks drive: one that its user has taken over is as any other tab of theirs. */
  async driven(): Promise<number[]> {
    await this.#last
    const stored = await this.#area.get(null)
    return (await this.#all()).flatMap(({ tabId, taskId }) => (isTheUsers(stored, taskId) ? [] : [tabId]))
  }

  /** [R60] */
  isTheUsers = async (taskId: string): Promise<boolean> => isTheUsers(await this.#area.get(HELD + taskId), taskId)

  /** Every task of which something is noted. */
  async tasks(): Promise<string[]> {
    await this.#last
    const keys = Object.keys(await this.#area.get(null))
    const named = keys.flatMap((key) => {
      const prefix = OF_TASKS.find((each) => key.startsWith(each))
      return prefix === undefined ? [] : [key.slice(prefix.length)]
    })
    return [...new Set([...(await this.#all()).map(({ taskId }) => taskId), ...named])]
  }

  async #all(): Promise<TabNote[]> {
    const stored = await this.#area.get(null)
    return Object.entries(stored)
      .flatMap(([key, value]) =>
        key.startsWith(PREFIX)
          ? [{ tabId: Number(key.slice(PREFIX.length)), ...(value as Omit<TabNote, 'tabId'>) }]
          : [],
      )
      .sort((one, other) => one.at - other.at || one.tabId - other.tabId)
  }
}

const OF_TASKS = [LEFT, DOMAINS, HOSTS, HELD]

const isTheUsers = (stored: Record<string, unknown>, taskId: string): boolean => stored[HELD + taskId] === 'user'
