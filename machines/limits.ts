/**
 * The numbers that machines use, or more than one module above them; unit last. A module's own numbers are in its
 * limits.ts.
 */

// Times of the clock
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * 60 * MINUTE_MS

// What a client may send
export const BODY_BYTES_MAX = 128 * 1024

// Admission
export const STARTS_PER_WINDOW_MAX = 10
export const START_WINDOW_MS = 60 * SECOND_MS
export const RUNNING_TASKS_MAX = 5
export const FREE_TASKS_PER_MONTH = 20
/** A start that reads the allowance while a charge is pending reads it again after this pause, up to READS_MAX times. */
export const ALLOWANCE_WAIT_MS = 20
export const ALLOWANCE_READS_MAX = 100

// What a user is asked
/** How long a question or an approval waits for its answer. */
export const INPUT_WAIT_MS = 10 * MINUTE_MS
/** For this many past requests, a second answer is distinguished from an answer to an unknown request. */
export const ANSWERED_INPUTS_MAX = 20
/** Shapes of requests that a user can approve for the rest of a task. */
export const ALLOWED_SHAPES_MAX = 100

// The queue of a workspace
export const QUEUED_STARTS_MAX = 1_000
/**
 * A queued start that nothing but time can help (no allowance, a store that does not answer) is checked again after
 * this time.
 */
export const QUEUE_RETRY_MS = 5 * SECOND_MS

// Sign-in
export const PASSWORD_CHARS_MIN = 8

// A task
export const STEPS_MAX = 50
/** What an operator may allow at most. */
export const STEPS_ALLOWED_MAX = 200
export const TASK_STUCK_MS = 35 * MINUTE_MS
export const TASK_SWEEP_EVERY_MS = 5 * MINUTE_MS
export const BROWSER_WAIT_MS = 15 * SECOND_MS
/** A browser of a pool that is away for longer is gone: its tasks go on in another one. */
export const POOL_BROWSER_WAIT_MS = 5 * SECOND_MS
/** The same call with the same result this many times in a row: the model is told once that it makes no progress. */
export const SAME_CALL_WARNED = 3
/** The same call this many times in a row is not executed and ends the loop. */
export const SAME_CALL_REFUSED = 6
/** For so long a task may wait for a page, or look at it, without seeing anything new. */
export const STILL_MS_MAX = 10 * MINUTE_MS
/** So many calls that fail in a row: the model is told, and the loop ends. */
export const FAILURES_NOTED = 5
export const FAILURES_MAX = 12
/** Before its deadline a task has this long for its last reply. */
export const LAST_REPLY_MS = MINUTE_MS
/** Share of the steps after which the model reads how many are left. */
export const STEPS_NOTED_PERCENT = 75
/** Share of a budget at which its client and its model are warned. */
export const BUDGET_WARNED_PERCENT = 80
/** A task with at most this many steps ends without a check of its answer. */
export const FINISH_UNCHECKED_STEPS_MAX = 2
/** How often an output that does not match its schema may be repaired before the model is asked for the JSON alone. */
export const OUTPUT_REPAIRS_MAX = 2
/** The number of recent actions that are searched for cycles, and the rounds after which a cycle is noted and refused. */
export const PROGRESS_WINDOW_ACTIONS = 20
export const CYCLES_NOTED = 3
export const CYCLES_REFUSED = 8

// A tool call
export const TOOL_TIMEOUT_MS_DEFAULT = 15 * SECOND_MS
export const TOOL_TIMEOUT_MS_NAVIGATE = 30 * SECOND_MS
/** What is let go of may open a page. */
export const TOOL_TIMEOUT_MS_RELEASE = TOOL_TIMEOUT_MS_NAVIGATE
export const TOOL_TIMEOUT_MS_WAIT = 35 * SECOND_MS
/** A recipe's: its target, and what is expected after it, are waited for. */
export const TOOL_TIMEOUT_MS_GUARDED = TOOL_TIMEOUT_MS_NAVIGATE
export const CALL_STALE_MS = 70 * SECOND_MS
export const CALL_SWEEP_EVERY_MS = 30 * SECOND_MS

