import { HOLDS } from '../../../machines/held.ts'
import type { SocketHandlers } from '../../../src/net/transport.ts'
import type { SocketState } from '../../../src/relay/socket-state.ts'
import { CLOSE } from '../../../src/wire/relay.ts'
import { type Scheduler, THE_WORLD } from '../engine/scheduler.ts'
import type { Random } from '../random.ts'
import type { Watch } from '../watch.ts'
import { Holding } from './holding.ts'
import type { Life } from './life.ts'
import { type BrowserEnd, connect, type NetworkOptions } from './sockets.ts'

type Frame = Record<string, unknown>

interface Remembered {
  readonly taskId: string
  result: Frame | null
  received: boolean
}

export interface BrowserOptions {
  readonly name: string
  readonly sessionId: string
  readonly token: string
  readonly protocol: 1 | 2
  readonly scheduler: Scheduler
  readonly random: Random
  readonly network: NetworkOptions
  /** The process that listens just now, if one does. */
  readonly service: () => { life: Life; handlers: SocketHandlers<SocketState> } | null
  /** A request is about to be executed. */
  readonly executed: (requestId: string) => void
  /** Hears of what it holds and lets go. */
  readonly watch: Pick<Watch, 'held' | 'letGo' | 'ranUnheld'>
  /** How likely a call takes too long, or for ever. */
  readonly trouble: () => number
  /** How long a call takes at most; 1,200 when left out. */
  readonly callMsMax?: number
}

/**
 * A paired browser. With protocol 2 it remembers what it was asked, runs each request at most once by its own memory,
 * and sends results again that may not have arrived; with protocol 1 it runs whatever comes. It sleeps, falls off the
 * network, comes back, and may lose its memory.
 */
export class SimulatedBrowser {
  readonly #options: BrowserOptions
  #instance: string
  #memory = new Map<string, Remembered>()
  #holding: Holding
  #end: BrowserEnd | null = null
  #asleepUntil = 0
  #registered = false
  #isGone = false
  /** When results left over the present connection. */
  #sent = new Map<string, number>()

  constructor(options: BrowserOptions) {
    this.#options = options
    this.#instance = options.random.uuid()
    this.#holding = new Holding(options)
  }

  get sessionId(): string {
    return this.#options.sessionId
  }

  /** Its token was refused, or its session removed: it will not come again. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** It is connected, and awake. */
  get isConnected(): boolean {
    return this.#registered && this.#end?.open === true && !this.#isAsleep
  }

