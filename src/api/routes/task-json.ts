import type { Grounding } from '../../../actors/conversation/grounding.ts'
import type { TaskService, TaskView, Turn } from '../../../actors/task-service.ts'
import type { StepRecord } from '../../../machines/records.ts'
import type { InputRequest } from '../../wire/inputs.ts'
import { pageOf } from '../../wire/list.ts'
import { requestJson } from '../../wire/task-request.ts'
import type { Step, Task, TaskSummary } from '../../wire/tasks.ts'
import type { HttpDeps } from '../deps.ts'
import { STEPS_PAGE_CHARS_MAX } from '../limits.ts'

/** What a task's tokens cost in USD; `null` when its model has no price. */
export type CostOf = (task: TaskView) => number | null

/** [T62] By the model that the task asked for, or the usual one. */
export const costsOf =
  ({ taskService, prices }: Pick<HttpDeps, 'taskService' | 'prices'>): CostOf =>
  ({ model, usage }) =>
    prices.costUsd(model ?? taskService.models()[0] ?? '', usage)

export const summaryJson = (task: TaskView, costOf: CostOf): TaskSummary => ({
  id: task.id,
  status: task.status,
  task: task.task,
  url: task.url,
  answer: task.answer,
  output: task.output ? JSON.parse(task.output) : null,
  success: task.status === 'running' ? null : task.status === 'complete',
  steps: task.steps,
  usage: task.usage,
  cost_usd: costOf(task),
  browser_session_id: task.browserSessionId,
  created_at: task.createdAt,
  completed_at: task.completedAt,
  state: task.state,
  failure: task.failure,
  ended_by: task.endedBy,
  deadline_at: task.deadlineAt,
  metadata: task.metadata ?? {},
  ...(task.continuesTaskId ? { continue_task_id: task.continuesTaskId } : {}),
  ...recipeJson(task),
  ...(task.inputRequest ? { input_request: inputJson(task.inputRequest) } : {}),
  ...(task.pausedBy?.length ? { paused_by: [...task.pausedBy] } : {}),
  ...(task.queue ? { queue: queueJson(task.queue) } : {}),
})

/** [J12] Of a task that runs: what it plays. */
function recipeJson({ recipe, recipeRun, usage }: TaskView): Pick<TaskSummary, 'recipe'> {
  if (recipeRun) return { recipe: { ...recipeRun } }
  return recipe?.plays ? { recipe: { ...recipe.plays, played: 0, asked: usage.apiCalls } } : {}
}

/** [I4] What a task asks its user. */
export const inputJson = ({ expiresAt, call, ...request }: NonNullable<TaskView['inputRequest']>): InputRequest => ({
  ...request,
  call: call as InputRequest['call'],
  expires_at: expiresAt,
})

/** [T59] Position 1 is next. */
export const queueJson = ({ position, expiresAt }: NonNullable<TaskView['queue']>) => ({
  position,
  expires_at: expiresAt,
})

/** [V9] The number of the last event of a task. */
export const seqOf = ({ events }: Pick<TaskService, 'events'>, { id, seq }: TaskView): number | Promise<number> =>
  seq ?? events.lastOfTask(id)

/** [T44] `turns` is null while the task runs. */
export const taskJson = (
  task: TaskView,
  costOf: CostOf,
  seq: number,
  turns: readonly Turn[] | null,
  grounding: Grounding | null = null,
): Task => ({
  ...summaryJson(task, costOf),
  seq,
  request: requestJson(task),
  ...(task.rerunOf ? { rerun_of: task.rerunOf } : {}),
  ...(task.continuesTaskId ? { continues: task.continuesTaskId } : {}),
  turns: turns === null ? null : turns.map((turn) => ({ ...turn, tools: [...turn.tools] })),
  output_sources: grounding?.sources ?? null,
  ungrounded: grounding === null ? null : [...grounding.ungrounded],
})

/** A task as it is answered: of one that has ended its turns and where its output was seen, too. */
export function wholeTask(deps: Pick<HttpDeps, 'taskService' | 'prices'>): (task: TaskView) => Promise<Task> {
  const { taskService } = deps
  const costOf = costsOf(deps)
  return async (task) => {
    const seq = await seqOf(taskService, task)
    if (task.status === 'running') return taskJson(task, costOf, seq, null)
    const turns = await taskService.turns(task.id)
    return taskJson(task, costOf, seq, turns, await taskService.grounding(task))
  }
}

const stepJson = (record: StepRecord): Step => ({
  step: record.step,
  status: record.status,
  tool_name: record.toolName,
  call_id: record.callId ?? null,
  tool_input: record.toolInput,
  output: record.output,
  has_screenshot: record.screenshot !== null,
  duration_ms: record.durationMs,
  ...(record.promptVersion === undefined ? {} : { prompt_version: record.promptVersion }),
  created_at: record.createdAt,
})

/** [T53] The records from `cursor` on: `limit` of them, and no more than a page may be long. */
export function stepPage(
  records: readonly StepRecord[],
  { limit = records.length, cursor = '0' }: { limit?: number | undefined; cursor?: string | undefined },
) {
  const first = Number(cursor)
  const steps: Step[] = []
  let chars = 0
  for (const record of records.slice(first, first + limit)) {
    chars += (record.output?.length ?? 0) + (record.toolInput === null ? 0 : JSON.stringify(record.toolInput).length)
    if (steps.length > 0 && chars > STEPS_PAGE_CHARS_MAX) break
    steps.push(stepJson(record))
  }
  const next = first + steps.length
  return pageOf('steps', steps, next < records.length ? String(next) : null)
}
