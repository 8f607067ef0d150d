import * as v from 'valibot'
import { STEPS_ALLOWED_MAX } from '../../machines/limits.ts'
import type { Inputs, Template } from '../../machines/placeholders.ts'
import { RECIPE_MODES } from '../../machines/recipe.ts'
import { EFFORTS, type TaskRecord, type TaskRequest } from '../../machines/records.ts'
import { isUuid } from '../../machines/uuid.ts'
import { BrowserBody, browserJson, browserRequestOf, TaskBrowser } from './browsers.ts'
import { TASK } from './example-values.ts'
import {
  absentable,
  browser_session_id,
  count,
  dollars,
  domainsOrAll,
  field,
  first_url,
  httpUrl,
  integer,
  REQUIRED,
  text,
  url,
  words,
} from './fields.ts'
import { givenFiles } from './files.ts'
import {
  CONTEXT_CHARS_MAX,
  DOMAINS_MAX,
  INPUT_CHARS_MAX,
  INPUTS_MAX,
  METADATA_CHARS_MAX,
  METADATA_KEYS_MAX,
  PRIORITY_MAX,
  TASK_CHARS_MAX,
  TASK_COST_USD_MAX,
  TASK_TOKENS_MAX,
  URL_CHARS_MAX,
  WAITING_S_MAX,
  WEBHOOK_URL_CHARS_MAX,
} from './limits.ts'
import { outputSchema } from './output-schema.ts'
import { record } from './record.ts'
import { secrets } from './secrets.ts'
import { askedDomains } from './start-secrets.ts'

/** What a task is asked for: as it is given, as it is kept, and as it is shown. */

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

const recipeMode = absentable(v.picklist(RECIPE_MODES, `must be ${RECIPE_MODES.join(', ')}`))
const APPROVALS = ['never', 'irreversible', 'always'] as const

/** What a start may say beside its task and its browser. */
const options = {
  webhook_url: field(
    absentable(httpUrl(WEBHOOK_URL_CHARS_MAX)),
    'Called once when the task has ended.',
    'https://example.com/hooks/tasks',
  ),
  inputs: field(
    absentable(InputsBody),
    'Values for the places `{{name}}` in `task`, `url` and `context`: with it, each place needs one.',
    { goods: 'green tea' },
  ),
  recipe: field(
    recipeMode,
    '`auto` plays the recipe of this template, or makes one; `only` plays it without a model; `new` replaces it.',
    'off',
  ),
  metadata: field(absentable(MetadataBody), 'Your own names and values. Tasks are found by them.', {
    order: '4711',
    env: 'prod',
  }),
  output_schema: field(absentable(outputSchema), 'JSON Schema 2020-12 of an object: the task’s output has to fit it.', {
    type: 'object',
    properties: { price: { type: 'number' } },
    required: ['price'],
  }),
  approvals: field(
    absentable(v.picklist(APPROVALS, 'must be never, irreversible or always')),
    'What waits for an approval: with `irreversible` what an action sends and is not known to be harmless, with `always` all that it sends and every script, with `never` nothing.',
    'irreversible',
  ),
  ask_user: field(
    absentable(v.boolean('must be true or false')),
    'Whether the model may ask its user a question and wait for the answer.',
    true,
  ),
  on_limit: field(
    absentable(v.picklist(['reject', 'queue'], 'must be reject or queue')),
    'When the limits of the workspace (starts a minute, running tasks) let no more start now: `reject` the start, or `queue` it. A free place of a pool is waited for by `on_away`.',
    'queue',
  ),
  priority: field(
    absentable(integer(1, PRIORITY_MAX)),
    'In the queue: 1 is first, 5 is last; 3 when it is left out.',
    3,
  ),
  queue_ttl_s: field(
    absentable(integer(1, WAITING_S_MAX)),
    'How long it may wait in the queue, in seconds; 600 when it is left out.',
    600,
  ),
  on_away: field(
    absentable(v.picklist(['reject', 'wait'], 'must be reject or wait')),
    'When the browser is not connected, or no place of the pool is free: `reject` the start, or `wait` for it.',
    'wait',
  ),
  wait_ttl_s: field(
    absentable(integer(1, WAITING_S_MAX)),
    'How long to wait for the browser, in seconds; 600 when it is left out.',
    600,
  ),
  model: field(
    absentable(v.pipe(v.string('must be a string'), v.nonEmpty('must not be empty'))),
    'The model, one of those that the operator allows.',
    'claude-sonnet-4-5',
  ),
  /** [L46] */
  effort: field(
    absentable(v.picklist(EFFORTS, `must be ${EFFORTS.slice(0, -1).join(', ')} or ${EFFORTS.at(-1)}`)),
    'How hard the model is to think; as the operator has set it when left out.',
    'medium',
  ),
  max_steps: field(
    absentable(integer(1, STEPS_ALLOWED_MAX)),
    'Steps after which the task is ended with what was found.',
    20,
  ),
  max_tokens: field(absentable(integer(1, TASK_TOKENS_MAX)), 'Tokens that the task may use in all.', 200_000),
  max_cost_usd: field(absentable(dollars(TASK_COST_USD_MAX)), 'What the task may cost, in US dollars.', 0.5),
  /** [F1] */
  allowed_domains: field(
    absentable(domainsOrAll(DOMAINS_MAX)),
    'The only sites that the task may reach: `example.com` with www, `*.example.com` with its sub-domains. Without it a task with secrets reaches their domains and its `url` alone; `["*"]` lets it go everywhere.',
    ['shop.example'],
  ),
  /** [X1] */
  secrets: field(
    absentable(secrets),
    'What the task may type without knowing it. Values are never shown again, kept only encrypted, and gone with the end of the task.',
  ),
  continue_task_id: field(
    absentable(v.pipe(v.string('must be a string'), v.check(isUuid, 'must be the id of a task'))),
    'The ended task that this one continues: its model reads what was asked, done and answered.',
    TASK,
  ),
  /** [U1] */
  files: field(
    absentable(givenFiles),
    'Files that the task may read and upload by their names; at most 10, and 8 MB in all.',
    [{ name: 'contract.pdf', media_type: 'application/pdf', data: 'JVBERi0xLjQK' }],
  ),
}

