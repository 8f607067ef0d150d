import type { Log } from '../../../actors/ports.ts'
import type { Socket, SocketHandlers } from '../transport.ts'
import { closeCode, closeReason } from './shared.ts'

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

/** A socket of `ws`. What a handler throws closes that socket alone, with 1011. */
export class NodeSocket implements Socket<unknown> {
  data: unknown
  readonly ip: string
  readonly #native: NativeSocket
  readonly #handlers: SocketHandlers<unknown>
  readonly #open: Set<NodeSocket>
  readonly #log: Log
  #closed = false

  constructor(native: NativeSocket, ip: string, handlers: SocketHandlers<unknown>, open: Set<NodeSocket>, log: Log) {
    this.data = handlers.data()
    this.ip = ip
    this.#native = native
    this.#handlers = handlers
    this.#open = open
    this.#log = log
  }

  start(): void {
    this.#open.add(this)
    const native = this.#native
    // An error is followed by a close, which says all that is needed.
    native.on('error', () => {})
    native.on('close', (code, reason) => {
      this.#open.delete(this)
      this.#hasClosed(code, reason.toString())
    })
    native.on('message', (data, isBinary) => {
      if (this.#closed) return
      this.#guarded(() => this.#handlers.message(this, isBinary ? null : data.toString()))
    })
    this.#guarded(() => this.#handlers.open(this))
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
