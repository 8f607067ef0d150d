import { setTimeout as pause } from 'node:timers/promises'
import { ANSWERS_MS_MAX } from '../../machines/limits.ts'
import { REFUSALS } from '../../machines/texts.ts'
import { refusedStart } from '../api/refusals.ts'
import type { Config } from '../config/config.ts'
import type { BodyLimit, Handler, Listener, Response, SocketHandlers, Transport } from '../net/transport.ts'
import type { Relay } from '../relay/relay.ts'
import { CLOSE } from '../wire/relay.ts'
import { urlOf } from './own-store.ts'

/** The ports of the service. */
export interface Listening {
  /** Where clients on this machine reach it, without a trailing slash. */
  readonly url: string
  readonly http: Listener
  readonly relay: Listener
  /** From here on requests are answered and browsers are let in. Requests that came before are answered now. */
  open(handle: Handler): void
  /**
   * [D10] Takes nothing new, also on connections that are open: requests are 503 `service_stopping`. Resolves when those
   * under way are answered, after ANSWERS_MS_MAX in any case: a long poll may last longer.
   */
  pause(): Promise<void>
  /**
   * A request that the service makes itself, for one that it was asked: answered until `close`, which refuses those that
   * come then and waits ANSWERS_MS_MAX for those under way. The store can be closed after it.
   */
  readonly inside: Handler
  close(): Promise<void>
}

export interface ListeningOptions {
  readonly config: Pick<Config, 'host' | 'port' | 'relayPort'>
  readonly transport: Transport
  readonly relay: Pick<Relay, 'handlers'>
  readonly maxBodyBytes: BodyLimit
}

/**
 * [D16, N10] Takes both ports. They are taken before anything that was kept comes back, so that a start whose port is in use
 * has changed nothing. Until `open` requests wait, and sockets are closed with 1013: browsers connect again by themselves.
 * @throws PortInUse
 */
export async function takePorts({ config, transport, relay, maxBodyBytes }: ListeningOptions): Promise<Listening> {
  const { host } = config
  let handler: Handler | null = null
  let opened: (handler: Handler) => void = () => {}
  const opening = new Promise<Handler>((resolve) => {
    opened = resolve
  })
  const underWay = new UnderWay()
  const underWayInside = new UnderWay()
  const stopping = refusedStart({
    ...{ code: 'service_stopping', message: REFUSALS.service_stopping },
    ...{ allowance: null, retryAfterSeconds: null },
  })
  const countedIn =
    (counts: UnderWay): Handler =>
    (request) =>
      counts.stops ? stopping : counts.counted(handler?.(request) ?? opening.then((served) => served(request)))
  const sockets = onceOpen(relay.handlers, () => handler !== null && !underWay.stops)
  const relayListener = await transport.listen({
    host,
    port: config.relayPort,
    maxBodyBytes: 0,
    handle: () => ({ status: 426, headers: [['content-type', 'text/plain']], body: 'A WebSocket is expected here.\n' }),
    sockets: { '/': sockets },
  })
  try {
    const http = await transport.listen({
      host,
      port: config.port,
      maxBodyBytes,
      handle: countedIn(underWay),
      sockets: { '/relay': sockets },
    })
    return {
      url: urlOf(host, http.port),
      http,
      relay: relayListener,
      open(served) {
        handler = served
        opened(served)
      },
      pause() {
        http.pause()
        relayListener.pause()
        return underWay.stop()
      },
      inside: countedIn(underWayInside),
      async close() {
        // Who still waits is answered.
        opened(() => ({ status: 503, headers: [], body: null }))
        await Promise.all([http.close(), relayListener.close(), underWayInside.stop()])
      },
    }
  } catch (error) {
    await relayListener.close()
    throw error
  }
}

/** The requests that are not answered yet. */
class UnderWay {
  stops = false
  #count = 0
  #idle = () => {}

  counted(answer: Response | Promise<Response>): Response | Promise<Response> {
    if (!(answer instanceof Promise)) return answer
    this.#count++
    return answer.finally(() => {
      if (--this.#count === 0) this.#idle()
    })
  }

  async stop(): Promise<void> {
    this.stops = true
    if (this.#count === 0) return
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve
    })
    await Promise.race([pause(ANSWERS_MS_MAX, undefined, { ref: false }), idle])
  }
}

/** Handlers that are told only of sockets that were opened when `isOpen`; others are closed. */
function onceOpen<Data>(handlers: SocketHandlers<Data>, isOpen: () => boolean): SocketHandlers<Data> {
  const refused = new WeakSet<object>()
  return {
    ...handlers,
    open(socket) {
      if (isOpen()) return handlers.open(socket)
      refused.add(socket)
      socket.close(CLOSE.tryAgain, 'The service is starting')
    },
    message(socket, text) {
      if (!refused.has(socket)) handlers.message(socket, text)
    },
    close(socket, code, reason) {
      if (!refused.has(socket)) handlers.close(socket, code, reason)
    },
  }
}
