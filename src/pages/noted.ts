import type { AuditAction, AuditActor, AuditRecord } from '../../machines/audit-records.ts'
import type { WorkspaceRecord } from '../../machines/records.ts'
import type { Request } from '../http/transport.ts'
import { roleOf } from '../roles.ts'
import type { PagesDeps } from './deps.ts'
import type { Viewer } from './viewer.ts'

/** What the pages do as the API does it, by the names of its operations. */
type Operation = 'createApiKey' | 'deleteApiKey' | 'createPairing' | 'updateLimits'

/** Who submitted a form, in which workspace. */
interface Submitted {
  readonly viewer: Viewer
  readonly workspace: Pick<WorkspaceRecord, 'id' | 'members' | 'roles'>
  readonly request: Pick<Request, 'headers' | 'ip'>
}

/** [O11] Notes what a form of a page has done. */
export function note(
  { audit, foundAt }: Pick<PagesDeps, 'audit' | 'foundAt'>,
  { viewer, workspace, request }: Submitted,
  action: AuditAction | Operation,
  { resource = null, details = null }: Partial<Pick<AuditRecord, 'resource' | 'details'>> = {},
): void {
  audit?.note({
    workspaceId: workspace.id,
    action,
    actor: actorOf(viewer, workspace),
    keyId: viewer.keyId,
    resource,
    details,
    address: foundAt(request).address,
  })
}

function actorOf({ kind, name, keyId, userId }: Viewer, workspace: Submitted['workspace']): AuditActor {
  return kind === 'member'
    ? { kind: 'user', id: userId, name, role: roleOf(workspace, userId ?? '') }
    : { kind: 'key', id: keyId, name: name.replace(/^Key /, ''), role: null }
}
