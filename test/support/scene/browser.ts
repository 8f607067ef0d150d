import { randomUUID } from 'node:crypto'
import type { OutgoingFrame } from '../../../actors/runtime/ports.ts'
import type { TaskService, ToolResultIn } from '../../../actors/task-service.ts'
import type { SessionRecord } from '../../../machines/records.ts'

const DONE: Omit<ToolResultIn, 'requestId'> = {
  error: null,
  output: 'seen',
  screenshot: null,
  tab: null,
  said: null,
  page: {},
}

/**
 * A paired browser as the relay hands it on. It runs what it is asked, and speaks protocol 1 or 2: with 2 it remembers
 * what it ran, answers a repeated request with the remembered result, and sends what could not be delivered again.
 */
export class SceneBrowser {
  readonly record: SessionRecord
  readonly protocol: 1 | 2
  /** Names its memory. */
  instance: string | null
  taskService: () => TaskService
  /** Every frame that it received. */
  readonly frames: OutgoingFrame[] = []
  /** Request ids in the order in which they were run. */
  readonly executed: string[] = []
  readonly closed: { socketId: string; code: number }[] = []
  socketId: string | null = null
  /** What it announces. */
  tools: readonly string[] = []
  /** Whether calls are answered as soon as they are run. */
  answers = true
  /** What it answers. */
  result: (frame: OutgoingFrame) => Partial<ToolResultIn> = () => ({})
  /** The tasks that it was asked to work on and does not know the end of. */
  readonly tasks = new Set<string>()
  readonly #memory = new Map<string, ToolResultIn | 'running'>()
  #sockets = 0

  constructor(record: SessionRecord, protocol: 1 | 2, taskService: () => TaskService) {
    this.record = record
    this.protocol = protocol
    this.instance = protocol === 2 ? randomUUID() : null
    this.taskService = taskService
  }

  connect(): this {
    this.socketId = `${this.record.id} socket ${++this.#sockets}`
    const calls = [...this.#memory].map(([requestId, state]) => ({
      requestId,
      state: state === 'running' ? ('running' as const) : ('done' as const),
    }))
    this.taskService().browserConnected(this.record, {
      socketId: this.socketId,
      protocol: this.protocol,
      calls: this.protocol === 2 ? calls : [],
      browserInstanceId: this.instance,
      tools: this.protocol === 2 ? this.tools : null,
      tasks: this.protocol === 2 ? [...this.tasks] : [],
    })
    return this
  }

  disconnect(): void {
    const { socketId } = this
    this.socketId = null
    if (socketId !== null) this.taskService().browserDisconnected(this.record.id, socketId)
  }

  /** The browser itself was started anew: it remembers nothing. */
  forgets(): void {
    this.#memory.clear()
    this.instance = this.protocol === 2 ? randomUUID() : null
  }

  /** What the relay delivers to the socket. */
  receive(frame: OutgoingFrame): void {
    this.frames.push(frame)
    if (frame.type === 'task_complete' || frame.type === 'task_error') this.tasks.delete(String(frame.taskId))
    if (frame.type !== 'mcp_execute_tool') return
    const requestId = String(frame.requestId)
    this.tasks.add(String(frame.taskId))
    const known = this.protocol === 2 ? this.#memory.get(requestId) : undefined
    if (known === 'running') return
    if (known) {
      this.#send(known)
      return
    }
    this.executed.push(requestId)
    this.#memory.set(requestId, 'running')
    if (this.answers) this.finish(requestId, this.result(frame))
  }

  /** The call is done: its result is remembered, and sent when there is a socket. */
  finish(requestId = this.executed.at(-1) ?? '', fields: Partial<ToolResultIn> = {}): void {
    const result = { ...DONE, ...fields, requestId }
    this.#memory.set(requestId, result)
    if (this.socketId !== null) this.#send(result)
  }

  #send(result: ToolResultIn): void {
    setImmediate(() => {
      if (this.socketId !== null) this.taskService().toolResult(this.record.id, result)
    })
  }

  of(type: string): OutgoingFrame[] {
    return this.frames.filter((frame) => frame.type === type)
  }
}
