import { SILENCE_MS_MAX } from '../../machines/limits.ts'
import { CLOSE } from '../wire/relay.ts'
import {
  ASK_AFTER_MS,
  BUSY_SILENCE_MS_MAX,
  RECONNECT_MS_FIRST,
  RECONNECT_MS_MAX,
  SLOW_LINE_CHARS_PER_MS,
} from './limits.ts'

/** A WebSocket as browsers have it, and the `ws` package. */
export interface RelaySocket {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  readonly bufferedAmount: number
  send(text: string): void
  close(code?: number, reason?: string): void
}
export type RelaySocketConstructor = new (url: string) => RelaySocket

export type ConnectionState = 'connecting' | 'connected' | 'waiting' | 'closed'
/** Why a connection was given up for good. `message` is one line for a person. */
export interface Stopped {
  readonly why: 'refused' | 'revoked' | 'replaced' | 'closed'
  readonly message: string
}

export interface ConnectionOptions {
  readonly url: string
  readonly WebSocket: RelaySocketConstructor
  /** The first frame on every socket. */
  greeting(): string
  heard(data: unknown): void
  /** What was established is gone; another attempt follows, or `stopped`. */
  lost(): void
  /** Whether work is under way: then a service that is silent is asked, and given up early. */
  isBusy(): boolean
  stopped(stopped: Stopped): void
  onState?: ((state: ConnectionState) => void) | undefined
  log(line: string): void
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
}

const FINAL: Readonly<Record<number, Stopped>> = {
  [CLOSE.invalidToken]: {
    why: 'refused',
    message: 'The service refused the session token: it is wrong, expired or revoked. Pair this browser again.',
  },
  [CLOSE.revoked]: { why: 'revoked', message: 'This browser session was removed. Pair this browser again.' },
  [CLOSE.replaced]: { why: 'replaced', message: 'Another browser took over this session. This one stops.' },
}
/** As often as this the wait is doubled: enough to reach its longest from any start. */
const DOUBLINGS_MAX = 30

/**
 * One lasting connection made of many sockets: connects again after every loss, waiting longer each time, until the
 * service says that there is no use, or it is stopped. A socket that says nothing for too long counts as lost.
 */
export class Connection {
  readonly #options: ConnectionOptions
  #socket: RelaySocket | null = null
  #isStopped = false
  /** `null` before the first connection. */
  #failures: number | null = null
  #retry: ReturnType<typeof setTimeout> | null = null
  #silence: ReturnType<typeof setTimeout> | null = null
  /** Until when a slow line may be busy with what was written, by performance.now(). */
  #upUntil = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Connects now: for the first time, or instead of waiting longer. Nothing when there is a socket. */
  connect(): void {
    if (this.#isStopped || this.#socket !== null) return
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#retry = null
    this.#options.onState?.('connecting')
    let socket: RelaySocket
    try {
      socket = new this.#options.WebSocket(this.#options.url)
    } catch {
      this.#lose(0)
      return
    }
    this.#socket = socket
    const whileCurrent = (act: () => void) => {
      if (this.#socket === socket) act()
    }
    this.#awaitFrame(socket)
    socket.onopen = () => whileCurrent(() => this.write(this.#options.greeting()))
    socket.onmessage = ({ data }: { data: unknown }) =>
      whileCurrent(() => {
        this.#options.heard(data)
        if (this.#socket === socket) this.#awaitFrame(socket)
      })
    socket.onclose = ({ code }: { code: number }) => whileCurrent(() => this.#lose(code))
    // A close follows every error.
    socket.onerror = () => {}
  }

  /** The service has answered: what goes wrong from now on is a new loss. */
  established(): void {
    if (this.#failures !== 0) this.#options.log('Connected to the service.')
    this.#failures = 0
    this.#options.onState?.('connected')
  }

  /** False when there is no socket to write to. */
  write(text: string): boolean {
    try {
      this.#socket?.send(text)
      this.#upUntil = Math.max(this.#upUntil, performance.now()) + text.length / SLOW_LINE_CHARS_PER_MS
      return this.#socket !== null
    } catch {
      // It is closing: its close event follows.
      return false
    }
  }

  /** Bytes that the socket has not sent yet. */
  get waiting(): number {
    return this.#socket?.bufferedAmount ?? 0
  }

  stop(stopped: Stopped): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    if (this.#silence !== null) clearTimeout(this.#silence)
    const socket = this.#socket
    this.#socket = null
    if (socket) closeQuietly(socket)
    this.#options.onState?.('closed')
    this.#options.log(stopped.message)
    this.#options.stopped(stopped)
  }

  #lose(code: number): void {
    this.#socket = null
    if (this.#silence !== null) clearTimeout(this.#silence)
    if (this.#isStopped) return
    this.#options.lost()
    const final = FINAL[code]
    if (final) {
      this.stop(final)
      return
    }
    const failures = this.#failures ?? 0
    if (failures === 0) this.#options.log('There is no connection to the service. Connecting again …')
    this.#failures = Math.min(failures + 1, DOUBLINGS_MAX)
    this.#options.onState?.('waiting')
    const delay = Math.min(RECONNECT_MS_MAX, RECONNECT_MS_FIRST * 2 ** failures)
    this.#retry = setTimeout(() => this.connect(), delay * (0.5 + 0.5 * this.#options.random()))
  }

  /**
   * A connection that says nothing for too long is dead, whatever the operating system thinks of it. While work is under way
   * that is found out sooner: a machine that is lost closes no connection. What is on its way up a slow line has its time.
   */
  #awaitFrame(socket: RelaySocket): void {
    if (this.#silence !== null) clearTimeout(this.#silence)
    this.#silence = setTimeout(() => {
      if (this.#socket !== socket) return
      const isBusy = this.#options.isBusy()
      if (isBusy) this.write(PING)
      const busyMs = BUSY_SILENCE_MS_MAX + Math.max(0, this.#upUntil - performance.now())
      this.#loseAfter(socket, Math.min(isBusy ? busyMs : SILENCE_MS_MAX, SILENCE_MS_MAX) - ASK_AFTER_MS)
    }, ASK_AFTER_MS)
  }

  #loseAfter(socket: RelaySocket, ms: number): void {
    this.#silence = setTimeout(() => {
      if (this.#socket !== socket) return
      closeQuietly(socket)
      this.#lose(0)
    }, ms)
  }
}

const PING = JSON.stringify({ type: 'ping' })

function closeQuietly(socket: RelaySocket): void {
  try {
    socket.close(1000, '')
  } catch {
    // It was never open.
  }
}
