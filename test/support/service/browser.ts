import { randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'
import { eventually } from '../eventually.ts'

export type Frame = Readonly<Record<string, unknown>> & { readonly type: string }

/** A call as the relay asked for it. */
export interface Call {
  readonly requestId: string
  readonly taskId: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}
/** What a call gives; `ms` is how long it takes, and `'never'` leaves it running. */
export type CallResult =
  | {
      readonly output?: unknown
      readonly screenshot?: string
      readonly ms?: number
      /** Fields of its result that only some browsers give. */
      readonly more?: Readonly<Record<string, unknown>>
    }
  | 'never'

export interface TestBrowserOptions {
  readonly relayPort: number
  readonly token: string
  readonly protocol?: 1 | 2
  /** What it announces beside. */
  readonly tools?: readonly string[]
  /** [R55] It asks when it hears nothing, and gives a silent connection up. */
  readonly asks?: boolean
  /** What each call gives; `done` when left out. */
  readonly answer?: (call: Call) => CallResult
}

const RECONNECT_MS = 15
/** [R55] Of a browser in the midst of a task. */
const QUIET_MS = 3_000
const SILENT_MS = 8_000

/**
 * A browser without a browser: it answers calls with what the test says, counts how often it executed each request id,
 * and connects again by itself. With protocol 2 it remembers, and executes a request id once; with protocol 1 it
 * remembers nothing, and executes whatever frame comes.
 */
export class TestBrowser {
  /** Request id → how often it was executed. */
  readonly executed = new Map<string, number>()
  /** In the order in which they were executed. */
  readonly calls: Call[] = []
  readonly frames: Frame[] = []
  /** It does not hear what it is asked, as if the frame were still on its way. */
  deaf = false
  readonly closes: { readonly code: number; readonly reason: string }[] = []
  readonly #options: TestBrowserOptions
  #instance = randomUUID()
  /** Of protocol 2: `null` while it runs, else the frame of its result. */
  readonly #memory = new Map<string, string | null>()
  #relayPort: number
  #socket: WebSocket | null = null
  #registered = false
  #wanted = true

  private constructor(options: TestBrowserOptions) {
    this.#options = options
    this.#relayPort = options.relayPort
    this.#connect()
  }

  /** Connects, and resolves when it is registered. */
  static async open(options: TestBrowserOptions): Promise<TestBrowser> {
    const browser = new TestBrowser(options)
    await browser.registered()
    return browser
  }

  registered(): Promise<void> {
    return eventually(() => this.#registered, 'a registered browser', 20_000)
  }

  framesOf(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type)
  }

  send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame))
  }
  sendRaw(data: string | Buffer): void {
    this.#socket?.send(data)
  }

  /** Away until `connect`; the line is cut. */
  disconnect(): void {
    this.#wanted = false
    this.#registered = false
    this.#socket?.terminate()
  }
  /** Started anew without its memory: what ran is lost, and nobody knows of it. */
  forget(): void {
    this.#instance = randomUUID()
    this.#memory.clear()
    this.#registered = false
    this.#socket?.terminate()
  }
  /** Comes back, to another service if its port is given. */
  connect(relayPort = this.#relayPort): Promise<void> {
    this.#relayPort = relayPort
    this.#wanted = true
    this.#connect()
    return this.registered()
  }

  #connect(): void {
    const socket = new WebSocket(`ws://127.0.0.1:${this.#relayPort}/`)
    this.#socket = socket
    let heardAt = performance.now()
    const asking = setInterval(() => {
      const silent = performance.now() - heardAt
      if (silent > SILENT_MS) socket.terminate()
      else if (silent > QUIET_MS && socket.readyState === WebSocket.OPEN) socket.send('{"type":"ping"}')
    }, 500)
    if (!this.#options.asks) clearInterval(asking)
    socket.on('open', () => socket.send(JSON.stringify(this.#registration())))
    socket.on('message', (data) => {
      heardAt = performance.now()
      this.#heard(JSON.parse(String(data)), socket)
    })
    socket.on('error', () => {})
    socket.on('close', (code, reason) => {
      clearInterval(asking)
      if (code !== 1006) this.closes.push({ code, reason: String(reason) })
      if (this.#socket !== socket) return
      this.#registered = false
      setTimeout(() => {
        if (this.#wanted && this.#socket === socket) this.#connect()
      }, RECONNECT_MS)
    })
  }

  #registration(): object {
    const frame = { type: 'register', role: 'extension', session_token: this.#options.token }
    if (this.#options.protocol === 1) return frame
    const calls = [...this.#memory].slice(-50).map(([requestId, result]) => ({
      requestId,
      state: result === null ? 'running' : 'done',
    }))
    const { tools } = this.#options
    return { ...frame, protocol: 2, instance: this.#instance, calls, ...(tools ? { tools } : {}) }
  }

  #heard(frame: Frame, socket: WebSocket): void {
    if (frame.type === 'ping') {
      socket.send('{"type":"pong"}')
      return
    }
    if (frame.type === 'registered') {
      this.#registered = true
      // Whatever it did not hear a new call after may not have been delivered: sending twice is its right.
      for (const result of [...this.#memory.values()].slice(-5)) if (result !== null) socket.send(result)
    }
    if (frame.type === 'mcp_execute_tool') {
      if (!this.deaf) this.#asked(frame as unknown as Call, socket)
    } else this.frames.push(frame)
  }

  #asked(call: Call, socket: WebSocket): void {
    const { requestId } = call
    if (this.#options.protocol !== 1) {
      const known = this.#memory.get(requestId)
      if (known !== undefined) {
        if (known !== null) socket.send(known)
        return
      }
      this.#memory.set(requestId, null)
    }
    this.executed.set(requestId, (this.executed.get(requestId) ?? 0) + 1)
    this.calls.push(call)
    const result = this.#options.answer?.(call) ?? {}
    if (result === 'never') return
    const { output = 'done', screenshot, ms = 0, more = {} } = result
    const text = JSON.stringify({ type: 'tool_result', requestId, result: output, screenshot, ...more })
    const instance = this.#instance
    const finish = () => {
      if (this.#instance !== instance) return
      if (this.#options.protocol !== 1) this.#memory.set(requestId, text)
      // A browser of protocol 1 answers on the socket that asked, or not at all.
      const target = this.#options.protocol === 1 ? socket : this.#registered ? this.#socket : null
      if (target?.readyState === WebSocket.OPEN) target.send(text)
    }
    if (ms === 0) finish()
    else setTimeout(finish, ms)
  }
}
