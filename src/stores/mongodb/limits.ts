/** A lease that was not renewed for this long, by the database's clock, is free. */
export const LEASE_MS = 10_000
/** A second start waits for one renewal to see that the holder is alive, so it is refused within twice this time. */
export const LEASE_RENEW_EVERY_MS = 1_000
/** Who wants a lease looks at it this often. */
export const LEASE_LOOK_EVERY_MS = 100
/** How long a majority has for a write before the server says that it has none; less than the socket's time. */
export const WRITE_CONCERN_MS_MAX = 8_000
/** A transaction that met another runs again within this time, at random and the later the more often it did. */
export const PAUSE_MS_MAX = 100
/** One run of a transaction: it is over before another process may have the lease of its own. */
export const TRANSACTION_MS_MAX = 8_000
/** A read that was on its way when its session was ended begins another transaction there, which is ended this much later. */
export const END_AGAIN_MS = 5_000
/** Who takes over waits so long for a commit of the former owner before it ends that again. */
export const RAISE_TRY_MS = 1_000

/** A node that has not renewed itself for this long, by the database's clock, may lose its shards. */
export const NODE_LEASE_MS = 4_000
/** How long the document of a node that was killed is kept. */
export const NODE_KEPT_SECONDS = 60
/** How long a message waits in the store for the node that is to read it. */
export const LARGE_MESSAGE_SECONDS = 60
/** A node reads who owns what this often even if nothing says that it has changed. */
export const OWNERS_READ_EVERY_MS = 10_000
