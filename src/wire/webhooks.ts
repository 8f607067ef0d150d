import * as v from 'valibot'
import { DELIVERY_STATUSES, WEBHOOK_TYPES } from '../../machines/webhook-records.ts'
import { absentable, count, httpUrl, integer, ms, text, uuid } from './fields.ts'
import { DESCRIPTION_CHARS_MAX, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, URL_CHARS_MAX } from './limits.ts'
import { listOf } from './list.ts'

const typesWords = `must be a list of ${WEBHOOK_TYPES.join(', ')}`
const types = v.pipe(
  v.array(v.picklist(WEBHOOK_TYPES, typesWords), typesWords),
  v.maxLength(WEBHOOK_TYPES.length, 'must name each type once'),
)
const endpointUrl = httpUrl(URL_CHARS_MAX)
const description = text(DESCRIPTION_CHARS_MAX)

/** [W10] */
export const CreateEndpointBody = v.strictObject({
  url: endpointUrl,
  types: absentable(types),
  description: absentable(description),
})

/** [W10] What is left out or null stays as it is. */
export const ChangeEndpointBody = v.strictObject({
  url: absentable(endpointUrl),
  types: absentable(types),
  description: absentable(description),
  disabled: absentable(v.boolean('must be true or false')),
})

export const Endpoint = v.object({
  id: uuid,
  url: v.string(),
  /** Empty: all. */
  types: v.array(v.string()),
  description: v.nullable(v.string()),
  disabled: v.boolean(),
  /** Why the service disabled it by itself. */
  disabled_reason: v.nullable(v.picklist(['gone', 'failing'])),
  disabled_at: v.nullable(ms),
  /** The first failed attempt since the last one that succeeded. */
  failing_since: v.nullable(ms),
  created_at: ms,
})
export type Endpoint = v.InferOutput<typeof Endpoint>

/** The only answers that show a secret. */
export const EndpointCreated = v.object({ ...Endpoint.entries, secret: v.string() })
export const EndpointRotated = v.object({ ...EndpointCreated.entries, former_secret_until: ms })

export const EndpointList = listOf('webhook_endpoints', Endpoint)
export type EndpointList = v.InferOutput<typeof EndpointList>

/** [W15] One attempt to deliver. */
export const DeliveryAttempt = v.object({
  at: ms,
  duration_ms: count,
  status: v.nullable(count),
  reason: v.nullable(v.string()),
  answer: v.string(),
})

/** [W15] */
export const Delivery = v.object({
  id: uuid,
  webhook_endpoint_id: uuid,
  /** The `webhook-id` of every attempt. */
  message_id: v.string(),
  type: v.string(),
  task_id: v.nullable(uuid),
  status: v.picklist(DELIVERY_STATUSES),
  attempts: v.array(DeliveryAttempt),
  next_attempt_at: v.nullable(ms),
  created_at: ms,
})
export type Delivery = v.InferOutput<typeof Delivery>

export const DeliveryListQuery = v.object({
  limit: v.optional(integer(1, PAGE_SIZE_MAX), PAGE_SIZE_DEFAULT),
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[\w-]+$/, 'must be a next_cursor returned by this list'))),
  status: v.optional(v.picklist(DELIVERY_STATUSES, `must be one of ${DELIVERY_STATUSES.join(', ')}`)),
  /** Of this task's events only. */
  task_id: v.optional(v.pipe(v.string(), v.uuid('must be the id of a task'))),
})
export const DeliveryList = listOf('deliveries', Delivery)

/** [W17] */
export const RecoverBody = v.strictObject({ since: integer(0, Number.MAX_SAFE_INTEGER) })
export const Recovered = v.object({ recovered: count })
