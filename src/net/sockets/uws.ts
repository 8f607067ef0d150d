import type { Log } from '../../../actors/runtime/ports.ts'
import { FRAME_OVERHANG_BYTES } from '../limits.ts'
import type { Socket, SocketHandlers } from '../transport.ts'
import { closeCode, closeReason, plainAddress, textOf } from './shared.ts'
import { UnadmittedSockets } from './unadmitted.ts'

/** The library copies the fields of its user data onto its own socket: ours must be one field, not the data itself. */
export interface Held {
  readonly socket: UwsSocket
}

/** A WebSocket of the library: valid until its close handler was called, and throwing afterwards. */
interface NativeSocket {
  getUserData(): Held
  getRemoteAddressAsText(): ArrayBuffer
  send(text: string): number
  /** Runs its argument before it returns, and writes what that sent at once. */
  cork(send: () => void): void
  getBufferedAmount(): number
  end(code: number, reason: string): void
  /** At once, without a close frame. */
  close(): void
}

/** The head of an upgrade, as far as it is needed. */
interface UpgradeRequest {
  getHeader(name: string): string
}
interface UpgradeResponse<Context> {
  writeStatus(status: string): { endWithoutBody(): unknown }
  upgrade(data: Held, key: string, protocol: string, extensions: string, context: Context): void
}

/** One small object a socket, because there are thousands of them. */
export class UwsSocket implements Socket<unknown> {
  data: unknown
  ip = ''
  /** `null` before the socket opens and after it closed. */
  native: NativeSocket | null = null
  /** `null` once it was admitted. */
  unadmitted: UnadmittedSockets | null = null

  constructor(data: unknown) {
    this.data = data
  }

  admit(): void {
    this.unadmitted?.delete(this)
    this.unadmitted = null
  }

  drop(): void {
    this.native?.close()
  }

  send(...texts: readonly string[]): boolean {
    const { native } = this
    if (native === null) return false
    // Corked frames leave by one call of the system: each would cost more than all that is in it.
    native.cork(() => {
      for (const text of texts) native.send(text)
    })
    return true
  }

  bufferedBytes(): number {
    return this.native?.getBufferedAmount() ?? 0
  }

  /** The library calls the close handler before this returns. */
  close(code: number, reason: string): void {
    this.native?.end(closeCode(code), closeReason(reason))
  }
}

/** How the library is to treat the sockets of one path. What a handler throws closes that socket alone, with 1011. */
export function socketBehavior(handlers: SocketHandlers<unknown>, open: Set<UwsSocket>, log: Log) {
  const guarded = (socket: UwsSocket, act: () => void) => {
    try {
      act()
    } catch (error) {
      log.error({ err: error }, 'a socket handler threw')
      socket.close(1011, 'Internal error')
    }
  }
  const unadmitted = handlers.bytesBeforeAdmission === undefined ? null : new UnadmittedSockets()
  const { maxFrameBytes, bytesBeforeAdmission = maxFrameBytes } = handlers
  const bytesMaxOf = (socket: UwsSocket): number => (socket.unadmitted === null ? maxFrameBytes : bytesBeforeAdmission)
  return {
    compression: 0,
    // Silence is the relay's own to judge, and so is how much may be buffered.
    idleTimeout: 0,
    maxBackpressure: 0,
    sendPingsAutomatically: false,
    // The library drops a frame over its limit without a reason, so the limit that is answered is lower.
    maxPayloadLength: handlers.maxFrameBytes + FRAME_OVERHANG_BYTES,
    upgrade<Context>(res: UpgradeResponse<Context>, req: UpgradeRequest, context: Context) {
      if (handlers.takesOrigin?.(req.getHeader('origin') || null) === false) {
        res.writeStatus('403 Forbidden').endWithoutBody()
        return
      }
      const header = (name: string) => req.getHeader(`sec-websocket-${name}`)
      const held: Held = { socket: new UwsSocket(handlers.data()) }
      res.upgrade(held, header('key'), header('protocol'), header('extensions'), context)
    },
    open(native: NativeSocket) {
      const { socket } = native.getUserData()
      socket.native = native
      socket.ip = plainAddress(Buffer.from(native.getRemoteAddressAsText()).toString('latin1'))
      open.add(socket)
      socket.unadmitted = unadmitted
      unadmitted?.add(socket)
      guarded(socket, () => handlers.open(socket))
    },
    message(native: NativeSocket, message: ArrayBuffer, isBinary: boolean) {
      const { socket } = native.getUserData()
      if (message.byteLength > bytesMaxOf(socket)) return socket.close(1009, 'Message too big')
      const text = isBinary ? null : textOf(Buffer.from(message))
      guarded(socket, () => handlers.message(socket, text))
    },
    /** The library has answered it already: a peer that pings and reads nothing would fill the memory. */
    ping(native: NativeSocket) {
      const { socket } = native.getUserData()
      if (native.getBufferedAmount() > bytesMaxOf(socket)) socket.drop()
    },
    close(native: NativeSocket, code: number, reason: ArrayBuffer) {
      const { socket } = native.getUserData()
      socket.native = null
      socket.admit()
      open.delete(socket)
      const text = Buffer.from(reason).toString()
      guarded(socket, () => handlers.close(socket, code, text))
    },
  }
}
