import { STREAM_MS_MIN } from '../limits.ts'
import type { Cdp } from './cdp.ts'
import type { Note } from './page.ts'
import { hooksScript, TELL, type Told, watchScript } from './scripts/watch.ts'

/** What the page can do only with these is worth waiting for: not pictures, media, streams and beacons. */
const AWAITED = new Set(['Document', 'Script', 'Stylesheet', 'XHR', 'Fetch'])
const WORLD = 'browser-task-watch'
const GONE_TEXTS_MAX = 20
/** The bodies of answers are not wanted: the browser need not keep them. */
const NO_BODIES = { maxTotalBufferSize: 1, maxResourceBufferSize: 1 }

/** A request as the DevTools Protocol announces it. */
interface Announced {
  readonly requestId: string
  readonly type?: string
  readonly documentURL?: string
  readonly request: { readonly url: string }
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
  readonly #note: (note: Note) => void
  readonly #watched = new WeakSet<object>()
  readonly #requests = new Map<string, Request>()
  readonly #event = `t${crypto.randomUUID().replaceAll('-', '')}`
  #timers: number[] = []
  #gone: GoneText[] = []

  constructor(note: (note: Note) => void) {
    this.#note = note
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

  /** What was shown since then and is gone again, each text once. */
  takeGone(since: number): string[] {
    const texts = this.#gone.filter(({ shownAt }) => shownAt >= since).map(({ text }) => text)
    this.#gone = []
    return [...new Set(texts)]
  }

  #listen(session: Pick<Cdp, 'on'>): void {
    const ended = ({ requestId }: { requestId: string }) => {
      if (this.#requests.delete(requestId)) this.networkAt = performance.now()
    }
    session.on('Network.requestWillBeSent', (event: Announced) => {
      if (!AWAITED.has(event.type ?? '') || /^(data|blob):/.test(event.request.url) || isTelemetry(event)) return
      const now = performance.now()
      this.#requests.set(event.requestId, { url: event.request.url, startedAt: now, answeredAt: null })
      this.networkAt = now
    })
    session.on('Network.responseReceived', (event: Response) => {
      const { requestId, type, response } = event
      const request = this.#requests.get(requestId)
      if (request) request.answeredAt = performance.now()
      if (/^text\/event-stream/i.test(response.mimeType)) this.#requests.delete(requestId)
      if (response.status === 401 && type === 'Document' && asksForPassword(response.headers)) {
        this.#note({
          said: 'The site asks for a user name and a password (HTTP authentication): navigate takes them as user and password.',
          content: response.url,
        })
      }
    })
    session.on('Network.loadingFinished', ended)
    session.on('Network.loadingFailed', ended)
    session.on('Runtime.bindingCalled', ({ name, payload }: { name: string; payload: string }) => {
      if (name === TELL) this.#told(payload)
    })
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
          { text: String(told.text).slice(0, 200), shownAt: now - Number(told.ageMs) },
        ]
    }
  }
}

interface Response {
  readonly requestId: string
  readonly type: string
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
