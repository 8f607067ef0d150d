import type { ConfinedTabs } from './blocked-requests.ts'

const PREFIX = 'tab:'
const DOMAINS = 'domains:'

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
  free = (taskId: string): Promise<void> => this.#area.remove(DOMAINS + taskId)

  isConfined = async (taskId: string): Promise<boolean> => DOMAINS + taskId in (await this.#area.get(DOMAINS + taskId))

  /** The tabs of tasks that are confined. */
  async confined(): Promise<ConfinedTabs[]> {
    const notes = await this.#all()
    const stored = await this.#area.get(null)
    return Object.entries(stored).flatMap(([key, domains]) => {
      const tabIds = notes.flatMap(({ taskId, tabId }) => (key === DOMAINS + taskId ? [tabId] : []))
      return tabIds.length === 0 ? [] : [{ tabIds, domains: domains as string[] }]
    })
  }

  /** The tabs of all tasks. */
  tabs = async (): Promise<number[]> => (await this.#all()).map(({ tabId }) => tabId)

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
