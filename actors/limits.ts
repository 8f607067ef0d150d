import { DAY_MS, MINUTE_MS, SECOND_MS } from '../machines/limits.ts'

/** The numbers of the actors alone, unit last. */

// A task
export const TASK_DEADLINE_MS = 30 * MINUTE_MS
/** How long the answer to a start that failed waits until what it left is ended. */
export const LEFT_START_MS_MAX = 1 * SECOND_MS
/** What was read for a start counts for it for so long: a change by another process does within a second (Q4). */
export const START_READS_MS_MAX = 500
/** A one-time code with less time left is not sent: the next one is. */
export const TOTP_LEFT_MS_MIN = 5 * SECOND_MS

/** The browser of a task that has ended has this time to save its profile. */
export const PROFILE_SAVE_MS_MAX = 10 * SECOND_MS

// The model
export const MODEL_BACKOFF_MS_FIRST = 1 * SECOND_MS
export const MODEL_BACKOFF_MS_MAX = 60 * SECOND_MS
/**
 * The history is reduced in batches, so that the provider's prompt cache holds in between: with more than IMAGES_MAX
 * screenshots down to IMAGES_KEPT, and at FULL_PERCENT of the model's context window down to REDUCED_PERCENT. The last
 * turns stay whole.
 */
export const CONVERSATION_IMAGES_MAX = 6
export const CONVERSATION_IMAGES_KEPT = 2
export const CONVERSATION_FULL_PERCENT = 60
export const CONVERSATION_REDUCED_PERCENT = 30
export const CONVERSATION_TURNS_WHOLE = 5
/** Estimates, until the provider has reported its own count. */
export const CHARS_PER_TOKEN = 4
export const SCREENSHOT_TOKENS = 1_500
/** What is left of an older output when the conversation is over its budget. */
export const SHORTENED_CHARS = 500
/** The size of an ordinary reply, which a task's budget must have room for. */
export const RESERVED_OUTPUT_TOKENS = 1_000
/** Model calls under way at once. */
export const MODEL_CALLS_MAX = 256
/** A task with a longer journal is ended at its next step. */
export const TASK_JOURNAL_CHARS_MAX = 16 * 1024 * 1024

// The sources of an output
/** How many of its values are searched for, and in how many of the last characters of pages. */
export const GROUNDED_VALUES_MAX = 1_000
export const GROUNDED_CHARS_MAX = 1_000_000

// An ending
/** The service is unhealthy when commits have failed for this long. */
export const COMMITS_FAILING_MS_MAX = 5 * SECOND_MS
/**
 * After this many failed commits in a row, each task's writes are committed alone; a task that is then refused this
 * often is ended.
 */
export const STORE_FAILURES_TOGETHER_MAX = 3
export const STORE_REFUSALS_MAX = 8
/** How long a request of a client waits for a commit. */
export const KEPT_MS_MAX = 5 * SECOND_MS

// Records
/** How long the id of a payment event is kept at least, so that it is not credited twice. */
export const PAYMENT_EVENT_KEPT_MS_MIN = 90 * DAY_MS
/** What the retention removes before everything else has its turn: records, and tasks with all that belongs to them. */
export const RETENTION_BATCH_MAX = 200
export const RETIRED_TASKS_BATCH_MAX = 20
/** Removals of sessions that the store did not confirm, and that may be asked for again. */
export const UNCONFIRMED_REMOVALS_MAX = 1_000
/** The total size of the screenshots of one task; more are left out. */
export const TASK_SCREENSHOTS_BYTES_MAX = 100 * 1024 * 1024

// Files of tasks
/** What one task may download. */
export const TASK_DOWNLOADS_MAX = 50
export const TASK_DOWNLOADS_BYTES_MAX = 100 * 1024 * 1024
/** The total number and size of the files of a workspace. */
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
/** Changes are written at the latest after this time; nothing that depends on them leaves the service before. */
export const KEEP_MS_MAX = 10

// Pictures
/** The first number of a picture within its task: screenshots that the model sees have smaller ones. */
export const PICTURES_FROM = 100_000
export const CALLS_PICTURED_PER_STEP_MAX = 1_000

// Several nodes
/** How often a node renews its lease and reads those of the others: four times before it may lose its shards. */
export const VIEW_REFRESH_EVERY_MS = 1 * SECOND_MS
/** What a node knows of itself is old after this: it closes the sockets of browsers that it may not own. */
export const NODE_FRESH_MS_MAX = 3 * SECOND_MS
/**
 * Only a node that has renewed without failures for this long, and never later than that after the last time, treats others as
 * dead: after an outage of the database all leases look expired, and a node without CPU would lose what it takes.
 */
export const NODE_STEADY_MS_MIN = 2 * SECOND_MS
export const RENEWAL_GAP_MS_MAX = 2 * SECOND_MS
/** A shard that a node lost this soon after it took it is taken again later, and later each time. */
export const LOST_SOON_MS = 10 * SECOND_MS
export const TAKE_AGAIN_MS_MAX = 30 * SECOND_MS
/** How many shards a node recovers at a time. */
export const RECOVERIES_AT_ONCE = 8
/**
 * A node whose renewal is this late is pinged over NATS: without a subscriber it counts as dead at once. From then on it
 * sends and answers nothing before the store has said that the shard is still its own.
 */
export const NODE_LATE_MS = 1_300
export const NODE_ASKED_MS_MAX = 1 * SECOND_MS
/** A log with at most so many entries has all of them while its task runs. */
export const LOG_ENTRIES_WHOLE_MAX = 10_000
/** How long a handover waits for the answers of webhooks, and for the last commit. */
export const WEBHOOKS_ANSWERED_MS_MAX = 1 * SECOND_MS
export const HANDOVER_MS_MAX = 3 * SECOND_MS
/** How long a request waits for the owner of its workspace, in total and for one answer; then it fails with 503. */
export const OWNER_MS_MAX = 5 * SECOND_MS
export const OWNER_ANSWER_MS_MAX = 3 * SECOND_MS
export const OWNER_RETRY_MS = 250
/** How long an owner keeps its answer to a call, for a node that repeats the call under the same id. */
export const ANSWER_KEPT_MS = 60 * SECOND_MS
/**
 * Notifications of new events are sent in batches at this interval. They may be lost, so viewers also read the log at
 * this interval.
 */
export const NOTICES_EVERY_MS = 20
export const VIEWERS_LOOK_EVERY_MS = 5 * SECOND_MS
/** A node that has viewers says so again within this time. */
export const SUBSCRIPTION_MS = 2 * VIEWERS_LOOK_EVERY_MS
/** A node tells each owner at this interval which of its browsers it has heard. */
export const HEARD_EVERY_MS = 5 * SECOND_MS
/** After this long without the bus a node closes the sockets of browsers whose owner it cannot reach. */
export const BUS_AWAY_MS_MAX = 3 * SECOND_MS
/** A browser whose socket was closed because its session moved must reconnect within this time; else its calls fail. */
export const MOVED_BROWSER_MS_MAX = 5 * SECOND_MS
