import type { Clock } from '../../actors/runtime/ports.ts'
import { REGISTER_MS_MAX, SILENCE_MS_MAX } from '../../machines/limits.ts'
import { CLOSE } from '../wire/relay.ts'
import { PING_EVERY_MS, RELAY_LOOK_EVERY_MS } from './limits.ts'
import type { RelaySocket } from './socket-state.ts'

const LOOKED_AT_ONCE = 100
const LOOK_PAUSE_MS = 5
const PING = JSON.stringify({ type: 'ping' })

/**
 * [R1, R4, R5] Pings the sockets, and closes those that are silent or do not register in time. Returns the function that stops
 * it.
 */
export function keepAlive(
  sockets: ReadonlySet<RelaySocket>,
  steady: () => number,
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
): () => void {
  let timer: unknown
  /** A few sockets at a time: thousands that came together are pinged together, and nobody is to wait for all of them. */
  const look = (rest = sockets.values()) => {
    const now = steady()
    for (let n = 0; n < LOOKED_AT_ONCE; n++) {
      const { value: socket } = rest.next()
      if (!socket) {
        timer = clock.setTimeout(() => look(), RELAY_LOOK_EVERY_MS)
        return
      }
      const link = socket.data
      if (!link.session) {
        if (now - link.openedAt >= REGISTER_MS_MAX) socket.close(CLOSE.noRegister, 'No register within 10 s')
      } else if (now - link.lastHeardAt >= SILENCE_MS_MAX) {
        socket.close(CLOSE.silent, 'Silent for 45 s')
      } else if (now - link.lastPingAt >= PING_EVERY_MS) {
        link.lastPingAt = now
        socket.send(PING)
      }
    }
    timer = clock.setTimeout(() => look(rest), LOOK_PAUSE_MS)
  }
  timer = clock.setTimeout(() => look(), RELAY_LOOK_EVERY_MS)
  return () => clock.clearTimeout(timer)
}
