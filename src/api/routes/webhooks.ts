import { isUuid } from '../../../machines/uuid.ts'
import type { DeliveryRecord, EndpointRecord } from '../../../machines/webhook-records.ts'
import type { Response } from '../../net/transport.ts'
import { NoFields } from '../../wire/account.ts'
import { pageOf } from '../../wire/list.ts'
import { Deleted } from '../../wire/sessions.ts'
import {
  ChangeEndpointBody,
  CreateEndpointBody,
  Delivery,
  DeliveryList,
  DeliveryListQuery,
  Endpoint,
  EndpointCreated,
  EndpointList,
  EndpointRotated,
  RecoverBody,
  Recovered,
} from '../../wire/webhooks.ts'
import type { EndpointFields, HttpDeps } from '../deps.ts'
import { type ErrorCode, refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, type Route } from '../route.ts'
import { cursorOf, positionOf } from './cursor.ts'

const tag = 'Webhooks'
const action = 'manage webhooks'
const NO_ENDPOINT = { 404: ['webhook_endpoint_not_found'] }
const NO_DELIVERY = { 404: ['webhook_delivery_not_found'] }
const NO_KEY = { 503: ['secrets_not_configured'] }
const DISABLED = { 409: ['endpoint_disabled'] }

/** [W10, W13, W15–W17] A workspace's webhook endpoints, and what was delivered to them. */
export const webhookRoutes = ({ endpoints }: HttpDeps): readonly Route[] => [
  keyRoute({
    method: 'POST',
    path: '/v1/webhook-endpoints',
    action,
    body: CreateEndpointBody,
    about: {
      summary: 'Create a webhook endpoint',
      tag,
      answers: { 201: EndpointCreated },
      errors: { 409: ['too_many_endpoints'], ...NO_KEY },
    },
    run: async ({ principal, body: { url, types, description } }) => {
      const made = await endpoints.create(principal.workspaceId, { url, types: types ?? [], description })
      return typeof made === 'string'
        ? refuse(made)
        : json(201, { ...endpointJson(made.endpoint), secret: made.secret })
    },
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/webhook-endpoints',
    action,
    about: { summary: 'List webhook endpoints', tag, answers: { 200: EndpointList } },
    run: async ({ principal }) => {
      const all = await endpoints.list(principal.workspaceId)
      return json(200, pageOf('webhook_endpoints', all.map(endpointJson)))
    },
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/webhook-endpoints/:id',
    action,
    about: { summary: 'Get a webhook endpoint', tag, answers: { 200: Endpoint }, errors: NO_ENDPOINT },
    run: async ({ principal, params: [id = ''] }) =>
      found(isUuid(id) && (await endpoints.get(principal.workspaceId, id)), endpointJson),
  }),
  keyRoute({
    method: 'PATCH',
    path: '/v1/webhook-endpoints/:id',
    action,
    body: ChangeEndpointBody,
    about: {
      summary: 'Update a webhook endpoint',
      tag,
      answers: { 200: Endpoint },
      errors: NO_ENDPOINT,
    },
    run: async ({ principal, params: [id = ''], body }) => {
      const fields = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as EndpointFields
      return found(isUuid(id) && (await endpoints.update(principal.workspaceId, id, fields)), endpointJson)
    },
  }),
  keyRoute({
    method: 'DELETE',
    path: '/v1/webhook-endpoints/:id',
    action,
    about: {
      summary: 'Delete a webhook endpoint',
      tag,
      answers: { 200: Deleted },
      errors: NO_ENDPOINT,
    },
    run: async ({ principal, params: [id = ''] }) => {
      const deleted = isUuid(id) && (await endpoints.remove(principal.workspaceId, id))
      return found(deleted, () => ({ id, deleted }))
    },
  }),
  keyRoute({
    method: 'POST',
    path: '/v1/webhook-endpoints/:id/rotate',
    action,
    body: NoFields,
    about: {
      summary: 'Rotate the secret of an endpoint',
      tag,
      answers: { 200: EndpointRotated },
      errors: { ...NO_ENDPOINT, ...NO_KEY },
    },
    run: async ({ principal, params: [id = ''] }) =>
      found(isUuid(id) && (await endpoints.rotate(principal.workspaceId, id)), (made) => ({
        ...endpointJson(made.endpoint),
        secret: made.secret,
        former_secret_until: made.formerUntil,
      })),
  }),
  keyRoute({
    method: 'POST',
    path: '/v1/webhook-endpoints/:id/test',
    action,
    body: NoFields,
    about: {
      summary: 'Send a test event',
      tag,
      answers: { 202: Delivery },
      errors: NO_ENDPOINT,
    },
    run: async ({ principal, params: [id = ''] }) =>
      found(isUuid(id) && (await endpoints.test(principal.workspaceId, id)), deliveryJson, 202),
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/webhook-endpoints/:id/deliveries',
    action,
    query: DeliveryListQuery,
    about: {
      summary: 'List deliveries',
      tag,
      answers: { 200: DeliveryList },
      errors: { 400: ['cursor_invalid'], ...NO_ENDPOINT },
    },
    run: async ({ principal, params: [id = ''], query: { limit, cursor, status = null, task_id } }) => {
      const after = cursor === undefined ? null : positionOf(cursor)
      if (cursor !== undefined && after === null) return refuse('cursor_invalid')
      const page = { status, after, limit: limit + 1, ...(task_id === undefined ? {} : { taskId: task_id }) }
      return found(isUuid(id) && (await endpoints.deliveries(principal.workspaceId, id, page)), (records) => {
        const shown = records.slice(0, limit)
        const last = shown.at(-1)
        const next = records.length > limit && last ? cursorOf(last) : null
        return pageOf('deliveries', shown.map(deliveryJson), next)
      })
    },
  }),
  keyRoute({
    method: 'POST',
    path: '/v1/webhook-endpoints/:id/recover',
    action,
    body: RecoverBody,
    about: {
      summary: 'Recover failed deliveries',
      tag,
      answers: { 202: Recovered },
      errors: { ...NO_ENDPOINT, ...DISABLED },
    },
    run: async ({ principal, params: [id = ''], body: { since } }) =>
      found(
        isUuid(id) && (await endpoints.recover(principal.workspaceId, id, since)),
        (recovered) => ({ recovered }),
        202,
      ),
  }),
  keyRoute({
    method: 'GET',
    path: '/v1/webhook-deliveries/:id',
    action,
    about: { summary: 'Get a delivery', tag, answers: { 200: Delivery }, errors: NO_DELIVERY },
    run: async ({ principal, params: [id = ''] }) => {
      const record = isUuid(id) && (await endpoints.delivery(principal.workspaceId, id))
      return found(record, deliveryJson, 200, 'webhook_delivery_not_found')
    },
  }),
  keyRoute({
    method: 'POST',
    path: '/v1/webhook-deliveries/:id/redeliver',
    action,
    body: NoFields,
    about: {
      summary: 'Redeliver an event',
      tag,
      answers: { 202: Delivery },
      errors: { ...NO_DELIVERY, ...DISABLED },
    },
    run: async ({ principal, params: [id = ''] }) => {
      const record = isUuid(id) && (await endpoints.redeliver(principal.workspaceId, id))
      return found(record, deliveryJson, 202, 'webhook_delivery_not_found')
    },
  }),
]

