import type { WorkspaceRecord } from '../../../machines/records.ts'
import type { Request, Response } from '../../http/transport.ts'
import { type Right, ROLES } from '../../roles.ts'
import type { PagesDeps } from '../deps.ts'
import { redirect } from '../html.ts'
import { note } from '../noted.ts'
import { may, type Viewer } from '../viewer.ts'
import { notAllowed } from './frame.ts'
import { FAILED, members, PATH } from './members.ts'

interface Submitted {
  readonly viewer: Viewer
  readonly workspace: WorkspaceRecord
  readonly form: URLSearchParams
  readonly request: Request
}
type Run = (submitted: Submitted, id?: string) => Promise<Response | null>

/** [A34–A36] What the forms on the members page do, by the path under it, and the right that each needs. */
export function memberForms(deps: PagesDeps): Readonly<Record<string, readonly [Right, Run]>> {
  const back = ({ id }: WorkspaceRecord) => redirect(`${PATH}?workspace=${id}`, 303)
  const failed = ({ viewer, workspace }: Submitted, why: keyof typeof FAILED) =>
    members(viewer, workspace, deps, { failed: FAILED[why] })

  const invite: Run = async (submitted) => {
    const { viewer, workspace, form, request } = submitted
    const { userId, user } = viewer
    const role = ROLES.find((each) => each === form.get('role'))
    if (userId === null || user === null || role === undefined) return failed(submitted, 'email_invalid')
    const email = (form.get('email') ?? '').trim()
    const origin = deps.config.publicUrl ?? deps.foundAt(request).origin
    const made = await deps.members.invite(workspace, { email, role }, { userId, ...user }, origin)
    if (typeof made === 'string') return failed(submitted, made)
    note(deps, submitted, 'inviteMember', { details: { email, role } })
    return members(viewer, workspace, deps, { invited: { email, ...made } })
  }

  const setRole: Run = async (submitted, userId = '') => {
    const role = ROLES.find((each) => each === submitted.form.get('role'))
    if (role === undefined) return failed(submitted, 'email_invalid')
    const outcome = await deps.members.setRole(submitted.workspace.id, userId, role)
    if (outcome !== 'done') return failed(submitted, outcome)
    note(deps, submitted, 'setMemberRole', { resource: userId, details: { role } })
    return back(submitted.workspace)
  }

  /** An owner removes others; everybody may leave. */
  const remove: Run = async (submitted, userId = '') => {
    const { viewer, workspace } = submitted
    const isSelf = userId === viewer.userId
    if (!isSelf && !may(viewer, workspace, 'manage')) return notAllowed(viewer, workspace)
    const outcome = await deps.members.remove(workspace.id, userId)
    if (outcome !== 'done') return failed(submitted, outcome)
    note(deps, submitted, 'removeMember', { resource: userId })
    return isSelf ? redirect('/dashboard', 303) : back(workspace)
  }

  const takeBack: Run = async (submitted, id = '') => {
    const { workspace } = submitted
    if (await deps.members.revoke(workspace.id, id)) note(deps, submitted, 'revokeInvitation')
    return back(workspace)
  }

  return {
    '': ['manage', invite],
    '/:id/role': ['manage', setRole],
    '/:id/remove': ['read', remove],
    '/invitations/:id/remove': ['manage', takeBack],
  }
}
