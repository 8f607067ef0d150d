import * as v from 'valibot'
import { FAILURE_CATEGORIES } from '../../machines/failures.ts'
import { ENDED_BY } from '../../machines/records.ts'
import { LOG_TYPES, type LogType } from '../../machines/task-log.ts'
import { AuditActor } from './audit.ts'
import { count, integer, ms, uuid } from './fields.ts'
import { InputRequest } from './inputs.ts'
import { EVENTS_PAGE_SIZE_DEFAULT, EVENTS_PAGE_SIZE_MAX } from './limits.ts'
import { record } from './record.ts'
import { TaskUsage } from './tasks.ts'

const isType = (text: string): text is LogType => (LOG_TYPES as readonly string[]).includes(text)

const after = v.optional(
  v.pipe(v.string(), v.regex(/^(now|\d{1,16})$/, 'must be the number of an event, a next_cursor, or now')),
)

const ANY_TYPE = LOG_TYPES.join('|').replaceAll('.', '\\.')

/** [V5] */
export const EventListQuery = v.object({
  after,
  limit: v.optional(integer(1, EVENTS_PAGE_SIZE_MAX), EVENTS_PAGE_SIZE_DEFAULT),
  types: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        new RegExp(`^(${ANY_TYPE})(,(${ANY_TYPE}))*$`),
        `must be types of events, separated by commas: ${LOG_TYPES.join(', ')}`,
      ),
    ),
  ),
})

/** [V5, V8] Of one task: by EventSource, which sends no headers, with a read token. */
export const TaskEventListQuery = v.object({
  ...EventListQuery.entries,
  token: v.optional(v.string()),
  live: v.optional(v.picklist(['true', 'false'], 'must be true or false')),
})

export const typesOf = (text: string | undefined): ReadonlySet<LogType> | null =>
  text === undefined ? null : new Set(text.split(',').filter(isType))

const position = v.pipe(v.number(), v.integer(), v.minValue(1))
/** [L47] In step 0 the address of a task is opened. */
const step = count
/** What every event has. */
export const AnyEvent = v.looseObject({
  id: v.string(),
  seq: position,
  at: ms,
  task_id: uuid,
  cursor: v.optional(count),
})
const event = <const Type extends LogType, const Entries extends v.ObjectEntries>(type: Type, entries: Entries) =>
  v.looseObject({ ...AnyEvent.entries, type: v.literal(type), ...entries })

// Each has a name of its own in the document, so that generated clients have a class of each.
export const TaskCreatedEvent = event('task.created', {
  task: v.string(),
  url: v.nullable(v.string()),
  browser_session_id: v.string(),
})
export const TaskQueuedEvent = event('task.queued', { position: count, expires_at: ms })
export const TaskStateEvent = event('task.state', { state: v.string() })
export const StepStartedEvent = event('step.started', { step })
export const ModelRepliedEvent = event('model.replied', {
  step,
  text: v.string(),
  model: v.string(),
  usage: TaskUsage,
})
export const ToolCalledEvent = event('tool.called', {
  step,
  call_id: v.string(),
  tool: v.string(),
  input: record(v.string(), v.unknown()),
  parent_call_id: v.optional(v.string()),
})
export const ToolResultEvent = event('tool.result', {
  step,
  call_id: v.string(),
  tool: v.string(),
  output: v.string(),
  error: v.optional(v.string()),
  duration_ms: count,
  has_screenshot: v.boolean(),
})
export const AnswerCheckedEvent = event('answer.checked', { step, answer: v.string() })
export const PictureTakenEvent = event('picture.taken', { step, call_id: v.string(), picture: count })
export const BrowserConnectedEvent = event('browser.connected', { browser_session_id: v.string() })
export const BrowserAwayEvent = event('browser.away', { browser_session_id: v.string() })
export const InputRequestedEvent = event('input.requested', {
  request_id: v.string(),
  kind: InputRequest.entries.kind,
  message: v.string(),
  schema: v.optional(InputRequest.entries.schema),
  call: v.optional(InputRequest.entries.call),
  expires_at: ms,
})
export const InputAnsweredEvent = event('input.answered', {
  request_id: v.string(),
  action: v.string(),
  for: v.optional(v.literal('task')),
})
export const MessageReceivedEvent = event('message.received', { text: v.string() })
export const FileDownloadedEvent = event('file.downloaded', {
  file_id: v.string(),
  name: v.string(),
  media_type: v.string(),
  size: count,
})
export const BudgetWarnedEvent = event('budget.warned', { budget: v.string(), used: v.number(), limit: v.number() })
export const RecipeStepEvent = event('recipe.step', {
  step,
  recipe_step: position,
  recipe_steps: count,
  text: v.string(),
})
export const RecipeDeviatedEvent = event('recipe.deviated', {
  recipe_step: position,
  expected: v.string(),
  found: v.string(),
})
export const RecipeMadeEvent = event('recipe.made', {
  recipe_id: uuid,
  version: position,
  unused_inputs: v.array(v.string()),
})
export const TaskEndedEvent = event('task.ended', {
  status: v.picklist(['complete', 'error']),
  answer: v.string(),
  output: v.unknown(),
  success: v.boolean(),
  failure: v.nullable(v.picklist(FAILURE_CATEGORIES)),
  ended_by: v.picklist(ENDED_BY),
  cancelled_by: v.optional(v.pick(AuditActor, ['kind', 'id'])),
  usage: TaskUsage,
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
  data: v.array(Event),
  next_cursor: count,
  has_more: v.boolean(),
  events: v.array(Event),
})

/** [V8] */
export const ReadToken = v.object({ token: v.string(), expires_at: ms })
