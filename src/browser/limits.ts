import { SECOND_MS } from '../../machines/limits.ts'

/** The numbers of this module alone, unit last. */

// A browser's side of a tool call
/** A page that has not finished loading by then is reported as still loading. */
export const PAGE_LOAD_MS_MAX = 8 * SECOND_MS
/** When everything else of a page has come, its pictures and media are waited for so long. */
export const PICTURES_MS_MAX = 1 * SECOND_MS
/** After an action, the network has to be idle and the document unchanged for this long … */
export const NETWORK_QUIET_MS = 150
export const TREE_STILL_MS = 40
/** … but no longer than this. */
export const ACTION_SETTLE_MS_MAX = 3 * SECOND_MS
/** A response that is still being received this long after its start counts as a stream. */
export const STREAM_MS_MIN = 1 * SECOND_MS
/** An action waits this long for its target to be visible, at rest, enabled and not covered. */
export const TARGET_READY_MS_MAX = 3 * SECOND_MS
/** After an action that started a navigation, the new page is waited for this long. */
export const ACTION_LOAD_MS_MAX = 5 * SECOND_MS
/** A dialog waits this long for its answer. */
export const DIALOG_MS_MAX = 10 * SECOND_MS
/** What an action tells of the page: its changes, or so much of another one. */
export const CHANGES_CHARS_MAX = 6_000
export const NEW_PAGE_CHARS_MAX = 9_000
/** Toasts and alerts that came and went between two looks. */
export const CHANGES_SHOWN_GONE_MAX = 5
/** Of a longer title or address of a page the middle is left out. */
export const ADDRESS_CHARS_MAX = 300
/** What happened beside a call (a dialog, a window, a download) is told in so many characters of the page's. */
export const NOTE_CHARS_MAX = 600
/** What a field holds is told up to here. */
export const HELD_CHARS_MAX = 2_000
/** Files of a task: how many are remembered, and how much of one is read. */
export const TASK_FILES_MAX = 50
/** How long an action waits for its download. */
export const DOWNLOAD_WAIT_MS_MAX = 4 * SECOND_MS
/** One file on its way to the service or from it, and how often it is tried. */
export const FILE_SEND_MS_MAX = 30 * SECOND_MS
/** [Z16] Values of a profile that are taken out of what pages say, and how many: each costs time at each call. */
export const PROFILE_VALUE_CHARS_MIN = 8
export const PROFILE_VALUES_MAX = 500
/** [Z12] How long saving a profile is tried again, and the longest pause between two tries. */
export const PROFILE_SAVE_TRIED_MS = 600 * SECOND_MS
export const PROFILE_SAVE_RETRY_MS_MAX = 5 * SECOND_MS
export const FILE_SEND_TRIES_MAX = 6
export const FILE_READ_CHARS_MAX = 20_000
/** No tool call lasts longer, whatever the page does; only a wait that was asked for may. */
export const PAGE_ANSWER_MS_MAX = 12 * SECOND_MS
export const JAVASCRIPT_OUTPUT_CHARS_MAX = 20_000
/** Results that a browser keeps for calls that are asked again, in characters of all their frames. */
export const RESULTS_REMEMBERED_CHARS_MAX = 64 * 1024 * 1024
export const RECONNECT_MS_FIRST = 250
export const RECONNECT_MS_MAX = 5 * SECOND_MS
/** While a task runs a service that has said nothing for so long is asked, and given up after this silence. */
export const ASK_AFTER_MS = 3 * SECOND_MS
export const BUSY_SILENCE_MS_MAX = 8 * SECOND_MS
/** What a slow line carries up meanwhile: the answer comes after it. */
export const SLOW_LINE_CHARS_PER_MS = 32

// Records
export const SCREENSHOT_SIDE_PX_MAX = 1_280

// The relay
export const RELAY_PORT_DEFAULT = 7862

// What is shown of a tab
/** A tab that somebody looks at is shown so often at most; one in the background, whose pictures cost more, less often. */
export const LIVE_FRAME_MS = 250
export const LIVE_STILL_MS = 700
/** How often it is looked up which tab a task works in. */
export const LIVE_LOOK_MS = 250
export const LIVE_WIDTH_PX_MAX = 960
export const LIVE_HEIGHT_PX_MAX = 720
export const LIVE_QUALITY = 50
export const LIVE_QUALITY_MIN = 15
/** What may wait in the connection before a picture is dropped. */
export const LIVE_WAITING_BYTES_MAX = 128 * 1024
