import * as v from 'valibot'
import { LIVE_JPEG_CHARS_MAX, REQUEST_ID_CHARS_MAX } from './limits.ts'
import { LiveEventBody } from './live.ts'

/** Frames that show a task's tab: live while somebody looks, and once after each call that acts. */

/** What a browser announces among its `tools` when it can show its tabs live. */
export const SHOWS_LIVE = 'live_view'
/** What the service names in `registered` when it takes pictures. */
export const TAKES_PICTURES = 'pictures'

const text = v.string()
/** Base64 of what begins as a JPEG does. */
const jpeg = v.pipe(text, v.maxLength(LIVE_JPEG_CHARS_MAX), v.regex(/^\/9j\/[A-Za-z0-9+/]*={0,2}$/, 'is not a JPEG'))

// From the browser

/** [R52] What the tab shows now. */
export const LiveFrame = v.object({ type: v.literal('live_frame'), taskId: text, jpeg })
/** [R54] What the tab showed after this call. */
export const PictureFrame = v.object({
  type: v.literal('picture'),
  taskId: text,
  requestId: v.pipe(text, v.maxLength(REQUEST_ID_CHARS_MAX)),
  jpeg,
})

// To the browser

/** [R52] Somebody looks, or nobody any more. */
export const LiveStart = v.object({ type: v.literal('live_start'), targetSessionId: text, taskId: text })
export const LiveStop = v.object({ type: v.literal('live_stop'), targetSessionId: text, taskId: text })
/** [R59] To a browser that has announced `live_input`. */
export const LiveInputs = v.object({
  type: v.literal('live_input'),
  targetSessionId: text,
  taskId: text,
  events: v.array(LiveEventBody),
})
