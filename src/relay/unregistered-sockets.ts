import { CLOSE } from '../wire/relay.ts'
import { UNREGISTERED_MAX, UNREGISTERED_PER_ADDRESS_MAX } from './limits.ts'
import type { RelaySocket } from './socket-state.ts'

/**
 * [R44] The sockets that have not sent their `register` yet: few from one address and few in all. One too many closes the
 * oldest, since an honest browser registers at once.
 */
export class UnregisteredSockets {
  /** In the order in which they opened. */
  readonly #sockets = new Set<RelaySocket>()
  readonly #byAddress = new Map<string, Set<RelaySocket>>()

  add(socket: RelaySocket): void {
    const fromThere = this.#byAddress.get(socket.ip) ?? new Set()
    this.#byAddress.set(socket.ip, fromThere)
    this.#sockets.add(socket)
    fromThere.add(socket)
    if (fromThere.size > UNREGISTERED_PER_ADDRESS_MAX) this.#closeOldest(fromThere)
    if (this.#sockets.size > UNREGISTERED_MAX) this.#closeOldest(this.#sockets)
  }

  /** How much it remembers. */
  get size(): { readonly sockets: number; readonly addresses: number } {
    return { sockets: this.#sockets.size, addresses: this.#byAddress.size }
  }

  /** It has sent its `register`, or it closed. */
  delete(socket: RelaySocket): void {
    if (!this.#sockets.delete(socket)) return
    const fromThere = this.#byAddress.get(socket.ip)
    fromThere?.delete(socket)
    if (fromThere?.size === 0) this.#byAddress.delete(socket.ip)
  }

  #closeOldest(sockets: Set<RelaySocket>): void {
    for (const socket of sockets) {
      this.delete(socket)
      socket.close(CLOSE.tooMany, 'Too many sockets that have not registered')
      return
    }
  }
}
