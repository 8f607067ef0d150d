import { SECOND_MS } from '../../../machines/limits.ts'

/** A server that does not answer so many pings in a row is given up, and looked for again. */
export const NATS_PING_EVERY_MS = 2 * SECOND_MS
export const NATS_PINGS_MISSED_MAX = 2
export const NATS_RECONNECT_EVERY_MS = 250
export const NATS_CONNECT_MS_MAX = 5 * SECOND_MS
/** Left for the subject and the headers of a message. */
export const NATS_OVERHEAD_BYTES = 4 * 1024
/** A server that takes less is not configured for this. */
export const NATS_PAYLOAD_BYTES_MIN = 64 * 1024
