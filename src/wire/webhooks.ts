import * as v from 'valibot'
import { DELIVERY_STATUSES, WEBHOOK_TYPES } from '../../machines/webhook-records.ts'
import { AT, DELIVERY, ENDPOINT, TASK } from './example-values.ts'
import { absentable, at, count, created_at, field, httpUrl, integer, ms, task_id, text, uuid } from './fields.ts'
import { DESCRIPTION_CHARS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, URL_CHARS_MAX } from './limits.ts'
import { listOf, pageCursor, pageLimit } from './list.ts'

const typesWords = `must be a list of ${WEBHOOK_TYPES.join(', ')}`
const types = v.pipe(
  v.array(v.picklist(WEBHOOK_TYPES, typesWords), typesWords),
  v.maxLength(WEBHOOK_TYPES.length, 'must name each type once'),
)
const url = field(httpUrl(URL_CHARS_MAX), 'Where events are sent.', 'https://example.com/hooks/browser-tasks')

/** [W10] */
export const CreateEndpointBody = v.strictObject({
  url,
  types: field(absentable(types), 'The types of events that are sent; all when it is left out or empty.', [
    'task.ended',
  ]),
  description: field(absentable(text(DESCRIPTION_CHARS_MAX)), 'What the endpoint is for.', 'Our order system'),
})

/** [W10] What is left out or null stays as it is. */
export const ChangeEndpointBody = v.strictObject({
  ...CreateEndpointBody.entries,
  url: field(absentable(httpUrl(URL_CHARS_MAX)), url),
  disabled: field(
    absentable(v.boolean('must be true or false')),
    'Nothing is sent; what happens meanwhile can be recovered.',
    false,
  ),
})

const asked = ChangeEndpointBody.entries
export const Endpoint = v.object({
  id: field(uuid, 'The id.', ENDPOINT),
  url: field(v.string(), asked.url),
  /** Empty: all. */
  types: field(v.array(v.string()), asked.types),
  description: field(v.nullable(v.string()), asked.description),
  disabled: field(v.boolean(), asked.disabled),
  /** Why the service disabled it by itself. */
  disabled_reason: field(
    v.nullable(v.picklist(['gone', 'failing'])),
    'Why the service disabled it: it answered 410, or failed for five days.',
    'failing',
  ),
  disabled_at: field(v.nullable(ms), 'When it was disabled, in milliseconds since 1970.', AT),
  /** The first failed attempt since the last one that succeeded. */
  failing_since: field(v.nullable(ms), 'The first failure since the last success, in milliseconds since 1970.', AT),
  created_at,
})
export type Endpoint = v.InferOutput<typeof Endpoint>

/** The only answers that show a secret. */
export const EndpointCreated = v.object({
  ...Endpoint.entries,
  secret: field(v.string(), 'Verifies the signatures. It is shown once.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
})
export const EndpointRotated = v.object({
  ...EndpointCreated.entries,
  former_secret_until: field(
    ms,
    'Until then the former secret signs as well, in milliseconds since 1970.',
    AT + 86_400_000,
  ),
})

export const EndpointList = listOf('webhook_endpoints', Endpoint, 'All endpoints, oldest first.')
export type EndpointList = v.InferOutput<typeof EndpointList>

/** [W15] One attempt to deliver. */
export const DeliveryAttempt = v.object({
  at,
  duration_ms: field(count, 'How long the call took, in milliseconds.', 840),
  status: field(v.nullable(count), 'The status that the receiver answered; null when it did not.', 200),
  reason: field(v.nullable(v.string()), 'Why there was no answer.', 'connection refused'),
  answer: field(v.string(), 'The first 2 KB of what the receiver answered.', 'ok'),
})

/** [W15] */
export const Delivery = v.object({
  id: field(uuid, 'The id.', DELIVERY),
  webhook_endpoint_id: field(uuid, 'The endpoint.', ENDPOINT),
  /** The `webhook-id` of every attempt. */
  message_id: field(v.string(), 'The `webhook-id` of every attempt.', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'),
  type: field(v.string(), 'The type of the event.', 'task.ended'),
  task_id: field(v.nullable(uuid), task_id),
  status: field(v.picklist(DELIVERY_STATUSES), 'Where it is.', 'delivered'),
  attempts: field(v.array(DeliveryAttempt), 'Every attempt, oldest first.'),
  next_attempt_at: field(
    v.nullable(ms),
    'When it is tried again, in milliseconds since 1970; null when it is not.',
    AT + 5_000,
  ),
  created_at,
})
export type Delivery = v.InferOutput<typeof Delivery>

export const DeliveryListQuery = v.object({
  limit: pageLimit(PAGE_SIZE_MAX, PAGE_SIZE_DEFAULT),
  cursor: pageCursor,
  status: field(
    v.optional(v.picklist(DELIVERY_STATUSES, `must be one of ${DELIVERY_STATUSES.join(', ')}`)),
    'Only deliveries with this status.',
    'pending',
  ),
  /** Of this task's events only. */
  task_id: field(
    v.optional(v.pipe(v.string(), v.uuid('must be the id of a task'))),
    'Only what tells of this task.',
    TASK,
  ),
})
export const DeliveryList = listOf('deliveries', Delivery, 'A page of deliveries, newest first.')

/** [W17] */
export const RecoverBody = v.strictObject({
  since: field(integer(0, Number.MAX_SAFE_INTEGER), 'From this moment on, in milliseconds since 1970.', AT),
})
export const Recovered = v.object({ recovered: field(count, 'How many are sent again.', 12) })
