import { FRAME_BYTES_MAX, SECOND_MS } from '../../machines/limits.ts'

/** The numbers of the relay alone, unit last. */

const KB = 1024

/** What a socket may send before it has registered. A first frame over REGISTER_BYTES_MAX is closed with a reason up to here. */
export const BYTES_BEFORE_REGISTER_MAX = 128 * KB
/** Sockets that have not sent their `register` yet; beyond this the oldest is closed. */
export const UNREGISTERED_PER_ADDRESS_MAX = 20
export const UNREGISTERED_MAX = 200

/** What one browser may send at once, in characters, and how much more in each second after. */
export const BUDGET_CHARS_MAX = 2 * FRAME_BYTES_MAX
export const BUDGET_CHARS_PER_SECOND = 2 * KB * KB

/** A longer frame must be the result of a pending call, or start a task. */
export const FRAME_CHARS_COMMON_MAX = 64 * KB
/** A task and its context, each character escaped, and what is around them. */
export const CREATE_TASK_CHARS_MAX = 512 * KB
/** Values in a frame, and how deep they may lie in each other: the result that has more is a failed call. */
export const FRAME_VALUES_MAX = 100_000
export const FRAME_DEPTH_MAX = 100

export const SCREENSHOT_BYTES_MAX = 2 * KB * KB

/** Tasks that the browsers of one publishable key may start of themselves in a minute: half of what the workspace may. */
export const PUBLISHABLE_STARTS_PER_WINDOW_MAX = 5
/** Requests of one browser to the language model in a minute. */
export const MODEL_REQUESTS_PER_MINUTE_MAX = 60
/** How often the keys of connected browsers are looked up, to see which were deleted. */
export const KEYS_LOOKED_AT_EVERY_MS = 800

// The relay
export const PING_EVERY_MS = 20 * SECOND_MS
export const FRAMES_PER_SECOND_MAX = 100
export const UNPARSEABLE_FRAMES_MAX = 3
/** What may wait for a browser that reads slowly before its socket is closed. */
export const RELAY_BUFFERED_BYTES_MAX = 32 * 1024 * 1024
/** What only tells of a task waits this long at most for a frame that it can go along with. */
export const UPDATES_HELD_MS_MAX = 100
/** How often the relay looks for sockets to ping or to give up. */
export const RELAY_LOOK_EVERY_MS = 1 * SECOND_MS

// What is shown of tabs
/** Those who look at one task. */
export const LIVE_VIEWERS_MAX = 8
/** Pictures that come sooner than this after the last are dropped. */
export const LIVE_FRAME_MS_MIN = 100
