import { deliveryAddress, workspaceAddress } from '../machines/addresses.ts'
import type { DeliveryContext, DeliveryInput } from '../machines/delivery.ts'
import { deliveryMachine, isAccepted } from '../machines/delivery.ts'
import { ENDPOINT_FAILING_MS_MAX } from '../machines/limits.ts'
import { fractionOf } from '../machines/uuid.ts'
import type { DeliveryAttempt, DeliveryRecord, EndpointPatch, EndpointRecord } from '../machines/webhook-records.ts'
import { DELIVERY_ATTEMPTS_KEPT } from './limits.ts'
import type { ActorSystem } from './runtime/actor-system.ts'
import { alarm, answeringStore } from './runtime/effects.ts'
import { UNKNOWN_WORKSPACE } from './runtime/snapshot-writer.ts'
import type { Deliveries } from './task-service.ts'
import { type WebhookEvent, webhookBodyOf } from './webhook-events.ts'
import { ensureWorkspace, startDelivery } from './workspace.ts'

/** Runs the delivery of an event to a webhook endpoint. */
export const deliveryActor = (system: ActorSystem) => {
  const { store, webhook, clock, ids } = system.ports
  const withStore = <Input>(run: (input: Input) => Promise<{ type: string }>) =>
    answeringStore(system, 'A delivery waits for the store', run)
  return deliveryMachine.provide({
    actors: {
      alarm: alarm(system.registry),
      attempt: withStore<DeliveryInput>(async ({ deliveryId, endpointId, workspaceId }) => {
        const [record, endpoint] = [await store.deliveries.get(deliveryId), await store.endpoints.get(endpointId)]
        if (!record || !endpoint) return { type: 'delivery.gone' }
        if (endpoint.disabled) return { type: 'delivery.skipped' }
        // The delivery is durable as pending before it is attempted, so that it is restored after a crash.
        await system.snapshotWriter.barrier(workspaceId)
        const { messageId: id, body, taskId } = record
        const message = { id, body, taskId }
        const by = deliveryAddress(deliveryId)
        const { retryAfterMs, ...answer } = await system.webhookCalls.make(by, () => webhook.deliver(endpoint, message))
        const attempt: DeliveryAttempt = { at: clock.now() - answer.durationMs, ...answer }
        return { type: 'attempt.answered', attempt, retryAfterMs, jitter: fractionOf(ids.uuid()) }
      }),
      record: withStore<DeliveryContext>((context) => record(system, context)),
    },
  })
}

/**
 * Writes the last attempt to the log, and what it says of the endpoint. An attempt that is in the log already stays as
 * it is.
 */
async function record(system: ActorSystem, context: DeliveryContext): Promise<{ type: string }> {
  const { store, log } = system.ports
  const { deliveryId, endpointId, attempt, status, nextAttemptAt } = context
  const [kept, endpoint] = [await store.deliveries.get(deliveryId), await store.endpoints.get(endpointId)]
  if (!kept || !endpoint) return { type: 'delivery.gone' }
  const patch = attempt && !endpoint.disabled ? healthAfter(endpoint, attempt) : null
  const disabled = patch?.disabled === true || (endpoint.disabled && status === 'pending')
  const last = kept.attempts.at(-1)
  const isNew = attempt !== null && (last?.at !== attempt.at || last.status !== attempt.status)
  await store.deliveries.update(deliveryId, {
    status: disabled ? 'failed' : status,
    nextAttemptAt: disabled ? null : nextAttemptAt,
    ...(isNew ? { attempts: [...kept.attempts, attempt].slice(-DELIVERY_ATTEMPTS_KEPT) } : {}),
  })
  if (isNew) {
    const { status: answered, durationMs, reason } = attempt
    const { taskId, type } = kept
    log.info(
      { deliveryId, endpointId, taskId, type, status: answered, reason, ms: durationMs },
      'A webhook was attempted',
    )
  }
  if (patch) await store.endpoints.update(endpointId, patch)
  if (patch?.disabled)
    log.warn({ endpoint: endpointId, reason: patch.disabledReason }, 'A webhook endpoint is disabled')
  return { type: disabled ? 'endpoint.disabled' : 'attempt.recorded' }
}

