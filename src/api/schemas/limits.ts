import { MINUTE_MS, SECOND_MS } from '../../../machines/limits.ts'

/** The thread that compiles schemas: how long it may take for one, and for the check of an output. */
export const SCHEMA_COMPILE_MS_MAX = 2 * SECOND_MS
export const OUTPUT_CHECK_MS_MAX = SECOND_MS
/** Its memory; with more it is ended, and the schema refused. */
export const SCHEMA_THREAD_MB_MAX = 40
/** Schemas whose verdict is remembered, and those that stay compiled. */
export const SCHEMAS_REMEMBERED_MAX = 10_000
export const SCHEMAS_REMEMBERED_CHARS_MAX = 16_000_000
export const SCHEMAS_COMPILED_MAX = 100
/** Of one workspace: schemas that wait at a time, and the time of the thread within the window. */
export const SCHEMAS_WAITING_MAX = 4
export const SCHEMA_MS_PER_WORKSPACE_MAX = 3 * SECOND_MS
export const SCHEMA_WINDOW_MS = MINUTE_MS
