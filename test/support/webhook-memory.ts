import { randomUUID } from 'node:crypto'
import type { DeliveryStore, EndpointStore, Webhook, WebhookAnswer } from '../../actors/runtime/ports.ts'
import type { DeliveryRecord, EndpointRecord } from '../../machines/webhook-records.ts'
import { THEN } from './stores.ts'

async function* iterate<T>(rows: Map<string, T>): AsyncIterable<T> {
  for (const row of [...rows.values()]) yield structuredClone(row)
}

/** Endpoints and deliveries in memory, with the promises of the stores. */
export class WebhookMemory {
  readonly endpoints = new Map<string, EndpointRecord>()
  readonly deliveries = new Map<string, DeliveryRecord>()

  endpointsOf(workspaceId: string): EndpointRecord[] {
    return [...this.endpoints.values()].filter((record) => record.workspaceId === workspaceId)
  }

  changeEndpoint(id: string, patch: Partial<EndpointRecord>): EndpointRecord | null {
    const record = this.endpoints.get(id)
    if (!record) return null
    const changed = { ...record, ...patch }
    this.endpoints.set(id, changed)
    return changed
  }

  addDelivery(record: DeliveryRecord): DeliveryRecord {
    const kept = [...this.deliveries.values()].find(
      ({ endpointId, messageId }) => endpointId === record.endpointId && messageId === record.messageId,
    )
    if (!kept) this.deliveries.set(record.id, record)
    return kept ?? record
  }

  changeDelivery(id: string, patch: Partial<DeliveryRecord>): void {
    const record = this.deliveries.get(id)
    if (record) this.deliveries.set(id, { ...record, ...patch })
  }

  retireDeliveries(before: number, limit: number): number {
    const old = [...this.deliveries.values()].filter(({ createdAt }) => createdAt < before).slice(0, limit)
    for (const { id } of old) this.deliveries.delete(id)
    return old.length
  }

  store(): { endpoints: EndpointStore; deliveries: DeliveryStore } {
    return {
      endpoints: {
        insert: async (record) => void this.endpoints.set(record.id, record),
        get: async (id) => this.endpoints.get(id) ?? null,
        all: () => iterate(this.endpoints),
        list: async (workspaceId) => this.endpointsOf(workspaceId),
        update: async (id, patch) => this.changeEndpoint(id, patch),
        remove: async (_, id) => this.endpoints.delete(id),
      },
      deliveries: {
        add: async (record) => this.addDelivery(record),
        get: async (id) => this.deliveries.get(id) ?? null,
        update: async (id, patch) => this.changeDelivery(id, patch),
        list: async ({ endpointId, status, taskId, limit }) =>
          [...this.deliveries.values()]
            .filter((record) => record.endpointId === endpointId && (status === null || record.status === status))
            .filter((record) => taskId === undefined || record.taskId === taskId)
            .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
            .slice(0, limit),
        retire: async (before, limit) => this.retireDeliveries(before, limit),
      },
    }
  }
}

export const ACCEPTED: WebhookAnswer = { status: 200, reason: null, answer: 'ok', retryAfterMs: null, durationMs: 1 }

/** A webhook that reaches nobody. */
export const noWebhook: Webhook = { post: async () => {}, deliver: async () => ACCEPTED }

export const anEndpoint = (fields: Partial<EndpointRecord> = {}): EndpointRecord => ({
  id: randomUUID(),
  workspaceId: randomUUID(),
  url: 'https://hooks.example/tasks',
  types: ['task.ended'],
  description: null,
  disabled: false,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  secrets: [{ sealed: 'sealed', until: null }],
  position: 0,
  createdAt: THEN,
  ...fields,
})

export const aDelivery = (fields: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  id: randomUUID(),
  endpointId: randomUUID(),
  workspaceId: randomUUID(),
  messageId: `msg_${randomUUID()}`,
  type: 'task.ended',
  taskId: null,
  body: '{"type":"task.ended"}',
  status: 'pending',
  attempts: [],
  nextAttemptAt: null,
  createdAt: THEN,
  ...fields,
})
