/**
 * [S25] What a person has in front stays there. Chromium puts a tab or window that a page in the background opens before its user,
 * whose next keys it gets: the one that was in front is put there again at once.
 */
export class FrontTabs {
  /** The tab in front of each window, as its user has it. */
  readonly #tabs = new Map<number, number>()
  /** The window that has the keyboard. */
  #windowId: number | null = null
  /** Tabs that have come to the front by themselves. */
  readonly #uninvited = new Set<number>()

  /** Listens from here on. */
  constructor() {
    chrome.tabs.onActivated.addListener(({ tabId, windowId }) => {
      if (!this.#uninvited.has(tabId)) this.#tabs.set(windowId, tabId)
    })
    chrome.windows.onFocusChanged.addListener((windowId) => {
      if (this.#tabs.has(windowId)) this.#windowId = windowId
    })
    void this.#fill().catch(() => {})
  }

  /** A page of a task has opened this tab. Whoever has that page in front follows it. */
  async opened({ id, windowId, active }: chrome.tabs.Tab, openerId: number): Promise<void> {
    const front = this.#tabs.get(windowId)
    if (!active || id === undefined || front === openerId) return
    this.#uninvited.add(id)
    try {
      if (front !== undefined) await chrome.tabs.update(front, { active: true })
      else if (this.#windowId !== null) await chrome.windows.update(this.#windowId, { focused: true })
    } finally {
      this.#uninvited.delete(id)
    }
  }

  async #fill(): Promise<void> {
    for (const { id, windowId } of await chrome.tabs.query({ active: true }))
      if (id !== undefined && !this.#tabs.has(windowId)) this.#tabs.set(windowId, id)
    this.#windowId ??= (await chrome.windows.getLastFocused()).id ?? null
  }
}
