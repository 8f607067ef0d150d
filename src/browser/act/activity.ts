import { STREAM_MS_MIN } from '../limits.ts'
import type { Cdp } from './cdp.ts'
import type { Note } from './page.ts'
import { hooksScript, TELL, type Told, watchScript } from './scripts/watch.ts'

/** What the page can do only with these is worth waiting for: not pictures, media, streams and beacons. */
const AWAITED = new Set(['Document', 'Script', 'Stylesheet', 'XHR', 'Fetch'])
const WORLD = 'browser-task-watch'
const GONE_TEXTS_MAX = 20
/** What an action causes begins so soon after its input; later than that, what the page asks for by itself is its own. */
const CAUSED_MS_MAX = 60
/** What a page has asked for so often while nothing was done, it asks for by itself. */
const POLLED_MIN = 2
const POLLS_KNOWN_MAX = 200
/** The bodies of answers are not wanted: the browser need not keep them. */
const NO_BODIES = { maxTotalBufferSize: 1, maxResourceBufferSize: 1 }

/** A request as the DevTools Protocol announces it. */
interface Announced {
  readonly requestId: string
  readonly type?: string
  readonly documentURL?: string
  readonly request: { readonly url: string; readonly method: string }
  readonly initiator?: { readonly stack?: { readonly callFrames: readonly { readonly url: string }[] } }
}

interface Request {
  readonly url: string
  readonly startedAt: number
  /** When its answer began: one that goes on for long after is a stream. */
  answeredAt: number | null
}
interface GoneText {
  readonly text: string
  readonly shownAt: number
  /** The page said it to its user by a live region. */
  readonly isLive: boolean
}

/**
 * What goes on in a tab, as far as it tells whether an action has settled: requests that are under way, changes of the
 * documents, timers that an input set. All times are of `performance.now()`.
 */
export class Activity {
  /** When a document changed last. */
  changedAt = Number.NEGATIVE_INFINITY
  /** When a request that is worth waiting for began or ended last. */
  networkAt = Number.NEGATIVE_INFINITY
  /** The load of the document whose site asked for a user name and a password last. */
  refusedLoad: string | null = null
  readonly #note: (note: Note) => void
  readonly #isMain: (frameId: string) => boolean
  readonly #watched = new WeakSet<object>()
  readonly #requests = new Map<string, Request>()
  readonly #event = `t${crypto.randomUUID().replaceAll('-', '')}`
  /** How often each address was asked for while nothing was done. */
  readonly #polls = new Map<string, number>()
  /** When the action that is under way has had its input; infinite before that, `null` when none is under way. */
  #inputAt: number | null = null
  #actingSince = Number.NEGATIVE_INFINITY
  #timers: number[] = []
  #gone: GoneText[] = []

  constructor(note: (note: Note) => void, isMain: (frameId: string) => boolean) {
    this.#note = note
    this.#isMain = isMain
  }

