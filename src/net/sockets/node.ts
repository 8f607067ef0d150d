import type { Log } from '../../../actors/runtime/ports.ts'
import type { Socket, SocketHandlers } from '../transport.ts'
import { closeCode, closeReason, textOf } from './shared.ts'

/** As much of a WebSocket of `ws` as is needed. */
interface NativeSocket {
  readonly readyState: number
  readonly bufferedAmount: number
  send(text: string, done: (error?: Error) => void): void
  close(code: number, reason: string): void
  terminate(): void
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): void
  on(event: 'close', listener: (code: number, reason: Buffer) => void): void
  on(event: 'error', listener: (error: Error) => void): void
}
const OPEN = 1
const TOO_BIG = 'Message too big'

/** The connection below it. */
interface Connection {
  readonly bytesRead: number
  on(event: 'data', listener: () => void): void
  off(event: 'data', listener: () => void): void
}

/** A socket of `ws`. What a handler throws closes that socket alone, with 1011. */
export class NodeSocket implements Socket<unknown> {
  data: unknown
  readonly ip: string
  readonly #native: NativeSocket
  readonly #handlers: SocketHandlers<unknown>
  readonly #open: Set<NodeSocket>
  readonly #log: Log
  #closed = false
  #isAdmitted = false
  #unwatch = () => {}

  constructor(native: NativeSocket, ip: string, handlers: SocketHandlers<unknown>, open: Set<NodeSocket>, log: Log) {
    this.data = handlers.data()
    this.ip = ip
    this.#native = native
    this.#handlers = handlers
    this.#open = open
    this.#log = log
  }

  start(connection: Connection): void {
    this.#open.add(this)
    this.#watch(connection)
    const native = this.#native
    // An error is followed by a close, which says all that is needed.
    native.on('error', () => {})
    native.on('close', (code, reason) => {
      this.#open.delete(this)
      this.#hasClosed(code, reason.toString())
    })
    native.on('message', (data, isBinary) => {
      if (!this.#isAdmitted && data.length > (this.#handlers.bytesBeforeAdmission ?? 0)) this.close(1009, TOO_BIG)
      if (this.#closed) return
      this.#guarded(() => this.#handlers.message(this, isBinary ? null : textOf(data)))
    })
    this.#guarded(() => this.#handlers.open(this))
  }

  admit(): void {
    this.#isAdmitted = true
    this.#unwatch()
  }

  /** Counts what comes before the socket is admitted, frames that are not whole included. */
  #watch(connection: Connection): void {
    const { bytesBeforeAdmission } = this.#handlers
    if (bytesBeforeAdmission === undefined) {
      this.admit()
      return
    }
    const most = connection.bytesRead + bytesBeforeAdmission
    const look = () => {
      if (connection.bytesRead <= most) return
      this.#unwatch()
      this.close(1009, TOO_BIG)
      this.terminate()
    }
    this.#unwatch = () => connection.off('data', look)
    connection.on('data', look)
  }

  send(...texts: readonly string[]): boolean {
    if (this.#closed || this.#native.readyState !== OPEN) return false
    for (const text of texts) this.#native.send(text, () => {})
    return true
  }

  bufferedBytes(): number {
    return this.#closed ? 0 : this.#native.bufferedAmount
  }

  /** The close handler is called before this returns: a peer that never answers the close frame holds nothing up. */
  close(code: number, reason: string): void {
    if (this.#closed) return
    this.#native.close(closeCode(code), closeReason(reason))
    this.#hasClosed(closeCode(code), closeReason(reason))
  }

  /** Drops the connection without waiting for the peer's close frame. */
  terminate(): void {
    this.#native.terminate()
  }

  #hasClosed(code: number, reason: string): void {
    if (this.#closed) return
    this.#closed = true
    this.#guarded(() => this.#handlers.close(this, code, reason))
  }

  #guarded(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#log.error({ err: error }, 'a socket handler threw')
      this.close(1011, 'Internal error')
    }
  }
}
