import * as v from 'valibot'
import { ENDED_BY } from '../../machines/records.ts'
import { LOG_TYPES, type LogType } from '../../machines/task-log.ts'
import { FAILURE_CATEGORIES } from '../../machines/texts.ts'
import { AuditActor } from './audit.ts'
import { InternalErrorBody } from './errors.ts'
import { FILE, RECIPE, TASK } from './example-values.ts'
import { at, browser_session_id, count, expires_at, field, first_url, task_id, uuid } from './fields.ts'
import { InputRequest } from './inputs.ts'
import { EVENTS_PAGE_SIZE_DEFAULT, EVENTS_PAGE_SIZE_MAX } from './limits.ts'
import { has_more, pageLimit } from './list.ts'
import { LiveQuery } from './live.ts'
import { RecipeVersion } from './recipes.ts'
import { record } from './record.ts'
import { ShownRequest } from './task-request.ts'
import { Queued, RecipeDeviation, Step, TaskSummary, TurnTool } from './tasks.ts'

const isType = (text: string): text is LogType => (LOG_TYPES as readonly string[]).includes(text)

const after = field(
  v.optional(v.pipe(v.string(), v.regex(/^(now|\d{1,16})$/, 'must be the number of an event, a next_cursor, or now'))),
  'The number of an event, a `next_cursor`, or `now`.',
  '17',
)

const ANY_TYPE = LOG_TYPES.join('|').replaceAll('.', '\\.')

/** [V5] */
export const EventListQuery = v.object({
  after,
  limit: pageLimit(EVENTS_PAGE_SIZE_MAX, EVENTS_PAGE_SIZE_DEFAULT),
  types: field(
    v.optional(
      v.pipe(
        v.string(),
        v.regex(
          new RegExp(`^(${ANY_TYPE})(,(${ANY_TYPE}))*$`),
          `must be types of events, separated by commas: ${LOG_TYPES.join(', ')}`,
        ),
      ),
    ),
    'Only events of these types, separated by commas.',
    'task.state,task.ended',
  ),
})

/** [V5, V8] Of one task: by EventSource, which sends no headers, with a read token. */
export const TaskEventListQuery = v.object({
  ...EventListQuery.entries,
  ...LiveQuery.entries,
  live: field(
    v.optional(v.picklist(['true', 'false'], 'must be true or false')),
    'Also the words of each reply while it comes, as events `model.words` without a number. Streams only.',
    'true',
  ),
})

export const typesOf = (text: string | undefined): ReadonlySet<LogType> | null =>
  text === undefined ? null : new Set(text.split(',').filter(isType))

const position = v.pipe(v.number(), v.integer(), v.minValue(1))
/** [L47] In step 0 the address of a task is opened. */
const step = field(count, 'Number of the step, from 1; 0 opens the address of the task.', 1)
/** What every event has. */
export const AnyEvent = v.looseObject({
  id: field(v.string(), 'The same everywhere, and the `webhook-id` of its deliveries.', `msg_${TASK}_17`),
  seq: field(position, 'Counts the events of the task: 1, 2, 3 …', 17),
  at,
  task_id,
  cursor: field(
    v.optional(count),
    'Its place among the events of the workspace; of `/v1/events` alone.',
    1795370400012000,
  ),
})
const event = <const Type extends LogType, const Entries extends v.ObjectEntries>(type: Type, entries: Entries) =>
  v.looseObject({ ...AnyEvent.entries, type: field(v.literal(type), 'What happened.'), ...entries })

const shown = TaskSummary.entries
const { usage } = shown
const { call_id } = TurnTool.entries
const { expected, found } = RecipeDeviation.entries
const asked = InputRequest.entries
const { request_id } = InternalErrorBody.entries
const tool = field(v.string(), 'The tool.', 'navigate')
const text = field(v.string(), 'What the model wrote, or what was said to it.', 'I open the shop.')
const answer = field(
  v.string(),
  'What the model answered, or why the task failed.',
  'Green tea, 100 g, is in the basket.',
)
const output = field(
  v.unknown(),
  'What the tool answered, or the task’s output; at most 2,000 characters of a tool.',
  'Done',
)
const recipe_step = field(position, 'The step of the recipe, from 1.', 9)

