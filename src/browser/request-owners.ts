import type { Answer, Cdp, CdpSession, FrameTree } from './act/cdp.ts'
import type { RequestPaused } from './holds/paused.ts'
import type { Listener } from './interception.ts'

/** A tab, as far as requests are told to belong to it. */
export interface OwningTab {
  readonly cdp: Cdp
  readonly listener: Listener | null
  /** Addresses that its page opens in tabs of their own. */
  readonly newTabs: readonly string[]
}

/** A page that is blocked does not say which frames it has. */
const FRAMES_MS_MAX = 500

/** Which tab of a browser a request belongs to: by its frame, by the window that its page opens, by the worker. */
export class RequestOwners {
  readonly #browser: CdpSession
  readonly #tabs: () => readonly OwningTab[]
  readonly #frames = new Map<string, OwningTab>()

  constructor(browser: CdpSession, tabs: () => readonly OwningTab[]) {
    this.#browser = browser
    this.#tabs = tabs
  }

  /** Who takes the request; `null` for one of a tab from which nothing is held. */
  async listenerOf({ frameId = '', request: { url } }: RequestPaused): Promise<Listener | null> {
    const tabs = this.#tabs()
    if (!tabs.some(({ listener }) => listener)) return null
    const known = await this.#ownerOf(frameId, url, tabs)
    if (known) return known.listener
    // Of nobody that is known: a worker that several tabs share, or a window without an opener.
    return tabs.findLast(({ listener }) => listener)?.listener ?? null
  }

  async #ownerOf(frameId: string, url: string, tabs: readonly OwningTab[]): Promise<OwningTab | null> {
    const known = this.#frames.get(frameId)
    if (known && tabs.includes(known)) return known
    for (const [id, tab] of this.#frames) if (!tabs.includes(tab)) this.#frames.delete(id)
    await Promise.all(tabs.map((tab) => this.#listFrames(tab)))
    const found = this.#frames.get(frameId)
    if (found) return found
    const { targetInfos } = (await this.#browser.send('Target.getTargets')) as Answer<'Target.getTargets'>
    const target = targetInfos.find(({ targetId }) => targetId === frameId)
    const opener = this.#frames.get(target?.openerFrameId ?? '') ?? this.#frames.get(target?.openerId ?? '')
    return opener ?? tabs.find(({ newTabs }) => newTabs.includes(url)) ?? null
  }

  async #listFrames(tab: OwningTab): Promise<void> {
    const late = new Promise<null>((resolve) => setTimeout(resolve, FRAMES_MS_MAX, null))
    const sessions = [tab.cdp, ...((await Promise.race([tab.cdp.frameSessions(), late])) ?? [])]
    const trees = sessions.map((session) => Promise.race([session.send('Page.getFrameTree').catch(() => null), late]))
    for (const tree of await Promise.all(trees)) {
      if (tree) this.#add((tree as Answer<'Page.getFrameTree'>).frameTree, tab)
    }
  }

  #add({ frame, childFrames = [] }: FrameTree, tab: OwningTab): void {
    this.#frames.set(frame.id, tab)
    for (const child of childFrames) this.#add(child, tab)
  }
}
