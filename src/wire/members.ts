import * as v from 'valibot'
import { PASSWORD_CHARS_MIN } from '../../machines/limits.ts'
import { INVITATION, KEY, MEMBER } from './example-values.ts'
import { absentable, created_at, expires_at, field, filledText, text, workspace_id } from './fields.ts'
import { TOKEN_CHARS_MAX } from './limits.ts'
import { listOf } from './list.ts'

const PASSWORD_CHARS_MAX = 128
const ADDRESS_CHARS_MAX = 254

const role = field(
  v.picklist(['owner', 'member', 'viewer'], 'must be owner, member or viewer'),
  'What they may do: an owner everything, a member start tasks, a viewer only read.',
  'member',
)
const address = v.pipe(
  text(ADDRESS_CHARS_MAX),
  v.regex(/^[^\s@<>",;]+@[^\s@<>",;]+$/, 'must be a valid e-mail address'),
)

/** [A34] A user who belongs to a workspace. */
export const Member = v.object({
  id: field(v.string(), 'The id of the user.', MEMBER),
  /** `null`: the account is not in this store. */
  name: field(v.nullable(v.string()), 'Their name; null when their account is not in this store.', 'Ann'),
  email: field(
    v.nullable(v.string()),
    'Their e-mail address; null when their account is not in this store.',
    'ann@example.com',
  ),
  role,
  /** Whether it is who asks. */
  is_self: field(v.boolean(), 'Whether it is you.', false),
})
export type Member = v.InferOutput<typeof Member>
export const MemberList = listOf('members', Member, 'All members.')
export type MemberList = v.InferOutput<typeof MemberList>

/** [A36] */
export const SetRoleBody = v.strictObject({ role })
export const RoleSet = v.object({
  id: field(v.string(), 'The id of the user.', MEMBER),
  role,
})
export type RoleSet = v.InferOutput<typeof RoleSet>

/** [A34] */
export const InviteBody = v.strictObject({
  email: field(address, 'Who is invited.', 'bob@example.com'),
  role,
})
export const Invitation = v.object({
  id: field(v.string(), 'The id of the invitation.', INVITATION),
  email: field(v.string(), 'Their e-mail address.', 'ann@example.com'),
  role,
  invited_by: field(v.string(), 'Who invited.', 'Ann (ann@example.com)'),
  created_at,
  expires_at,
})
export type Invitation = v.InferOutput<typeof Invitation>
/** The only answer that shows the link. */
export const InvitationCreated = v.object({
  ...Invitation.entries,
  invitation_url: field(
    v.string(),
    'The link by which they join. It is shown once.',
    `https://svc.example.com/invite/svc_inv_${'0'.repeat(64)}`,
  ),
  sent: field(v.boolean(), 'Whether the link was sent by e-mail, too.', true),
})
export type InvitationCreated = v.InferOutput<typeof InvitationCreated>
export const InvitationList = listOf('invitations', Invitation, 'All open invitations, oldest first.')
export type InvitationList = v.InferOutput<typeof InvitationList>

/** [A35] */
export const AcceptInvitationBody = v.strictObject({
  token: field(text(TOKEN_CHARS_MAX), 'The end of the link.', `svc_inv_${'0'.repeat(64)}`),
})
/** [A38] Without a key, the one counts that this browser is signed in with. */
export const ClaimWorkspaceBody = v.strictObject({
  key: field(
    absentable(text(TOKEN_CHARS_MAX)),
    'A secret key of the workspace; left out, the one that this browser is signed in with.',
    `svc_live_${'0'.repeat(48)}`,
  ),
})
/** The workspace that the user belongs to from now on. */
export const Joined = v.object({
  workspace_id,
  name: field(v.string(), 'Its name.', 'Acme'),
  role,
})
export type Joined = v.InferOutput<typeof Joined>

/** [A38] By which key the workspace was taken over. */
export const Claimed = v.object({
  ...Joined.entries,
  key_id: field(v.string(), 'The key by which the workspace was taken over.', KEY),
})
export type Claimed = v.InferOutput<typeof Claimed>

/** [A32] */
export const ChangePasswordBody = v.strictObject({
  current_password: field(text(PASSWORD_CHARS_MAX), 'The password until now.', 'correct horse battery'),
  new_password: field(
    filledText(PASSWORD_CHARS_MIN, PASSWORD_CHARS_MAX),
    'The password from now on.',
    'another battery staple',
  ),
})
export const PasswordChanged = v.object({ changed: field(v.literal(true), 'It is changed.') })
export type PasswordChanged = v.InferOutput<typeof PasswordChanged>

/** [P43] What you are told by e-mail. */
export const Notifications = v.object({
  email: field(v.boolean(), 'Whether you get an e-mail when a task has waited for a person for a minute.', true),
  can_send: field(v.boolean(), 'Whether the service sends e-mail.', true),
})
export type Notifications = v.InferOutput<typeof Notifications>
export const SetNotificationsBody = v.strictObject({
  email: field(v.boolean(), 'Whether you want an e-mail when a task has waited for a person for a minute.', true),
})
