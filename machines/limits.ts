// longer than 250 lines because every number of the core stands here once
/** Every number of the service, unit last. What must hold between them is in relations.ts. */

// Times of the clock
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * 60 * MINUTE_MS

// What a client may send
export const TASK_CHARS_MAX = 10_000
export const CONTEXT_CHARS_MAX = 50_000
export const URL_CHARS_MAX = 2_048
export const WEBHOOK_URL_CHARS_MAX = 2_048
export const BODY_BYTES_MAX = 128 * 1024
/** The head of a request: more is answered 431. */
export const HEAD_BYTES_MAX = 16 * 1024
/** An over-size body is read to its end and dropped up to here, so that its connection lives on. */
export const BODY_DISCARDED_BYTES_MAX = 16 * 1024 * 1024
/** How long a browser may remember the answer to a preflight. */
export const PREFLIGHT_CACHE_S = 86_400
/** A connection on which nothing is asked is closed after this. */
export const HTTP_IDLE_MS_MAX = 10 * SECOND_MS
/** A request must have come whole by then; its head within HTTP_IDLE_MS_MAX. How often that is looked at. */
export const HTTP_REQUEST_MS_MAX = 30 * SECOND_MS
export const HTTP_LOOK_EVERY_MS = 5 * SECOND_MS
/** How much of a cookie header is shown to who sent it. */
export const COOKIE_CHARS_SHOWN = 200
/** A pairing token is far shorter: what is longer is not worth a hash. */
export const TOKEN_CHARS_MAX = 1_000
/** Keys that are remembered as just used, before the memory starts anew. */
export const TOUCHED_KEYS_MAX = 10_000
/** The last use of a key is written this often at most. */
export const KEY_TOUCHED_EVERY_MS = MINUTE_MS
export const LABEL_CHARS_MAX = 200
export const KEY_NAME_CHARS_MAX = 100
export const PAGE_SIZE_DEFAULT = 50
export const PAGE_SIZE_MAX = 100
export const SESSIONS_PAGE_SIZE_MAX = 1_000
/** Records of steps on one page: so many, and characters of them. */
export const STEPS_PAGE_SIZE_MAX = 1_000
export const STEPS_PAGE_CHARS_MAX = 4 * 1024 * 1024

// Admission
export const STARTS_PER_WINDOW_MAX = 10
export const START_WINDOW_MS = 60 * SECOND_MS
export const RUNNING_TASKS_MAX = 5
export const FREE_TASKS_PER_MONTH = 20
/** A start that meets a charge on its way looks again after this pause, this many times at most. */
export const ALLOWANCE_WAIT_MS = 20
export const ALLOWANCE_LOOKS_MAX = 100

// Sign-in
/** For how long a verified session cookie is believed without asking the store. A sign-out in this process is honoured at once. */
export const SIGN_IN_CACHE_MS = 5 * SECOND_MS
export const SIGN_IN_CACHE_MAX = 10_000
/** What one client address may ask of sign-in in production, in a window. */
export const SIGN_IN_WINDOW_S = 60
export const SIGN_IN_ATTEMPTS_MAX = 20
export const SIGN_IN_REQUESTS_MAX = 600
export const PASSWORD_CHARS_MIN = 8

// Payments
/** A signed payment event older than this is not believed. */
export const PAYMENT_TOLERANCE_S = 300
/** What one payment event may add. */
export const CREDITS_PER_EVENT_MAX = 999_999_999

// A task
export const STEPS_MAX = 50
export const TASK_DEADLINE_MS = 30 * MINUTE_MS
export const TASK_STUCK_MS = 35 * MINUTE_MS
export const TASK_SWEEP_EVERY_MS = 5 * MINUTE_MS
export const BROWSER_WAIT_MS = 15 * SECOND_MS
/** The same call with the same result this many times in a row: the model is told once that it makes no progress. */
export const SAME_CALL_WARNED = 3
/** The same call this many times in a row is not executed and ends the loop. */
export const SAME_CALL_REFUSED = 6
/** The model is told how many steps are left after this one: three quarters of them. */
export const STEPS_NOTED = 38
/** A task of so few steps ends without a check of its answer. */
export const FINISH_UNCHECKED_STEPS_MAX = 2
/** Cycles of several actions are looked for among so many of the last ones; noted and refused after so many rounds. */
export const PROGRESS_WINDOW_ACTIONS = 20
export const CYCLES_NOTED = 3
export const CYCLES_REFUSED = 8