const sessionId = v.pipe(v.string('must be a string'), v.nonEmpty(REQUIRED))
const BROWSER = 'The pool that the task takes its browser from, and how its browser context is.'
/** [T1–T6] The order of the fields is the order of the checks. */
const startOf = <Session extends v.GenericSchema>(session: Session) =>
  v.object({
    task: field(
      words(TASK_CHARS_MAX),
      'What is to be done, in plain language.',
      'Find the cheapest {{goods}} and put it into the basket',
    ),
    context: field(
      absentable(text(CONTEXT_CHARS_MAX)),
      'What the model should know beside the task.',
      'The delivery address is 1 Main Street.',
    ),
    url: field(absentable(url(URL_CHARS_MAX)), first_url),
    browser_session_id: field(session, browser_session_id),
    ...options,
    browser: field(absentable(BrowserBody), BROWSER, {
      locale: 'en-GB',
      viewport: { width: 1280, height: 800 },
    }),
  })
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

const asked = CreateTaskBody.entries

export type CreateTask = v.InferOutput<typeof CreateTaskBody>

/** [T58] What is given replaces what the task was started with. */
const again = v.strictObject({
  ...asked,
  task: field(
    absentable(words(TASK_CHARS_MAX)),
    'Replaces the text of the earlier task.',
    'Find the cheapest {{goods}}',
  ),
  recipe: field(recipeMode, 'Left out, as in the earlier task.', 'off'),
})
const againWithPool = v.strictObject({ ...again.entries, browser_session_id: WITH_POOL.entries.browser_session_id })
export const RerunBody = { ...again, judgedBy: (body: object) => (poolIn(body) === null ? again : againWithPool) }
/** Of a rerun: what is not given is `null`. */
export type Given<Of> = { [Field in keyof Of]: Of[Field] | null }

/** [Z7] A start that names no browser names a pool. */
export const createdBy = (body: CreateTask): TaskRequest =>
  requestOf({ ...body, browser_session_id: body.browser_session_id ?? '' })

