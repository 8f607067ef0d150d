import * as v from 'valibot'
import { RECONNECT_MS_FIRST, RECONNECT_MS_MAX, SILENCE_MS_MAX } from '../../machines/limits.ts'
import { CLOSE, type ExecuteTool, ToBrowser } from '../wire/relay.ts'
import { CallMemory, type CallStorage, failedResult } from './call-memory.ts'

/** A WebSocket as browsers have it, and the `ws` package. */
export interface RelaySocket {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  send(text: string): void
  close(code?: number, reason?: string): void
}
export type RelaySocketConstructor = new (url: string) => RelaySocket

/** What a tool call came to. */
export interface CallAnswer {
  readonly output: string
  /** A JPEG in base64, or `null`. */
  readonly screenshot: string | null
  readonly tab: { readonly tabId: number; readonly windowId: number } | null
}

export type ConnectionState = 'connecting' | 'connected' | 'waiting' | 'closed'
/** Why a client has stopped for good. `message` is one line for a person. */
export interface Stopped {
  readonly why: 'refused' | 'revoked' | 'replaced' | 'closed'
  readonly message: string
}

export interface RelayClientOptions {
  /** `ws:` or `wss:`. */
  readonly url: string
  readonly sessionToken: string
  readonly WebSocket: RelaySocketConstructor
  readonly storage: CallStorage
  /** Runs one call. What it throws is the call's error, by its message. */
  execute(call: ExecuteTool, signal: AbortSignal): Promise<CallAnswer>
  /** A task of this browser has ended: nothing more will be asked for it. */
  taskEnded(taskId: string): void
  /** Frames that are about tasks, for whoever shows them. */
  onFrame?(frame: ToBrowser): void
  onState?(state: ConnectionState): void
  /** One line for a person. */
  log(line: string): void
  /** From 0 to 1, for the jitter of reconnecting. */
  readonly random?: () => number
}

const STOPPED: Readonly<Record<number, Stopped>> = {
  [CLOSE.invalidToken]: {
    why: 'refused',
    message: 'The service refused the session token: it is wrong, expired or revoked. Pair this browser again.',
  },
  [CLOSE.revoked]: { why: 'revoked', message: 'This browser session was removed. Pair this browser again.' },
  [CLOSE.replaced]: { why: 'replaced', message: 'Another browser took over this session. This one stops.' },
}

/**
 * A browser's connection to the service: protocol 2 of the relay. It runs every request at most once, sends results
 * that were not delivered again, and connects again by itself until its token is refused, its session is removed or
 * taken over, or it is closed. Calls of one task run one after the other, those of different tasks at the same time.
 */
export class RelayClient {
  /** Resolves once, when the client has stopped for good. Never rejects. */
  readonly stopped: Promise<Stopped>
  #settleStopped: (stopped: Stopped) => void = () => {}
  readonly #options: RelayClientOptions
  readonly #memory: CallMemory
  #socket: RelaySocket | null = null
  #registered = false
  #sessionId: string | null = null
  #isStopped = false
  #failures = 0
  #retry: ReturnType<typeof setTimeout> | null = null
  #silence: ReturnType<typeof setTimeout> | null = null
  /** The last call of each task, and what stops the task's calls. */
  readonly #tasks = new Map<string, { last: Promise<void>; end: AbortController }>()

  private constructor(options: RelayClientOptions, memory: CallMemory) {
    this.#options = options
    this.#memory = memory
    this.stopped = new Promise((resolve) => {
      this.#settleStopped = resolve
    })
  }

  /** Starts to connect, and goes on until it is stopped. */
  static async start(options: RelayClientOptions): Promise<RelayClient> {
    const client = new RelayClient(options, await CallMemory.load(options.storage))
    client.#connect()
    return client
  }

  /** Ends the connection and every call that runs. */
  close(message = 'The browser was disconnected.'): void {
    this.#stop({ why: 'closed', message })
  }

