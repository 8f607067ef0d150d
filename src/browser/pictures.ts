import type { ExecuteTool } from '../wire/relay.ts'
import { BROWSER_TOOLS } from '../wire/tools.ts'

/** Whether the page may look different after a call of this tool. */
export const mayShow = (tool: string): boolean => BROWSER_TOOLS.some(({ name, acts }) => name === tool && acts)

/** A call that comes within this time after another makes a picture of what it has done, too. */
const REST_MS = 100

export interface PicturesOptions {
  /** A JPEG, in base64, of the tab of a task; `null` when there is none to be shown. */
  take(taskId: string): Promise<string | null>
  send(frame: object): boolean
  /** Is given each picture that was taken: nobody else need take one. */
  seen?(taskId: string, jpeg: string): void
}

/** What was last done for a task, and what its page was when a picture of it was taken. */
interface Task {
  timer: ReturnType<typeof setTimeout> | null
  isBusy: boolean
  /** What waits until the picture before it was taken. */
  next: ExecuteTool | null
  pictured: string | null
}

/**
 * [R54] A picture of the tab after a call that acts, where the page has changed. It keeps no call waiting, and of calls
 * that follow one another at once only the last one gets one: a picture costs the browser more than most acts.
 */
export class Pictures {
  readonly #options: PicturesOptions
  readonly #tasks = new Map<string, Task>()

  constructor(options: PicturesOptions) {
    this.#options = options
  }

  /** A call begins. If it acts, what the one before it has done is seen after it. */
  before({ taskId, tool, input }: ExecuteTool): void {
    const task = this.#tasks.get(taskId)
    if (!mayShow(tool) || input.action === 'wait') return
    if (task?.timer) clearTimeout(task.timer)
    if (task) task.timer = null
  }

  /** `fingerprint`: names what the page is now; `null` where it was not read. */
  after(call: ExecuteTool, fingerprint: string | null): void {
    if (!mayShow(call.tool)) return
    const task = this.#tasks.get(call.taskId) ?? { timer: null, isBusy: false, next: null, pictured: null }
    this.#tasks.set(call.taskId, task)
    if (fingerprint !== null && fingerprint === task.pictured) return
    task.timer = setTimeout(() => {
      task.timer = null
      task.pictured = fingerprint
      if (task.isBusy) task.next = call
      else void this.#take(call, task)
    }, REST_MS)
  }

  ended(taskId: string): void {
    const timer = this.#tasks.get(taskId)?.timer
    if (timer) clearTimeout(timer)
    this.#tasks.delete(taskId)
  }

  async #take(call: ExecuteTool, task: Task): Promise<void> {
    const { taskId, requestId } = call
    task.isBusy = true
    const jpeg = await this.#options.take(taskId).catch(() => null)
    if (jpeg !== null) {
      this.#options.send({ type: 'picture', taskId, requestId, jpeg })
      this.#options.seen?.(taskId, jpeg)
    }
    task.isBusy = false
    const { next } = task
    task.next = null
    if (next && this.#tasks.get(taskId) === task) void this.#take(next, task)
  }
}
