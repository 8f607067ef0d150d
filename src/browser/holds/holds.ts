import type { Gate, Held } from '../../../machines/held.ts'
import type { FrameSecret } from '../../../machines/secrets.ts'
import type { Answer, Cdp } from '../act/cdp.ts'
import type { PendingHolds } from '../act/workplace.ts'
import { isHeld, isSameSite } from './judge.ts'
import { keyOf, type PausedRequest } from './paused.ts'
import { Repeats } from './repeats.ts'
import { shapeOf } from './shape.ts'
import { ShownNumbers } from './shown.ts'
import type { ActTarget } from './target.ts'
import { namesAct, touchesOrders } from './words.ts'

/** A request that waits for its user. */
export interface HeldRequest {
  readonly kind: 'request'
  readonly request: PausedRequest
  /** Of the act that came before it. */
  readonly target: ActTarget | null
  readonly tab: HeldTab
}
/** A call that was not carried out yet. */
export interface HeldAct {
  readonly kind: 'act'
  readonly tool: string
  readonly input: Record<string, unknown>
}
export interface Hold<Of = HeldRequest | HeldAct> {
  readonly of: Of
  /** As it was told last; `null` before. */
  told: Held | null
}

/** A tab whose requests are paused. */
export interface HeldTab {
  /** The address of its page. */
  url: string
  /** How many presses there had been when the task opened its page; `null`: something else opened it. */
  quietAt: number | null
  /** The same of a page that the task opens now. */
  opensAt: number | null
  /** Addresses that forms are submitted to by GET. */
  forms: string[]
  readonly shown: ShownNumbers
}

/** How a tab has its requests paused: each until it is continued or failed. */
export interface PausesRequests {
  readonly cdp: Cdp
  pauseRequests(paused: (request: PausedRequest) => void): Promise<void>
}

type History = Answer<'Page.getNavigationHistory'>

interface FrameNavigated {
  readonly frame: { readonly parentId?: string; readonly url: string }
  readonly type?: string
}

/** The page says that it submits a form in about the moment in which the request comes. */
const FORM_SAID_MS = 50
const FORMS_MAX = 20

/**
 * [I5] What the acts of one task cause and what could change the world, held until its user approves it. Every request of
 * its tabs passes here; what none of its acts has caused, and what is known to be harmless, goes on.
 */
export class Holds implements PendingHolds {
  #gate: Gate
  /** A part of all terms: values that are not shown cannot be guessed from them. */
  readonly salt = crypto.randomUUID()
  readonly #secrets: () => readonly FrameSecret[]
  readonly #holds: Hold[] = []
  readonly #watchers = new Set<() => void>()
  readonly #repeats: Repeats
  /** Presses of the task so far. A page hears of one in any other tab. */
  #presses = 0
  #isSettling = false
  readonly #tabs = new WeakMap<Cdp, HeldTab>()
  /** [I20] Requests that were approved and are not sent yet. */
  readonly #approved = new Set<string>()
  #targets: readonly ActTarget[] = []
  #isArmed = false
  /** The site that an approved act may send one request to. */
  #carries: string | null = null
  /** A request to this site was let go, and what follows from it there is read. */
  #follows: string | null = null
  #isEnded = false

  constructor(gate: Gate, secrets: () => readonly FrameSecret[], now: () => number = () => performance.now()) {
    this.#gate = gate
    this.#secrets = secrets
    this.#repeats = new Repeats(now)
  }

  /** What the next call is sent under. */
  update(gate: Gate): void {
    this.#gate = gate
  }

  get gate(): Gate {
    return this.#gate
  }

  get isPending(): boolean {
    return this.#holds.some(({ of, told }) => of.kind === 'request' && told === null)
  }

