import * as v from 'valibot'
import { LOG_TYPES, type LogType } from '../../machines/task-log.ts'
import { count, integer, ms, uuid } from './fields.ts'
import { EVENTS_PAGE_SIZE_DEFAULT, EVENTS_PAGE_SIZE_MAX } from './limits.ts'
import { TaskUsage } from './tasks.ts'

const isType = (text: string): text is LogType => (LOG_TYPES as readonly string[]).includes(text)

const after = v.optional(
  v.pipe(v.string(), v.regex(/^(now|\d{1,16})$/, 'must be the number of an event, a next_cursor, or now')),
)

/** [V5] */
export const EventListQuery = v.object({
  after,
  limit: v.optional(integer(1, EVENTS_PAGE_SIZE_MAX), EVENTS_PAGE_SIZE_DEFAULT),
  types: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => text.split(',').every(isType),
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

const step = v.pipe(v.number(), v.integer(), v.minValue(1))
const head = { seq: step, at: ms, task_id: uuid }
const event = <const Type extends LogType, const Entries extends v.ObjectEntries>(type: Type, entries: Entries) =>
  v.looseObject({ ...head, type: v.literal(type), ...entries })

/** [V2] A tool was called. It has a name of its own in the document, so that generated clients name its input. */
export const ToolCalled = event('tool.called', {
  step,
  call_id: v.string(),
  tool: v.string(),
  input: v.record(v.string(), v.unknown()),
})

/** [V2] One event of a task. Types and fields are added over time: pass over what you do not know. */
export const Event = v.variant('type', [
  event('task.created', { task: v.string(), url: v.nullable(v.string()), browser_session_id: v.string() }),
  event('task.queued', { position: count, expires_at: ms }),
  event('task.state', { state: v.string() }),
  event('step.started', { step }),
  event('model.replied', { step, text: v.string(), model: v.string(), usage: TaskUsage }),
  ToolCalled,
  event('tool.result', {
    step,
    call_id: v.string(),
    tool: v.string(),
    output: v.string(),
    error: v.optional(v.string()),
    duration_ms: count,
    has_screenshot: v.boolean(),
  }),
  event('browser.connected', { browser_session_id: v.string() }),
  event('browser.away', { browser_session_id: v.string() }),
  event('input.requested', { request_id: v.string(), kind: v.string(), message: v.string(), expires_at: ms }),
  event('input.answered', { request_id: v.string(), action: v.string() }),
  event('message.received', { text: v.string() }),
  event('file.downloaded', { file_id: v.string() }),
  event('budget.warned', { budget: v.string(), used: v.number(), limit: v.number() }),
  event('task.ended', {
    status: v.picklist(['complete', 'error']),
    answer: v.string(),
    output: v.unknown(),
    success: v.boolean(),
    failure: v.nullable(v.string()),
    ended_by: v.string(),
    usage: TaskUsage,
  }),
])

export type Event = v.InferOutput<typeof Event>

/** [V5] `next_cursor` goes into `after`. `has_more`: there was more than fits on the page. */
export const EventPage = v.object({ events: v.array(Event), next_cursor: count, has_more: v.boolean() })

/** [V8] */
export const ReadToken = v.object({ token: v.string(), expires_at: ms })
