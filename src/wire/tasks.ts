import * as v from 'valibot'
import { ENDED_BY, STEP_STATUSES } from '../../machines/records.ts'
import { FAILURE_CATEGORIES } from '../../machines/texts.ts'
import { AT, SESSION, TASK } from './example-values.ts'
import {
  browser_session_id,
  count,
  created_at,
  expires_at,
  field,
  first_url,
  id,
  integer,
  ms,
  uuid,
  words,
} from './fields.ts'
import { InputRequest } from './inputs.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, SEARCH_CHARS_MAX, STEPS_PAGE_SIZE_MAX, TASK_WAIT_S_MAX } from './limits.ts'
import { listOf, numberCursor, pageCursor, pageLimit } from './list.ts'
import { record } from './record.ts'
import { CreateTaskBody, MetadataBody, ShownRequest } from './task-request.ts'

/** [T42] */
export const CancelBody = v.object({})

/** [T59] The place of a task that waits in its workspace's queue; position 1 is next. */
export const Queued = v.object({ position: field(count, '1 is next.', 1), expires_at })

export const status = v.picklist(['running', 'complete', 'error'], 'must be running, complete or error')

const endedBy = v.picklist(ENDED_BY, `must be one of ${ENDED_BY.join(', ')}`)

const step = field(count, 'Number of the step, from 1.', 1)

/** [T44] A tool call as the turns of a finished task show it. */
export const TurnTool = v.object({
  call_id: field(
    v.string(),
    'Which tool call of the step: the same in steps, turns and events.',
    '7d0f9f3e-6a0e-4a52-8f4f-6f5d1a2b3c4d',
  ),
  name: field(v.string(), 'The tool.', 'navigate'),
  input: field(v.unknown(), 'What the model asked of it.', { url: 'https://shop.example/' }),
  result: field(v.string(), 'What the tool answered.', 'https://shop.example/ “Tea shop”'),
  durationMs: field(v.number(), 'How long the call took, in milliseconds.', 840),
})

/** [T44] A reply of the model and the calls that it asked for. */
export const TaskTurn = v.object({
  step,
  tools: field(v.array(TurnTool), 'The tool calls of the step, in their order.'),
  ai_response: field(v.string(), 'What the model wrote beside its calls.', 'I open the shop.'),
})

/** What a task used. */
export const TaskUsage = v.object({
  inputTokens: field(count, 'Tokens that the model read.', 5210),
  outputTokens: field(count, 'Tokens that the model wrote.', 312),
  apiCalls: field(count, 'Calls of the model.', 4),
})

/** [J9] Where a recipe and a page differed. */
export const RecipeDeviation = v.object({
  step: field(count, 'The step of the recipe, from 1.', 9),
  expected: field(v.string(), 'What the recipe expects.', 'click button "Place order"'),
  found: field(v.string(), 'What was found instead.', 'several that are alike'),
})

/** [J12] How a task was carried out by a recipe: how many steps were played, and how often a model was asked. */
export const TaskRecipe = v.object({
  id,
  version: field(count, 'The version that was played, or made.', 1),
  played: field(count, 'Steps played.', 17),
  asked: field(count, 'Model calls.', 1),
  deviation: field(v.optional(RecipeDeviation), 'Where the page was another one.'),
})

export const output = v.nullable(record(v.string(), v.unknown()))

/** [T45] A task as lists show it. */
export const TaskSummary = v.object({
  id,
  status: field(status, 'Whether it runs, and how it ended.', 'complete'),
  task: ShownRequest.entries.task,
  url: first_url,
  answer: field(
    v.nullable(v.string()),
    'What the model answered, or why the task failed; null while it runs.',
    'Green tea, 100 g, is in the basket.',
  ),
  /** [L33] What fits the task's `output_schema`; null while it runs, without a schema, and when nothing fitted. */
  output: field(output, 'What fits the output_schema; null while it runs, and when nothing fitted.', { price: 3.2 }),
  success: field(v.nullable(v.boolean()), 'Whether the model says that it did what was asked.', true),
  steps: field(count, 'Model calls so far; all of them once the task has ended.', 4),
  usage: field(TaskUsage, 'Tokens and model calls of the task.', { inputTokens: 5210, outputTokens: 312, apiCalls: 4 }),
  /** [T62] By the list prices of its model; null when that has none. */
  cost_usd: field(
    v.nullable(v.number()),
    'What the tokens cost in USD by the list prices of the model; null when it has no price.',
    0.0124,
  ),
  browser_session_id,
  created_at,
  completed_at: field(
    v.nullable(ms),
    'When the task ended, in milliseconds since 1970; null while it runs.',
    AT + 41_000,
  ),
  state: field(
    v.string(),
    'What the task does now, such as `thinking`, `acting`, `waitingForBrowser` or `paused`; `closed` once it has ended. More states may come.',
    'closed',
  ),
  failure: field(
    v.nullable(v.picklist(FAILURE_CATEGORIES)),
    'Why it failed; null when it did not, and while it runs.',
    'timeout',
  ),
  ended_by: field(v.nullable(endedBy), 'What ended it; null while it runs.', 'completed'),
  deadline_at: field(ms, 'When the task is ended at the latest, in milliseconds since 1970.', AT + 1_800_000),
  metadata: ShownRequest.entries.metadata,
  queue: field(v.optional(Queued), 'Its place, when it waits in the queue.'),
  input_request: field(v.optional(InputRequest), 'What the task asks its user; null when it asks nothing.'),
  /** [I2] Who holds it, while it is paused. */
  paused_by: field(
    v.optional(v.array(v.picklist(['client', 'browser']))),
    'Who holds it while it is paused: a client, or the user in the browser.',
    ['browser'],
  ),
  /** [I10] */
  continue_task_id: field(v.optional(uuid), CreateTaskBody.entries.continue_task_id),
  /** [J12] What it plays, or has made. */
  recipe: field(v.optional(TaskRecipe), 'The recipe that the task plays or has made.'),
})
export type TaskSummary = v.InferOutput<typeof TaskSummary>

