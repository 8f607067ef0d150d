import type { Config } from '../config.ts'
import type { BodyLimit, Handler, Listener, SocketHandlers, Transport } from '../http/transport.ts'
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
  pause(): void
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
  const handle: Handler = (request) => handler?.(request) ?? opening.then((served) => served(request))
  const sockets = onceOpen(relay.handlers, () => handler !== null)
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
      handle,
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
      },
      async close() {
        // Who still waits is answered.
        opened(() => ({ status: 503, headers: [], body: null }))
        await Promise.all([http.close(), relayListener.close()])
      },
    }
  } catch (error) {
    await relayListener.close()
    throw error
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