  /** The calls whose results left over the present connection before then. */
  sentBefore(time: number): string[] {
    return this.isConnected ? [...this.#sent].flatMap(([requestId, at]) => (at < time ? [requestId] : [])) : []
  }

  /** Connects, and tries again until it is connected or refused for good. */
  start(): void {
    const { service, scheduler, random, network, protocol, token } = this.#options
    if (this.#isGone || this.#end?.open) return
    const reached = this.#isAsleep ? null : service()
    if (!reached) {
      scheduler.after(random.between(300, 3_000), THE_WORLD, `${this.#options.name} tries again`, () => this.start())
      return
    }
    const { life, handlers } = reached
    const end = connect(network, life, handlers, {
      received: (frame) => {
        if (this.#end === end) this.#received(frame)
      },
      closed: (code) => {
        if (this.#end === end) this.#closed(code)
      },
      asleep: () => this.#isAsleep,
    })
    this.#end = end
    this.#registered = false
    this.#sent = new Map()
    const calls = [...this.#memory].map(([requestId, { result }]) => ({
      requestId,
      state: result ? 'done' : 'running',
    }))
    const two =
      protocol === 2 ? { protocol: 2, instance: this.#instance, calls: calls.slice(-100), tools: [HOLDS] } : {}
    end.send({ type: 'register', role: 'extension', session_token: token, ...two })
    // An answer that was lost is not waited for.
    scheduler.after(5_000, THE_WORLD, `${this.#options.name} looks`, () => {
      if (this.#end === end && !this.#registered) end.close('closed')
    })
  }

  /** Its connection ends, seen by the service or not, and it comes back. */
  drop(how: 'closed' | 'pulled'): void {
    this.#end?.close(how)
  }

  /** It comes back at once, while the service still believes in the old connection. */
  replace(): void {
    this.#end = null
    this.start()
  }

  sleep(ms: number): void {
    this.#asleepUntil = this.#options.scheduler.time + ms
  }

  wake(): void {
    this.#asleepUntil = 0
  }

  /** It is started anew: what it remembered is lost, and what it ran has no end. */
  forget(): void {
    this.#memory = new Map()
    this.#holding = new Holding(this.#options)
    this.#instance = this.#options.random.uuid()
    this.drop('closed')
  }

  /** Asks for a task as its side panel does. False when it is not connected. */
  createTask(requestId: string, task: string): boolean {
    if (!this.#registered || !this.#end?.open || this.#isAsleep) return false
    this.#end.send({ type: 'create_task', requestId, task, browserSessionId: this.sessionId })
    return true
  }

  get #isAsleep(): boolean {
    return this.#options.scheduler.time < this.#asleepUntil
  }

  #closed(code: number): void {
    this.#end = null
    this.#registered = false
    if (code === CLOSE.invalidToken || code === CLOSE.revoked) {
      this.#isGone = true
      return
    }
    const { scheduler, random, name } = this.#options
    const soon = code !== CLOSE.replaced && random.chance(0.8)
    const wait = soon ? random.between(100, 4_000) : random.between(4_000, 40_000)
    scheduler.after(wait, THE_WORLD, `${name} comes back`, () => this.start())
  }

  #received(frame: Frame): void {
    switch (frame.type) {
      case 'ping':
        this.#end?.send({ type: 'pong' })
        return
      case 'registered':
        this.#registered = true
        for (const { result, received } of this.#memory.values()) if (result && !received) this.#send(result)
        return
      case 'mcp_execute_tool':
        this.#asked(frame)
    }
  }

  #asked(frame: Frame): void {
    const requestId = String(frame.requestId)
    const taskId = String(frame.taskId)
    if (this.#options.protocol === 2) {
      const known = this.#memory.get(requestId)
      if (known) {
        if (known.result) this.#send(known.result)
        return
      }
      for (const call of this.#memory.values()) if (call.taskId === taskId && call.result) call.received = true
      this.#memory.set(requestId, { taskId, result: null, received: false })
    }
    this.#execute(requestId, frame)
  }

  #send(result: Frame): void {
    this.#end?.send(result)
    this.#sent.set(String(result.requestId), this.#options.scheduler.time)
  }

  #execute(requestId: string, frame: Frame): void {
    const { scheduler, random, executed, trouble, name, callMsMax = 1_200 } = this.#options
    executed(requestId)
    const memory = this.#memory
    const hangs = random.chance(trouble())
    if (hangs && random.chance(0.4)) return
    const done = () => {
      if (memory !== this.#memory) return
      if (this.#isAsleep) return void scheduler.after(1_000, THE_WORLD, `${name} sleeps on`, done)
      const result = this.#result(requestId, frame)
      const known = memory.get(requestId)
      if (known) known.result = result
      if (this.#registered) this.#send(result)
    }
    const ms = hangs ? random.between(10_000, 60_000) : random.between(2, callMsMax)
    scheduler.after(ms, THE_WORLD, `${name} ran ${requestId.slice(0, 8)}`, done)
  }

  #result(requestId: string, frame: Frame): Frame {
    const { random } = this.#options
    const { input } = frame
    const result = { type: 'tool_result', requestId }
    const gated = this.#holding.answer(requestId, frame)
    if (gated) return { ...result, ...gated }
    if ((input as Frame).query === 'the same') return { ...result, result: 'the same again' }
    if (random.chance(0.1)) return { ...result, error: 'No such element' }
    const tab = { tabId: random.whole(1, 3), windowId: 1, browserSessionId: random.pick([this.sessionId, 'another']) }
    return {
      ...result,
      result: random.pick<unknown>([`page ${random.hex(6)}`, { title: random.hex(3) }, null, '']),
      ...(random.chance(0.2) ? { screenshot: 'AAAA' } : {}),
      ...(random.chance(0.3) ? { tabContext: tab } : {}),
    }
  }
}
