import * as v from 'valibot'
import { FAILURE_CATEGORIES } from '../../../machines/failures.ts'
import { ENDED_BY } from '../../../machines/records.ts'
import { count, ms, uuid } from '../../wire/fields.ts'
import { TaskUsage } from '../../wire/tasks.ts'

/** What the service sends: the schemas of its webhooks. They are described here, and made where they are sent. */

/** [W1] To the `webhook_url` of a task, when it has ended. */
export const TaskCompletedEvent = v.object({
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
export const TaskFailedEvent = v.object({
  event: v.literal('task.failed'),
  task: v.object({ id: uuid, status: v.literal('error'), answer: v.string() }),
})

/** [W11] To a webhook endpoint, signed. */
export const TaskEndedEvent = v.object({
  type: v.literal('task.ended'),
  timestamp: v.pipe(v.string(), v.isoTimestamp()),
  data: v.looseObject({
    seq: count,
    type: v.literal('task.ended'),
    at: ms,
    task_id: uuid,
    status: v.picklist(['complete', 'error']),
    answer: v.string(),
    success: v.boolean(),
    failure: v.nullable(v.picklist(FAILURE_CATEGORIES)),
    ended_by: v.picklist(ENDED_BY),
    usage: TaskUsage,
  }),
})

/** By the name in the document: what is sent, and what it tells. */
export const WEBHOOKS: Readonly<Record<string, { readonly summary: string; readonly body: v.GenericSchema }>> = {
  taskCompleted: {
    summary: 'A task with a webhook_url has ended, whatever its status. One POST, not signed, not repeated.',
    body: TaskCompletedEvent,
  },
  taskFailed: {
    summary: 'A task with a webhook_url could not be gone on with. One POST, not signed, not repeated.',
    body: TaskFailedEvent,
  },
  taskEnded: {
    summary: 'A task has ended. Sent to webhook endpoints: signed by Standard Webhooks, repeated until it is accepted.',
    body: TaskEndedEvent,
  },
}
