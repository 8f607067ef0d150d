import type { Store } from '../../../actors/runtime/ports.ts'
import { collected, type Driver, removeEach, removeOwn } from '../port.ts'
import { DELIVERIES, ENDPOINTS } from '../tables.ts'

/** Webhook endpoints. */
export const endpointsOf = (driver: Driver): Store['endpoints'] => ({
  insert: (record) => driver.transact((tx) => tx.insert(ENDPOINTS, record)),
  get: (id) => driver.get(ENDPOINTS, id),
  all: () => driver.range(ENDPOINTS, null),
  list: (workspaceId) => collected(driver.range(ENDPOINTS, 'by-age', { of: [workspaceId] })),
  update: (id, patch) =>
    driver.transact(async (tx) => {
      const record = await tx.get(ENDPOINTS, id)
      if (record === null) return null
      const changed = { ...record, ...patch }
      tx.put(ENDPOINTS, changed)
      return changed
    }),
  remove: (workspaceId, id) => removeOwn(driver, ENDPOINTS, workspaceId, id),
})

/** Events on their way to endpoints. */
export const deliveriesOf = (driver: Driver): Store['deliveries'] => ({
  add: (record) =>
    driver.transact(async (tx) => {
      const kept = await tx.get(DELIVERIES, record.endpointId, record.messageId)
      if (kept === null) tx.put(DELIVERIES, record)
      return kept ?? record
    }),
  get: (id) => driver.find(DELIVERIES, 'ids', id),
  update: (id, patch) =>
    driver.transact(async (tx) => {
      const record = await tx.find(DELIVERIES, 'ids', id)
      if (record) tx.put(DELIVERIES, { ...record, ...patch })
    }),
  list({ endpointId, status, taskId, after, limit }) {
    const match = {
      endpointId,
      ...(status === null ? {} : { status }),
      ...(taskId === undefined ? {} : { taskId }),
    }
    const page = { of: [endpointId], match, limit, down: true, after: after ? [after.createdAt, after.id] : undefined }
    return collected(driver.range(DELIVERIES, 'by-age', page))
  },
  retire: (before, limit) => removeEach(driver, DELIVERIES, driver.keys(DELIVERIES, 'by-time', { to: before, limit })),
})
