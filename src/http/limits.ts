/** The numbers of the HTTP surface alone, unit last. */

/** Requests of one connection that may wait for the answer before theirs (node:http); with more the connection ends. */
export const PIPELINED_REQUESTS_MAX = 100