/** What was found as JSON; a text is why it could not be done. */
function found<Value>(
  value: Value | ErrorCode | false | null,
  show: (value: Exclude<Value, ErrorCode | false | null>) => object,
  status = 200,
  missing: ErrorCode = 'webhook_endpoint_not_found',
): Response {
  if (value === null || value === false) return refuse(missing)
  if (typeof value === 'string') return refuse(value as ErrorCode)
  return json(status, show(value as Exclude<Value, ErrorCode | false | null>))
}

const endpointJson = (record: EndpointRecord): Endpoint => ({
  id: record.id,
  url: record.url,
  types: [...record.types],
  description: record.description,
  disabled: record.disabled,
  disabled_reason: record.disabledReason,
  disabled_at: record.disabledAt,
  failing_since: record.failingSince,
  created_at: record.createdAt,
})

const deliveryJson = (record: DeliveryRecord): Delivery => ({
  id: record.id,
  webhook_endpoint_id: record.endpointId,
  message_id: record.messageId,
  type: record.type,
  task_id: record.taskId,
  status: record.status,
  attempts: record.attempts.map(({ at, durationMs, status, reason, answer }) => ({
    at,
    duration_ms: durationMs,
    status,
    reason,
    answer,
  })),
  next_attempt_at: record.nextAttemptAt,
  created_at: record.createdAt,
})
