import { SECOND_MS } from '../../machines/limits.ts'

/** The numbers of this module alone, unit last. */

// Supervision and shutdown
export const STORE_OPEN_MS_MAX = 30 * SECOND_MS

// The stores
/** The number of events that are kept of a task, the latest ones. */
export const EVENTS_PER_TASK_MAX = 10_000
/** How far positions are noted as given at once: as many as ten seconds have. */
export const POSITIONS_RESERVED = 10_000_000
/** A file is kept in pieces of this size. */
export const FILE_PIECE_BYTES = 1024 * 1024
/** An embedded store refuses writes while its disk has less left. */
export const DISK_FREE_BYTES_MIN = 64 * 1024 * 1024
export const DISK_CHECK_EVERY_MS = 100
export const STORE_RETRY_EVERY_MS = 2 * SECOND_MS
export const MONGODB_SELECTION_MS_MAX = 3 * SECOND_MS
export const MONGODB_SOCKET_MS_MAX = 10 * SECOND_MS
/** An answer, a look whether the server is there: the driver can wait for ever on a socket that closed too soon. */
export const MONGODB_CALL_MS_MAX = 15 * SECOND_MS
export const MONGODB_LOOK_EVERY_MS = 10 * SECOND_MS
export const MONGODB_LOOK_MS_MAX = 5 * SECOND_MS
/** How long a process may go on with a key that another has revoked; a second is promised. */
export const KEY_CACHE_MS_MAX = 500
export const KEYS_CACHED_MAX = 10_000
