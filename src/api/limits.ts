import { MINUTE_MS, SECOND_MS } from '../../machines/limits.ts'
/** The numbers of the HTTP surface alone, unit last. */

// What a client may send
/** The body of a start with files, and how many texts may be in it. */
export const BODY_WITH_FILES_BYTES_MAX = 12 * 1024 * 1024
export const BODY_STRINGS_MAX = 10_000
/** Files that a workspace may upload within UPLOADS_WINDOW_MS. */
export const UPLOADS_PER_WORKSPACE_MAX = 60
export const UPLOADS_WINDOW_MS = MINUTE_MS
/** Starts whose files are being fetched: of one workspace, and of all. */
export const FETCHES_PER_WORKSPACE_MAX = 4
export const FETCHES_AT_ONCE_MAX = 16
/** How long a browser may remember the answer to a preflight. */
export const PREFLIGHT_CACHE_S = 86_400
/** How much of a cookie header is shown to who sent it. */
export const COOKIE_CHARS_SHOWN = 200
/** Keys that are remembered as just used, before the memory starts anew. */
export const TOUCHED_KEYS_MAX = 10_000
/** The last use of a key is written this often at most. */
export const KEY_TOUCHED_EVERY_MS = MINUTE_MS
/** Answers of finished tasks that are remembered: how long one may be, and all of them. */
export const FINISHED_TASK_CACHED_CHARS_MAX = 1024 * 1024
export const FINISHED_TASKS_CACHED_CHARS_MAX = 16 * 1024 * 1024
export const STEPS_PAGE_CHARS_MAX = 4 * 1024 * 1024

// Those who read events
/** Streams and waiting requests of one task; streams of one workspace. */
export const VIEWERS_MAX = 64
/** What may wait for a viewer that reads slowly. */
export const VIEWER_WAITING_EVENTS_MAX = 1_024
export const VIEWER_WAITING_BYTES_MAX = 1024 * 1024
export const VIEWER_PING_MS = 15 * SECOND_MS
export const VIEWER_STALLED_MS_MAX = MINUTE_MS
/** Events that are read from the store at a time. */
export const EVENTS_READ_MAX = 200
export const EVENTS_PAGE_CHARS_MAX = 4 * 1024 * 1024

// Requests with an Idempotency-Key
/** An answer is given again for this long; a claim that was never answered is forgotten after it. */
export const CLAIM_KEPT_MS = 24 * 60 * MINUTE_MS
/** A retry waits for the request that is under way for this long. */
export const CLAIM_WAIT_MS = 2 * SECOND_MS
/** Longer answers are not kept: a retry finds what was done. */
export const CLAIM_ANSWER_CHARS_MAX = 256 * 1024
/** Keys that a workspace may use for the first time within CLAIMS_WINDOW_MS. */
export const CLAIMS_PER_WORKSPACE_MAX = 300
export const CLAIMS_WINDOW_MS = MINUTE_MS

/** [Z10] Profiles of a workspace, and the values of one. */
export const PROFILES_MAX = 100
export const PROFILE_BYTES_MAX = 2_000_000
