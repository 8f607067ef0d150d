import { SECOND_MS } from '../../machines/limits.ts'

/** The memory of one script, and its stack. */
export const SCRIPT_BYTES_MAX = 64 * 1024 * 1024
/** With so much it is interrupted at the next look. */
export const SCRIPT_BYTES_FULL = (SCRIPT_BYTES_MAX * 7) / 8
export const SCRIPT_STACK_BYTES_MAX = 256 * 1024
/**
 * Between two calls a script is interrupted after this many looks of its interpreter, each some ten thousand loops or
 * calls: about half a second. Counted and not timed, so that it ends at the same place when it is run again.
 */
export const SCRIPT_LOOKS_MAX = 500
/** And after so many continuations of promises. */
export const SCRIPT_JOBS_MAX = 200_000
/** What the interpreter does without looking up, such as one expression that is matched for ever, ends the thread. */
export const SCRIPT_MS_UNANSWERED_MAX = 3 * SECOND_MS
/** The input of one call: a written file, each line break of which takes two characters, and room for the rest. */
export const SCRIPT_CALL_CHARS_MAX = 3 * 1024 * 1024
/** What a script returns, says in an error, or logs. */
export const SCRIPT_VALUE_CHARS_MAX = 50_000
export const SCRIPT_LOG_CHARS_MAX = 8_000
/** Scripts that stay in memory between their calls, in all and of one workspace; others are run again from their beginning. */
export const SCRIPTS_LIVE_MAX = 32
export const SCRIPTS_LIVE_PER_WORKSPACE_MAX = 2
/** The thread's own memory, beside that of the scripts. */
export const SCRIPT_THREAD_MB_MAX = 64
