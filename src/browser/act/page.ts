import type { FrameSecret } from '../../../machines/secrets.ts'
import { ACTION_LOAD_MS_MAX, PAGE_ANSWER_MS_MAX, PAGE_LOAD_MS_MAX } from '../limits.ts'
import { Activity } from './activity.ts'
import { type Answer, type Cdp, type CdpSession, type Evaluated, type Method, type Params, ToolError } from './cdp.ts'
import { Dialogs } from './dialogs.ts'
import { Frames, type PageFrame } from './frames.ts'
import type { Spot } from './input/pointer.ts'
import { Loading } from './loading.ts'
import type { RefCounter } from './refs.ts'
import type { Result } from './result.ts'
import type { Tree } from './tree/read.ts'
import type { Workplace } from './workplace.ts'

/** How long the page is waited for, in milliseconds. `answerMs` is for a whole call. */
export interface Patience {
  readonly loadMs: number
  readonly actionLoadMs: number
  readonly answerMs: number
}
export const PATIENCE: Patience = {
  loadMs: PAGE_LOAD_MS_MAX,
  actionLoadMs: ACTION_LOAD_MS_MAX,
  answerMs: PAGE_ANSWER_MS_MAX,
}

/** Something that happened beside a tool call, for the model to read. */
export interface Note {
  readonly said: string
  /** Words of the page. */
  readonly content?: string
}

/** One tool call at work on a page. Everything that it asks of the browser ends with its signal. */
export interface Call {
  readonly page: Page
  readonly work: Workplace
  readonly signal: AbortSignal
  /** By `performance.now()`. */
  readonly startedAt: number
  /** The milliseconds that the call has left. */
  left(): number
  /** [X3] The secrets that its input names. */
  readonly secrets: readonly FrameSecret[]
  /** What was done already: the call's answer when the page does not answer any more. */
  done: Result | null
  /** Asks the tab's own session. */
  send<M extends Method>(method: M, params?: Params<M>): Promise<Answer<M>>
  /** Asks the session of a frame. */
  sendTo<M extends Method>(session: CdpSession, method: M, params?: Params<M>): Promise<Answer<M>>
}

/** A file window that a page wanted to open: none does; files are given to the field itself. */
export interface Chooser {
  readonly frameId: string
  readonly backendNodeId?: number
}

/** A page as it was last shown to the model. */
export interface Shown {
  readonly tree: Tree
  /** Keys of its lines for which there was no room. */
  readonly untold: ReadonlySet<string>
  readonly loaderId: string
  /** By `performance.now()`. */
  readonly at: number
}

/** A tab as the tools work on it: the attached protocol, and what must be remembered between calls. */
export class Page {
  readonly cdp: Cdp
  readonly loading: Loading
  readonly patience: Patience
  readonly counter: RefCounter
  readonly frames: Frames
  readonly activity: Activity
  readonly dialogs: Dialogs
  /** The file window that the page wanted to open, until the model is told. */
  chooser: Chooser | null = null
  /** What the model was told last of the page. */
  shown: Shown | null = null
  /** Notified of what happens on the page between and during calls. */
  onNote: (note: Note) => void = () => {}
  /** Where the mouse is, once it was moved, and whether its left button was left down. */
  readonly mouse: { spot: Spot | null; isDown: boolean } = { spot: null, isDown: false }
  /** Screenshot pixels per CSS pixel, of the last screenshot; `null` before the first. */
  scale: number | null = null

  /** The document is parsed, and of what was asked for since then only pictures and media are on their way. */
  lacksOnlyPictures(since: number): boolean {
    return this.loading.stage === 'ready' && this.activity.pendingSince(since).length === 0
  }

  private constructor(cdp: Cdp, loading: Loading, patience: Patience, counter: RefCounter) {
    this.counter = counter
    this.frames = new Frames(counter)
    this.cdp = cdp
    this.loading = loading
    this.patience = patience
    const note = (note: Note) => this.onNote(note)
    this.activity = new Activity(note, (frameId) => frameId === loading.frameId)
    this.dialogs = new Dialogs(cdp, note)
    cdp.on('Page.fileChooserOpened', (chooser: Chooser) => {
      this.chooser = chooser
    })
  }

