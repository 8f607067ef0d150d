import * as v from 'valibot'
import { type Held, RELEASE } from '../../../machines/held.ts'
import { OUTPUT_CHARS_MAX, SECOND_MS } from '../../../machines/limits.ts'
import type { ActReport } from '../../../machines/recipe.ts'
import type { FrameSecret } from '../../../machines/secrets.ts'
import { withoutMiddle } from '../../../machines/short-address.ts'
import { NOTE_CHARS_MAX } from '../limits.ts'
import { ToolError } from './cdp.ts'
import { observe } from './effect.ts'
import type { Call, Note } from './page.ts'
import { failureOf, joinLines, type Result, UNREAD } from './result.ts'
import { type ActionStart, actionStart, settle } from './settle.ts'
import { truncate } from './text.ts'
import { type ExecutableTool, TOOLS } from './tools.ts'
import { pause, unlessAborted } from './waiting.ts'
import type { Workplace } from './workplace.ts'

export interface Done extends Result {
  /** [I5] In the place of an effect: what waits for its user's approval. */
  readonly held?: Held
  /** [J2] Of a task that makes or plays a recipe: what was acted on. */
  readonly act?: ActReport
  /** After an action: names what the page is and holds. */
  readonly fingerprint?: string
  /** It led to another page, which the calls after it did not expect, or a dialog waits for an answer. */
  readonly halts?: 'navigation' | 'dialog'
}

/** What a tool has begun when a request is held, it may end within this time. */
const HELD_GRACE_MS = 300
/** Of the time that a call has, the part for the action itself: the rest is for what it sets off, and for looking. */
const ACTION_SHARE = 2 / 3
const OBSERVE_TRIES_MAX = 3
const OBSERVE_AGAIN_MS = 150

/**
 * Executes one browser tool. After an action it waits until the page has come to rest and tells what changed; what
 * happened beside (a dialog, a window, a download) is told in the result, and in an error. Throws a ToolError for what
 * the model should read, and the signal's reason as soon as it aborts. Lasts no longer than the page's patience,
 * unless it is a wait that was asked for.
 */
export async function executeTool(
  work: Workplace,
  name: string,
  given: Record<string, unknown>,
  signal: AbortSignal,
  secrets: readonly FrameSecret[] = [],
  tool: ExecutableTool | undefined = TOOLS.get(name),
): Promise<Done> {
  if (!tool) throw new ToolError(`There is no tool ${JSON.stringify(name)}.`)
  const { page } = work.current
  const open = page.dialogs.question()
  if (open && !isPossibleBehindDialog(name, given)) throw new ToolError(`This was not done. ${open.said}`, open.content)
  const parsed = v.safeParse(tool.schema, given)
  if (!parsed.success) {
    const [issue] = parsed.issues
    throw new ToolError(`The field ${v.getDotPath(issue) ?? 'input'} is invalid: ${issue.message}.`)
  }
  const input = parsed.output
  const acts = tool.acts(input)
  const { answerMs } = page.patience
  const waitMs = tool.waitMs(input)
  const end = new AbortController()
  const stop = () => end.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  const call = page.call(end.signal, work, answerMs + waitMs, secrets)
  const actionMs = (acts && name !== 'navigate' ? answerMs * ACTION_SHARE : answerMs) + waitMs
  const timer = setTimeout(() => end.abort(tooLate(call, actionMs)), actionMs)
  let late: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const { loaderId } = page.loading
  const isElsewhere = () => work.current.page !== page || page.loading.loaderId !== loaderId
  try {
    const start = actionStart(call)
    if (acts) {
      page.activity.begin(start.at)
      work.acting({
        background: /ctrl|control|meta|cmd/i.test(String(given.modifiers ?? '')),
        opensWindows: !OPENS_NO_WINDOWS.has(String(given.action)),
      })
    }
    const running = tool.run(call, input)
    const done = await (open ? unlessAborted(running, end.signal) : beforeDialog(call, running, HELD_GRACE_MS))
    clearTimeout(timer)
    late = setTimeout(() => end.abort(tooLate(call, answerMs)), call.left())
    const result = done ?? call.done ?? { said: '', content: '' }
    if (!acts) return finished(work, result)
    call.done = result
    isOver = true
    await beforeDialog(
      call,
      settle(call, start)
        .then(() => windows(call, start))
        .then(() => work.downloadsEnded(call.signal)),
    )
    const observing = (at: Call) => observeNow(at, result.told ?? null, start.at)
    const effect = await beforeDialog(work.current.page.call(end.signal, work, call.left()), observing)
    const shown = finished(work, result, effect)
    if (work.current.page.dialogs.open) return { ...shown, halts: 'dialog' }
    const expected = name === 'navigate' || name === 'tabs' || name === RELEASE
    return isElsewhere() && !expected ? { ...shown, halts: 'navigation' } : shown
  } catch (error) {
    if (signal.aborted) throw signal.reason
    // An action whose input has left has not failed because the page is busy with it, or cannot be read afterwards.
    if (call.done && error === end.signal.reason) {
      return finished(work, call.done, { said: (error as Error).message, content: stillLoading(call) })
    }
    if (call.done && (isOver || !(error instanceof ToolError))) return finished(work, call.done, UNREAD)
    if (!end.signal.aborted) await work.downloadsEnded(end.signal).catch(() => {})
    const { said, content } = finished(work, failureOf(error))
    throw new ToolError(said, content)
  } finally {
    clearTimeout(timer)
    clearTimeout(late)
    signal.removeEventListener('abort', stop)
    end.abort(signal.reason)
    page.activity.end()
  }

  /** A window that the action opened is shown once it has loaded. */
  async function windows(call: Call, start: ActionStart): Promise<void> {
    await work.windowsOpened(call.signal)
    const opened = work.current.page
    if (opened === page) return
    await opened.loading.reach(['loaded'], Math.min(opened.patience.actionLoadMs, call.left() / 2), call.signal)
    await settle(opened.call(call.signal, work, call.left()), start)
    opened.activity.end()
  }

  /** A document that goes away while it is read is followed by another one. */
  async function observeNow(call: Call, told: string | null, since: number): Promise<Done> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await observe(call, tool?.look(input) ?? 'changes', { isLed: isElsewhere(), told, since })
      } catch (error) {
        if (call.signal.aborted || tries === OBSERVE_TRIES_MAX) throw error
        await pause(OBSERVE_AGAIN_MS, call.signal)
      }
    }
  }
}

