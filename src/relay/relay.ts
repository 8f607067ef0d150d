import type { Clock, Ids, Log, Outbox, OutgoingFrame, Store } from '../../actors/runtime/ports.ts'
import type { TaskService } from '../../actors/task-service.ts'
import { FRAME_BYTES_MAX, REGISTER_MS_MAX, SILENCE_MS_MAX } from '../../machines/limits.ts'
import type { SecretBox } from '../identity/secret-box.ts'
import type { SocketHandlers } from '../net/transport.ts'
import { CLOSE } from '../wire/relay.ts'
import { readFrame } from './frames.ts'
import {
  BYTES_BEFORE_REGISTER_MAX,
  KEYS_LOOKED_AT_EVERY_MS,
  PING_EVERY_MS,
  RELAY_BUFFERED_BYTES_MAX,
  RELAY_LOOK_EVERY_MS,
  UPDATES_HELD_MS_MAX,
} from './limits.ts'
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

const LOOKED_AT_ONCE = 100
const LOOK_PAUSE_MS = 5
const PING = JSON.stringify({ type: 'ping' })

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
  let timer: unknown
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
  const steady = () => clock.monotonic?.() ?? clock.now()
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

  const handlers: SocketHandlers<SocketState> = {
    maxFrameBytes: FRAME_BYTES_MAX,
    data: () => createSocketState(ids.uuid(), steady()),
    bytesBeforeAdmission: BYTES_BEFORE_REGISTER_MAX,
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
      clock.clearTimeout(timer)
      held.close()
      for (const socket of [...sockets]) socket.close(CLOSE.goingAway, 'The service is shutting down')
    },
  }
}

/**
 * [R31] Frames that only tell of a task go along with the next frame to their browser, or by themselves when none comes
 * for UPDATES_HELD_MS_MAX: a reported step costs one write instead of three. Frames about tasks keep their order.
 */
class HeldFrames {
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

/**
 * [S16] Ends the sessions of keys that another process deleted (the command line, another node): the keys of connected
 * browsers are looked up once a second, in one question. Answers the function that stops it.
 */
function watchKeys(deps: {
  readonly store: { readonly keys: Pick<Store['keys'], 'missing'> }
  readonly taskService: Pick<TaskService, 'removeSession'>
  readonly bySession: ReadonlyMap<string, RelaySocket>
  readonly clock: Clock
  readonly log: Log
}): () => void {
  const { store, taskService, bySession, clock, log } = deps
  let isStopped = false
  let timer: unknown

  async function look(): Promise<void> {
    const sessions = [...bySession.values()].flatMap(({ data }) => data.session ?? [])
    const keyIds = new Set(sessions.flatMap(({ keyId }) => keyId ?? []))
    if (keyIds.size === 0) return
    const missing = new Set(await store.keys.missing([...keyIds]))
    for (const { id, workspaceId, keyId } of sessions) {
      if (keyId === null || !missing.has(keyId)) continue
      log.info({ sessionId: id, keyId }, 'The key that paired this browser was deleted: its session ends')
      await taskService.removeSession(workspaceId, null, id)
    }
  }

  const again = () => {
    if (isStopped) return
    timer = clock.setTimeout(() => {
      look()
        .catch((err) => log.warn({ err }, 'The keys of connected browsers could not be looked up'))
        .finally(again)
    }, KEYS_LOOKED_AT_EVERY_MS)
  }
  again()
  return () => {
    isStopped = true
    clock.clearTimeout(timer)
  }
}
