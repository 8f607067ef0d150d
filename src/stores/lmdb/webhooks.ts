import type { Store } from '../../../actors/runtime/ports.ts'
import type { DeliveryRecord } from '../../../machines/webhook-records.ts'
import type { LmdbFile } from './database.ts'
import { downwards, type Key } from './table.ts'
import type { Tables } from './tables.ts'

/** Webhook endpoints. */
export function endpointsOf(file: LmdbFile, tables: Tables): Store['endpoints'] {
  return {
    insert: (record) =>
      file.write(() => {
        tables.endpoints.put(record.id, record)
        tables.endpointsByAge.put([record.workspaceId, record.createdAt, record.id], record.id)
      }),
    get: async (id) => tables.endpoints.get(id) ?? null,
    async *all() {
      for await (const { value } of tables.endpoints.all()) yield value
    },
    list: async (workspaceId) =>
      tables.endpointsByAge.under([workspaceId]).flatMap(({ value }) => tables.endpoints.get(value) ?? []),
    update: (id, patch) =>
      file.transact(() => {
        const record = tables.endpoints.get(id)
        if (!record) return null
        const changed = { ...record, ...patch }
        tables.endpoints.put(id, changed)
        return changed
      }),
    remove: (workspaceId, id) =>
      file.transact(() => {
        const record = tables.endpoints.get(id)
        if (record?.workspaceId !== workspaceId) return false
        tables.endpoints.remove(id)
        tables.endpointsByAge.remove([workspaceId, record.createdAt, id])
        return true
      }),
  }
}

/** Deliveries, and the indexes by which they are found. */
export function deliveriesOf(file: LmdbFile, tables: Tables): Store['deliveries'] {
  return {
    add: (record) =>
      file.transact(() => {
        const once = [record.endpointId, record.messageId]
        const kept = tables.deliveries.get(tables.deliveryMessages.get(once) ?? '')
        if (kept) return kept
        tables.deliveries.put(record.id, record)
        tables.deliveryMessages.put(once, record.id)
        tables.deliveriesByAge.put(ageOf(record), record.status)
        tables.deliveriesByTime.put([record.createdAt, record.id], record.id)
        if (record.taskId !== null) tables.deliveriesByTask.put([record.taskId, record.id], record.id)
        return record
      }),
    get: async (id) => tables.deliveries.get(id) ?? null,
    update: (id, patch) =>
      file.transact(() => {
        const record = tables.deliveries.get(id)
        if (!record) return
        const changed = { ...record, ...patch }
        tables.deliveries.put(id, changed)
        tables.deliveriesByAge.put(ageOf(changed), changed.status)
      }),
    async list({ endpointId, status, taskId, after, limit }) {
      if (taskId !== undefined) {
        // A task has few: its index is small enough to be sorted here.
        return tables.deliveriesByTask
          .under([taskId])
          .flatMap(({ value }) => tables.deliveries.get(value) ?? [])
          .filter((record) => record.endpointId === endpointId && (status === null || record.status === status))
          .filter((record) => after === null || newestFirst(after, record) < 0)
          .sort(newestFirst)
          .slice(0, limit)
      }
      const found: DeliveryRecord[] = []
      const bounds = {
        ...downwards(endpointId),
        ...(after ? { after: [endpointId, after.createdAt, after.id] } : {}),
      }
      if (limit < 1) return found
      for await (const { key, value } of tables.deliveriesByAge.scan(bounds)) {
        if (status !== null && value !== status) continue
        const record = tables.deliveries.get((key as string[])[2] ?? '')
        if (record) found.push(record)
        if (found.length === limit) break
      }
      return found
    },
    async retire(before, limit) {
      const old: DeliveryRecord[] = []
      if (limit < 1) return 0
      for await (const { value } of tables.deliveriesByTime.scan({ from: [0], to: [before] })) {
        const record = tables.deliveries.get(value)
        if (record) old.push(record)
        if (old.length === limit) break
      }
      if (old.length === 0) return 0
      await file.write(() => {
        for (const record of old) removeDelivery(tables, record)
      })
      return old.length
    },
  }
}

function removeDelivery(tables: Tables, record: DeliveryRecord): void {
  tables.deliveries.remove(record.id)
  tables.deliveryMessages.remove([record.endpointId, record.messageId])
  tables.deliveriesByAge.remove(ageOf(record))
  tables.deliveriesByTime.remove([record.createdAt, record.id])
  if (record.taskId !== null) tables.deliveriesByTask.remove([record.taskId, record.id])
}

/** What removes the deliveries of a task's events within a transaction: their bodies tell of it. */
export function removeDeliveries(tables: Tables, taskId: string): void {
  for (const { value } of tables.deliveriesByTask.under([taskId])) {
    const record = tables.deliveries.get(value)
    if (record) removeDelivery(tables, record)
  }
}

const newestFirst = (a: Pick<DeliveryRecord, 'createdAt' | 'id'>, b: Pick<DeliveryRecord, 'createdAt' | 'id'>) =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

const ageOf = ({ endpointId, createdAt, id }: DeliveryRecord): Key => [endpointId, createdAt, id]
