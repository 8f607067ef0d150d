import { MINUTE_MS } from '../../machines/limits.ts'

/** The numbers of the inspection alone, unit last. */

/** Transitions that are kept of each watched actor, and of a task for its replay. */
export const TRANSITIONS_KEPT_MAX = 200
export const TRACE_TRANSITIONS_MAX = 2_000
/** Ended actors that can still be inspected. */
export const ENDED_ACTORS_KEPT_MAX = 500
/** How long all actors are still watched after the last viewer has left, so that a reloaded page finds what it showed. */
export const WATCH_LINGER_MS = 1 * MINUTE_MS