// Each has a name of its own in the document, so that generated clients have a class of each.
export const TaskCreatedEvent = event('task.created', {
  task: shown.task,
  url: first_url,
  browser_session_id,
})
export const TaskQueuedEvent = event('task.queued', { ...Queued.entries })
export const TaskStateEvent = event('task.state', {
  state: field(v.string(), 'What the task does now, as GET /v1/tasks/{id} names it.', 'acting'),
})
export const StepStartedEvent = event('step.started', {
  step,
})
export const ModelRepliedEvent = event('model.replied', {
  step,
  text,
  model: field(v.string(), ShownRequest.entries.model),
  usage,
})
export const ToolCalledEvent = event('tool.called', {
  step,
  call_id,
  tool,
  input: field(record(v.string(), v.unknown()), 'What the model asked of the tool.', { url: 'https://shop.example/' }),
  parent_call_id: field(
    v.optional(v.string()),
    'The call that asked for this one, such as a script; absent when the model did.',
    'toolu_01',
  ),
})
export const ToolResultEvent = event('tool.result', {
  step,
  call_id,
  tool,
  output: field(v.string(), output),
  error: field(v.optional(v.string()), 'What the model reads of a call that failed.', 'Error: no element has this ref'),
  duration_ms: field(count, Step.entries.duration_ms),
  has_screenshot: Step.entries.has_screenshot,
})
export const AnswerCheckedEvent = event('answer.checked', {
  step,
  answer,
})
export const PictureTakenEvent = event('picture.taken', {
  step,
  call_id,
  picture: field(count, 'The number of the picture: GET /v1/tasks/{id}/pictures/{picture}.', 7),
})
export const BrowserConnectedEvent = event('browser.connected', { browser_session_id })
export const BrowserAwayEvent = event('browser.away', { browser_session_id })
export const InputRequestedEvent = event('input.requested', {
  request_id,
  kind: asked.kind,
  message: asked.message,
  schema: v.optional(asked.schema),
  call: v.optional(asked.call),
  expires_at: asked.expires_at,
})
export const InputAnsweredEvent = event('input.answered', {
  request_id,
  action: field(v.string(), 'What the person decides.', 'accept'),
  for: field(v.optional(v.literal('task')), 'It holds for the rest of the task.'),
})
export const MessageReceivedEvent = event('message.received', {
  text,
})
export const FileDownloadedEvent = event('file.downloaded', {
  file_id: field(v.string(), 'The id of the file.', FILE),
  name: field(v.string(), 'The name of the file.', 'invoice.pdf'),
  media_type: field(v.string(), 'What it is.', 'application/pdf'),
  size: field(count, 'In bytes.', 48_213),
})
export const BudgetWarnedEvent = event('budget.warned', {
  budget: field(v.string(), 'The budget, by the name of its field.', 'max_tokens'),
  used: field(v.number(), 'How much of it is used, in its unit.', 164_000),
  limit: field(v.number(), 'How much may be used.', 200_000),
})
export const RecipeStepEvent = event('recipe.step', {
  step,
  recipe_step,
  recipe_steps: field(count, 'How many steps it has.', 17),
  text: field(v.string(), 'What is done, by lines.', '9. click button "Place order"'),
})
export const RecipeDeviatedEvent = event('recipe.deviated', {
  recipe_step,
  expected,
  found,
})
export const RecipeMadeEvent = event('recipe.made', {
  recipe_id: field(uuid, 'The recipe.', RECIPE),
  version: field(position, RecipeVersion.entries.version),
  unused_inputs: RecipeVersion.entries.unused_inputs,
})
export const TaskEndedEvent = event('task.ended', {
  status: field(v.picklist(['complete', 'error']), 'How the task ended.', 'complete'),
  answer,
  output,
  success: field(v.boolean(), shown.success),
  failure: field(v.nullable(v.picklist(FAILURE_CATEGORIES)), 'Why it failed; null when it did not.', 'timeout'),
  ended_by: field(v.picklist(ENDED_BY), 'What ended the task.', 'completed'),
  cancelled_by: field(
    v.optional(v.pick(AuditActor, ['kind', 'id'])),
    'Of a task that was cancelled: whose key, sign-in or side panel it was.',
  ),
  usage,
})

/** [V2] One event of a task. Types and fields are added over time: pass over what you do not know. */
export const Event = v.variant('type', [
  TaskCreatedEvent,
  TaskQueuedEvent,
  TaskStateEvent,
  StepStartedEvent,
  ModelRepliedEvent,
  ToolCalledEvent,
  ToolResultEvent,
  AnswerCheckedEvent,
  PictureTakenEvent,
  BrowserConnectedEvent,
  BrowserAwayEvent,
  InputRequestedEvent,
  InputAnsweredEvent,
  MessageReceivedEvent,
  FileDownloadedEvent,
  BudgetWarnedEvent,
  RecipeStepEvent,
  RecipeDeviatedEvent,
  RecipeMadeEvent,
  TaskEndedEvent,
])

export type Event = v.InferOutput<typeof Event>

/** [V5] `next_cursor` goes into `after`. `has_more`: there was more than fits on the page. */
export const EventPage = v.object({
  data: field(v.array(Event), 'The events of the page, oldest first.'),
  next_cursor: field(count, 'Pass it as `after` for what follows.', 17),
  has_more,
  events: field(v.array(Event), 'A page of events, oldest first.'),
})

/** [V8] */
export const ReadToken = v.object({
  token: field(v.string(), 'Opens the events of one task, by `?token=`.', 'svc_read_5f0c1a2b'),
  expires_at,
})
