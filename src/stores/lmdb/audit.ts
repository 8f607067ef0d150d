import type { Store } from '../../../actors/runtime/ports.ts'
import type { AuditPage, AuditRecord } from '../../../machines/audit-records.ts'
import type { LmdbFile } from './database.ts'
import { downwards, type Key } from './table.ts'
import type { Tables } from './tables.ts'

/** Sorts after every id. */
const LAST = '\uffff'
/** In keys, in place of a workspace. */
const SERVICE = 'service'

/** [O11] The audit log: of a workspace by its time, and of all. */
export function auditOf(file: LmdbFile, { audit, auditByTime }: Tables): Store['audit'] {
  async function* ofOne(page: AuditPage, workspace: string) {
    for await (const { value } of audit.scan(bounds(page, workspace))) yield value
  }
  async function* ofAll(page: AuditPage) {
    for await (const { key, value } of auditByTime.scan(bounds(page))) {
      const record = audit.get([value, ...(key as [number, string])])
      if (record) yield record
    }
  }
  return {
    append: (records) =>
      file.write(() => {
        for (const record of records) {
          const { workspaceId, at, id } = record
          audit.put([workspaceId ?? SERVICE, at, id], record)
          auditByTime.put([at, id], workspaceId ?? SERVICE)
        }
      }),

    async list(page) {
      const found: AuditRecord[] = []
      if (page.limit < 1) return found
      const records = page.workspaceId === undefined ? ofAll(page) : ofOne(page, page.workspaceId ?? SERVICE)
      for await (const record of records) {
        if (page.action !== undefined && record.action !== page.action) continue
        if (page.keyId !== undefined && record.keyId !== page.keyId) continue
        found.push(record)
        if (found.length === page.limit) break
      }
      return found
    },

    async retire(before, limit, workspaceId) {
      const old: [at: number, id: string, workspace: string][] = []
      if (limit < 1) return 0
      if (workspaceId === undefined) {
        for (const { key, value } of auditByTime.range({ from: [0], to: [before], limit })) {
          const [at, id] = key as [number, string]
          old.push([at, id, value])
        }
      } else {
        const bounds = { from: [workspaceId, 0], to: [workspaceId, before], limit }
        for (const { value } of audit.range(bounds)) old.push([value.at, value.id, workspaceId])
      }
      if (old.length === 0) return 0
      await file.write(() => {
        for (const [at, id, workspace] of old) {
          audit.remove([workspace, at, id])
          auditByTime.remove([at, id])
        }
      })
      return old.length
    },
  }
}

/** From the newest of a page down to its oldest moment. */
function bounds({ from, to, after }: AuditPage, ...workspace: string[]) {
  const all = downwards(...workspace)
  return {
    ...all,
    ...(to === undefined ? {} : { from: [...workspace, to - 1, LAST] as Key }),
    ...(from === undefined ? {} : { to: [...workspace, from] as Key }),
    ...(after === null ? {} : { after: [...workspace, after.createdAt, after.id] as Key }),
  }
}
