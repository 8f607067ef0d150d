import type { RelayInput } from '../../wire/relay-panel.ts'

/** The last requests that had a window, in `chrome.storage.session`: one that the user closed does not come again. */
const ASKED = 'input-windows'
const ASKED_MAX = 50
const SIZE = { width: 480, height: 600 }

/**
 * [I9] An action to be approved is shown in a window of the extension, above whatever page there is: what a page draws
 * cannot be taken for it. It closes by itself when the request is answered. Questions wait in the side panel.
 */
export class InputWindows {
  readonly #area: chrome.storage.StorageArea
  #last: Promise<void> = Promise.resolve()

  constructor(area: chrome.storage.StorageArea) {
    this.#area = area
  }

  ask(taskId: string, { id, kind }: Pick<RelayInput, 'id' | 'kind'>): Promise<void> {
    if (kind !== 'approval') return Promise.resolve()
    const opened = this.#last.then(() => this.#open(taskId, id))
    this.#last = opened.catch(() => {})
    return this.#last
  }

  async #open(taskId: string, inputId: string): Promise<void> {
    const { [ASKED]: kept } = await this.#area.get(ASKED)
    const asked = (kept as string[] | undefined) ?? []
    if (asked.includes(inputId)) return
    await this.#area.set({ [ASKED]: [inputId, ...asked].slice(0, ASKED_MAX) })
    const url = `${chrome.runtime.getURL('input.html')}?${new URLSearchParams({ task: taskId, input: inputId })}`
    await chrome.windows.create({ url, type: 'popup', focused: true, ...SIZE })
  }
}
