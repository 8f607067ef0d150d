import { SECOND_MS } from '../../machines/limits.ts'
import { TO_BROWSER } from '../../machines/texts.ts'
import { CLOSE } from '../wire/relay.ts'
import {
  BUDGET_CHARS_MAX,
  BUDGET_CHARS_PER_SECOND,
  CREATE_TASK_CHARS_MAX,
  FRAME_CHARS_COMMON_MAX,
  FRAME_DEPTH_MAX,
  FRAME_VALUES_MAX,
  FRAMES_PER_SECOND_MAX,
  UNPARSEABLE_FRAMES_MAX,
} from './limits.ts'
import type { RelayContext } from './relay.ts'
import type { RelaySocket, SocketState } from './socket-state.ts'

/**
 * Reads one frame of a registered browser: the value of its JSON, or `undefined` for a frame that goes no further because
 * it is one too many, too long, too complex or not JSON. The browser is told, or its socket is closed.
 */
export function readFrame(relay: RelayContext, socket: RelaySocket, text: string | null, now: number): unknown {
  const link = socket.data
  const { session } = link
  if (!session) return undefined
  if (!spend(link, text?.length ?? 0, now)) {
    socket.close(CLOSE.tooMany, 'More bytes than a browser may send')
    return undefined
  }
  const scan = text === null ? null : scanFrame(text)
  const isResult = scan?.type === 'tool_result'
  const isAwaited =
    isResult && scan.requestId !== null && relay.taskService.pendingCalls(session.id).includes(scan.requestId)
  // [R48] Results that the service itself asked for are as many as its calls.
  if (!isAwaited && countFrame(link, now) > FRAMES_PER_SECOND_MAX) {
    socket.close(CLOSE.tooMany, `More than ${FRAMES_PER_SECOND_MAX} frames in a second`)
    return undefined
  }
  if (text === null || scan === null) return unusable(socket)
  if (text.length > longest(scan, isAwaited)) {
    // A result that came too late is dropped like a short one.
    if (isResult) return undefined
    tell(relay, session.id, TO_BROWSER.frameTooLong, scan)
    return unusable(socket)
  }
  if (scan.tooComplex) {
    if (isAwaited) fail(relay, session.id, scan.requestId ?? '', TO_BROWSER.frameTooComplex)
    tell(relay, session.id, TO_BROWSER.frameTooComplex, scan)
    return isAwaited ? undefined : unusable(socket)
  }
  try {
    const frame: unknown = JSON.parse(text)
    // A name that stands twice, or with escapes, is read differently there.
    if (isAwaited && !isResultOf(frame, scan.requestId)) return unusable(socket)
    link.unparseable = 0
    return frame
  } catch {
    return unusable(socket)
  }
}

const isResultOf = (frame: unknown, awaited: string | null): boolean => {
  const { type, requestId } = frame as { type?: unknown; requestId?: unknown }
  return type === 'tool_result' && requestId === awaited
}

/** Settles a call whose result cannot be used. */
export const fail = ({ taskService }: RelayContext, sessionId: string, requestId: string, error: string): void =>
  taskService.toolResult(sessionId, { requestId, error, output: null, screenshot: null, tab: null })

const tell = (relay: RelayContext, sessionId: string, error: string, { requestId }: FrameScan) =>
  void relay.send(sessionId, { type: 'error', error, ...(requestId === null ? {} : { requestId }) })

/** [R46] In characters. */
function longest({ type }: FrameScan, isAwaited: boolean): number {
  if (isAwaited) return Number.POSITIVE_INFINITY
  return type === 'create_task' ? CREATE_TASK_CHARS_MAX : FRAME_CHARS_COMMON_MAX
}

/** [R10] A frame that is not JSON, or that could only be read at too great a cost. */
function unusable(socket: RelaySocket): undefined {
  socket.data.unparseable++
  if (socket.data.unparseable >= UNPARSEABLE_FRAMES_MAX) socket.close(CLOSE.badFrames, 'Frames that are not JSON')
}

/** [R9] The frames of this second, this one included. */
function countFrame(link: SocketState, now: number): number {
  if (now - link.secondAt >= SECOND_MS) {
    link.secondAt = now
    link.frames = 0
  }
  return ++link.frames
}

/** [R45] False when a browser has sent more than its budget, which fills up as time goes by. */
function spend(link: SocketState, chars: number, now: number): boolean {
  const refilled = ((now - link.spentAt) / SECOND_MS) * BUDGET_CHARS_PER_SECOND
  link.spentChars = Math.max(0, link.spentChars - refilled) + chars
  link.spentAt = now
  return link.spentChars <= BUDGET_CHARS_MAX
}

/** What can be known of a frame without building it. */
interface FrameScan {
  /** The values of these top-level fields where they are strings without escapes; else `null`. */
  readonly type: string | null
  readonly requestId: string | null
  /** It has more than FRAME_VALUES_MAX values, or more than FRAME_DEPTH_MAX levels: what follows them was not looked at. */
  readonly tooComplex: boolean
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_ARRAY = 91
const BACKSLASH = 92
const CLOSE_ARRAY = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/**
 * Looks at the JSON of a frame once, without building anything: parsing 15 MB of nested arrays takes seconds, this ends
 * where they are too many. What is not JSON gives a result too; parsing it fails afterwards.
 */
function scanFrame(text: string): FrameScan {
  const named: Record<string, string | null> = { type: null, requestId: null }
  let values = 1
  let depth = 0
  let key: string | null = null
  let lastText: string | null = null
  for (let at = 0; at < text.length && values <= FRAME_VALUES_MAX && depth <= FRAME_DEPTH_MAX; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      if (depth === 1) {
        lastText = text.slice(at + 1, Math.min(end, at + 1 + KEY_CHARS_MAX))
        if (key !== null && key in named && named[key] === null) named[key] = lastText
      }
      at = end
    } else if (code === COLON) {
      if (depth === 1) key = lastText
    } else if (code === COMMA) {
      values++
      if (depth === 1) key = null
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      values++
      depth++
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--
  }
  const tooComplex = values > FRAME_VALUES_MAX || depth > FRAME_DEPTH_MAX
  return { type: named.type ?? null, requestId: named.requestId ?? null, tooComplex }
}

/** Longer names and ids are not looked for. */
const KEY_CHARS_MAX = 300

/** The index of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1)
  if (quote === -1) return text.length
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote
  // With escapes in it, looking at each character is faster than looking for each quote.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}
