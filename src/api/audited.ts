import { AUDIT_ACTIONS, type AuditActor, type AuditRecord } from '../../machines/audit-records.ts'
import { MINUTE_MS } from '../../machines/limits.ts'
import type { Role } from '../../machines/records.ts'
import type { Request, Response } from '../net/transport.ts'
import { Windows } from '../net/windows.ts'
import { LIMIT_NAMES } from '../wire/workspace-limits.ts'
import type { HttpDeps } from './deps.ts'
import { operationIdOf } from './openapi/route-texts.ts'
import type { RouteMatch } from './path-match.ts'
import type { Principal, Route } from './route.ts'

/** Refusals of a workspace that are noted in a minute: a key that is in anyone's hands must not fill the log. */
const REFUSALS_PER_MINUTE_MAX = 60
const FORBIDDEN = 403

/** Fields of an answer that say what was changed, by operation. None of them is a secret or a text of a task. */
const DETAILS: Readonly<Record<string, readonly string[]>> = {
  createApiKey: ['name', 'type'],
  inviteMember: ['email', 'role'],
  setMemberRole: ['role'],
  claimWorkspace: ['key_id'],
  updateBrowserSession: ['allow_tasks'],
  updateLimits: LIMIT_NAMES,
}

/** [O11] Notes a request that has changed something, or was refused because its sender may not do it. */
export function createAudited({
  audit,
  requestOriginOf,
  clock,
}: Pick<HttpDeps, 'audit' | 'requestOriginOf' | 'clock'>) {
  const refused = new Windows(MINUTE_MS, REFUSALS_PER_MINUTE_MAX)
  return (
    request: Request,
    { found, principal }: { readonly found: RouteMatch<Route> | null; readonly principal: Principal | null },
    response: Response,
  ): void => {
    if (!audit || !found || !principal || principal.readToken) return
    const { route, params } = found
    const { keyId } = principal
    const action = operationIdOf(route)
    const isDone = route.method !== 'GET' && response.status < 300 && !isReplayed(response) && !isNotedElsewhere(action)
    const isRefused = response.status === FORBIDDEN && refused.takes(principal.workspaceId, clock.now())
    if (!isDone && !isRefused) return
    const answer = isDone ? jsonOf(response) : {}
    const created = typeof answer.id === 'string' ? answer.id : null
    // Who joins a workspace has asked from another one.
    const joined = typeof answer.workspace_id === 'string' && answer.workspace_id !== principal.workspaceId
    const [workspaceId, role] = joined
      ? [answer.workspace_id as string, answer.role as Role]
      : [principal.workspaceId, principal.role]
    audit.note({
      workspaceId,
      action,
      outcome: isDone ? 'done' : 'refused',
      actor: auditActorOf({ ...principal, ...(role === undefined ? {} : { role }) }),
      keyId,
      resource: created ?? params[0] ?? null,
      address: requestOriginOf(request).address,
      details: detailsOf(action === 'updateLimits' ? answer.own : answer, DETAILS[action]),
    })
  }
}

/** Who a request comes from, as the audit log names them. */
export const auditActorOf = ({ keyId, keyName, userId, actor, role }: Principal): AuditActor =>
  keyId === null
    ? { kind: 'user', id: userId ?? null, name: actor, role: role ?? null }
    : { kind: 'key', id: keyId, name: keyName, role: null }

/** What the sign-in does is noted there, for each workspace of the user; of clicks and keys in a page the sign-in or pause is noted. */
const isNotedElsewhere = (action: string): boolean =>
  action === 'sendLiveInput' || (AUDIT_ACTIONS as readonly string[]).includes(action)

const isReplayed = ({ headers }: Response): boolean => headers.some(([name]) => name === 'Idempotent-Replayed')

function jsonOf({ body }: Response): Readonly<Record<string, unknown>> {
  if (typeof body !== 'string' || !body.startsWith('{')) return {}
  return JSON.parse(body) as Record<string, unknown>
}

function detailsOf(answer: unknown, names: readonly string[] = []): AuditRecord['details'] {
  const known = Object.entries(answer ?? {}).filter(([name, value]) => names.includes(name) && value !== null)
  return known.length === 0 ? null : (Object.fromEntries(known) as AuditRecord['details'])
}