// A tool call
export const TOOL_TIMEOUT_MS_DEFAULT = 15 * SECOND_MS
export const TOOL_TIMEOUT_MS_NAVIGATE = 30 * SECOND_MS
export const TOOL_TIMEOUT_MS_WAIT = 35 * SECOND_MS
export const COMPUTER_WAIT_MS_MAX = 30 * SECOND_MS
export const CALL_STALE_MS = 70 * SECOND_MS
export const CALL_SWEEP_EVERY_MS = 30 * SECOND_MS
export const CALLS_REMEMBERED_MAX = 100

// A browser's side of a tool call
export const FIND_RESULTS_MAX = 20
export const FINGERPRINT_CHARS_MAX = 100
/** What a browser may announce as its own tools beside the seven. */
export const ANNOUNCED_TOOLS_MAX = 20
export const TOOL_NAME_CHARS_MAX = 64
export const TYPED_CHARS_MAX = 20_000
export const KEY_REPEATS_MAX = 100
export const SCROLL_TICKS_MAX = 100
/** A page that has not finished loading by then is reported as still loading. */
export const PAGE_LOAD_MS_MAX = 8 * SECOND_MS
/** Whether a command failed because its tab has gone shows within this time. */
export const SETTLE_MS = 30
/** After an action the page is waited for until the network was quiet and the document stood still for so long … */
export const NETWORK_QUIET_MS = 500
export const TREE_STILL_MS = 80
/** … but no longer than this. */
export const ACTION_SETTLE_MS_MAX = 3 * SECOND_MS
/** An answer of the network that still goes on so long after it began is a stream. */
export const STREAM_MS_MIN = 1 * SECOND_MS
/** An action waits this long for its target to be visible, at rest, enabled and not covered. */
export const TARGET_READY_MS_MAX = 3 * SECOND_MS
/** After an action that started a navigation, the new page is waited for this long. */
export const ACTION_LOAD_MS_MAX = 5 * SECOND_MS
/** A dialog waits this long for its answer. */
export const DIALOG_MS_MAX = 10 * SECOND_MS
/** A key or a button is held down this long at most. */
export const HOLD_MS_MAX = 5 * SECOND_MS
/** A text is waited for this long at most. */
export const TEXT_WAIT_MS_MAX = 10 * SECOND_MS
/** What an action tells of the page: its changes, or the whole page when it is another one. */
export const CHANGES_CHARS_MAX = 6_000
export const NEW_PAGE_CHARS_MAX = 12_000
/** Toasts and alerts that came and went between two looks. */
export const CHANGES_SHOWN_GONE_MAX = 5
/** What a field holds is told up to here. */
export const HELD_CHARS_MAX = 2_000
/** Files of a task: how many are kept, and how much of one is read. */
export const TASK_FILES_MAX = 50
export const FILE_BYTES_MAX = 8 * 1024 * 1024
export const FILE_READ_CHARS_MAX = 20_000
/** A window that the page opens is waited for this long. */
export const POPUP_MS_MAX = 2 * SECOND_MS
/** No tool call lasts longer, whatever the page does; only a wait that was asked for may. */
export const PAGE_ANSWER_MS_MAX = 12 * SECOND_MS
export const JAVASCRIPT_OUTPUT_CHARS_MAX = 20_000
/** Results that a browser keeps for calls that are asked again, in characters of all their frames. */
export const RESULTS_REMEMBERED_CHARS_MAX = 64 * 1024 * 1024
/** The same for an extension, whose session storage holds 10 MB in all. */
export const RESULTS_KEPT_CHARS_MAX = 6 * 1024 * 1024
export const RECONNECT_MS_FIRST = 250
export const RECONNECT_MS_MAX = 5 * SECOND_MS

