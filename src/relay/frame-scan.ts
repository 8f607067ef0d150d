import { FRAME_DEPTH_MAX, FRAME_VALUES_MAX } from './limits.ts'

/** What can be known of a frame without building it. */
export interface FrameScan {
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
export function scanFrame(text: string): FrameScan {
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
