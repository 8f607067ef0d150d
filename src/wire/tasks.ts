import * as v from 'valibot'
import { FAILURE_CATEGORIES } from '../../machines/failures.ts'
import { STEPS_ALLOWED_MAX } from '../../machines/limits.ts'
import { RECIPE_MODES } from '../../machines/recipe.ts'
import { EFFORTS, ENDED_BY, STEP_STATUSES } from '../../machines/records.ts'
import { BrowserBody, TaskBrowser } from './browsers.ts'
import {
  absentable,
  count,
  dollars,
  domainsOrAll,
  httpUrl,
  integer,
  isUuid,
  ms,
  REQUIRED,
  text,
  url,
  uuid,
  words,
} from './fields.ts'
import { givenFiles } from './files.ts'
import { InputRequest } from './inputs.ts'
import {
  CONTEXT_CHARS_MAX,
  DOMAINS_MAX,
  INPUT_CHARS_MAX,
  INPUTS_MAX,
  METADATA_CHARS_MAX,
  METADATA_KEYS_MAX,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PRIORITY_MAX,
  SEARCH_CHARS_MAX,
  STEPS_PAGE_SIZE_MAX,
  TASK_CHARS_MAX,
  TASK_COST_USD_MAX,
  TASK_TOKENS_MAX,
  TASK_WAIT_S_MAX,
  URL_CHARS_MAX,
  WAITING_S_MAX,
  WEBHOOK_URL_CHARS_MAX,
} from './limits.ts'
import { listOf } from './list.ts'
import { outputSchema } from './output-schema.ts'
import { record } from './record.ts'
import { secrets } from './secrets.ts'

/** [T55] */
export const MetadataBody = v.pipe(
  record(
    v.pipe(v.string(), v.regex(/^(?!__proto__$)[a-z0-9_]{1,40}$/, 'keys must be 1 to 40 of a–z, 0–9 and _')),
    v.pipe(
      v.string('values must be strings'),
      v.maxLength(METADATA_CHARS_MAX, `values must be at most ${METADATA_CHARS_MAX} characters`),
    ),
    'must be an object',
  ),
  v.maxEntries(METADATA_KEYS_MAX, `must have at most ${METADATA_KEYS_MAX} keys`),
)

const INPUT_WORDS = `values must be texts of at most ${INPUT_CHARS_MAX} characters, numbers, true or false`
/** [J1] */
export const InputsBody = v.pipe(
  record(
    v.pipe(v.string(), v.regex(/^(?!__proto__$)[a-z0-9_]{1,40}$/, 'keys must be 1 to 40 of a–z, 0–9 and _')),
    v.union(
      [
        v.pipe(v.string(), v.maxLength(INPUT_CHARS_MAX, INPUT_WORDS)),
        v.pipe(
          v.number(),
          v.check((value) => Number.isFinite(value)),
        ),
        v.boolean(),
      ],
      INPUT_WORDS,
    ),
    'must be an object',
  ),
  v.maxEntries(INPUTS_MAX, `must have at most ${INPUTS_MAX} keys`),
)

