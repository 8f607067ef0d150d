import { DAY_MS, MINUTE_MS, SECOND_MS } from '../machines/limits.ts'

/** The numbers of the actors alone, unit last. */

// A task
export const TASK_DEADLINE_MS = 30 * MINUTE_MS
/** A one-time code with less time left is not sent: the next one is. */
export const TOTP_LEFT_MS_MIN = 5 * SECOND_MS

// The model
export const MODEL_BACKOFF_MS_FIRST = 1 * SECOND_MS
export const MODEL_BACKOFF_MS_MAX = 60 * SECOND_MS
/**
 * The history is reduced in batches, so that the provider's prompt cache holds in between: at so many screenshots down
 * to so many, and at so many percent of the model's context window down to so many. The last turns stay whole.
 */
export const CONVERSATION_IMAGES_MAX = 6
export const CONVERSATION_IMAGES_KEPT = 2
export const CONVERSATION_FULL_PERCENT = 60
export const CONVERSATION_REDUCED_PERCENT = 30
export const CONVERSATION_TURNS_WHOLE = 5
/** Estimates, until the provider's own count is there. */
export const CHARS_PER_TOKEN = 4
export const SCREENSHOT_TOKENS = 1_500
/** What is left of an older output when the conversation is over its budget. */
export const SHORTENED_CHARS = 500
/** An ordinary reply, for which a task's budget must have room. */
export const RESERVED_OUTPUT_TOKENS = 1_000
/** Model calls under way at once. */
export const MODEL_CALLS_MAX = 256
/** A task whose journal is longer is ended at its next step. */
export const TASK_JOURNAL_CHARS_MAX = 16 * 1024 * 1024

// The sources of an output
/** How many of its values are looked for, and in how many of the last characters of pages. */
export const GROUNDED_VALUES_MAX = 1_000
export const GROUNDED_CHARS_MAX = 1_000_000

// An ending
/** The service is unhealthy when commits have failed for this long. */
export const COMMITS_FAILING_MS_MAX = 5 * SECOND_MS
/** After this many failed commits in a row, each task's writes are committed alone; a task that is then refused this often is ended. */
export const STORE_FAILURES_TOGETHER_MAX = 3
export const STORE_REFUSALS_MAX = 8

// Records
/** An ending waits for the step records that are on their way this long at most: they are best effort. */
export const RECORDS_FLUSH_MS_MAX = 2 * SECOND_MS
/** Step records that wait for the store; what comes beyond is dropped and counted. */
export const RECORDS_WAITING_MAX = 20_000
export const RECORDS_BYTES_MAX = 64 * 1024 * 1024
/** Finished tasks that the retention removes in one write. */
/** How long an event of a payment is known at least, so that it is not credited twice. */
export const PAYMENT_EVENT_KEPT_MS_MIN = 90 * DAY_MS
export const RETENTION_BATCH_MAX = 200
/** What the screenshots of one task may take together; those that come beyond are left out. */
export const TASK_SCREENSHOTS_BYTES_MAX = 100 * 1024 * 1024

// Files of tasks
/** What one task may download. */
export const TASK_DOWNLOADS_MAX = 50
export const TASK_DOWNLOADS_BYTES_MAX = 100 * 1024 * 1024
/** What all files of a workspace take together. */
export const WORKSPACE_FILES_MAX = 10_000
export const WORKSPACE_FILES_BYTES_MAX = 2 * 1024 * 1024 * 1024
/** An upload that no task uses, and the files of a task that did not start. */
export const FILE_UNUSED_KEPT_MS = DAY_MS
/** A download that was under way when its task ended. */
export const DOWNLOAD_AFTER_END_MS_MAX = 5 * MINUTE_MS

// Webhook endpoints
/** The log of a delivery keeps its last attempts. */
export const DELIVERY_ATTEMPTS_KEPT = 20
export const WEBHOOK_BODY_BYTES_MAX = 20 * 1024
/** Events of a workspace that are read at once to be delivered. */
export const EVENTS_DISPATCHED_MAX = 200

// Tokens
/** How long an expired session is listed as expired before its record is removed. */
export const EXPIRED_SESSION_KEPT_MS = 7 * DAY_MS

// The stores
/** Changes are written after this time at the latest; what leaves the service waits for its write. */
export const KEEP_MS_MAX = 10

// Pictures
/** Their numbers within a task begin here: screenshots that the model sees have smaller ones. */
export const PICTURES_FROM = 100_000
export const CALLS_PICTURED_PER_STEP_MAX = 1_000

// Several nodes
/** How often a node renews itself and looks at the others: eight times before it may lose its shards. */
export const CLUSTER_LOOK_EVERY_MS = 500
/** A node that could not look for so long sends nothing before it has asked whether a shard is still its own. */
export const NODE_FRESH_MS_MAX = 3 * SECOND_MS
/** Others count as dead only for a node that could look for so long: a database that was away makes all look dead. */
export const NODE_STEADY_MS_MIN = 2 * SECOND_MS
/** A node that missed so much of its renewals is asked for by NATS: one that nobody is subscribed for counts as dead at once. */
export const NODE_LATE_MS = 800
export const NODE_ASKED_MS_MAX = 1 * SECOND_MS
/** What a hand-over waits for its last commit. */
export const HANDOVER_MS_MAX = 3 * SECOND_MS
/** How long a request waits for the owner of its workspace, in all and for one answer; what comes later is 503. */
export const OWNER_MS_MAX = 12 * SECOND_MS
export const OWNER_ANSWER_MS_MAX = 3 * SECOND_MS
export const OWNER_RETRY_MS = 200
/** An answer is kept for so long for who asks again with the same id. */
export const ANSWER_KEPT_MS = 60 * SECOND_MS
/** News of events are sent together after this long, and viewers look by themselves this often: news may be lost. */
export const NEWS_EVERY_MS = 20
export const VIEWERS_LOOK_EVERY_MS = 5 * SECOND_MS
/** Who listens to the words of a reply at another node asks for them again within this time. */
export const WORDS_WANTED_MS = 10 * SECOND_MS
/** A node without the bus for so long sends away the browsers whose owner it cannot reach. */
export const BUS_AWAY_MS_MAX = 3 * SECOND_MS
/** Viewers of a tab at another node ask for its pictures again within this time. */
export const LIVE_WANTED_MS = 10 * SECOND_MS
/** A browser whose socket was closed because its session moved has connected again by then; else its calls fail. */
export const MOVED_BROWSER_MS_MAX = 5 * SECOND_MS
