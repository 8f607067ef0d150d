import { MODEL_OUTPUT_TOKENS_MAX, SECOND_MS } from '../../machines/limits.ts'

/** The numbers of this module alone, unit last. */

// The model
/** A document of MongoDB takes 16 MB: what an answer becomes must fit, or no write would ever succeed again. */
export const MODEL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** A stream carries each piece of the reply in an event of its own, and some providers repeat the whole at the end. */
export const MODEL_STREAM_BYTES_MAX = 4 * MODEL_ANSWER_BYTES_MAX
/** Objects in an answer, or in one event of a stream. An object costs several tokens; the libraries check each, and nobody else is served meanwhile. */
export const MODEL_ANSWER_OBJECTS_MAX = MODEL_OUTPUT_TOKENS_MAX / 4
export const MODEL_CONNECTION_IDLE_MS = 30 * SECOND_MS
export const MODEL_FAILURE_CHARS_MAX = 300
