import type { Clock } from '../../actors/runtime/ports.ts'
import { UPDATES_HELD_MS_MAX } from './limits.ts'
import type { RelaySocket } from './socket-state.ts'

/**
 * [R31] Frames that only tell of a task go along with the next frame to their browser, or by themselves when none comes
 * for UPDATES_HELD_MS_MAX: a reported step costs one write instead of three. Frames about tasks keep their order.
 */
export class HeldFrames {
  readonly #clock: Clock
  #sockets: RelaySocket[] = []
  #timer: unknown = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  hold(socket: RelaySocket, text: string): void {
    const { data } = socket
    if (data.held) {
      data.held.push(text)
      return
    }
    data.held = [text]
    this.#sockets.push(socket)
    this.#timer ??= this.#clock.setTimeout(() => this.#release(), UPDATES_HELD_MS_MAX)
  }

  /** Sends what was held for this socket, and this after it. */
  send(socket: RelaySocket, text: string): boolean {
    const { held } = socket.data
    if (!held) return socket.send(text)
    socket.data.held = null
    return socket.send(...held, text)
  }

  /** What is held then is never sent. */
  close(): void {
    this.#clock.clearTimeout(this.#timer)
    this.#sockets = []
  }

  #release(): void {
    this.#timer = null
    const sockets = this.#sockets
    this.#sockets = []
    for (const socket of sockets) {
      const { held } = socket.data
      socket.data.held = null
      if (held) socket.send(...held)
    }
  }
}