  /** Watches a session of the tab: its own, or that of a frame. Does nothing the second time. */
  async watch(session: Pick<Cdp, 'send' | 'on'>): Promise<void> {
    if (this.#watched.has(session)) return
    this.#watched.add(session)
    this.#listen(session)
    const everywhere = (source: string, worldName?: string) =>
      session.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName, runImmediately: true })
    await Promise.all([
      session.send('Network.enable', NO_BODIES),
      session.send('Runtime.enable'),
      session.send('Runtime.addBinding', { name: TELL, executionContextName: WORLD }),
      everywhere(watchScript(this.#event), WORLD),
      everywhere(hooksScript(this.#event)),
    ])
  }

  /** An action begins: what is asked for from now on may be its doing. */
  begin(at: number): void {
    this.#actingSince = at
    this.#inputAt = Number.POSITIVE_INFINITY
  }

  /** The action has had its input. */
  acted(at = performance.now()): void {
    this.#inputAt = at
  }

  /** What the action set off has come to rest. */
  end(): void {
    this.#inputAt = null
  }

  /** URLs of the requests that started since then and are in flight, without streams. */
  pendingSince(since: number): string[] {
    const now = performance.now()
    const isPending = ({ startedAt, answeredAt }: Request) =>
      startedAt >= since && (answeredAt === null || now - answeredAt < STREAM_MS_MIN)
    return [...this.#requests.values()].filter(isPending).map(({ url }) => url)
  }

  /** How many timers are to fire that were set since then. */
  timersSince(since: number): number {
    return this.#timers.filter((at) => at >= since).length
  }

  /** What was shown since then and is gone again, each text once, alerts and notices first. */
  takeGone(since: number): string[] {
    const gone = this.#gone.filter(({ shownAt }) => shownAt >= since)
    const texts = [...gone.filter(({ isLive }) => isLive), ...gone.filter(({ isLive }) => !isLive)].map(
      ({ text }) => text,
    )
    this.#gone = []
    return [...new Set(texts)]
  }

  #listen(session: Pick<Cdp, 'on'>): void {
    const ended = ({ requestId }: { requestId: string }) => {
      const request = this.#requests.get(requestId)
      this.#requests.delete(requestId)
      // The end of what was under way before is no news of the action.
      if (request && request.startedAt >= this.#actingSince) this.networkAt = performance.now()
    }
    session.on('Network.requestWillBeSent', (event: Announced) => {
      if (!AWAITED.has(event.type ?? '') || /^(data|blob):/.test(event.request.url) || isTelemetry(event)) return
      if (this.#isPoll(event)) return
      const now = performance.now()
      this.#requests.set(event.requestId, { url: event.request.url, startedAt: now, answeredAt: null })
      this.networkAt = now
    })
    session.on('Network.responseReceived', (event: Response) => {
      const { requestId, type, frameId = '', response } = event
      const request = this.#requests.get(requestId)
      if (request) request.answeredAt = performance.now()
      if (/^text\/event-stream/i.test(response.mimeType)) this.#requests.delete(requestId)
      if (response.status === 401 && type === 'Document' && asksForPassword(response.headers)) {
        this.#note({
          said: 'The site asks for a user name and a password (HTTP authentication): navigate takes them as user and password.',
          content: response.url,
        })
        this.refusedLoad = requestId
      } else if (response.status >= 400 && type === 'Document' && this.#isMain(frameId)) {
        this.#note({ said: `The site answered with the HTTP status ${response.status}.`, content: response.url })
      }
    })
    session.on('Network.loadingFinished', ended)
    session.on('Network.loadingFailed', ended)
    session.on('Runtime.bindingCalled', ({ name, payload }: { name: string; payload: string }) => {
      if (name === TELL) this.#told(payload)
    })
  }

  /** Whether the page asks for it again and again by itself. What comes at once after an input is the action's all the same. */
  #isPoll({ type, request: { method, url } }: Announced): boolean {
    if (type !== 'XHR' && type !== 'Fetch') return false
    const address = `${method} ${url.split(/[?#]/, 1)[0]}`
    const known = this.#polls.get(address) ?? 0
    if (this.#inputAt === null && (known > 0 || this.#polls.size < POLLS_KNOWN_MAX)) this.#polls.set(address, known + 1)
    return known >= POLLED_MIN && (this.#inputAt === null || performance.now() - this.#inputAt > CAUSED_MS_MAX)
  }

  /** The page may have a hand in what is told: whatever does not fit is dropped. */
  #told(payload: string): void {
    const told = parse(payload)
    const now = performance.now()
    switch (told?.kind) {
      case 'changed':
        this.changedAt = now
        return
      case 'timer':
        if (told.pending === 1) this.#timers = [...this.#timers.slice(-50), now]
        else this.#timers.shift()
        return
      case 'print':
        this.#note({ said: 'The page wanted to print. Nothing was printed.' })
        return
      case 'permission':
        this.#note({
          said: 'The page asked for a permission of the browser. It was denied.',
          content: `Permission: ${String(told.name).slice(0, 50)}`,
        })
        return
      case 'gone':
        this.#gone = [
          ...this.#gone.slice(1 - GONE_TEXTS_MAX),
          { text: String(told.text).slice(0, 200), shownAt: now - Number(told.ageMs), isLive: told.isLive === true },
        ]
    }
  }
}

interface Response {
  readonly requestId: string
  readonly type: string
  readonly frameId?: string
  readonly response: {
    readonly url: string
    readonly status: number
    readonly mimeType: string
    readonly headers: Readonly<Record<string, string>>
  }
}

/** What a script of another site sends to another site: the page does not show what comes of it. */
function isTelemetry({ documentURL = '', request, initiator }: Announced): boolean {
  const site = siteOf(documentURL)
  const caller = siteOf(initiator?.stack?.callFrames[0]?.url ?? '')
  return site !== null && caller !== null && caller !== site && siteOf(request.url) !== site
}

/** The last two labels of a host, or all of an address; `null` for what has none. */
function siteOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { hostname } = new URL(url)
  return (/^[\d.]+$|:/.test(hostname) ? hostname : hostname.split('.').slice(-2).join('.')) || null
}

const asksForPassword = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'www-authenticate')

function parse(payload: string): Told | null {
  try {
    return JSON.parse(payload) as Told
  } catch {
    return null
  }
}