export function requestOf(body: CreateTask & { browser_session_id: string }): TaskRequest
export function requestOf(body: Given<CreateTask>): Given<TaskRequest>
export function requestOf(body: Given<CreateTask>): Given<TaskRequest> {
  return {
    task: body.task,
    url: body.url,
    context: body.context,
    browserSessionId: body.browser_session_id,
    ...(body.browser === null ? {} : { browser: browserRequestOf(body.browser) }),
    webhookUrl: body.webhook_url,
    inputs: body.inputs as Inputs | null,
    metadata: body.metadata,
    model: body.model,
    effort: body.effort,
    maxSteps: body.max_steps,
    maxTokens: body.max_tokens,
    maxCostUsd: body.max_cost_usd,
    approvals: body.approvals,
    asksUser: body.ask_user,
    allowedDomains: body.allowed_domains,
    continuesTaskId: body.continue_task_id,
    outputSchema: body.output_schema === null ? null : JSON.stringify(body.output_schema),
  }
}

/** [T64] What a task was asked for. */
export const ShownRequest = v.object({
  task: field(
    v.string(),
    'What is to be done, in plain language.',
    'Find the cheapest green tea and put it into the basket',
  ),
  context: field(v.nullable(v.string()), asked.context),
  url: first_url,
  browser_session_id,
  /** [Z2, Z8] */
  browser: field(v.optional(TaskBrowser), BROWSER),
  webhook_url: field(v.nullable(v.string()), asked.webhook_url),
  inputs: field(
    v.optional(record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
    'Values for its places.',
    { goods: 'green tea' },
  ),
  recipe: field(v.optional(v.picklist(RECIPE_MODES)), 'How the task was to use recipes.', 'auto'),
  metadata: field(record(v.string(), v.string()), asked.metadata),
  output_schema: field(v.nullable(record(v.string(), v.unknown())), asked.output_schema),
  approvals: field(v.picklist(APPROVALS), 'What waits for an approval.', 'irreversible'),
  ask_user: field(v.boolean(), asked.ask_user),
  model: field(v.nullable(v.string()), asked.model),
  effort: field(v.nullable(v.picklist(EFFORTS)), asked.effort),
  max_steps: field(v.nullable(count), asked.max_steps),
  max_tokens: field(v.nullable(count), asked.max_tokens),
  max_cost_usd: field(v.nullable(v.number()), asked.max_cost_usd),
  allowed_domains: field(v.nullable(v.array(v.string())), 'The only sites that it may reach.', ['shop.example']),
  secrets: field(v.array(v.string()), 'The names of its secrets.', ['shop_password']),
  files: field(v.array(v.string()), 'The names of its files.', ['contract.pdf']),
})
export type ShownRequest = v.InferOutput<typeof ShownRequest>

/** [J1] The texts of a task as they were given, with their places. */
export const textsOf = ({ task, url, context, template }: TaskRecord): Template => template ?? { task, url, context }

/** [T64] What the task was asked for; of its secrets the names, of its files what they are called. */
export const requestJson = (task: TaskRecord): ShownRequest => ({
  task: textsOf(task).task,
  context: textsOf(task).context,
  url: textsOf(task).url,
  browser_session_id: task.browserSessionId,
  ...(task.browser ? { browser: browserJson(task.browser) } : {}),
  webhook_url: task.webhookUrl,
  ...(task.inputs ? { inputs: { ...task.inputs } } : {}),
  ...(task.recipe ? { recipe: task.recipe.mode } : {}),
  metadata: task.metadata ?? {},
  output_schema: task.outputSchema ? JSON.parse(task.outputSchema) : null,
  approvals: task.approvals ?? 'never',
  ask_user: task.asksUser ?? false,
  model: task.model ?? null,
  effort: task.effort ?? null,
  max_steps: task.maxSteps ?? null,
  max_tokens: task.maxTokens ?? null,
  max_cost_usd: task.maxCostUsd ?? null,
  allowed_domains: askedDomains(task) as string[] | null,
  secrets: (task.secrets ?? []).map(({ name }) => name),
  files: (task.files ?? []).map(({ name }) => name),
})
