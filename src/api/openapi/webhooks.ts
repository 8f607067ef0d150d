import * as v from 'valibot'
import { WEBHOOK_TYPES } from '../../../machines/webhook-records.ts'
import { Event } from '../../wire/events.ts'
import { count, ms, uuid } from '../../wire/fields.ts'
import { TaskUsage } from '../../wire/tasks.ts'

/** What the service sends: the schemas of its webhooks. They are described here, and made where they are sent. */

/** [W1] To the `webhook_url` of a task, when it has ended. */
const TaskCompletedWebhook = v.object({
  event: v.literal('task.completed'),
  task: v.object({
    id: uuid,
    status: v.picklist(['complete', 'error']),
    answer: v.string(),
    steps: count,
    usage: TaskUsage,
    created_at: ms,
    completed_at: ms,
  }),
})

/** [W2] To the `webhook_url` of a task that the service could not go on with. */
const TaskFailedWebhook = v.object({
  event: v.literal('task.failed'),
  task: v.object({ id: uuid, status: v.literal('error'), answer: v.string() }),
})

/** [W11] To a webhook endpoint, signed. */
const signed = (type: string, data: v.GenericSchema) =>
  v.object({ type: v.literal(type), timestamp: v.pipe(v.string(), v.isoTimestamp()), data })

/** `task.ended` is `taskEnded`. */
const nameOf = (type: string) => type.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase())

const TOLD: Readonly<Record<(typeof WEBHOOK_TYPES)[number], string>> = {
  'task.created': 'A task was started.',
  'task.queued': 'A task waits for a free place.',
  'browser.connected': 'The browser of a task is connected again.',
  'browser.away': 'The browser of a task is not connected.',
  'input.requested': 'A task asks its user, or for an approval.',
  'input.answered': 'What a task asked was answered.',
  'message.received': 'A task was sent a message.',
  'file.downloaded': 'The browser of a task downloaded a file.',
  'budget.warned': 'A task has used 80 % of a budget.',
  'task.ended': 'A task has ended.',
}

/** Of all that is sent to webhook endpoints. */
export const SENT =
  'Sent to webhook endpoints: signed by Standard Webhooks, repeated until it is accepted. In a body that would be 20 KB or longer, the answer is cut and `data.truncated` is true.'

const endpointWebhooks = WEBHOOK_TYPES.map((type) => {
  const data = Event.options.find(({ entries }) => entries.type.literal === type)
  if (data === undefined) throw new Error(`${type} is not an event of the log`)
  return [nameOf(type), { tag: 'Webhook events', summary: TOLD[type], body: signed(type, data) }] as const
})

interface Webhook {
  readonly tag?: string
  readonly summary: string
  readonly body: v.GenericSchema
}

/** By the name in the document: what is sent, and what it tells. */
export const WEBHOOKS: Readonly<Record<string, Webhook>> = {
  taskCompleted: {
    summary: 'A task with a webhook_url has ended, whatever its status. One POST, not signed, not repeated.',
    body: TaskCompletedWebhook,
  },
  taskFailed: {
    summary: 'A task with a webhook_url could not be gone on with. One POST, not signed, not repeated.',
    body: TaskFailedWebhook,
  },
  ...Object.fromEntries(endpointWebhooks),
  webhookTest: {
    tag: 'Webhook events',
    summary: 'What `/test` sends.',
    body: signed('webhook.test', v.object({ endpoint_id: uuid, message: v.string() })),
  },
}

/** The same as schemas with names: `TaskEndedWebhook`. */
export const WEBHOOK_SCHEMAS: Readonly<Record<string, v.GenericSchema>> = Object.fromEntries(
  Object.entries(WEBHOOKS).map(([name, { body }]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}Webhook`, body]),
)
