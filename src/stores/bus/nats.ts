import { setTimeout as pause } from 'node:timers/promises'
import { connect, type NatsConnection, NoRespondersError, RequestError, TimeoutError } from '@nats-io/transport-node'
import type { Bus, BusAnswer } from '../../../actors/cluster/ports.ts'
import type { Log } from '../../../actors/runtime/ports.ts'
import { SECOND_MS } from '../../../machines/limits.ts'

/** A server that does not answer so many pings in a row is given up, and looked for again. */
const NATS_PING_EVERY_MS = 2 * SECOND_MS
const NATS_PINGS_MISSED_MAX = 2
const NATS_RECONNECT_EVERY_MS = 250
const NATS_CONNECT_MS_MAX = 5 * SECOND_MS
/** Left for the subject and the headers of a message. */
const NATS_OVERHEAD_BYTES = 4 * 1024
/** A server that takes less is not configured for this. */
const NATS_PAYLOAD_BYTES_MIN = 64 * 1024
/** A character of JSON is at most so many bytes of UTF-8. */
const BYTES_PER_CHAR = 3

export interface NatsBus extends Bus {
  /** How long a message may be, by what the server takes. */
  readonly charsMax: number
}

/** The hosts of the URLs, fit for a log. */
const hostsOf = (urls: string) => urls.replace(/[a-z+]+:\/\/([^@,]*@)?/gi, '')

/**
 * [M1] Connects to NATS (core NATS, no JetStream). It reconnects by itself, for ever; what is published meanwhile is
 * dropped, so that nothing old leaves later.
 * @param urls one or several, separated by commas
 * @throws Error in one line when no server answers, or the server takes too little
 */
export async function openNats(urls: string, log: Log): Promise<NatsBus> {
  const hosts = hostsOf(urls)
  let connection: NatsConnection
  try {
    connection = await connect({
      servers: urls.split(',').map((url) => url.trim()),
      name: 'browser-task-service',
      timeout: NATS_CONNECT_MS_MAX,
      maxReconnectAttempts: -1,
      reconnectTimeWait: NATS_RECONNECT_EVERY_MS,
      pingInterval: NATS_PING_EVERY_MS,
      maxPingOut: NATS_PINGS_MISSED_MAX,
    })
  } catch (error) {
    throw new Error(`NATS at ${hosts} cannot be reached: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  const payload = connection.info?.max_payload ?? 0
  if (payload < NATS_PAYLOAD_BYTES_MIN) {
    await connection.close()
    throw new Error(`NATS at ${hosts} takes messages of ${payload} bytes: set its max_payload to 1MB`)
  }
  const charsMax = Math.floor((payload - NATS_OVERHEAD_BYTES) / BYTES_PER_CHAR)
  log.info({ hosts, maxPayload: payload }, 'NATS is connected; longer messages go by the store.')
  let connected = true
  // While the connection drains, publishing throws.
  let isClosing = false
  const canSend = () => connected && !isClosing && !connection.isClosed()
  const listeners: (() => void)[] = []
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') {
        connected = false
        log.warn({ hosts }, 'NATS is away. What needs another node waits.')
      } else if (type === 'reconnect') {
        connected = true
        log.info({ hosts }, 'NATS answers again.')
        for (const listener of listeners) listener()
      }
    }
  })().catch((err: unknown) => log.error({ err }, 'NATS is not watched any more'))

  return {
    charsMax,
    connected: canSend,
    publish(subject, text) {
      if (canSend()) connection.publish(subject, text)
    },
    async request(subject, text, ms): Promise<BusAnswer> {
      if (!canSend()) return 'late'
      try {
        const answer = await connection.request(subject, text, { timeout: ms })
        return { text: answer.string() }
      } catch (error) {
        if (error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders()))
          return 'nobody'
        if (!(error instanceof TimeoutError)) log.debug({ err: error }, 'A request to another node failed')
        return 'late'
      }
    },
    serve(subject, handler) {
      connection.subscribe(subject, {
        callback(error, message) {
          if (error) return
          handler(message.string())
            .then((answer) => {
              if (answer !== null && message.reply && !connection.isClosed()) message.respond(answer)
            })
            .catch((err: unknown) => {
              if (!isClosing) log.error({ err }, 'A message of another node was not handled')
            })
        },
      })
    },
    onReconnect: (listener) => void listeners.push(listener),
    stats: () => connection.stats(),
    async close() {
      isClosing = true
      // What was just published leaves first.
      await Promise.race([connection.drain().catch(() => {}), pause(NATS_CONNECT_MS_MAX, undefined, { ref: false })])
    },
  }
}