// The extension
/** Chrome lets an alarm ring at most this often: a worker that was stopped is awake again by then. */
export const EXTENSION_WAKE_EVERY_MS = 30 * SECOND_MS
/** Each life of the worker has its own references of elements: no task has so many. */
export const EXTENSION_REFS_PER_LIFE = 100_000
export const PANEL_TASKS_MAX = 10
export const PANEL_STEPS_MAX = 60
/** Small pictures of the page that the side panel shows: so many of each task, so wide, given up after so long. */
export const THUMBNAILS_PER_TASK_MAX = 12
export const THUMBNAIL_WIDTH_PX = 320
export const THUMBNAIL_MS_MAX = 1 * SECOND_MS
export const GROUP_TITLE_CHARS_MAX = 30
/** The window that asks before a pairing takes no yes before it could be read. */
export const CONSENT_MS_MIN = 700
/** Entries of the lists of sites. */
export const SITES_MAX = 1_000

// The model
export const MODEL_ATTEMPTS_MAX = 3
export const MODEL_ATTEMPT_MS_MAX = 120 * SECOND_MS
export const MODEL_BACKOFF_MS_FIRST = 1 * SECOND_MS
export const MODEL_BACKOFF_MS_MAX = 60 * SECOND_MS
export const MODEL_OUTPUT_TOKENS_MAX = 16_384
/** Of a model that says nothing of its context window: what the least of the current ones can read. */
export const CONTEXT_TOKENS_DEFAULT = 128_000
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
/** Model calls under way at once. */
export const MODEL_CALLS_MAX = 256
export const MODEL_REQUESTS_PER_SESSION_MAX = 10
/** A document of MongoDB takes 16 MB: what an answer becomes must fit, or no write would ever succeed again. */
export const MODEL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** What one reply may ask for: calls, and the size and nesting of each input. */
export const CALLS_PER_REPLY_MAX = 32
export const TOOL_INPUT_BYTES_MAX = 64 * 1024
export const TOOL_INPUT_DEPTH_MAX = 32
/** What a browser may answer is nested so deep at most. */
export const TOOL_OUTPUT_DEPTH_MAX = 100
/** A task whose journal is longer is ended at its next step. */
export const TASK_JOURNAL_CHARS_MAX = 16 * 1024 * 1024
export const MODEL_CONNECTION_IDLE_MS = 30 * SECOND_MS
export const MODEL_FAILURE_CHARS_MAX = 300

// An ending
export const FINAL_WRITE_ATTEMPTS_MAX = 2
export const FINAL_WRITE_PAUSE_MS = 1 * SECOND_MS
/** What cannot be written because the store is away is tried again after this pause. */
export const STORE_RETRY_MS = 1 * SECOND_MS
/** Commits that have failed for so long make the service unhealthy. */
export const COMMITS_FAILING_MS_MAX = 5 * SECOND_MS
/** After so many failed commits in a row each task's writes are committed alone; one refused so often then is ended. */
export const STORE_FAILURES_TOGETHER_MAX = 3
export const STORE_REFUSALS_MAX = 8
export const WEBHOOK_TIMEOUT_MS = 10 * SECOND_MS
export const WEBHOOKS_AT_ONCE_MAX = 100
export const WEBHOOKS_WAITING_MAX = 10_000
export const WEBHOOK_ANSWER_BYTES_MAX = 1024 * 1024

