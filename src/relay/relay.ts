import { steadyNow } from '../../actors/runtime/effects.ts'
import type { Clock, Ids, Log, Outbox, OutgoingFrame, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import { FRAME_BYTES_MAX } from '../../machines/limits.ts'
import type { SecretBox } from '../identity/secret-box.ts'
import type { SocketHandlers } from '../net/transport.ts'
import { type BrowserLoad, CLOSE } from '../wire/relay.ts'
import { watchKeys } from './deleted-keys.ts'
import { readFrame } from './frame-limits.ts'
import { HeldFrames } from './held-frames.ts'
import { keepAlive } from './keep-alive.ts'
import { BYTES_BEFORE_REGISTER_MAX, RELAY_BUFFERED_BYTES_MAX } from './limits.ts'
import { LiveViews } from './live.ts'
import { receive } from './receive.ts'
import { register } from './register.ts'
import { createUse } from './rights.ts'
import { createSocketState, type RelaySocket, type SocketState } from './socket-state.ts'
import { UnregisteredSockets } from './unregistered-sockets.ts'

export interface RelayDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** [X1] `null` or left out: tasks take no secrets. */
  readonly secretBox?: SecretBox | null
  /** [G35] A browser says what a call cost it. */
  onLoad?(load: BrowserLoad): void
}

/** The deps, the taskService, and the sockets by session: what every room of the relay works with. */
export interface RelayContext extends RelayDeps {
  readonly taskService: TaskService
  readonly bySession: Map<string, RelaySocket>
  readonly use: ReturnType<typeof createUse>
  readonly live: LiveViews
  send(sessionId: string, frame: OutgoingFrame): boolean
}

export interface Relay {
  readonly outbox: Outbox
  /** Who looks at the tabs of tasks. */
  readonly live: LiveViews
  /** For the relay's own port and for `/relay` alike. */
  readonly handlers: SocketHandlers<SocketState>
  /** The taskService, which needs the outbox before it can be made. */
  attach(taskService: TaskService): void
  /** Sockets that are open, registered or not. */
  sockets(): number
  /** Closes every socket with 1001 and looks after none any more. */
  close(): void
}

/**
 * The relay: it proves browsers, keeps one live socket per session, pings, and gives up what is silent, too fast,
 * too large or unintelligible. Nothing that a socket sends touches another session.
 */
export function openRelay(deps: RelayDeps): Relay {
  const { clock, log, ids } = deps
  const sockets = new Set<RelaySocket>()
  const bySession = new Map<string, RelaySocket>()
  const unregistered = new UnregisteredSockets()
  const held = new HeldFrames(clock)
  let relay: RelayContext | undefined
  let stopWatching = () => {}

  const send = (sessionId: string, frame: OutgoingFrame): boolean => {
    const socket = bySession.get(sessionId)
    if (!socket) return false
    if (socket.bufferedBytes() > RELAY_BUFFERED_BYTES_MAX) {
      socket.close(CLOSE.tooMany, 'Reads too slowly')
      return false
    }
    const text = JSON.stringify({ ...frame, targetSessionId: sessionId })
    if (frame.type !== 'task_update') return held.send(socket, text)
    held.hold(socket, text)
    return true
  }

  const canShow = (sessionId: string) => bySession.get(sessionId)?.data.showsLive ?? null
  const live = new LiveViews({ clock, send, canShow })
  const outbox: Outbox = {
    send,
    close(sessionId, socketId, code, reason) {
      const bound = bySession.get(sessionId)
      // One that was replaced is not bound any more, but may still be open.
      for (const socket of bound && (socketId === null || bound.data.socketId === socketId) ? [bound] : sockets) {
        if (socket.data.session?.id !== sessionId) continue
        if (socketId === null || socket.data.socketId === socketId) socket.close(code, reason)
      }
    },
  }

  /** [R45] A clock that is set back closes no socket. */
  const steady = () => steadyNow(clock)
  const stopLooking = keepAlive(sockets, steady, clock)

  const handlers: SocketHandlers<SocketState> = {
    maxFrameBytes: FRAME_BYTES_MAX,
    data: () => createSocketState(ids.uuid(), steady()),
    bytesBeforeAdmission: BYTES_BEFORE_REGISTER_MAX,
    takesOrigin,
    open(socket) {
      sockets.add(socket)
      unregistered.add(socket)
    },
    message(socket, text) {
      const link = socket.data
      if (link.closed || !relay) return
      const now = steady()
      link.lastHeardAt = now
      if (!link.session) {
        unregistered.delete(socket)
        void register(relay, socket, text)
        return
      }
      try {
        const frame = readFrame(relay, socket, text, now)
        if (frame !== undefined) receive(relay, socket, frame)
      } catch (error) {
        log.error({ sessionId: link.session.id, err: error }, 'A relay frame was not handled')
      }
    },
    close(socket) {
      const link = socket.data
      link.closed = true
      sockets.delete(socket)
      unregistered.delete(socket)
      for (const request of link.modelRequests ?? []) request.abort()
      if (!link.session) return
      if (bySession.get(link.session.id) === socket) bySession.delete(link.session.id)
      relay?.taskService.browserDisconnected(link.session.id, link.socketId)
      log.info({ sessionId: link.session.id, ms: Math.round(steady() - link.openedAt) }, 'A browser is disconnected')
    },
  }

  return {
    outbox,
    live,
    handlers,
    attach: (taskService) => {
      relay = { ...deps, taskService, bySession, live, send, use: createUse() }
      stopWatching = watchKeys({ ...deps, taskService, bySession })
    },
    sockets: () => sockets.size,
    close() {
      stopWatching()
      stopLooking()
      held.close()
      for (const socket of [...sockets]) socket.close(CLOSE.goingAway, 'The service is shutting down')
    },
  }
}

/**
 * [S24] Browsers name the origin of whatever opens a socket. Pages have none to open here, and one of a task would speak to
 * the service that runs it; only an extension's own origin cannot be a page's.
 */
function takesOrigin(origin: string | null): boolean {
  return origin === null || /^[a-z-]+-extension:\/\/[\w.-]+$/i.test(origin)
}
