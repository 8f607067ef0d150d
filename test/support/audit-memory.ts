import type { Store } from '../../actors/runtime/ports.ts'
import type { AuditRecord } from '../../machines/audit-records.ts'

/** An audit log in memory. */
export function auditMemory(records = new Map<string, AuditRecord>()): Store['audit'] {
  return {
    append: async (added) => {
      for (const record of added) records.set(record.id, record)
    },
    list: async () => [...records.values()].sort((a, b) => b.at - a.at),
    async retire(before, limit, workspaceId) {
      const old = [...records.values()].filter(
        (record) => record.at < before && (workspaceId === undefined || record.workspaceId === workspaceId),
      )
      for (const { id } of old.slice(0, limit)) records.delete(id)
      return Math.min(limit, old.length)
    },
  }
}
