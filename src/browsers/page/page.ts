import { ACTION_LOAD_MS_MAX, PAGE_ANSWER_MS_MAX, PAGE_LOAD_MS_MAX, SETTLE_MS } from '../../../machines/limits.ts'
import { type Answer, type Cdp, type CdpSession, type Evaluated, type Method, type Params, ToolError } from './cdp.ts'
import { answerDialogs } from './dialogs.ts'
import { Frames, type PageFrame } from './frames.ts'
import { Loading } from './loading.ts'
import type { RefCounter } from './refs.ts'
import type { Result } from './result.ts'
import { pause } from './waiting.ts'

const NOTES_MAX = 5

/** How long the page is waited for, in milliseconds. */
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
  readonly signal: AbortSignal
  /** Asks the tab's own session. */
  send<M extends Method>(method: M, params?: Params<M>): Promise<Answer<M>>
  /** Asks the session of a frame. */
  sendTo<M extends Method>(session: CdpSession, method: M, params?: Params<M>): Promise<Answer<M>>
}

/** A tab as the tools work on it: the attached protocol, and what must be remembered between calls. */
export class Page {
  readonly cdp: Cdp
  readonly loading: Loading
  readonly patience: Patience
  readonly counter: RefCounter
  readonly frames: Frames
  /** Screenshot pixels per CSS pixel, of the last screenshot; `null` before the first. */
  scale: number | null = null
  #notes: Note[] = []

  private constructor(cdp: Cdp, loading: Loading, patience: Patience, counter: RefCounter) {
    this.counter = counter
    this.frames = new Frames(counter)
    this.cdp = cdp
    this.loading = loading
    this.patience = patience
    answerDialogs(cdp, (note) => this.note(note))
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
    ])
    return page
  }

  /** Something happened that the model should read beside the result of this call or the next. */
  note(note: Note): void {
    this.#notes.push(note)
  }

  /** What was noted since it was asked for last, the first NOTES_MAX of it. */
  takeNotes(): Note[] {
    const notes = this.#notes.splice(0)
    const more = notes.length - NOTES_MAX
    return more > 0 ? [...notes.slice(0, NOTES_MAX), { said: `${more} more things of this kind happened.` }] : notes
  }

  call(outer: AbortSignal): Call {
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
    return { page: this, signal, sendTo, send: (method, params) => sendTo(this.cdp, method, params) }
  }
}

/** Waits, within bounds, until the document is there and parsed, so that there is something to read. */
export async function readable({ page, signal }: Call): Promise<void> {
  await page.loading.reach(['ready', 'loaded'], page.patience.actionLoadMs, signal)
}

/**
 * After an action: gives what it set off a moment to show, and waits for a page that it opened.
 * Answers where the tab is now when the action led elsewhere.
 */
export async function settled(call: Call, movesBefore: number): Promise<Result> {
  const { page, signal } = call
  const { loading, patience } = page
  await pause(SETTLE_MS, signal)
  if (loading.stage !== 'loaded') await loading.reach(['loaded'], patience.actionLoadMs, signal)
  if (loading.moves === movesBefore && loading.stage === 'loaded') return { said: '', content: '' }
  const { title, url } = await location(call)
  const still = loading.stage === 'loaded' ? '' : ' It is still loading.'
  return { said: `The page is another one now.${still}`, content: `Page: ${JSON.stringify(title)} (${url})` }
}

/** Title and URL of the document, as far as it answers. */
export async function location(call: Call): Promise<{ url: string; title: string }> {
  const history = await call.send('Page.getNavigationHistory')
  const entry = history.entries[history.currentIndex]
  const { result } = await evaluate(call, '({url: location.href, title: document.title})')
  const value = result.value as { url: string; title: string } | undefined
  return value ?? { url: entry?.url ?? 'about:blank', title: entry?.title ?? '' }
}

/** Evaluates an expression of ours in our world of a frame, the main one when left out; by value. */
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

/** Calls a function of ours with an element as `this`, by value; arguments may be objects of the same frame. Throws a ToolError when it fails. */
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
