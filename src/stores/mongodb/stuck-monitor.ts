/** One look of a driver's monitor at a server, as the driver tells of it. */
export interface Heartbeat {
  /** The server's address. */
  readonly connectionId: string
  /** The server is asked to answer when something has changed, not at once. */
  readonly awaited: boolean
}

/** What of a driver's client is listened to. */
export interface Monitored {
  on(
    event: 'serverHeartbeatStarted' | 'serverHeartbeatSucceeded' | 'serverHeartbeatFailed',
    listener: (heartbeat: Heartbeat) => void,
  ): unknown
  /** A server is no longer one of the set: it is not looked at any more. */
  on(event: 'serverClosed', listener: (server: { readonly address: string }) => void): unknown
}

/**
 * Calls `stuck` once when a look at the server has begun and is not over within its time. The driver (7.9) waits for
 * ever for the `drain` of a socket that was closed just before it was written to; when that is its monitor's, it never
 * finds the server again. Nothing is waited for after `stop`, which is returned.
 */
export function whenStuck(
  client: Monitored,
  limits: { readonly ms: number; readonly awaitedMs: number },
  stuck: () => void,
): () => void {
  const looks = new Map<string, NodeJS.Timeout>()
  let over = false
  const stop = () => {
    over = true
    for (const timer of looks.values()) clearTimeout(timer)
    looks.clear()
  }
  const ended = (address: string) => {
    clearTimeout(looks.get(address))
    looks.delete(address)
  }
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => ended(connectionId))
  client.on('serverHeartbeatFailed', ({ connectionId }) => ended(connectionId))
  client.on('serverClosed', ({ address }) => ended(address))
  client.on('serverHeartbeatStarted', (look) => {
    ended(look.connectionId)
    if (over) return
    const missed = () => {
      stop()
      stuck()
    }
    looks.set(look.connectionId, setTimeout(missed, look.awaited ? limits.awaitedMs : limits.ms).unref())
  })
  return stop
}

/** An object of which each use goes to the one that `present` gives at that moment. */
export function always<Target extends object>(present: () => Target): Target {
  return new Proxy({} as Target, {
    get(_, name) {
      const target = present()
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** The promise, or after `ms` a rejection with what `late` makes. */
export async function limited<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}
