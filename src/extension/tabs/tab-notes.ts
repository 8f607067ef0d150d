import type { ConfinedTabs } from './blocked-requests.ts'
import { HELD } from './holds.ts'

const PREFIX = 'tab:'
const DOMAINS = 'domains:'
const HOSTS = 'hosts:'
const REFUSES = 'refuses'

/** Which tab belongs to which task, in `chrome.storage.session`: only those that a task was given, and for as long as they are. */
export class TabNotes {
  readonly #area: chrome.storage.StorageArea

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area
  }

  add = (tabId: number, taskId: string): Promise<void> =>
    this.#area.set({ [PREFIX + tabId]: { taskId, at: Date.now() } })
  remove = (tabId: number): Promise<void> => this.#area.remove(PREFIX + tabId)

  /** The task's tabs, the first one first. */
  async of(taskId: string): Promise<number[]> {
    return (await this.#all()).flatMap((note) => (note.taskId === taskId ? [note.tabId] : []))
  }

  /** The task is confined to these domains from here on. */
  confine = (taskId: string, domains: readonly string[]): Promise<void> =>
    this.#area.set({ [DOMAINS + taskId]: domains })
  free = (taskId: string): Promise<void> => this.#area.remove([DOMAINS + taskId, HOSTS + taskId])

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
    return ((await this.#area.get(REFUSES))[REFUSES] ?? null) as boolean | null
  }
  setCanRefuse = (canRefuse: boolean): Promise<void> => this.#area.set({ [REFUSES]: canRefuse })

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
    const stored = await this.#area.get(null)
    return (await this.#all()).flatMap(({ tabId, taskId }) => (isTheUsers(stored, taskId) ? [] : [tabId]))
  }

  /** Every task that has tabs. */
  async tasks(): Promise<string[]> {
    return [...new Set((await this.#all()).map(({ taskId }) => taskId))]
  }

  async #all(): Promise<{ tabId: number; taskId: string; at: number }[]> {
    const stored = await this.#area.get(null)
    return Object.entries(stored)
      .flatMap(([key, value]) =>
        key.startsWith(PREFIX)
          ? [{ tabId: Number(key.slice(PREFIX.length)), ...(value as { taskId: string; at: number }) }]
          : [],
      )
      .sort((one, other) => one.at - other.at || one.tabId - other.tabId)
  }
}

const isTheUsers = (stored: Record<string, unknown>, taskId: string): boolean => stored[HELD + taskId] === 'user'
