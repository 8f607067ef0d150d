import type { ExecuteTool } from '../wire/relay.ts'
import { BROWSER_TOOLS } from '../wire/tools.ts'

/** Whether the page may look different after a call of this tool. */
export const mayShow = (tool: string): boolean => BROWSER_TOOLS.some(({ name, acts }) => name === tool && acts)

export interface PicturesOptions {
  /** A JPEG, in base64, of the tab of a task; `null` when there is none to be shown. */
  take(taskId: string): Promise<string | null>
  send(frame: object): boolean
}

/**
 * [R54] A picture of the tab after each call that acts. It keeps no call waiting: where the next call comes before the
 * picture was taken, only the last of them gets one.
 */
export class Pictures {
  readonly #options: PicturesOptions
  /** The tasks of which one is taken, with the call that waits for the next one. */
  readonly #busy = new Map<string, ExecuteTool | null>()

  constructor(options: PicturesOptions) {
    this.#options = options
  }

  after(call: ExecuteTool): void {
    if (!mayShow(call.tool)) return
    if (this.#busy.has(call.taskId)) this.#busy.set(call.taskId, call)
    else void this.#take(call)
  }

  async #take(call: ExecuteTool): Promise<void> {
    const { taskId, requestId } = call
    this.#busy.set(taskId, null)
    const jpeg = await this.#options.take(taskId).catch(() => null)
    if (jpeg !== null) this.#options.send({ type: 'picture', taskId, requestId, jpeg })
    const next = this.#busy.get(taskId)
    this.#busy.delete(taskId)
    if (next) void this.#take(next)
  }
}
