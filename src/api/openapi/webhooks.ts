import * as v from 'valibot'
import { WEBHOOK_TYPES } from '../../../machines/webhook-records.ts'
import { Event } from '../../wire/events.ts'
import { WORKSPACE } from '../../wire/example-values.ts'
import { created_at, field, id, ms, uuid } from '../../wire/fields.ts'
import { TaskSummary } from '../../wire/tasks.ts'

/** What the service sends: the schemas of its webhooks. They are described here, and made where they are sent. */

const shown = TaskSummary.entries

/** [W1] To the `webhook_url` of a task, when it has ended. */
const TaskCompletedWebhook = v.object({
  event: field(v.literal('task.completed'), 'What happened.'),
  task: field(
    v.object({
      id,
      status: field(v.picklist(['complete', 'error']), 'How it ended.', 'complete'),
      answer: field(v.string(), shown.answer),
      steps: shown.steps,
      usage: shown.usage,
      created_at,
      completed_at: field(ms, shown.completed_at),
    }),
    'The task.',
  ),
})

/** [W2] To the `webhook_url` of a task that the service could not go on with. */
const TaskFailedWebhook = v.object({
  event: field(v.literal('task.failed'), 'What happened.'),
  task: field(
    v.object({
      id,
      status: field(v.literal('error'), 'How it ended.'),
      answer: field(v.string(), shown.answer),
    }),
    'The task.',
  ),
})

/** [W11] To a webhook endpoint, signed. */
const signed = <Data extends v.GenericSchema>(type: string, data: Data, meaning: string) =>
  v.object({
    type: field(v.literal(type), 'What happened.'),
    timestamp: field(v.pipe(v.string(), v.isoTimestamp()), 'When it happened.', '2026-11-20T12:00:41.000Z'),
    data: field(data, meaning),
  })

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
  return [
    nameOf(type),
    { tag: 'Webhook events', summary: TOLD[type], body: signed(type, data, 'The event, as the task’s log has it.') },
  ] as const
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
    body: signed(
      'webhook.test',
      v.object({
        endpoint_id: field(uuid, 'The endpoint.', WORKSPACE),
        message: field(v.string(), 'A sentence for people.', 'This is a test event.'),
      }),
      'What is tested.',
    ),
  },
}

/** The same as schemas with names: `TaskEndedWebhook`. */
export const WEBHOOK_SCHEMAS: Readonly<Record<string, v.GenericSchema>> = Object.fromEntries(
  Object.entries(WEBHOOKS).map(([name, { body }]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}Webhook`, body]),
)
