/** The numbers of the HTTP surface alone, unit last. */

/** Values of `Host` whose check is remembered. */
export const HOSTS_REMEMBERED_MAX = 1_000

/** Requests of one connection that may wait for the answer before theirs (node:http); with more the connection ends. */
export const PIPELINED_REQUESTS_MAX = 100

/** While sockets are not admitted (uWebSockets.js): how much the memory of frames may grow, and how often that is looked at. */
export const FRAME_MEMORY_GROWTH_BYTES_MAX = 8 * 1024 * 1024
export const FRAME_MEMORY_LOOK_EVERY_MS = 10
/** Frames over a path's limit by no more than this are answered with a reason; the library drops longer ones without. */
export const FRAME_OVERHANG_BYTES = 2 * 1024 * 1024
