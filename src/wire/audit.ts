import * as v from 'valibot'
import type { AuditRecord } from '../../machines/audit-records.ts'
import { integer, ms, uuid } from './fields.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './limits.ts'
import { listOf } from './list.ts'
import { record } from './record.ts'

const ACTION_CHARS_MAX = 64
const moment = integer(0, Number.MAX_SAFE_INTEGER)

/** [O11] `GET /v1/audit`. */
export const AuditQuery = v.object({
  limit: v.optional(integer(1, PAGE_SIZE_MAX), PAGE_SIZE_DEFAULT),
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[\w-]+$/, 'must be a next_cursor returned by this list'))),
  action: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z]+$/, 'must be the name of an action'), v.maxLength(ACTION_CHARS_MAX)),
  ),
  key_id: v.optional(v.pipe(v.string(), v.uuid('must be the id of a key'))),
  from: v.optional(moment),
  to: v.optional(moment),
})

/** Who it was. */
export const AuditActor = v.object({
  kind: v.picklist(['key', 'user', 'browser', 'schedule', 'operator', 'owner', 'provider']),
  id: v.nullable(v.string()),
  name: v.string(),
  role: v.nullable(v.picklist(['owner', 'member', 'viewer'])),
})

export const AuditEntry = v.object({
  id: uuid,
  at: ms,
  action: v.string(),
  outcome: v.picklist(['done', 'refused']),
  actor: AuditActor,
  key_id: v.nullable(v.string()),
  resource_id: v.nullable(v.string()),
  address: v.nullable(v.string()),
  details: v.nullable(record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()])))),
})
export type AuditEntry = v.InferOutput<typeof AuditEntry>

export const AuditList = listOf('entries', AuditEntry)
export type AuditList = v.InferOutput<typeof AuditList>

export const auditJson = (record: AuditRecord): AuditEntry => ({
  id: record.id,
  at: record.at,
  action: record.action,
  outcome: record.outcome,
  actor: record.actor,
  key_id: record.keyId,
  resource_id: record.resource,
  address: record.address,
  details: record.details === null ? null : { ...record.details },
})