// A script
export const SCRIPT_CALLS_MAX = 200
/** How long the calls of a script may take together. */
export const SCRIPT_MS_DEFAULT = 60 * SECOND_MS
export const SCRIPT_MS_MAX = 120 * SECOND_MS

// What a task keeps for itself
/** Of all notes of a task together. */
export const NOTES_CHARS_MAX = 8_000
export const WRITTEN_FILE_BYTES_MAX = 1024 * 1024
/** Pages of one long text that `extract` reads. */
export const EXTRACT_PAGES_MAX = 20

// A browser's side of a tool call
/** How long a tool call waits for a window that the page opens. */
export const POPUP_MS_MAX = 2 * SECOND_MS

// The model
export const MODEL_ATTEMPTS_MAX = 3
export const MODEL_ATTEMPT_MS_MAX = 120 * SECOND_MS
export const MODEL_OUTPUT_TOKENS_MAX = 16_384
/** For a model with an unknown context window: the smallest of the current models. */
export const CONTEXT_TOKENS_DEFAULT = 128_000
export const MODEL_REQUESTS_PER_SESSION_MAX = 10
/** The limits of one reply: its number of calls, and the size and nesting depth of each input. */
export const CALLS_PER_REPLY_MAX = 32
export const TOOL_INPUT_BYTES_MAX = 64 * 1024
export const TOOL_INPUT_DEPTH_MAX = 32
/** Of the name of a tool that a model asks for; what is beyond is left out. */
export const TOOL_NAME_CHARS_MAX = 128
/** The maximum nesting depth of a tool's output. */
export const TOOL_OUTPUT_DEPTH_MAX = 100

// An ending
export const FINAL_WRITE_ATTEMPTS_MAX = 2
export const FINAL_WRITE_PAUSE_MS = 1 * SECOND_MS
/** A write that failed because the store is unavailable is retried after this pause. */
export const STORE_RETRY_MS = 1 * SECOND_MS
export const WEBHOOK_TIMEOUT_MS = 10 * SECOND_MS
export const WEBHOOKS_AT_ONCE_MAX = 100
export const WEBHOOKS_WAITING_MAX = 10_000
export const WEBHOOK_ANSWER_BYTES_MAX = 1024 * 1024

// Webhook endpoints
/** A longer `Retry-After` of a receiver is cut to this. */
export const RETRY_AFTER_MS_MAX = DAY_MS
/** An endpoint whose attempts have all failed for this long is disabled. */
export const ENDPOINT_FAILING_MS_MAX = 5 * DAY_MS

// Records
export const OUTPUT_CHARS_MAX = 50_000
export const RETENTION_DAYS_DEFAULT = 30
export const AUDIT_RETENTION_DAYS_DEFAULT = 365
/** How often idle workspaces are swept: one is removed within twice this time after its last start, task and session. */
export const WORKSPACE_REST_EVERY_MS = 60 * SECOND_MS
export const RETIRE_EVERY_MS = 10 * MINUTE_MS

// Tokens
export const PAIRING_TOKEN_MS = 5 * MINUTE_MS
export const SESSION_TOKEN_MS = 30 * DAY_MS

// The relay
export const REGISTER_MS_MAX = 10 * SECOND_MS
export const REGISTER_BYTES_MAX = 8 * 1024
export const SILENCE_MS_MAX = 45 * SECOND_MS
export const FRAME_BYTES_MAX = 16 * 1024 * 1024
/** A session actor without a socket and without calls is stopped after this time; its record is kept. */
export const SESSION_LINGER_MS = 5 * MINUTE_MS

// Supervision and shutdown
export const RESTARTS_MAX = 3
export const RESTART_WINDOW_MS = 60 * SECOND_MS
export const DRAIN_MS_MAX = 8 * SECOND_MS
export const STOP_MS_MAX = 10 * SECOND_MS
/** How long a stop waits for the requests that are under way. */
export const ANSWERS_MS_MAX = SECOND_MS
export const PING_STORE_MS_MAX = 1 * SECOND_MS
