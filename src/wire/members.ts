import * as v from 'valibot'
import { PASSWORD_CHARS_MIN } from '../../machines/limits.ts'
import { absentable, filledText, ms, text } from './fields.ts'
import { TOKEN_CHARS_MAX } from './limits.ts'
import { listOf } from './list.ts'

const PASSWORD_CHARS_MAX = 128
const ADDRESS_CHARS_MAX = 254

const role = v.picklist(['owner', 'member', 'viewer'], 'must be owner, member or viewer')
const address = v.pipe(
  text(ADDRESS_CHARS_MAX),
  v.regex(/^[^\s@<>",;]+@[^\s@<>",;]+$/, 'must be a valid e-mail address'),
)

/** [A34] A user who belongs to a workspace. */
export const Member = v.object({
  id: v.string(),
  /** `null`: the account is not in this store. */
  name: v.nullable(v.string()),
  email: v.nullable(v.string()),
  role,
  /** Whether it is who asks. */
  is_self: v.boolean(),
})
export type Member = v.InferOutput<typeof Member>
export const MemberList = listOf('members', Member)
export type MemberList = v.InferOutput<typeof MemberList>

/** [A36] */
export const SetRoleBody = v.strictObject({ role })
export const RoleSet = v.object({ id: v.string(), role })
export type RoleSet = v.InferOutput<typeof RoleSet>

/** [A34] */
export const InviteBody = v.strictObject({ email: address, role })
export const Invitation = v.object({
  id: v.string(),
  email: v.string(),
  role,
  invited_by: v.string(),
  created_at: ms,
  expires_at: ms,
})
export type Invitation = v.InferOutput<typeof Invitation>
/** The only answer that shows the link. */
export const InvitationCreated = v.object({ ...Invitation.entries, invitation_url: v.string(), sent: v.boolean() })
export type InvitationCreated = v.InferOutput<typeof InvitationCreated>
export const InvitationList = listOf('invitations', Invitation)
export type InvitationList = v.InferOutput<typeof InvitationList>

/** [A35] */
export const AcceptInvitationBody = v.strictObject({ token: text(TOKEN_CHARS_MAX) })
/** [A38] Without a key, the one counts that this browser is signed in with. */
export const ClaimWorkspaceBody = v.strictObject({ key: absentable(text(TOKEN_CHARS_MAX)) })
/** The workspace that the user belongs to from now on. */
export const Joined = v.object({ workspace_id: v.string(), name: v.string(), role })
export type Joined = v.InferOutput<typeof Joined>

/** [A38] By which key the workspace was taken over. */
export const Claimed = v.object({ ...Joined.entries, key_id: v.string() })
export type Claimed = v.InferOutput<typeof Claimed>

/** [A32] */
export const ChangePasswordBody = v.strictObject({
  current_password: text(PASSWORD_CHARS_MAX),
  new_password: filledText(PASSWORD_CHARS_MIN, PASSWORD_CHARS_MAX),
})
export const PasswordChanged = v.object({ changed: v.literal(true) })
export type PasswordChanged = v.InferOutput<typeof PasswordChanged>

/** [P43] What you are told by e-mail. */
export const Notifications = v.object({ email: v.boolean(), can_send: v.boolean() })
export type Notifications = v.InferOutput<typeof Notifications>
export const SetNotificationsBody = v.strictObject({ email: v.boolean() })