/** The changes to an endpoint after an attempt; `null`: none. */
function healthAfter({ failingSince }: EndpointRecord, attempt: DeliveryAttempt): EndpointPatch | null {
  const { at, status } = attempt
  if (isAccepted(attempt)) return failingSince === null ? null : { failingSince: null }
  const since = failingSince ?? at
  const reason = status === 410 ? 'gone' : at - since >= ENDPOINT_FAILING_MS_MAX ? 'failing' : null
  if (reason !== null) return { failingSince: since, disabled: true, disabledReason: reason, disabledAt: at }
  return failingSince === null ? { failingSince: since } : null
}

/** Resumes a delivery in its saved state; one whose row cannot be read starts its schedule again. */
export async function restoreDelivery(system: ActorSystem, id: string, snapshot: unknown): Promise<void> {
  const context = (snapshot as { context?: DeliveryContext } | undefined)?.context
  if (context) {
    ensureWorkspace(system, context.workspaceId)
    const supervisor = workspaceAddress(context.workspaceId)
    system.registry.start(deliveryAddress(id), system.logic.delivery, { snapshot, supervisor, persistent: true })
    return
  }
  const record = await system.ports.store.deliveries.get(id)
  if (record?.status === 'pending') startDelivery(system, inputOf(record))
  else system.snapshotWriter.markDeleted(record?.workspaceId ?? UNKNOWN_WORKSPACE, deliveryAddress(id))
}

const inputOf = ({ id, endpointId, workspaceId }: DeliveryRecord): DeliveryInput => ({
  deliveryId: id,
  endpointId,
  workspaceId,
})

/** Starts the delivery of an event to an endpoint. Its record and its actor are durable when this resolves. */
export async function deliver(
  system: ActorSystem,
  endpoint: EndpointRecord,
  event: WebhookEvent,
): Promise<DeliveryRecord> {
  const { store, ids, clock } = system.ports
  const kept = await store.deliveries.add({
    id: ids.uuid(),
    endpointId: endpoint.id,
    workspaceId: endpoint.workspaceId,
    messageId: event.id,
    type: event.type,
    taskId: event.taskId,
    body: webhookBodyOf(event),
    status: endpoint.disabled ? 'skipped' : 'pending',
    attempts: [],
    nextAttemptAt: null,
    createdAt: clock.now(),
  })
  if (kept.status === 'pending') startDelivery(system, inputOf(kept))
  await system.snapshotWriter.barrier(kept.workspaceId)
  return kept
}

export const createDeliveries = (system: ActorSystem): Deliveries => ({
  eventPosition: async (workspaceId) => system.events.horizon(workspaceId),
  serveEndpoints: async (workspaceId) => system.webhooks.follow(workspaceId),

  testEndpoint: (endpoint) => {
    const id = `msg_test_${system.ports.ids.uuid()}`
    const at = system.ports.clock.now()
    const data = { endpoint_id: endpoint.id, message: 'This is a test event.' }
    return deliver(system, endpoint, { id, type: 'webhook.test', at, taskId: null, data })
  },

  async redeliver(delivery) {
    const { store } = system.ports
    const endpoint = await store.endpoints.get(delivery.endpointId)
    if (!endpoint || endpoint.disabled) return false
    await store.deliveries.update(delivery.id, { status: 'pending', nextAttemptAt: null })
    if (system.registry.has(deliveryAddress(delivery.id)))
      system.registry.post(deliveryAddress(delivery.id), { type: 'delivery.redeliver' })
    else startDelivery(system, inputOf(delivery))
    await system.snapshotWriter.barrier(delivery.workspaceId)
    return true
  },
})
