import { MODEL_OUTPUT_TOKENS_MAX, SECOND_MS } from '../../machines/limits.ts'

/** The numbers of this module alone, unit last. */

// The model
/** A document of MongoDB takes 16 MB: what an answer becomes must fit, or no write would ever succeed again. */
export const MODEL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Objects in an answer. An object costs several tokens; the libraries check each, and nobody else is served meanwhile. */
export const MODEL_ANSWER_OBJECTS_MAX = MODEL_OUTPUT_TOKENS_MAX / 4
export const MODEL_CONNECTION_IDLE_MS = 30 * SECOND_MS
export const MODEL_FAILURE_CHARS_MAX = 300
