import { SECOND_MS } from '../../machines/limits.ts'

/** The numbers of what goes over the wire, unit last. */

// What a client may send
export const TASK_CHARS_MAX = 10_000
export const CONTEXT_CHARS_MAX = 50_000
export const URL_CHARS_MAX = 2_048
export const WEBHOOK_URL_CHARS_MAX = 2_048
/** Domains that a task may be confined to. */
export const DOMAINS_MAX = 50
/** Secrets of a task, and their values. What is shorter could not be told from other text. */
export const SECRETS_MAX = 20
export const SECRET_CHARS_MIN = 3
export const SECRET_CHARS_MAX = 1_000
export const DESCRIPTION_CHARS_MAX = 500
/** A pairing token is far shorter: what is longer is not worth a hash. */
export const TOKEN_CHARS_MAX = 1_000
export const LABEL_CHARS_MAX = 200
export const METADATA_KEYS_MAX = 16
export const METADATA_CHARS_MAX = 500
/** Tasks that one browser of a pool takes at a time, and the sides of its pages, in CSS pixels. */
export const PLACES_MAX = 100
export const PLACES_DEFAULT = 4
export const VIEWPORT_PX_MIN = 100
export const VIEWPORT_PX_MAX = 4_000
/** What is put into the places of a task's text. */
export const INPUTS_MAX = 32
export const INPUT_CHARS_MAX = 2_000
/** A text that tasks are searched for. */
export const SEARCH_CHARS_MAX = 200
export const KEY_NAME_CHARS_MAX = 100
/** What a user is asked, and answers. */
export const EXTRACT_WORDS_MAX = 2_000
export const QUESTION_CHARS_MAX = 2_000
export const MESSAGE_CHARS_MAX = 10_000
/** How a start waits instead of being refused. */
export const PRIORITY_DEFAULT = 3
export const PRIORITY_MAX = 5
export const QUEUE_TTL_S_DEFAULT = 600
export const WAIT_TTL_S_DEFAULT = 600
export const WAITING_S_MAX = 86_400
export const PAGE_SIZE_DEFAULT = 50
export const PAGE_SIZE_MAX = 100
export const SESSIONS_PAGE_SIZE_MAX = 1_000
/** Step records on one page: their number, and their characters. */
export const STEPS_PAGE_SIZE_MAX = 1_000

// Files
/** Files that a start brings: how many, and their bytes in all. One that is uploaded by itself, or downloaded. */
export const TASK_FILES_MAX = 10
export const TASK_FILES_BYTES_MAX = 8 * 1024 * 1024
export const FILE_BYTES_MAX = 25 * 1024 * 1024
export const FILE_NAME_CHARS_MAX = 255
export const MEDIA_TYPE_CHARS_MAX = 100

// What a task may take
export const TASK_TOKENS_MAX = 100_000_000
export const TASK_COST_USD_MAX = 1_000

// The output that a task is to have
export const OUTPUT_SCHEMA_BYTES_MAX = 16 * 1024
export const OUTPUT_SCHEMA_DEPTH_MAX = 8
export const OUTPUT_SCHEMA_PROPERTIES_MAX = 200
/** Schemas within the schema, once its references are resolved. */
export const OUTPUT_SCHEMA_PARTS_MAX = 1_000
/** How many places the model reads at most where an output does not match its schema. */
export const OUTPUT_ERRORS_MAX = 5
export const EVENTS_PAGE_SIZE_MAX = 1_000
export const EVENTS_PAGE_SIZE_DEFAULT = 100
/** A request may wait this long for its task. */
export const TASK_WAIT_S_MAX = 60
/** [V12] For how long the link to a result is open: a minute to 90 days, else a week. */
export const SHARE_S_MIN = 60
export const SHARE_S_DEFAULT = 7 * 86_400
export const SHARE_S_MAX = 90 * 86_400

// A tool call
export const COMPUTER_WAIT_MS_MAX = 30 * SECOND_MS
export const CALLS_REMEMBERED_MAX = 100
/** As many tasks are named when a browser registers: a browser of a pool has no more places. */
export const TASKS_NAMED_MAX = PLACES_MAX

// A browser's side of a tool call
export const FIND_RESULTS_MAX = 20
export const FINGERPRINT_CHARS_MAX = 100
/** What a browser may announce as its own tools beside the seven. */
export const ANNOUNCED_TOOLS_MAX = 20
/** What a browser holds: its path, its shape and name, its fields and numbers. */
export const HELD_METHOD_CHARS_MAX = 40
export const HELD_PATH_CHARS_MAX = 500
export const HELD_SHAPE_CHARS_MAX = 1_000
export const HELD_NAME_CHARS_MAX = 200
export const HELD_FIELDS_MAX = 40
export const HELD_VALUE_CHARS_MAX = 200
export const HELD_NUMBERS_MAX = 100
/** What a browser tells of an act: one text, the fields of its form, the lines of the page that have a number. */
export const ACT_CHARS_MAX = 600
export const ACT_FIELDS_MAX = 100
export const ACT_LINES_MAX = 200
export const LOCALE_CHARS_MAX = 100
export const TOOL_NAME_CHARS_MAX = 64
export const TYPED_CHARS_MAX = 20_000
export const KEY_REPEATS_MAX = 100
export const SCROLL_TICKS_MAX = 100
/** A key or a button is held down this long at most. */
export const HOLD_MS_MAX = 5 * SECOND_MS
/** A text is waited for this long at most. */
export const TEXT_WAIT_MS_MAX = 10 * SECOND_MS

// The relay
/** A browser's own id for a request, which is repeated in every frame about it. */
export const REQUEST_ID_CHARS_MAX = 200
/** [R52] A picture of a tab, in base64: with what is around it, it is within a common frame. */
export const LIVE_JPEG_CHARS_MAX = 60_000

/** [R59] Clicks and keys of one request, and the characters of one of them. */
export const LIVE_EVENTS_MAX = 50
export const LIVE_TEXT_CHARS_MAX = 1_000
