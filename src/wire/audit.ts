import * as v from 'valibot'
import type { AuditRecord } from '../../machines/audit-records.ts'
import { AT, KEY, TASK } from './example-values.ts'
import { field, id, integer, ms } from './fields.ts'
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './limits.ts'
import { listOf, pageCursor, pageLimit } from './list.ts'
import { record } from './record.ts'

const ACTION_CHARS_MAX = 64
const moment = integer(0, Number.MAX_SAFE_INTEGER)

/** [O11] `GET /v1/audit`. */
export const AuditQuery = v.object({
  limit: pageLimit(PAGE_SIZE_MAX, PAGE_SIZE_DEFAULT),
  cursor: pageCursor,
  action: field(
    v.optional(
      v.pipe(v.string(), v.regex(/^[A-Za-z]+$/, 'must be the name of an action'), v.maxLength(ACTION_CHARS_MAX)),
    ),
    'Only what has this name, such as `createApiKey` or `signIn`.',
    'createApiKey',
  ),
  key_id: field(
    v.optional(v.pipe(v.string(), v.uuid('must be the id of a key'))),
    'Only what was done by this key.',
    KEY,
  ),
  from: field(v.optional(moment), 'At this moment or later, in milliseconds since 1970.', AT),
  to: field(v.optional(moment), 'Before this moment, in milliseconds since 1970.', AT),
})

/** Who it was. */
export const AuditActor = v.object({
  kind: field(
    v.picklist(['key', 'user', 'browser', 'schedule', 'operator', 'owner', 'provider']),
    'What they are.',
    'user',
  ),
  id: field(v.nullable(v.string()), 'The id of the key, the user or the browser session; null for others.', KEY),
  name: field(v.string(), 'The name of the key, or name and address of the user.', 'Ann (ann@example.com)'),
  role: field(v.nullable(v.picklist(['owner', 'member', 'viewer'])), 'The role of the user in the workspace.', 'owner'),
})

export const AuditEntry = v.object({
  id,
  at: field(ms, 'When it was done, in milliseconds since 1970.', AT),
  action: field(v.string(), 'The operation of the API, or what was done past it, such as `signIn`.', 'createApiKey'),
  outcome: field(
    v.picklist(['done', 'refused']),
    'Whether it was done, or refused because they may not do it.',
    'done',
  ),
  actor: field(AuditActor, 'Who it was.'),
  key_id: field(v.nullable(v.string()), 'The key by which it was done; null for users and operators.', KEY),
  resource_id: field(v.nullable(v.string()), 'The id of what it was done to.', TASK),
  address: field(
    v.nullable(v.string()),
    'The address of the client; null on the machine of the service, and over the socket of a browser.',
    '192.0.2.7',
  ),
  details: field(
    v.nullable(record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()])))),
    'What was changed.',
    { name: 'backend', type: 'secret' },
  ),
})
export type AuditEntry = v.InferOutput<typeof AuditEntry>

export const AuditList = listOf('entries', AuditEntry, 'A page of what was done, newest first.')
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
