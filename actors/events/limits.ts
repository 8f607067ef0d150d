/** The numbers of the event log alone, unit last. */

/** Of a tool's output. The whole of it is in the task's steps. */
export const EVENT_OUTPUT_CHARS_MAX = 2_000
/** Of the text of a task, in `task.created`. */
export const EVENT_TASK_CHARS_MAX = 2_000
/** Of the words of a reply while they come. */
export const LIVE_WORDS_CHARS_MAX = 2_000
export const LIVE_WORDS_EVERY_MS = 250
/** How many events at the end of a log a restarted service reads, to find the last state and step in it. */
export const EVENTS_RESUMED = 12
/** How many events of a task are read at a time to find one among them. */
export const EVENTS_SEARCHED = 80
/** The logs that clients have asked for lately, and how long they are kept after that. */
export const LOGS_RECENT_CHARS_MAX = 16 * 1024 * 1024
export const LOGS_RECENT_MS = 60_000