  /** Connects at once instead of waiting, when it is not connected. */
  wake(): void {
    if (this.#retry !== null) this.#connect()
  }

  /** Sends a frame of one's own, such as `create_task`; false when there is no connection. */
  send(frame: object): boolean {
    if (!this.#registered) return false
    return this.#write(JSON.stringify(frame))
  }

  #connect(): void {
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#retry = null
    if (this.#isStopped) return
    this.#options.onState?.('connecting')
    let socket: RelaySocket
    try {
      socket = new this.#options.WebSocket(this.#options.url)
    } catch {
      this.#lost(0)
      return
    }
    this.#socket = socket
    const current = (act: () => void) => {
      if (this.#socket === socket) act()
    }
    this.#listen(socket)
    socket.onopen = () => current(() => this.#write(this.#registration()))
    socket.onmessage = ({ data }: { data: unknown }) => current(() => this.#heard(data))
    socket.onclose = ({ code }: { code: number }) => current(() => this.#lost(code))
    // A close follows every error.
    socket.onerror = () => {}
  }

  #registration(): string {
    const frame = {
      type: 'register',
      role: 'extension',
      session_token: this.#options.sessionToken,
      protocol: 2,
      instance: this.#memory.instance,
      calls: [],
    }
    const calls = this.#memory.remembered(new TextEncoder().encode(JSON.stringify(frame)).length)
    return JSON.stringify({ ...frame, calls })
  }

  #heard(data: unknown): void {
    if (this.#socket) this.#listen(this.#socket)
    const frame = parse(data)
    // Frames of a later protocol are none of ours.
    if (!frame) return
    switch (frame.type) {
      case 'ping':
        this.#write('{"type":"pong"}')
        return
      case 'registered':
        this.#registered = true
        if (this.#failures > 0 || this.#sessionId === null) this.#options.log('Connected to the service.')
        this.#failures = 0
        this.#sessionId = frame.browserSessionId
        this.#options.onState?.('connected')
        for (const result of this.#memory.undelivered()) this.#write(result)
        return
      case 'mcp_execute_tool':
        this.#asked(frame)
        return
      case 'task_complete':
      case 'task_error':
        if (frame.taskId !== undefined) this.#taskEnded(frame.taskId)
        break
    }
    this.#options.onFrame?.(frame)
  }

  #asked(call: ExecuteTool): void {
    const known = this.#memory.get(call.requestId)
    // What still runs will be answered when it is done, on whichever socket there is then.
    if (known) {
      if (known.result !== null) this.#write(known.result)
      return
    }
    const task = this.#tasks.get(call.taskId) ?? { last: Promise.resolve(), end: new AbortController() }
    this.#tasks.set(call.taskId, task)
    const remembered = this.#memory.started(call.requestId, call.taskId)
    remembered.catch(() => {})
    task.last = task.last.then(() => this.#run(call, remembered, task.end.signal))
  }

  /** Never rejects. */
  async #run(call: ExecuteTool, remembered: Promise<void>, signal: AbortSignal): Promise<void> {
    let result: string
    try {
      await remembered
      if (signal.aborted) throw new Error('The task has ended.')
      const answer = await this.#options.execute(call, signal)
      result = JSON.stringify({
        type: 'tool_result',
        requestId: call.requestId,
        result: answer.output,
        ...(answer.screenshot === null ? {} : { screenshot: answer.screenshot }),
        ...(answer.tab === null ? {} : { tabContext: { ...answer.tab, browserSessionId: this.#sessionId } }),
      })
    } catch (error) {
      result = failedResult(call.requestId, signal.aborted ? 'The task has ended.' : messageOf(error))
    }
    await this.#memory.finished(call.requestId, result).catch(() => {})
    if (this.#registered) this.#write(result)
  }

  #taskEnded(taskId: string): void {
    this.#tasks.get(taskId)?.end.abort()
    this.#tasks.delete(taskId)
    this.#memory.taskEnded(taskId).catch(() => {})
    this.#options.taskEnded(taskId)
  }

  #lost(code: number): void {
    this.#socket = null
    this.#registered = false
    if (this.#silence !== null) clearTimeout(this.#silence)
    if (this.#isStopped) return
    const final = STOPPED[code]
    if (final) {
      this.#stop(final)
      return
    }
    if (this.#failures === 0) this.#options.log('There is no connection to the service. Connecting again …')
    const delay = Math.min(RECONNECT_MS_MAX, RECONNECT_MS_FIRST * 2 ** this.#failures)
    this.#failures = Math.min(this.#failures + 1, 30)
    const jitter = 0.5 + 0.5 * (this.#options.random ?? Math.random)()
    this.#options.onState?.('waiting')
    this.#retry = setTimeout(() => this.#connect(), delay * jitter)
  }

  /** A connection that says nothing for too long is dead, whatever the operating system thinks of it. */
  #listen(socket: RelaySocket): void {
    if (this.#silence !== null) clearTimeout(this.#silence)
    this.#silence = setTimeout(() => {
      if (this.#socket !== socket) return
      closeQuietly(socket)
      this.#lost(0)
    }, SILENCE_MS_MAX)
  }

  #stop(stopped: Stopped): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    if (this.#silence !== null) clearTimeout(this.#silence)
    for (const { end } of this.#tasks.values()) end.abort()
    this.#tasks.clear()
    const socket = this.#socket
    this.#socket = null
    this.#registered = false
    if (socket) closeQuietly(socket)
    this.#options.onState?.('closed')
    this.#options.log(stopped.message)
    this.#settleStopped(stopped)
  }

  #write(text: string): boolean {
    try {
      this.#socket?.send(text)
      return this.#socket !== null
    } catch {
      // It is closing: its close event follows.
      return false
    }
  }
}

function closeQuietly(socket: RelaySocket): void {
  try {
    socket.close(1000, '')
  } catch {
    // It was never open.
  }
}

function parse(data: unknown): ToBrowser | null {
  if (typeof data !== 'string') return null
  try {
    const parsed = v.safeParse(ToBrowser, JSON.parse(data))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
