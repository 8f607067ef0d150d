import { AuditList, AuditQuery, auditJson } from '../../wire/audit.ts'
import { pageOf } from '../../wire/list.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { keyRoute, type Route } from '../route.ts'
import { cursorOf, positionOf } from './cursor.ts'

/** [O11] What was done in a workspace, for those who manage it. */
export const auditRoutes = ({ store }: Pick<HttpDeps, 'store'>): readonly Route[] => [
  keyRoute({
    method: 'GET',
    path: '/v1/audit',
    action: 'read the audit log',
    right: 'manage',
    query: AuditQuery,
    about: { summary: 'List audit log entries', tag: 'Audit log', answers: { 200: AuditList } },
    run: async ({ principal: { workspaceId }, query: { limit, cursor, action, key_id: keyId, from, to } }) => {
      const after = cursor === undefined ? null : positionOf(cursor)
      if (cursor !== undefined && after === null) return refuse('cursor_invalid')
      const page = { workspaceId, action, keyId, from, to, after, limit: limit + 1 }
      const records = await store.audit.list(page)
      const shown = records.slice(0, limit)
      const last = shown.at(-1)
      const next = records.length > limit && last ? cursorOf({ createdAt: last.at, id: last.id }) : null
      return json(200, pageOf('entries', shown.map(auditJson), next))
    },
  }),
]
