import type { Model, Outbox, Ports } from '../actors/runtime/ports.ts'
import type { TaskService } from '../actors/task-service.ts'
import { counts, type Part } from './counted/counts.ts'
import { jobOf, textOf } from './job.ts'

/** What the service did since the last `reset`. */
export interface Metered {
  /** Tool results that came in. */
  readonly steps: number
  /** Overhead of each step in ms: from a tool result to the next frame of its task, less the time in the model. */
  readonly overheads: readonly number[]
}

/** The frames that end a step. */
const PARTS: Readonly<Record<string, Part>> = { mcp_execute_tool: 'call', task_complete: 'end' }

/** Sits between the rooms of the service: frames in, the model, frames out. One task at a time in a session. */
export class Meter {
  /** The step under way in each session: when its result came in, and the model's time since. */
  readonly #steps = new Map<string, { since: number; modelMs: number }>()
  #count = 0
  #overheads: number[] = []

  reset(): void {
    this.#count = 0
    this.#overheads = []
  }

  read = (): Metered => ({ steps: this.#count, overheads: this.#overheads })

  taskService(taskService: TaskService): TaskService {
    return {
      ...taskService,
      toolResult: (sessionId, result) => {
        counts.moment('result')
        this.#count++
        this.#steps.set(sessionId, { since: performance.now(), modelMs: 0 })
        return taskService.toolResult(sessionId, result)
      },
    }
  }

  ports = (ports: Ports): Ports => ({ ...ports, outbox: this.#outbox(ports.outbox), model: this.#model(ports.model) })

  #outbox(outbox: Outbox): Outbox {
    return {
      close: (...args) => outbox.close(...args),
      send: (sessionId, frame) => {
        const sent = outbox.send(sessionId, frame)
        const part = PARTS[frame.type]
        if (part) {
          counts.moment(part)
          this.#frameLeft(sessionId)
        }
        return sent
      },
    }
  }

  #frameLeft(sessionId: string): void {
    const step = this.#steps.get(sessionId)
    if (!step) return
    this.#steps.delete(sessionId)
    this.#overheads.push(performance.now() - step.since - step.modelMs)
  }

  #model(model: Model): Model {
    return {
      ...model,
      ask: async (request, signal) => {
        const from = performance.now()
        const reply = await model.ask(request, signal)
        const step = this.#steps.get(jobOf(textOf(request.messages))?.sessionId ?? '')
        if (step) step.modelMs += performance.now() - from
        return reply
      },
    }
  }
}
