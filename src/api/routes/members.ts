import type { Invitation } from '../../identity/members.ts'
import { mayAs, roleOf } from '../../identity/roles.ts'
import { pageOf } from '../../wire/list.ts'
import {
  AcceptInvitationBody,
  InvitationCreated,
  type Invitation as InvitationJson,
  InvitationList,
  InviteBody,
  Joined,
  MemberList,
  RoleSet,
  SetRoleBody,
} from '../../wire/members.ts'
import { Deleted } from '../../wire/sessions.ts'
import type { HttpDeps } from '../deps.ts'
import { refuse } from '../refusals.ts'
import { json } from '../replies.ts'
import { type Route, userRoute } from '../route.ts'

const tag = 'Members'

/** [A34–A36] Who belongs to a workspace, and the invitations by which people come. */
export const memberRoutes = (deps: Pick<HttpDeps, 'members' | 'store' | 'requestOriginOf'>): readonly Route[] => {
  const { members, store, requestOriginOf } = deps
  const invitationJson = ({ id, email, role, invitedBy, createdAt, expiresAt }: Invitation): InvitationJson => ({
    ...{ id, email, role, invited_by: invitedBy, created_at: createdAt, expires_at: expiresAt },
  })
  return [
    userRoute({
      method: 'GET',
      path: '/v1/members',
      right: 'read',
      about: { summary: 'List members', tag, answers: { 200: MemberList } },
      run: async ({ principal: { workspaceId, userId: own } }) => {
        const workspace = await store.workspaces.get(workspaceId)
        const all = workspace ? await members.list(workspace) : []
        const list = all.map(({ userId, name, email, role }) => ({
          id: userId,
          name,
          email,
          role,
          is_self: userId === own,
        }))
        return json(200, pageOf('members', list) satisfies MemberList)
      },
    }),
    userRoute({
      method: 'PATCH',
      path: '/v1/members/:id',
      right: 'manage',
      body: SetRoleBody,
      about: {
        summary: 'Change the role of a member',
        tag,
        answers: { 200: RoleSet },
        errors: { 404: ['member_not_found'], 409: ['last_owner'] },
      },
      run: async ({ principal: { workspaceId }, params: [id = ''], body: { role } }) => {
        const changed = await members.setRole(workspaceId, id, role)
        return changed === 'done' ? json(200, { id, role } satisfies RoleSet) : refuse(changed)
      },
    }),
    userRoute({
      method: 'DELETE',
      path: '/v1/members/:id',
      right: 'read',
      about: {
        summary: 'Remove a member',
        tag,
        answers: { 200: Deleted },
        errors: { 403: ['role_not_allowed'], 404: ['member_not_found'], 409: ['last_owner'] },
      },
      run: async ({ principal: { workspaceId, userId, role }, params: [id = ''] }) => {
        if (id !== userId && !mayAs(role, 'manage')) return refuse('role_not_allowed')
        const changed = await members.remove(workspaceId, id)
        return changed === 'done' ? json(200, { id, deleted: true } satisfies Deleted) : refuse(changed)
      },
    }),
    userRoute({
      method: 'GET',
      path: '/v1/invitations',
      right: 'manage',
      about: { summary: 'List invitations', tag, answers: { 200: InvitationList } },
      run: async ({ principal: { workspaceId } }) => {
        const open = await members.invitations(workspaceId)
        return json(200, pageOf('invitations', open.map(invitationJson)) satisfies InvitationList)
      },
    }),
    userRoute({
      method: 'POST',
      path: '/v1/invitations',
      right: 'manage',
      body: InviteBody,
      about: {
        summary: 'Invite a person',
        tag,
        answers: { 201: InvitationCreated },
        errors: { 409: ['already_member', 'too_many_members'], 429: ['too_many_invitations'] },
      },
      run: async ({ principal: { workspaceId, userId, actor }, body, request }) => {
        const workspace = await store.workspaces.get(workspaceId)
        if (workspace === null) return refuse('not_found')
        const made = await members.invite(workspace, body, { userId, actor }, requestOriginOf(request).origin)
        if (typeof made === 'string') return refuse(made)
        const { invitation, link, sent } = made
        const created: InvitationCreated = { ...invitationJson(invitation), invitation_url: link, sent }
        return json(201, created)
      },
    }),
    userRoute({
      method: 'DELETE',
      path: '/v1/invitations/:id',
      right: 'manage',
      about: {
        summary: 'Revoke an invitation',
        tag,
        answers: { 200: Deleted },
        errors: { 404: ['invitation_not_found'] },
      },
      run: async ({ principal: { workspaceId }, params: [id = ''] }) =>
        (await members.revoke(workspaceId, id))
          ? json(200, { id, deleted: true } satisfies Deleted)
          : refuse('invitation_not_found'),
    }),
    userRoute({
      method: 'POST',
      path: '/v1/invitations/accept',
      right: 'read',
      body: AcceptInvitationBody,
      about: {
        summary: 'Join a workspace',
        tag,
        answers: { 200: Joined },
        errors: { 404: ['invitation_not_found'] },
      },
      run: async ({ principal: { userId }, body: { token } }) => {
        const joined = await members.join(token, userId)
        if (joined === null) return refuse('invitation_not_found')
        const { id, name } = joined
        return json(200, { workspace_id: id, name, role: roleOf(joined, userId) ?? 'viewer' } satisfies Joined)
      },
    }),
  ]
}
