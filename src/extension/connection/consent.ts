import type { Journal } from '../journal.ts'
import {
  type LinkInfo,
  type PageState,
  pairingLink,
  type Question,
  type Registered,
  type ToPairingPage,
} from '../messages.ts'
import { readPairing } from '../settings.ts'
import type { Link } from './link.ts'

/** The pairing that the user is asked about, in `chrome.storage.session`. There is one at a time: a newer one takes its place. */
const ASKED = 'consent'
interface Asked {
  readonly origin: string
  readonly token: string
  /** What the service says of the link, once the page has answered. */
  readonly link: LinkInfo | null
  /** The tab of the pairing page. */
  readonly tabId: number
  /** The window with the question. */
  readonly windowId: number
}
/** A link that was pasted, until its page has come. */
const PASTED = 'pasted'

const NO_WORKSPACE = 'The service did not say which workspace this link is for, so nothing can be paired.'

const SIZE = { width: 480, height: 560 }

/**
 * Pairing, from the click in a pairing page to a session: whatever page asks for it, the user is asked in a window of
 * the extension's own, which names the service by its address. Nothing happens without their yes.
 */
export class Consent {
  readonly #link: Link
  readonly #journal: Journal
  readonly #tabsOfTasks: () => Promise<number[]>

  constructor(link: Link, journal: Journal, tabsOfTasks: () => Promise<number[]>) {
    this.#link = link
    this.#journal = journal
    this.#tabsOfTasks = tabsOfTasks
  }

  /** What a pairing page may know. It is not told about a pairing with another service. */
  async pageIsHere(sender: chrome.runtime.MessageSender): Promise<PageState | null> {
    const asking = pageOf(sender)
    if (!asking) return null
    const pairing = await readPairing()
    const paired = pairing?.origin === asking.origin
    const { [PASTED]: pasted } = await chrome.storage.session.get(PASTED)
    const asked = pasted === asking.token
    if (asked) {
      await chrome.storage.session.remove(PASTED)
      await this.#ask(asking)
    }
    const workspace = paired ? (await this.#journal.state()).workspace : null
    return { state: paired ? 'paired' : 'ready', workspace, asked }
  }

  /** The button of a pairing page was clicked. In a tab of a task a click that looks like a person's is the model's. */
  async clicked(sender: chrome.runtime.MessageSender): Promise<void> {
    const asking = pageOf(sender)
    if (asking && !(await this.#tabsOfTasks()).includes(asking.tabId)) await this.#ask(asking)
  }

  /** A link that the user pasted is opened; its page is asked about at once. Answers why not, or `null`. */
  async pasted(address: string): Promise<string | null> {
    const link = pairingLink(address.trim())
    if (!link) return 'Invalid pairing link. It looks like https://tasks.example.com/pair/svc_pair_…'
    await chrome.storage.session.set({ [PASTED]: link.token })
    await chrome.tabs.create({ url: `${link.origin}/pair/${link.token}`, active: true })
    return null
  }

  async question(): Promise<Question | null> {
    const asked = await readAsked()
    if (!asked) return null
    const pairing = await readPairing()
    const { workspace } = await this.#journal.state()
    return { origin: asked.origin, link: asked.link, current: pairing && { origin: pairing.origin, workspace } }
  }

  /** The user has answered. Resolves to what went wrong, or `null`. */
  async answered(agreed: boolean): Promise<string | null> {
    const asked = await readAsked()
    if (!asked) return 'This pairing request is no longer open.'
    if (agreed && !asked.link) return NO_WORKSPACE
    await chrome.storage.session.remove(ASKED)
    const { origin, token, tabId } = asked
    if (!agreed) {
      await tell(tabId, { type: 'declined' }).catch(() => {})
      return null
    }
    // The page's own origin asks its service: an extension needs no access to any site for that.
    const registered = (await tell(tabId, { type: 'register', origin, token }).catch(() => null)) as Registered | null
    if (!registered) return 'The pairing page was closed. Open the link again.'
    if (!registered.ok) return registered.error
    // Its name comes with the connection, now or later: the window with the question need not wait for it.
    let isNamed = false
    const { sessionId, sessionToken, relayPort } = registered
    await this.#link.pair({ origin, sessionId, sessionToken, relayPort }, (workspace) => {
      isNamed = true
      tell(tabId, { type: 'paired', workspace }).catch(() => {})
    })
    if (!isNamed) await tell(tabId, { type: 'paired', workspace: null }).catch(() => {})
    return null
  }

  /** A window was closed: without an answer it is a no. */
  async windowClosed(windowId: number): Promise<void> {
    if ((await readAsked())?.windowId === windowId) await this.answered(false)
  }

  async #ask(page: Omit<Asked, 'windowId' | 'link'>): Promise<void> {
    const { origin, token } = page
    const link = (await tell(page.tabId, { type: 'describe', origin, token }).catch(() => null)) as LinkInfo | null
    const asking = { ...page, link: link ?? null }
    const before = await readAsked()
    // Not its close is the answer, but what takes its place.
    await chrome.storage.session.remove(ASKED)
    if (before) await chrome.windows.remove(before.windowId).catch(() => {})
    // The window may ask what it is about before its own number is known.
    await chrome.storage.session.set({ [ASKED]: { ...asking, windowId: -1 } satisfies Asked })
    const window = await chrome.windows.create({
      url: chrome.runtime.getURL('consent.html'),
      type: 'popup',
      focused: true,
      ...SIZE,
    })
    const asked: Asked = { ...asking, windowId: window?.id ?? -1 }
    await chrome.storage.session.set({ [ASKED]: asked })
  }
}

const tell = (tabId: number, message: ToPairingPage): Promise<unknown> =>
  chrome.tabs.sendMessage(tabId, message, { frameId: 0 })

async function readAsked(): Promise<Asked | null> {
  const { [ASKED]: asked } = await chrome.storage.session.get(ASKED)
  return (asked as Asked | undefined) ?? null
}

/** The pairing page that sent a message, by what the browser says of it; `null` for any other page, and for frames in pages. */
function pageOf({ url, origin, frameId, tab }: chrome.runtime.MessageSender): Omit<Asked, 'windowId' | 'link'> | null {
  const link = pairingLink(url ?? '')
  if (!link || link.origin !== origin || frameId !== 0 || tab?.id === undefined) return null
  return { ...link, tabId: tab.id }
}
