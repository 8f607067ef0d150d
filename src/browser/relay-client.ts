import * as v from 'valibot'
import type { Held } from '../../machines/held.ts'
import type { ActReport } from '../../machines/recipe.ts'
import { TASKS_NAMED_MAX } from '../wire/limits.ts'
import { type ExecuteTool, ToBrowser } from '../wire/relay.ts'
import { SHOWS_LIVE } from '../wire/relay-live.ts'
import { ToolError } from './act/cdp.ts'
import { textOfResult } from './act/result.ts'
import { type CallLoad, withLoad } from './call-load.ts'
import { CallMemory, type CallStorage, failedResult } from './call-memory.ts'
import { LIVE_WAITING_BYTES_MAX } from './limits.ts'
import { Connection, type ConnectionState, type RelaySocketConstructor, type Stopped } from './relay-connection.ts'
import { ShownTabs, type ShownTabsOptions } from './shown-tabs.ts'

/** What a tool call came to. */
export interface CallAnswer {
  /** The tool's own sentences. */
  readonly said: string
  /** Words of the page: untrusted. */
  readonly content: string
  /** A JPEG in base64, or `null`. */
  readonly screenshot: string | null
  /** Identifies the state of the page; `null` if the page was not read. */
  readonly fingerprint?: string | null
  /** It led to another page, or a dialog waits for an answer. */
  readonly halts?: 'navigation' | 'dialog'
  /** The address of the page. */
  readonly url?: string
  /** [I5] What waits for its user's approval. */
  readonly held?: Held
  /** [J2] What was acted on. */
  readonly act?: ActReport
  readonly tab: { readonly tabId: number; readonly windowId: number } | null
}

export interface RelayClientOptions {
  /** `ws:` or `wss:`. */
  readonly url: string
  readonly sessionToken: string
  readonly WebSocket: RelaySocketConstructor
  readonly storage: CallStorage
  /** Runs one call. What it throws is the call's error, by its message, and by its `content` when it has one. */
  execute(call: ExecuteTool, signal: AbortSignal): Promise<CallAnswer>
  /** Tools that this browser has beside the seven. */
  readonly tools?: readonly string[]
  /** Shows the tabs of tasks; left out: this browser shows none. */
  readonly shows?: Pick<ShownTabsOptions, 'tabOf' | 'seen'>
  /** A task of this browser has ended: nothing more will be asked for it. */
  taskEnded(taskId: string): void
  /** The registration, frames that are about tasks, and answers of the model, for a user interface. */
  onFrame?(frame: ToBrowser): void
  onState?(state: ConnectionState): void
  /** One line for a person. */
  log(line: string): void
  /** From 0 to 1, for the jitter of reconnecting. */
  readonly random?: () => number
}

interface RunningTask {
  /** The last call that was asked for. */
  last: Promise<void>
  readonly end: AbortController
}

/**
 * A browser's side of the relay, protocol 2. It runs every request at most once, sends results that were not delivered
 * again, and connects again by itself until its token is refused, its session is removed or taken over, or it is
 * closed. Calls of one task run one after the other, those of different tasks at the same time.
 */
export class RelayClient {
  /** Resolves once, when the client has stopped for good. Never rejects. */
  readonly stopped: Promise<Stopped>
  readonly #options: RelayClientOptions
  readonly #memory: CallMemory
  readonly #connection: Connection
  readonly #tasks = new Map<string, RunningTask>()
  readonly #shown: ShownTabs | null
  #registered = false
  #sessionId: string | null = null