// Records
export const OUTPUT_CHARS_MAX = 50_000
/** An ending waits for the step records that are on their way this long at most: they are best effort. */
export const RECORDS_FLUSH_MS_MAX = 2 * SECOND_MS
/** Step records that wait for the store; what comes beyond is dropped and counted. */
export const RECORDS_WAITING_MAX = 20_000
export const RECORDS_BYTES_MAX = 64 * 1024 * 1024
export const SCREENSHOT_SIDE_PX_MAX = 1_280
export const RETENTION_DAYS_DEFAULT = 30
/** How often idle workspaces are looked for: one goes within twice this after its last start, task and session. */
export const WORKSPACE_REST_EVERY_MS = 60 * SECOND_MS
export const RETIRE_EVERY_MS = 10 * MINUTE_MS
/** Finished tasks that one bite of the retention removes. */
export const RETENTION_BATCH_MAX = 200

/** What the screenshots of one task may take together; those that come beyond are left out. */
export const TASK_SCREENSHOTS_BYTES_MAX = 100 * 1024 * 1024

// Tokens
export const PAIRING_TOKEN_MS = 5 * MINUTE_MS
export const SESSION_TOKEN_MS = 30 * DAY_MS
/** An expired session is listed for so long, as expired; then its record is removed. */
export const EXPIRED_SESSION_KEPT_MS = 7 * DAY_MS

// The relay
export const RELAY_PORT_DEFAULT = 7862
export const REGISTER_MS_MAX = 10 * SECOND_MS
export const REGISTER_BYTES_MAX = 8 * 1024
export const PING_EVERY_MS = 20 * SECOND_MS
export const SILENCE_MS_MAX = 45 * SECOND_MS
export const FRAME_BYTES_MAX = 16 * 1024 * 1024
export const FRAMES_PER_SECOND_MAX = 100
/** A browser's own name for what it asks; it comes back in every frame about it. */
export const REQUEST_ID_CHARS_MAX = 200
export const UNPARSEABLE_FRAMES_MAX = 3
/** What may wait for a browser that reads slowly before its socket is closed. */
export const RELAY_BUFFERED_BYTES_MAX = 32 * 1024 * 1024
/** What only tells of a task waits this long at most for a frame that it can go along with. */
export const UPDATES_HELD_MS_MAX = 100
/** How often the relay looks for sockets to ping or to give up. */
export const RELAY_LOOK_EVERY_MS = 1 * SECOND_MS
/** A session actor without a socket and without calls is kept this long before its record alone is kept. */
export const SESSION_LINGER_MS = 5 * MINUTE_MS

// Supervision and shutdown
export const RESTARTS_MAX = 3
export const RESTART_WINDOW_MS = 60 * SECOND_MS
export const DRAIN_MS_MAX = 8 * SECOND_MS
export const STOP_MS_MAX = 10 * SECOND_MS
/** A closing listener lets answers that are on their way finish for this long. */
export const LISTENER_CLOSE_MS_MAX = 1 * SECOND_MS
export const STORE_OPEN_MS_MAX = 30 * SECOND_MS
export const PING_STORE_MS_MAX = 1 * SECOND_MS

// The stores
/** An embedded store refuses writes while its disk has less left. */
export const DISK_FREE_BYTES_MIN = 64 * 1024 * 1024
export const DISK_CHECK_EVERY_MS = 100
/** What changed is written after this, if nobody waits for it; what leaves the service is waited for. */
export const KEEP_MS_MAX = 10
export const STORE_RETRY_EVERY_MS = 2 * SECOND_MS
export const MONGODB_SELECTION_MS_MAX = 3 * SECOND_MS
export const MONGODB_SOCKET_MS_MAX = 10 * SECOND_MS
/** An answer, a look whether the server is there: the driver can wait for ever on a socket that closed too soon. */
export const MONGODB_CALL_MS_MAX = 15 * SECOND_MS
export const MONGODB_LOOK_EVERY_MS = 10 * SECOND_MS
export const MONGODB_LOOK_MS_MAX = 5 * SECOND_MS
/** How long a process may go on with a key that another has revoked; a second is promised. */
export const KEY_CACHE_MS_MAX = 500
export const KEYS_CACHED_MAX = 10_000
