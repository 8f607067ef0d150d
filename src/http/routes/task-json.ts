import type { TaskView, Turn } from '../../../actors/front.ts'
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
  ...(record.promptVersion === undefined ? {} : { prompt_version: record.promptVersion }),
  created_at: record.createdAt,
})