/** What a start may say beside its task and its browser. */
const taskOptions = v.object({
  context: absentable(text(CONTEXT_CHARS_MAX)),
  url: absentable(url(URL_CHARS_MAX)),
  webhook_url: absentable(httpUrl(WEBHOOK_URL_CHARS_MAX)),
  inputs: absentable(InputsBody),
  recipe: absentable(v.picklist(RECIPE_MODES, `must be ${RECIPE_MODES.join(', ')}`)),
  metadata: absentable(MetadataBody),
  output_schema: absentable(outputSchema),
  approvals: absentable(v.picklist(['never', 'irreversible', 'always'], 'must be never, irreversible or always')),
  ask_user: absentable(v.boolean('must be true or false')),
  on_limit: absentable(v.picklist(['reject', 'queue'], 'must be reject or queue')),
  priority: absentable(integer(1, PRIORITY_MAX)),
  queue_ttl_s: absentable(integer(1, WAITING_S_MAX)),
  on_away: absentable(v.picklist(['reject', 'wait'], 'must be reject or wait')),
  wait_ttl_s: absentable(integer(1, WAITING_S_MAX)),
  model: absentable(v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'))),
  /** [L46] */
  effort: absentable(v.picklist(EFFORTS, `must be ${EFFORTS.slice(0, -1).join(', ')} or ${EFFORTS.at(-1)}`)),
  max_steps: absentable(integer(1, STEPS_ALLOWED_MAX)),
  max_tokens: absentable(integer(1, TASK_TOKENS_MAX)),
  max_cost_usd: absentable(dollars(TASK_COST_USD_MAX)),
  /** [F1] */
  allowed_domains: absentable(domainsOrAll(DOMAINS_MAX)),
  /** [X1] */
  secrets: absentable(secrets),
  continue_task_id: absentable(v.pipe(v.string('must be a string'), v.check(isUuid, 'must be the id of a task'))),
  /** [U1] */
  files: absentable(givenFiles),
})
const { context, url: firstPage, ...options } = taskOptions.entries

const sessionId = v.pipe(v.string('must be a string'), v.nonEmpty(REQUIRED))
const browser = absentable(BrowserBody)
/** [T1–T6] The order of the fields is the order of the checks. */
const startOf = <Session extends v.GenericSchema>(browser_session_id: Session) =>
  v.object({ task: words(TASK_CHARS_MAX), context, url: firstPage, browser_session_id, ...options, browser })
const WITH_SESSION = startOf(sessionId)
const WITH_POOL = startOf(absentable(v.never('must be left out: the pool gives the task its browser')))

/** [Z7] A start names its browser, or a pool that it is taken from. */
export const CreateTaskBody = {
  ...startOf(absentable(sessionId)),
  judgedBy: (body: object) => (poolIn(body) === null ? WITH_SESSION : WITH_POOL),
}
function poolIn(body: object): unknown {
  const given = 'browser' in body ? body.browser : null
  return typeof given === 'object' && given !== null && 'pool' in given ? (given.pool ?? null) : null
}

/** [T59, T60] What a start waits for, and for how long. */
export type WaitingFields = Pick<
  v.InferOutput<typeof CreateTaskBody>,
  'on_limit' | 'priority' | 'queue_ttl_s' | 'on_away' | 'wait_ttl_s'
>

/** [T58] What is given replaces what the task was started with. */
const { task: _, ...unchanged } = CreateTaskBody.entries
const again = v.strictObject({ task: absentable(words(TASK_CHARS_MAX)), ...unchanged })
const againWithPool = v.strictObject({ ...again.entries, browser_session_id: WITH_POOL.entries.browser_session_id })
export const RerunBody = { ...again, judgedBy: (body: object) => (poolIn(body) === null ? again : againWithPool) }
/** [T42] */
export const CancelBody = v.object({})
export type CreateTask = v.InferOutput<typeof CreateTaskBody>

/** [T59] The place of a task that waits in its workspace's queue; position 1 is next. */
export const Queued = v.object({ position: count, expires_at: ms })

const status = v.picklist(['running', 'complete', 'error'], 'must be running, complete or error')

const endedBy = v.picklist(ENDED_BY, `must be one of ${ENDED_BY.join(', ')}`)

/** [T44] A tool call as the turns of a finished task show it. */
export const TurnTool = v.object({
  call_id: v.string(),
  name: v.string(),
  input: v.unknown(),
  result: v.string(),
  durationMs: v.number(),
})

/** [T44] A reply of the model and the calls that it asked for. */
export const TaskTurn = v.object({
  step: count,
  tools: v.array(TurnTool),
  ai_response: v.string(),
})

/** What a task used. */
export const TaskUsage = v.object({ inputTokens: count, outputTokens: count, apiCalls: count })

/** [J9] Where a recipe and a page differed. */
export const RecipeDeviation = v.object({ step: count, expected: v.string(), found: v.string() })

/** [J12] How a task was carried out by a recipe: how many steps were played, and how often a model was asked. */
export const TaskRecipe = v.object({
  id: uuid,
  version: count,
  played: count,
  asked: count,
  deviation: v.optional(RecipeDeviation),
})

/** [T45] A task as lists show it. */
export const TaskSummary = v.object({
  id: uuid,
  status,
  task: v.string(),
  url: v.nullable(v.string()),
  answer: v.nullable(v.string()),
  /** [L33] What fits the task's `output_schema`; null while it runs, without a schema, and when nothing fitted. */
  output: v.nullable(record(v.string(), v.unknown())),
  success: v.nullable(v.boolean()),
  steps: count,
  usage: TaskUsage,
  /** [T62] By the list prices of its model; null when that has none. */
  cost_usd: v.nullable(v.number()),
  browser_session_id: v.string(),
  created_at: ms,
  completed_at: v.nullable(ms),
  state: v.string(),
  failure: v.nullable(v.picklist(FAILURE_CATEGORIES)),
  ended_by: v.nullable(endedBy),
  deadline_at: ms,
  metadata: record(v.string(), v.string()),
  queue: v.optional(Queued),
  input_request: v.optional(InputRequest),
  /** [I2] Who holds it, while it is paused. */
  paused_by: v.optional(v.array(v.picklist(['client', 'browser']))),
  /** [I10] */
  continue_task_id: v.optional(uuid),
  /** [J12] What it plays, or has made. */
  recipe: v.optional(TaskRecipe),
})
export type TaskSummary = v.InferOutput<typeof TaskSummary>

/** [T64] What a task was asked for. */
export const ShownRequest = v.object({
  task: v.string(),
  context: v.nullable(v.string()),
  url: v.nullable(v.string()),
  browser_session_id: v.string(),
  /** [Z2, Z8] */
  browser: v.optional(TaskBrowser),
  webhook_url: v.nullable(v.string()),
  inputs: v.optional(record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
  recipe: v.optional(v.picklist(RECIPE_MODES)),
  metadata: record(v.string(), v.string()),
  output_schema: v.nullable(record(v.string(), v.unknown())),
  approvals: v.picklist(['never', 'irreversible', 'always']),
  ask_user: v.boolean(),
  model: v.nullable(v.string()),
  effort: v.nullable(v.picklist(EFFORTS)),
  max_steps: v.nullable(count),
  max_tokens: v.nullable(count),
  max_cost_usd: v.nullable(v.number()),
  allowed_domains: v.nullable(v.array(v.string())),
  secrets: v.array(v.string()),
  files: v.array(v.string()),
})

/** [T42, T44] `turns` is null while the task runs. */
export const Task = v.object({
  ...TaskSummary.entries,
  /** [V9] The number of its last event. */
  seq: count,
  request: ShownRequest,
  /** [T58] */
  rerun_of: v.optional(uuid),
  /** [I10] */
  continues: v.optional(uuid),
  turns: v.nullable(v.array(TaskTurn)),
  /** [L34] By JSON pointer into `output`: the last step at which a page showed that value. */
  output_sources: v.nullable(record(v.string(), v.object({ step: count }))),
  /** [L34] The pointers of the values that no page showed. */
  ungrounded: v.nullable(v.array(v.string())),
})
export type Task = v.InferOutput<typeof Task>

/** [V9] */
export const TaskQuery = v.object({
  wait_s: v.optional(integer(0, TASK_WAIT_S_MAX), 0),
  since: v.optional(integer(0, Number.MAX_SAFE_INTEGER), 0),
})

/** [T65] */
export const StartQuery = v.object({ wait_s: v.optional(integer(0, TASK_WAIT_S_MAX), 0) })

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
  limit: v.optional(integer(1, PAGE_SIZE_MAX), PAGE_SIZE_DEFAULT),
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[\w-]+$/, 'must be a next_cursor returned by this list'))),
  status: v.optional(status),
  /** Running tasks in this state. */
  state: v.optional(v.picklist(RUNNING_STATES)),
  browser_session_id: v.optional(v.string()),
  ended_by: v.optional(endedBy),
  created_after: v.optional(integer(0, Number.MAX_SAFE_INTEGER)),
  created_before: v.optional(integer(0, Number.MAX_SAFE_INTEGER)),
  metadata: v.optional(MetadataBody),
  q: v.optional(words(SEARCH_CHARS_MAX)),
})

export const TaskList = listOf('tasks', TaskSummary)
export type TaskList = v.InferOutput<typeof TaskList>

/** [T51, T53] */
export const StepListQuery = v.object({
  limit: v.optional(integer(1, STEPS_PAGE_SIZE_MAX)),
  cursor: v.optional(v.pipe(v.string(), v.regex(/^\d{1,9}$/, 'must be a next_cursor returned by this list'))),
})

/** [T51] A record of what a task did. */
export const Step = v.object({
  step: count,
  status: v.picklist(STEP_STATUSES),
  tool_name: v.nullable(v.string()),
  call_id: v.nullable(v.string()),
  tool_input: v.nullable(record(v.string(), v.unknown())),
  output: v.nullable(v.string()),
  has_screenshot: v.boolean(),
  duration_ms: v.nullable(v.number()),
  /** Of `thinking`: which prompt the model was given. */
  prompt_version: v.optional(count),
  created_at: ms,
})

export type Step = v.InferOutput<typeof Step>

/** [T51] */
export const StepList = listOf('steps', Step)
export type StepList = v.InferOutput<typeof StepList>

/** [T52] Base64 of a JPEG, for those who ask for JSON. */
export const Screenshot = v.object({ screenshot: v.string() })
