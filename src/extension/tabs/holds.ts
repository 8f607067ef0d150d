/** With the id of a task. */
export const HELD = 'held:'
/** `user`: the user works in the task's tab. `stopping`: the user has stopped the task, and the service is yet to end it. */
export type Hold = 'user' | 'stopping'

/** The tasks that must not act now, in `chrome.storage.local`: known here first, even without a connection, and after a new start of the extension or the browser. */
export class Holds {
  readonly #area: chrome.storage.StorageArea

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area
  }

  async of(taskId: string): Promise<Hold | null> {
    const key = HELD + taskId
    return ((await this.#area.get(key))[key] as Hold | undefined) ?? null
  }

  set = (taskId: string, hold: Hold): Promise<void> => this.#area.set({ [HELD + taskId]: hold })
  clear = (taskId: string): Promise<void> => this.#area.remove(HELD + taskId)
}
