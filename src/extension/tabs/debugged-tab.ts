import { SETTLE_MS } from '../../../machines/limits.ts'
import { type Cdp, ToolError } from '../../browsers/page/cdp.ts'
import type { HostTab } from '../../browsers/tabs.ts'

export const CLOSED = 'The tab of this task was closed.'
/** What a command fails with when its tab has gone: why it went is told a moment later. */
const GONE = /detached|not attached|no tab with/i

/** A tab that is attached to. */
export class DebuggedTab implements HostTab {
  readonly taskId: string
  readonly tabId: number
  readonly windowId: number
  readonly cdp: Cdp
  readonly close: () => Promise<void>
  /** Of the task; `null` until there is one. */
  groupId: number | null = null
  #windowAskedAt = Number.NEGATIVE_INFINITY
  readonly #listeners = new Map<string, Set<(params: never) => void>>()
  readonly #gone: ((why: string) => void)[] = []
  readonly #popups: ((tab: HostTab) => void)[] = []
  #left: string | null = null

  constructor(taskId: string, tabId: number, windowId: number, close: () => Promise<void>) {
    this.taskId = taskId
    this.tabId = tabId
    this.windowId = windowId
    this.close = close
    this.cdp = {
      send: (method, params = {}) =>
        chrome.debugger.sendCommand({ tabId }, method, params).catch(async (error) => {
          if (!GONE.test(String(error))) throw error
          throw new ToolError(await this.#whyGone())
        }),
      on: (event, listener) => {
        const listeners = this.#listeners.get(event) ?? new Set()
        this.#listeners.set(event, listeners.add(listener))
        return () => listeners.delete(listener)
      },
    }
  }

  /** Whether the page has asked for a window since then, which is then accounted for. */
  takeWindowAsked(since: number): boolean {
    const asked = this.#windowAskedAt >= since
    if (asked) this.#windowAskedAt = Number.NEGATIVE_INFINITY
    return asked
  }

  emit(event: string, params: object): void {
    if (event === 'Page.windowOpen') this.#windowAskedAt = Date.now()
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(params as never)
  }

  onGone(listener: (why: string) => void): void {
    if (this.#left === null) this.#gone.push(listener)
    else listener(this.#left)
  }

  onPopup(listener: (tab: HostTab) => void): void {
    this.#popups.push(listener)
  }

  popup(tab: HostTab): void {
    for (const listener of this.#popups) listener(tab)
  }

  async #whyGone(): Promise<string> {
    if (this.#left === null) {
      await Promise.race([
        new Promise<string>((resolve) => this.onGone(resolve)),
        new Promise((resolve) => setTimeout(resolve, SETTLE_MS)),
      ])
    }
    return this.#left ?? CLOSED
  }

  leave(why: string): void {
    if (this.#left !== null) return
    this.#left = why
    for (const listener of this.#gone.splice(0)) listener(why)
  }
}
