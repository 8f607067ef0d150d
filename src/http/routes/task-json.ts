import type { TaskView, Turn } from '../../../actors/front.ts'
import { READY_TASK_CHARS_MAX, READY_TASK_MS, READY_TASKS_MAX } from '../../../machines/limits.ts'
import type { Ms, StepRecord } from '../../../machines/records.ts'
import type { StepList, Task, TaskSummary } from '../../wire/tasks.ts'

export const summaryJson = (task: TaskView): TaskSummary => ({
  id: task.id,
  status: task.status,
  task: task.task,
  url: task.url,
  answer: task.answer,
  steps: task.steps,
  usage: task.usage,
  browser_session_id: task.browserSessionId,
  created_at: task.createdAt,
  completed_at: task.completedAt,
  state: task.state,
  failure: task.failure,
  ended_by: task.endedBy,
  deadline_at: task.deadlineAt,
})

/** [T44] `turns` is null while the task runs. */
export const taskJson = (task: TaskView, turns: readonly Turn[] | null): Task => ({
  ...summaryJson(task),
  turns: turns === null ? null : turns.map((turn) => ({ ...turn, tools: [...turn.tools] })),
})

export const stepJson = (record: StepRecord): StepList['steps'][number] => ({
  step: record.step,
  status: record.status,
  tool_name: record.toolName,
  tool_input: record.toolInput,
  output: record.output,
  has_screenshot: record.screenshot !== null,
  duration_ms: record.durationMs,
  created_at: record.createdAt,
})

interface Ready {
  readonly workspaceId: string
  readonly text: string
  until: Ms
}

/** What moves in the JSON of a running task: the rest stands in its record. */
interface Moving {
  readonly state: string
  readonly steps: number
  readonly usage: TaskView['usage']
  readonly text: string
}

/**
 * [T43] The JSON of running tasks as they were when they were last asked for: good as long as nothing in them has moved.
 * The first that was asked for makes room.
 */
export class MovingTasks {
  readonly #tasks = new Map<string, Moving>()

  textOf(task: TaskView): string {
    const { id, state, steps, usage } = task
    const last = this.#tasks.get(id)
    if (last !== undefined && last.state === state && last.steps === steps && last.usage === usage) return last.text
    const text = JSON.stringify(taskJson(task, null))
    this.#tasks.delete(id)
    if (text.length > READY_TASK_CHARS_MAX) return text
    if (this.#tasks.size >= READY_TASKS_MAX) {
      for (const first of this.#tasks.keys()) {
        this.#tasks.delete(first)
        break
      }
    }
    this.#tasks.set(id, { state, steps, usage, text })
    return text
  }
}

/**
 * The JSON of tasks that can change no more, for those who ask again and again. They may still be removed when they are
 * old, so each is asked for again after READY_TASK_MS. The least recently asked for make room.
 */
export class ReadyTasks {
  readonly #tasks = new Map<string, Ready>()

  /** The JSON of a task that was there a moment ago, and is of this workspace. */
  fresh(workspaceId: string, taskId: string, now: Ms): string | null {
    const ready = this.#tasks.get(taskId)
    return ready !== undefined && ready.until > now && ready.workspaceId === workspaceId ? ready.text : null
  }

  /** The JSON of a task that is known to be there. */
  again({ id }: TaskView, now: Ms): string | null {
    const ready = this.#tasks.get(id)
    if (ready === undefined) return null
    ready.until = now + READY_TASK_MS
    // A map keeps the order of insertion: what was asked for goes to its end.
    this.#tasks.delete(id)
    this.#tasks.set(id, ready)
    return ready.text
  }

  /** Keeps the text of a task that is closed, unless it is too long to be worth it. */
  put({ id, workspaceId, state }: TaskView, text: string, now: Ms): void {
    if (state !== 'closed' || text.length > READY_TASK_CHARS_MAX) return
    this.#tasks.set(id, { workspaceId, text, until: now + READY_TASK_MS })
    if (this.#tasks.size <= READY_TASKS_MAX) return
    for (const oldest of this.#tasks.keys()) {
      this.#tasks.delete(oldest)
      return
    }
  }
}
