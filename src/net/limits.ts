import { SECOND_MS } from '../../machines/limits.ts'

/** The numbers of connections and transports, unit last. */

/** Values of `Host` whose check is remembered. */
export const HOSTS_REMEMBERED_MAX = 1_000
/** Requests of one connection that may wait for the answer before theirs (node:http); with more the connection ends. */
export const PIPELINED_REQUESTS_MAX = 100
/** While sockets are not admitted (uWebSockets.js): how much the memory of frames may grow, and how often that is looked at. */
export const FRAME_MEMORY_GROWTH_BYTES_MAX = 64 * 1024 * 1024
export const FRAME_MEMORY_LOOK_EVERY_MS = 10
/** Frames over a path's limit by no more than this are answered with a reason; the library drops longer ones without. */
export const FRAME_OVERHANG_BYTES = 2 * 1024 * 1024
/** The head of a request: more is answered 431. */
export const HEAD_BYTES_MAX = 16 * 1024
/** Bodies over BODY_BYTES_MAX that one listener reads and answers at a time take so much together. */
export const LARGE_BODIES_BYTES_MAX = 256 * 1024 * 1024
/** An over-size body is read to its end and dropped up to here, so that its connection lives on. */
export const BODY_DISCARDED_BYTES_MAX = 16 * 1024 * 1024
/** A connection on which nothing is asked is closed after this. */
export const HTTP_IDLE_MS_MAX = 10 * SECOND_MS
/** A request must have come whole by then; its head within HTTP_IDLE_MS_MAX. How often that is looked at. */
export const HTTP_REQUEST_MS_MAX = 30 * SECOND_MS
export const HTTP_LOOK_EVERY_MS = 5 * SECOND_MS
/** A closing listener lets answers that are on their way finish for this long. */
export const LISTENER_CLOSE_MS_MAX = 1 * SECOND_MS