  whenPending(signal: AbortSignal): Promise<void> {
    if (this.isPending) return Promise.resolve()
    return new Promise((resolve) => {
      this.#watchers.add(resolve)
      signal.addEventListener('abort', () => this.#watchers.delete(resolve), { once: true })
    })
  }

  /** Pauses the requests of a tab. `isOpened`: by the task itself, and not by a page. */
  async follow(host: PausesRequests, isOpened: boolean): Promise<void> {
    const quietAt = isOpened ? this.#presses : null
    // A tab that was there before has its page already. While a navigation is held, the browser alone answers.
    const history = (await host.cdp.send('Page.getNavigationHistory').catch(() => ({}))) as Partial<History>
    const url = history.entries?.[history.currentIndex ?? 0]?.url || 'about:blank'
    const tab: HeldTab = { url, quietAt, opensAt: null, forms: [], shown: new ShownNumbers() }
    this.#tabs.set(host.cdp, tab)
    host.cdp.on('Page.frameNavigated', ({ frame, type }: FrameNavigated) => {
      if (frame.parentId !== undefined) return
      tab.url = frame.url
      // A page that is shown again goes on with what was pressed in it.
      if (tab.opensAt !== null) tab.quietAt = type === 'BackForwardCacheRestore' ? null : tab.opensAt
      tab.opensAt = null
    })
    host.cdp.on('Page.frameRequestedNavigation', ({ reason, url }: { reason: string; url: string }) => {
      if (reason === 'formSubmissionGet') tab.forms = [...tab.forms.slice(1 - FORMS_MAX), url]
    })
    await tab.shown.watch(host.cdp)
    await host.pauseRequests((request) => void this.#paused(request, tab))
  }

  /** An act begins in a tab: what is caused from here on is its doing. */
  begin(cdp: Cdp, targets: readonly ActTarget[], opens: boolean): void {
    const tab = this.#tabs.get(cdp)
    this.#targets = targets
    this.#isArmed = targets.some(({ names }) => names.some(namesAct))
    this.#carries = null
    this.#follows = null
    if (!opens) this.#presses += 1
    if (tab) tab.opensAt = opens ? this.#presses : null
  }

  /** Until it is over, what a page sends may be the doing of what the task does, even if the page sent the same before. */
  async settling<T>(doing: () => Promise<T>): Promise<T> {
    this.#isSettling = true
    try {
      return await doing()
    } finally {
      this.#isSettling = false
    }
  }

  /** An approved act, which may send one request to this site without another question. */
  carry(site: string): void {
    this.#carries = site
  }

  /** A request to this site was approved: what the page reads there next is its answer. */
  followUp(site: string): void {
    this.#isArmed = false
    this.#follows = site
  }

  ends(): void {
    this.#carries = null
    this.#follows = null
  }

  /** What the page of a tab says of its numbers by itself. */
  shownIn(cdp: Cdp): string[] {
    return this.#tabs.get(cdp)?.shown.numbers ?? []
  }

  holdAct(act: HeldAct): Hold<HeldAct> {
    const hold: Hold<HeldAct> = { of: act, told: null }
    // What was asked before and is asked in the place of is dropped.
    this.#holds.splice(0, this.#holds.length, ...this.#holds.filter(({ of }) => of.kind === 'request'), hold)
    return hold
  }

  /** The first request that no answer has named yet. */
  untold(): Hold<HeldRequest> | null {
    const found = this.#holds.find(({ of, told }) => of.kind === 'request' && told === null)
    return (found as Hold<HeldRequest> | undefined) ?? null
  }

  find(id: string): Hold | null {
    return this.#holds.find(({ told }) => told?.id === id) ?? null
  }

  remove(hold: Hold): void {
    const at = this.#holds.indexOf(hold)
    if (at >= 0) this.#holds.splice(at, 1)
  }

  /**
   * Sends a request that was approved. `false`: its page has to send it again; exactly the same is then sent once, and
   * nobody is asked.
   */
  async send(request: PausedRequest): Promise<boolean> {
    const key = keyOf(request)
    if (key === null) return request.proceed()
    this.#approved.add(key)
    const isSent = await request.proceed(() => this.#approved.delete(key))
    return isSent || !this.#approved.has(key)
  }

  /** The task has ended: nothing that waits is sent. */
  async end(): Promise<void> {
    this.#isEnded = true
    await this.drop()
  }

  /** What waits is not sent, nor what was approved and was not sent yet. */
  async drop(): Promise<void> {
    this.#approved.clear()
    await Promise.all(this.#holds.splice(0).map(({ of }) => (of.kind === 'request' ? of.request.fail() : true)))
  }

  async #paused(request: PausedRequest, tab: HeldTab): Promise<void> {
    const isForm = await this.#submitsForm(request, tab)
    if (!this.#waits(request, tab, isForm)) {
      await request.proceed()
      return
    }
    if (this.#isEnded) {
      await request.fail()
      return
    }
    request.hold()
    this.#holds.push({ of: { kind: 'request', request, target: this.#targets[0] ?? null, tab }, told: null })
    for (const watcher of this.#watchers) watcher()
    this.#watchers.clear()
  }

  #waits(request: PausedRequest, tab: HeldTab, isForm: boolean): boolean {
    if (this.#approved.delete(keyOf(request) ?? '')) return false
    const isRead = request.method === 'GET'
    if (isRead && this.#follows !== null && isSameSite(request.url, this.#follows)) return false
    const isRepeat = this.#repeats.has(request)
    if (this.#isOwn(request, tab, isRepeat)) return false
    const secrets = this.#secrets().map(({ value }) => value)
    const { approvals, allowedShapes } = this.#gate
    // A page that has read it before reads it after a press, too.
    const isArmed = this.#isArmed && !(isRead && isRepeat)
    const given = { approvals, isArmed, isQuiet: this.#isQuiet(tab), isForm, page: tab.url, secrets }
    if (!isHeld(request, given)) return false
    if (allowedShapes.includes(shapeOf(request))) return false
    if (this.#carries === null || !isSameSite(request.url, this.#carries)) return true
    this.#carries = null
    return false
  }

  /** The task has pressed nothing since it has opened the page of the tab. */
  #isQuiet = ({ quietAt }: HeldTab): boolean => quietAt === this.#presses

  /**
   * [I19] What a page that was just opened sends to its own site before anything is pressed, and exactly that again; while
   * something that the task does settles, only at the interval at which the page sends it.
   */
  #isOwn(request: PausedRequest, tab: HeldTab, isRepeat: boolean): boolean {
    const { url, type } = request
    const isData = type === 'XHR' || type === 'Fetch'
    const isFirst = isData && this.#isQuiet(tab) && isSameSite(url, tab.url) && !touchesOrders(url)
    const isOwn = isFirst || (this.#isSettling ? this.#repeats.isDue(request) : isRepeat)
    if (isOwn) this.#repeats.note(request)
    return isOwn
  }

  async #submitsForm({ url, type, method }: PausedRequest, tab: HeldTab): Promise<boolean> {
    if (type !== 'Document' || method !== 'GET' || this.#isQuiet(tab) || !url.includes('?')) return false
    // Of a frame in a process of its own, and of a new tab, nothing is said.
    if (this.#targets.some(({ form }) => form && /^get$/i.test(form.method) && isSamePage(form.action, url)))
      return true
    const isSaid = () => tab.forms.includes(url)
    if (!isSaid()) await new Promise((resolve) => setTimeout(resolve, FORM_SAID_MS))
    return isSaid()
  }
}

const isSamePage = (one: string, other: string): boolean => one.replace(/[?#].*/, '') === other.replace(/[?#].*/, '')