/** A dialog holds the tab: it can be answered or waited out, and another tab be used. */
const isPossibleBehindDialog = (name: string, { action, text, gone }: Record<string, unknown>): boolean =>
  name === 'dialog' ||
  name === 'tabs' ||
  name === RELEASE ||
  (action === 'wait' && text === undefined && gone === undefined)

/** Actions that are not meant to open windows: a window that one of them opens was not asked for. */
const OPENS_NO_WINDOWS = new Set(['type', 'hover', 'mouse_move', 'scroll', 'scroll_to', 'wait'])

/**
 * The outcome, or `null` as soon as a dialog of the page waits for an answer: nothing else goes on then. So it is when a
 * request is held, but for what the tool has still to do: let go of a button, for one.
 */
async function beforeDialog<T>(
  call: Call,
  work: Promise<T> | ((call: Call) => Promise<T>),
  graceMs = 0,
): Promise<T | null> {
  const watched = new AbortController()
  const { dialogs } = call.page
  const { holds } = call.work
  try {
    // The question whether a dialog is open comes first: the page would not answer.
    const opened = dialogs.whenOpen(watched.signal).then(() => null)
    if (typeof work === 'function' && (dialogs.open || holds?.isPending)) return null
    const running = typeof work === 'function' ? work(call) : work
    running.catch(() => {})
    const grace = () => Promise.race([running, pause(graceMs, call.signal).then(() => null)])
    const held = holds ? [holds.whenPending(watched.signal).then(grace)] : []
    return await unlessAborted(Promise.race([running, opened, ...held]), call.signal)
  } finally {
    watched.abort()
  }
}

function tooLate(call: Call, ms: number): ToolError {
  const seconds = Math.round(ms / SECOND_MS)
  return new ToolError(
    call.done
      ? `The page has not answered in the ${seconds} s since: it may be busy.`
      : `The page did not answer within ${seconds} s: it may be busy.`,
  )
}

function stillLoading({ page, startedAt }: Call): string {
  const pending = page.activity.pendingSince(startedAt).slice(0, 3)
  return pending.length === 0 ? '' : `Still loading: ${pending.map((url) => url.slice(0, 200)).join(' ')}`
}

/** With what happened beside, and the question of a dialog that is open now. */
function finished(work: Workplace, { told, ...result }: Result, effect?: Done | null): Done {
  const question = work.tabs.length > 0 ? work.current.page.dialogs.question() : null
  const notes: readonly Note[] = [...work.takeNotes(), ...(question ? [question] : [])]
  return {
    ...result,
    ...(effect?.screenshot === undefined ? {} : { screenshot: effect.screenshot }),
    ...(effect?.fingerprint === undefined ? {} : { fingerprint: effect.fingerprint }),
    said: joinLines(result.said, ...notes.map(({ said }) => said), effect?.said),
    content: truncate(
      joinLines(
        result.content,
        ...notes.map(({ content = '' }) => withoutMiddle(content, NOTE_CHARS_MAX)),
        effect?.content,
      ),
      OUTPUT_CHARS_MAX,
    ),
  }
}