  /** Prepares a tab that was just attached. The tab may be hidden: it is made to behave as if it had the focus. */
  static async attach(
    cdp: Cdp,
    patience: Patience = PATIENCE,
    counter: RefCounter = { next: 1, nextFrame: 1 },
  ): Promise<Page> {
    await cdp.send('Page.enable')
    const { frameTree } = (await cdp.send('Page.getFrameTree')) as Answer<'Page.getFrameTree'>
    // Whatever still loads will say so: its lifecycle so far is told again as soon as the events are asked for.
    const page = new Page(cdp, new Loading(cdp, frameTree.frame, 'committed'), patience, counter)
    await Promise.all([
      cdp.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      cdp.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      cdp.send('Page.setInterceptFileChooserDialog', { enabled: true }),
      page.activity.watch(cdp),
    ])
    return page
  }

  /** A call that has `ms` milliseconds. */
  call(outer: AbortSignal, work: Workplace, ms: number, secrets: readonly FrameSecret[] = []): Call {
    const startedAt = performance.now()
    // A signal of the call's own: nothing piles up on one that outlives it.
    const signal = AbortSignal.any([outer])
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    aborted.catch(() => {})
    const sendTo: Call['sendTo'] = (session, method, params) => {
      if (signal.aborted) return Promise.reject(signal.reason)
      return Promise.race([session.send(method, params) as Promise<Answer<typeof method>>, aborted])
    }
    return {
      page: this,
      work,
      signal,
      startedAt,
      secrets,
      left: () => Math.max(0, startedAt + ms - performance.now()),
      done: null,
      sendTo,
      send: (method, params) => sendTo(this.cdp, method, params),
    }
  }
}

/** Waits, within bounds, until the document is there and parsed, so that there is something to read. */
export async function readable({ page, signal }: Call): Promise<void> {
  await page.loading.reach(['ready', 'loaded'], page.patience.actionLoadMs, signal)
}

/** Title and URL of the document, as far as it answers. */
export async function location(call: Call): Promise<{ url: string; title: string }> {
  const history = await call.send('Page.getNavigationHistory')
  const entry = history.entries[history.currentIndex]
  const { result } = await evaluate(call, '({url: location.href, title: document.title})')
  const value = result.value as { url: string; title: string } | undefined
  const { url, title } = value ?? { url: entry?.url ?? 'about:blank', title: entry?.title ?? '' }
  return { url: call.page.loading.toldUrl(url), title }
}

/** Evaluates an expression in the isolated world of a frame (the main frame by default), and returns its value. */
export async function evaluate(call: Call, expression: string, frame?: PageFrame): Promise<Evaluated> {
  const { frames, patience } = call.page
  const where = frame ?? (await frames.main(call))
  return frames.inWorld(call, where, ({ contextId }) =>
    call.sendTo(where.session, 'Runtime.evaluate', {
      expression,
      contextId,
      returnByValue: true,
      awaitPromise: true,
      timeout: patience.answerMs,
    }),
  )
}

/** An object of a frame, by the name that the protocol gave it. */
export interface FrameObject {
  readonly frame: PageFrame
  readonly objectId: string
}

/** Calls a function in the isolated world with an element as `this`, and returns its value. Arguments may be objects of the same frame. Throws a ToolError if it fails. */
export async function onElement<T>(
  call: Call,
  { frame, objectId }: FrameObject,
  fn: string,
  ...args: readonly unknown[]
): Promise<T> {
  const evaluated = await call.sendTo(frame.session, 'Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: fn,
    arguments: args.map((value) => (isFrameObject(value) ? { objectId: value.objectId } : { value })),
    returnByValue: true,
    awaitPromise: true,
    userGesture: true,
  })
  const failed = evaluated.exceptionDetails
  if (failed) throw new ToolError('The page got in the way.', failed.exception?.description ?? failed.text)
  return evaluated.result.value as T
}

const isFrameObject = (value: unknown): value is FrameObject =>
  typeof value === 'object' && value !== null && 'objectId' in value && 'frame' in value
