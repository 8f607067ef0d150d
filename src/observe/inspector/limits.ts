import { MINUTE_MS, SECOND_MS } from '../../../machines/limits.ts'

/** The numbers of the inspector alone, unit last. */

/** How often viewers are updated at most. */
export const VIEWER_TOLD_EVERY_MS = 50
/** What one viewer is told in the long run, in bytes: 200 KB a second. */
export const VIEWER_BYTES_PER_MS_MAX = 200
/** How often the actors of other nodes are read for a viewer. */
export const ELSEWHERE_READ_EVERY_MS = 1 * SECOND_MS
/** An open stream is asked this often whether its reader may still read it. */
export const VIEWER_CHECKED_EVERY_MS = 1 * SECOND_MS
/** It says this often that it lives. */
export const VIEWER_BEAT_MS = 15 * SECOND_MS
export const VIEWERS_MAX = 1_000
export const VIEWERS_PER_WORKSPACE_MAX = 20
/** A stream whose reader takes nothing for this long ends. */
export const VIEWER_STALLED_MS_MAX = MINUTE_MS
/** What may wait for one of XState's own inspectors that reads slowly; what comes beyond is dropped. */
export const INSPECTOR_BUFFERED_BYTES_MAX = 4 * 1024 * 1024
