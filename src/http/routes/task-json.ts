import type { TaskView, Turn } from '../../../actors/front.ts'
import { READY_TASK_CHARS_MAX, READY_TASKS_MAX } from '../../../machines/limits.ts'
import type { StepRecord } from '../../../machines/records.ts'
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

/** The JSON of tasks that can change no more, for those who ask again and again. The least recently used make room. */
export class ReadyTasks {
  readonly #texts = new Map<string, string>()

  get(taskId: string): string | undefined {
    const text = this.#texts.get(taskId)
    if (text === undefined) return undefined
    // A map keeps the order of insertion: what was used goes to its end.
    this.#texts.delete(taskId)
    this.#texts.set(taskId, text)
    return text
  }

  /** Keeps the text of a task that is closed, unless it is too long to be worth it. */
  put({ id, state }: TaskView, text: string): void {
    if (state !== 'closed' || text.length > READY_TASK_CHARS_MAX) return
    this.#texts.set(id, text)
    if (this.#texts.size <= READY_TASKS_MAX) return
    for (const oldest of this.#texts.keys()) {
      this.#texts.delete(oldest)
      return
    }
  }
}
