import { WebSocket } from 'ws'
import { nodeTransport } from '../../src/net/node.ts'
import type { Listener, Socket } from '../../src/net/transport.ts'
import { uwsTransport } from '../../src/net/uws.ts'
import type { Relay } from '../../src/relay/relay.ts'
import type { SocketState } from '../../src/relay/socket-state.ts'
import { eventually } from '../support/eventually.ts'
import { ground } from '../support/http-ground.ts'
import { memoryLog } from '../support/http-wire.ts'

export type Frame = { type: string } & Record<string, unknown>

const SETTLED_MS_MAX = 5_000

/** A browser's end of a socket: what the service sent it, and how it was closed. */
export abstract class Peer {
  readonly received: Frame[] = []
  closed: { code: number; reason: string } | null = null

  /** What the browser says: an object as JSON, a text as it is, `null` as a binary frame. Resolves when it was heard. */
  abstract says(frame: unknown): Promise<void>
  /** The connection is gone, without a close frame. */
  abstract leaves(): Promise<void>
  /** Resolves when each side has heard what the other has said by now. */
  abstract settled(): Promise<void>

  of(type: string): Frame[] {
    return this.received.filter((frame) => frame.type === type)
  }

  async gets(type: string, count = 1): Promise<Frame> {
    await eventually(() => this.of(type).length >= count, `${count} × ${type}, got ${JSON.stringify(this.received)}`)
    return this.of(type)[count - 1] as Frame
  }
}

/** Opens sockets to one relay. */
export interface Door {
  connect(): Promise<Peer>
  /** All peers have settled. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** To the relay over real sockets where the ground has a wire, else by calls of its handlers. */
export async function openDoor(relay: Relay): Promise<Door> {
  const peers: Peer[] = []
  const wire = ground.wire === 'none' ? null : await listen(relay, ground.wire)
  return {
    async connect() {
      const peer = wire ? await wire.connect() : new BarePeer(relay)
      peers.push(peer)
      return peer
    },
    async settled() {
      for (const peer of peers) await peer.settled()
    },
    close: async () => wire?.listener.close(),
  }
}

const textOf = (frame: unknown) => (frame === null || typeof frame === 'string' ? frame : JSON.stringify(frame))

/** Speaks with the relay's handlers, at once. */
class BarePeer extends Peer implements Socket<SocketState> {
  readonly ip = '127.0.0.1'
  data: SocketState
  readonly #relay: Relay

  constructor(relay: Relay) {
    super()
    this.#relay = relay
    this.data = relay.handlers.data()
    relay.handlers.open(this)
  }

  send(...texts: readonly string[]): boolean {
    if (this.closed) return false
    for (const text of texts) this.received.push(JSON.parse(text))
    return true
  }

  bufferedBytes(): number {
    return 0
  }

  admit(): void {}

  close(code: number, reason: string): void {
    if (this.closed) return
    this.closed = { code, reason }
    this.#relay.handlers.close(this, code, reason)
  }

  override async says(frame: unknown): Promise<void> {
    this.#relay.handlers.message(this, textOf(frame))
  }

  override async leaves(): Promise<void> {
    this.close(1006, '')
  }

  override async settled(): Promise<void> {}
}

/** The service's end of a socket. */
interface Line {
  heard: number
  said: number
  gone: boolean
}

async function listen(relay: Relay, name: 'uws' | 'node') {
  const lines = new Map<Socket<SocketState>, Line>()
  let newest: Line = { heard: 0, said: 0, gone: true }
  const log = memoryLog()
  const transport = name === 'uws' ? uwsTransport(log) : nodeTransport(log)
  const listener: Listener = await transport.listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 0,
    handle: () => ({ status: 404, headers: [], body: null }),
    sockets: {
      '/': {
        ...relay.handlers,
        data: () => relay.handlers.data(),
        open(socket: Socket<SocketState>) {
          const line: Line = { heard: 0, said: 0, gone: false }
          lines.set(socket, line)
          newest = line
          const send = socket.send.bind(socket)
          socket.send = (...texts) => {
            const isSent = send(...texts)
            if (isSent) line.said += texts.length
            return isSent
          }
          relay.handlers.open(socket)
        },
        message(socket: Socket<SocketState>, text) {
          relay.handlers.message(socket, text)
          const line = lines.get(socket)
          if (line) line.heard += 1
        },
        close(socket: Socket<SocketState>, code, reason) {
          relay.handlers.close(socket, code, reason)
          const line = lines.get(socket)
          if (line) line.gone = true
        },
      },
    },
  })
  // One after the other, so that the newest line is that of the socket which has just opened.
  let before: Promise<unknown> = Promise.resolve()
  const connect = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/`)
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    return new WirePeer(socket, newest)
  }
  return {
    listener,
    connect(): Promise<Peer> {
      const peer = before.then(connect)
      before = peer.catch(() => {})
      return peer
    },
  }
}

/** Speaks with the relay over a real socket. */
class WirePeer extends Peer {
  readonly #socket: WebSocket
  readonly #line: Line
  #said = 0

  constructor(socket: WebSocket, line: Line) {
    super()
    this.#socket = socket
    this.#line = line
    socket.on('message', (data) => this.received.push(JSON.parse(String(data))))
    socket.on('error', () => {})
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) }
    })
  }

  override says(frame: unknown): Promise<void> {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#said += 1
      this.#socket.send(textOf(frame) ?? Buffer.alloc(1))
    }
    return this.settled()
  }

  override leaves(): Promise<void> {
    this.#socket.terminate()
    return this.settled()
  }

  override async settled(): Promise<void> {
    const end = performance.now() + SETTLED_MS_MAX
    while (!this.#isSettled()) {
      if (performance.now() > end) throw new Error('The two ends of a socket do not agree')
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #isSettled(): boolean {
    const { heard, said, gone } = this.#line
    if (gone || this.#socket.readyState !== WebSocket.OPEN) return gone && this.closed !== null
    return heard === this.#said && this.received.length === said
  }
}
