import type { Store } from '../../../actors/runtime/ports.ts'
import { collected, type Driver, removeEach } from '../port.ts'
import { AUDIT } from '../tables.ts'

/** [O11] The audit log: of a workspace by its time, and of all. */
export const auditOf = (driver: Driver): Store['audit'] => ({
  append: (records) =>
    driver.transact((tx) => {
      for (const record of records) tx.add(AUDIT, record)
    }),

  async list({ workspaceId, action, keyId, from, to, after, limit }) {
    const match = {
      ...(workspaceId === null ? { workspaceId } : {}),
      ...(action === undefined ? {} : { action }),
      ...(keyId === undefined ? {} : { keyId }),
    }
    const page = { from, to, match, limit, down: true, after: after ? [after.createdAt, after.id] : undefined }
    return collected(
      typeof workspaceId === 'string'
        ? driver.range(AUDIT, 'by-age', { ...page, of: [workspaceId] })
        : driver.range(AUDIT, 'by-time', page),
    )
  },

  retire(before, limit, workspaceId) {
    const old =
      workspaceId === undefined
        ? driver.keys(AUDIT, 'by-time', { to: before, limit })
        : driver.keys(AUDIT, 'by-age', { of: [workspaceId], to: before, limit })
    return removeEach(driver, AUDIT, old)
  },
})
