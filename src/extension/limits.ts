import { SECOND_MS } from '../../machines/limits.ts'

/** The numbers of this module alone, unit last. */

// A browser's side of a tool call
/** A tab that is closed is gone within this time after the debugger was let go. */
export const CLOSING_MS = 100
/** Whether a command failed because its tab has gone shows within this time. */
export const SETTLE_MS = 3 * CLOSING_MS
/** The same for an extension, whose session storage holds 10 MB in all. */
export const RESULTS_KEPT_CHARS_MAX = 6 * 1024 * 1024

// The extension
/** The body of a download is read on its way: so long, and so many wait for their downloads to begin. */
export const BODY_READ_MS_MAX = 20 * SECOND_MS
export const BODIES_CAPTURED_MAX = 2
/** Chrome lets an alarm ring at most this often: a worker that was stopped is awake again by then. */
export const EXTENSION_WAKE_EVERY_MS = 30 * SECOND_MS
/** Each start of the worker begins a new range of refs. No task has this many. */
export const EXTENSION_REFS_PER_LIFE = 100_000
export const PANEL_TASKS_MAX = 10
export const PANEL_STEPS_MAX = 60
/** Small pictures of the page that the side panel shows: so many of each task, so wide. */
export const THUMBNAILS_PER_TASK_MAX = 12
export const THUMBNAIL_WIDTH_PX = 320
/** The window that asks before a pairing takes no yes before it could be read. */
export const CONSENT_MS_MIN = 700
/** The same for what a task asks. */
export const INPUT_MS_MIN = 700
/** What the user wants of the service is answered within this time. */
export const ANSWER_MS_MAX = 15 * SECOND_MS
/** Entries of the lists of sites. */
export const SITES_MAX = 1_000
