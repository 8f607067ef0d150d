import type { Ms } from '../machines/records.ts'
import type { LogEvent, LogType } from '../machines/task-log.ts'
import { WEBHOOK_TYPES } from '../machines/webhook-records.ts'
import { eventIdOf } from './events/event-id.ts'
import { WEBHOOK_BODY_BYTES_MAX } from './limits.ts'

/** An event as an endpoint receives it. */
export interface WebhookEvent {
  /** The same in every attempt, at every endpoint. */
  readonly id: string
  readonly type: LogType | 'webhook.test'
  readonly at: Ms
  readonly taskId: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** Whether an endpoint that asked for these types (none: all) receives an event of the log. */
export const isWebhookEvent = ({ type }: LogEvent, types: readonly string[]): boolean =>
  types.length === 0 ? (WEBHOOK_TYPES as readonly string[]).includes(type) : types.includes(type)

/** An event of a task's log: its number there makes its id. */
export const webhookEventOf = (event: LogEvent): WebhookEvent => ({
  id: eventIdOf(event),
  type: event.type,
  at: event.at,
  taskId: event.task_id,
  data: { id: eventIdOf(event), ...event },
})

/**
 * [W11] The body `{type, timestamp, data}`. One that would be too large has its answer cut, and says so by
 * `truncated: true`: the whole is read from `GET /v1/tasks/:id`.
 */
export function webhookBodyOf({ type, at, data }: WebhookEvent): string {
  const bodyOf = (shown: WebhookEvent['data']) =>
    JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: shown })
  const whole = bodyOf(data)
  if (fits(whole)) return whole
  const { answer, output: _, ...rest } = data
  let text = String(answer ?? '')
  for (;;) {
    text = text.slice(0, Math.floor(text.length / 2))
    const body = bodyOf({ ...rest, answer: text, truncated: true })
    if (fits(body) || text === '') return body
  }
}

/** A UTF-16 unit takes at most three bytes; a lone half of a pair is escaped by JSON. */
const fits = (body: string): boolean =>
  body.length * 3 < WEBHOOK_BODY_BYTES_MAX || new TextEncoder().encode(body).length < WEBHOOK_BODY_BYTES_MAX