/** [T42, T44] `turns` is null while the task runs. */
export const Task = v.object({
  ...TaskSummary.entries,
  /** [V9] The number of its last event. */
  seq: field(count, 'Counts the events of the task: 1, 2, 3 …', 17),
  request: field(ShownRequest, 'What the task was asked for.'),
  /** [T58] */
  rerun_of: field(v.optional(uuid), 'The task that was started again.', TASK),
  /** [I10] */
  continues: field(v.optional(uuid), 'The ended task that this one continues.', TASK),
  turns: field(v.nullable(v.array(TaskTurn)), 'What the model did, step by step; null while the task runs.'),
  /** [L34] By JSON pointer into `output`: the last step at which a page showed that value. */
  output_sources: field(
    v.nullable(record(v.string(), v.object({ step: count }))),
    'By JSON pointer into the output: at which step a page showed the value.',
    { '/price': { step: 3 } },
  ),
  /** [L34] The pointers of the values that no page showed. */
  ungrounded: field(v.nullable(v.array(v.string())), 'Pointers of the values in the output that no page showed.', []),
})
export type Task = v.InferOutput<typeof Task>

/** [V9] */
export const TaskQuery = v.object({
  wait_s: field(
    v.optional(integer(0, TASK_WAIT_S_MAX), 0),
    'Seconds to wait at most until the task has ended or needs input.',
    30,
  ),
  since: field(
    v.optional(integer(0, Number.MAX_SAFE_INTEGER), 0),
    'The `seq` of the last answer: with it the request waits for what comes after that.',
    12,
  ),
})

/** [T65] */
export const StartQuery = v.object({
  wait_s: field(
    v.optional(integer(0, TASK_WAIT_S_MAX), 0),
    'Seconds to wait at most until the task has ended or needs input; 0: not at all.',
    0,
  ),
})

/** What a running task is at, as clients see it. */
const RUNNING_STATES = [
  'queued',
  'thinking',
  'backingOff',
  'acting',
  'waitingForBrowser',
  'waitingForInput',
  'paused',
] as const

/** [T46, T47] */
export const TaskListQuery = v.object({
  limit: pageLimit(PAGE_SIZE_MAX, PAGE_SIZE_DEFAULT),
  cursor: pageCursor,
  status: field(v.optional(status), 'Only tasks with this status.', 'running'),
  /** Running tasks in this state. */
  state: field(v.optional(v.picklist(RUNNING_STATES)), 'Only running tasks in this state.', 'waitingForInput'),
  browser_session_id: field(v.optional(v.string()), 'Only tasks of this browser.', SESSION),
  ended_by: field(v.optional(endedBy), 'Only tasks that ended so.', 'completed'),
  created_after: field(
    v.optional(integer(0, Number.MAX_SAFE_INTEGER)),
    'Only tasks created later than this, in milliseconds since 1970.',
    AT,
  ),
  created_before: field(
    v.optional(integer(0, Number.MAX_SAFE_INTEGER)),
    'Only tasks created earlier than this, in milliseconds since 1970.',
    AT,
  ),
  metadata: field(v.optional(MetadataBody), 'Only tasks with these values: `metadata[order]=4711`.', { order: '4711' }),
  q: field(
    v.optional(words(SEARCH_CHARS_MAX)),
    'Only tasks whose text or answer contains this; upper and lower case are the same.',
    'green tea',
  ),
})

export const TaskList = listOf('tasks', TaskSummary, 'A page of tasks, newest first.')
export type TaskList = v.InferOutput<typeof TaskList>

/** [T51, T53] */
export const StepListQuery = v.object({
  limit: field(v.optional(integer(1, STEPS_PAGE_SIZE_MAX)), 'How many a page holds at most.', 50),
  cursor: numberCursor,
})

/** [T51] A record of what a task did. */
export const Step = v.object({
  step,
  status: field(v.picklist(STEP_STATUSES), 'What was recorded.', 'tool_output'),
  tool_name: field(v.nullable(v.string()), 'The tool; null where none was called.', 'navigate'),
  call_id: field(v.nullable(v.string()), TurnTool.entries.call_id),
  tool_input: field(v.nullable(record(v.string(), v.unknown())), 'What the model asked of the tool.', {
    url: 'https://shop.example/',
  }),
  output: field(v.nullable(v.string()), 'What the tool or the model answered.', 'https://shop.example/ “Tea shop”'),
  has_screenshot: field(v.boolean(), 'Whether GET /v1/tasks/{id}/screenshots/{step} has an image.', false),
  duration_ms: field(v.nullable(v.number()), TurnTool.entries.durationMs),
  /** Of `thinking`: which prompt the model was given. */
  prompt_version: field(v.optional(count), 'Which version of the system prompt the model was given.', 7),
  created_at,
})

export type Step = v.InferOutput<typeof Step>

/** [T51] */
export const StepList = listOf('steps', Step, 'A page of records, in the order in which they happened.')
export type StepList = v.InferOutput<typeof StepList>

/** [T52] Base64 of a JPEG, for those who ask for JSON. */
export const Screenshot = v.object({ screenshot: field(v.string(), 'A JPEG in base64.', '/9j/4AAQSkZJRgABAQ') })
