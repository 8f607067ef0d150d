/** Tasks whose spans are known; of one that was forgotten they are read from the store again. */
export const TRACES_MAX = 20_000
/** The last events of a task, which tell the step and the calls it is in. */
export const EVENTS_READ_MAX = 200
/** How long a model call waits for the trace of its task, which after a restart is read from the store. */
export const TRACE_READ_MS_MAX = 1_000
/** Spans that wait for the collector; more are dropped. */
export const SPANS_WAITING_MAX = 16_384
/** How long the end of the process waits for the collector. */
export const CLOSE_MS_MAX = 2_000
/** Actors of which the beginning is known. */
export const LIVES_MAX = 20_000
export const SPANS_SENT_EVERY_MS = 1_000