  private constructor(options: RelayClientOptions, memory: CallMemory) {
    this.#options = options
    this.#memory = memory
    const { shows } = options
    const send = (frame: object) => this.#connection.waiting < LIVE_WAITING_BYTES_MAX && this.send(frame)
    this.#shown = shows ? new ShownTabs({ ...shows, send }) : null
    let settle: (stopped: Stopped) => void = () => {}
    this.stopped = new Promise((resolve) => {
      settle = resolve
    })
    this.#connection = new Connection({
      url: options.url,
      WebSocket: options.WebSocket,
      greeting: () => this.#registration(),
      heard: (data) => this.#heard(data),
      lost: () => this.#lost(),
      isBusy: () => this.#tasks.size > 0,
      stopped: (stopped) => {
        this.#lost()
        for (const { end } of this.#tasks.values()) end.abort()
        this.#tasks.clear()
        settle(stopped)
      },
      onState: options.onState,
      log: options.log,
      random: options.random ?? Math.random,
    })
  }

  /** Starts to connect, and goes on until it is stopped. */
  static async start(options: RelayClientOptions): Promise<RelayClient> {
    const client = new RelayClient(options, await CallMemory.load(options.storage))
    client.#connection.connect()
    return client
  }

  /** Ends the connection and every call that runs. */
  close(message = 'The browser was disconnected.'): void {
    this.#connection.stop({ why: 'closed', message })
  }

  /** Connects at once instead of waiting, when it is not connected. */
  wake(): void {
    this.#connection.connect()
  }

  /** Sends a frame of one's own, such as `create_task`; false when there is no connection. */
  send(frame: object): boolean {
    return this.#registered && this.#connection.write(JSON.stringify(frame))
  }

  /** The service knows of no viewers when it is back. */
  #lost(): void {
    this.#registered = false
    this.#shown?.lost()
  }

  #registration(): string {
    const { locale, timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions()
    const frame = {
      type: 'register',
      role: 'extension',
      session_token: this.#options.sessionToken,
      protocol: 2,
      instance: this.#memory.instance,
      tools: [...(this.#options.tools ?? []), ...(this.#shown ? [SHOWS_LIVE] : [])],
      tasks: [...this.#tasks.keys()].slice(-TASKS_NAMED_MAX),
      locale,
      time_zone,
      calls: [],
    }
    const calls = this.#memory.remembered(new TextEncoder().encode(JSON.stringify(frame)).length)
    return JSON.stringify({ ...frame, calls })
  }

  #heard(data: unknown): void {
    const frame = parse(data)
    // Frames of a later protocol are ignored.
    if (!frame) return
    switch (frame.type) {
      case 'ping':
        this.#connection.write('{"type":"pong"}')
        return
      case 'registered':
        this.#registered = true
        this.#sessionId = frame.browserSessionId
        this.#connection.established()
        for (const result of this.#memory.undelivered()) this.#connection.write(result)
        break
      case 'mcp_execute_tool':
        this.#asked(frame)
        return
      case 'task_complete':
      case 'task_error':
        if (frame.taskId !== undefined) this.#taskEnded(frame.taskId)
        break
    }
    this.#shown?.heard(frame)
    this.#options.onFrame?.(frame)
  }

  #asked(call: ExecuteTool): void {
    const known = this.#memory.get(call.requestId)
    if (known) {
      // What still runs is answered when it is done, on whichever socket there is then.
      if (known.result !== null) this.#connection.write(known.result)
      return
    }
    const task = this.#tasks.get(call.taskId) ?? { last: Promise.resolve(), end: new AbortController() }
    this.#tasks.set(call.taskId, task)
    const remembered = this.#memory.started(call.requestId, call.taskId)
    // It is looked at when its turn comes.
    remembered.catch(() => {})
    task.last = task.last.then(() => this.#run(call, remembered, task.end.signal))
  }

  /** Never rejects. */
  async #run(call: ExecuteTool, remembered: Promise<void>, signal: AbortSignal): Promise<void> {
    let result: string
    let fingerprint: string | null = null
    let load: CallLoad | undefined
    const measured = (told: CallLoad) => {
      load = told
    }
    try {
      await remembered
      if (signal.aborted) throw signal.reason
      const running = () => this.#options.execute(call, AbortSignal.any([signal]))
      this.#shown?.before(call)
      const answer = await withLoad(call.tool, running, measured)
      fingerprint = answer.fingerprint ?? null
      result = this.#resultOf(call, answer, load)
    } catch (error) {
      const { content, act } = error instanceof ToolError ? error : NO_MORE
      result = signal.aborted
        ? failedResult(call.requestId, 'The task has ended.')
        : failedResult(call.requestId, messageOf(error), { content, act, load })
    }
    await this.#memory.finished(call.requestId, result).catch(() => {})
    if (this.#registered) this.#connection.write(result)
    if (!signal.aborted) this.#shown?.after(call, fingerprint)
  }

  #resultOf({ requestId }: ExecuteTool, answer: CallAnswer, load: CallLoad | undefined): string {
    const { said, content, screenshot, fingerprint = null, tab } = answer
    return JSON.stringify({
      type: 'tool_result',
      requestId,
      result: textOfResult(answer),
      said,
      content,
      ...(fingerprint === null ? {} : { fingerprint }),
      ...(answer.halts ? { halts: answer.halts } : {}),
      ...(answer.url ? { url: answer.url } : {}),
      ...(answer.held ? { held: answer.held } : {}),
      ...(answer.act ? { act: answer.act } : {}),
      ...(load ? { load } : {}),
      ...(screenshot === null ? {} : { screenshot }),
      ...(tab === null ? {} : { tabContext: { ...tab, browserSessionId: this.#sessionId } }),
    })
  }

  #taskEnded(taskId: string): void {
    this.#tasks.get(taskId)?.end.abort()
    this.#tasks.delete(taskId)
    this.#shown?.ended(taskId)
    this.#memory.taskEnded(taskId).catch(() => {})
    this.#options.taskEnded(taskId)
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

const NO_MORE = { content: '', act: null }
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
