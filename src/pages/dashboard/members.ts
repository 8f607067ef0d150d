import type { Role, WorkspaceRecord } from '../../../machines/records.ts'
import type { Response } from '../../http/transport.ts'
import { type Invitation, MEMBERS_MAX, type MemberView } from '../../members.ts'
import { ROLES } from '../../roles.ts'
import type { PagesDeps } from '../deps.ts'
import { type Html, html, time } from '../html.ts'
import { may, type Viewer } from '../viewer.ts'
import { action, framed, heads, workspaceField } from './frame.ts'

export const PATH = '/dashboard/members'
type Deps = Pick<PagesDeps, 'members'>

/** What is said above the page once: the link of an invitation that was made just now, or what failed. */
interface Said {
  readonly invited?: { readonly email: string; readonly link: string; readonly sent: boolean }
  readonly failed?: string
}

/** [A34] Who belongs to a workspace, as what; and for its owners, who is invited. */
export async function members(
  viewer: Viewer,
  workspace: WorkspaceRecord,
  deps: Deps,
  { invited, failed }: Said = {},
): Promise<Response> {
  const frame = { viewer, workspace, tab: PATH, status: failed === undefined ? 200 : 400 } as const
  if (viewer.kind !== 'member') return framed('Members', frame, forKeys(workspace, failed))
  const mayManage = may(viewer, workspace, 'manage')
  const [all, invitations] = await Promise.all([
    deps.members.list(workspace),
    mayManage ? deps.members.invitations(workspace.id) : [],
  ])
  return framed(
    'Members',
    frame,
    html`${failed === undefined ? null : html`<p role="alert">${failed}</p>`}${invited === undefined ? null : invitedNote(invited)}
${memberTable(all, viewer, workspace, mayManage)}
<p class="quiet">Owners can do everything. Members can start tasks and pair browsers, but not manage keys, webhooks or members. Viewers can only read. <a href="/docs/security#roles">Roles</a></p>
${mayManage ? invitationPart(invitations, workspace) : null}`,
  )
}

const forKeys = ({ members, id }: WorkspaceRecord, failed?: string): Html =>
  html`${failed === undefined ? null : html`<p role="alert">${failed}</p>`}${
    members.length === 0
      ? html`<p>Nobody has an account in this workspace yet: it is used by its keys alone. Create an account to sign in without a key and to invite others.</p>
<p><a class="button" href="/dashboard/claim?workspace=${id}">Create an account for this workspace</a></p>`
      : html`<p>You are signed in with a key. Members are managed by owners who sign in with their account.</p>`
  }`

const invitedNote = ({ email, link, sent }: NonNullable<Said['invited']>): Html => html`<div class="made" role="status">
<p><strong>${email} is invited.</strong> ${sent ? 'The link was sent by e-mail.' : 'Give them this link:'} It works once, within a week, and is not shown again.</p>
<pre tabindex="0" aria-label="The invitation link" data-copy><code>${link}</code></pre>
</div>`

const roleField = (id: string, role: Role, label: string): Html =>
  html`<select id="${id}" name="role" aria-label="${label}">${ROLES.map((each) =>
    each === role
      ? html`<option value="${each}" selected>${each}</option>`
      : html`<option value="${each}">${each}</option>`,
  )}</select>`

function memberTable(all: readonly MemberView[], viewer: Viewer, workspace: WorkspaceRecord, mayManage: boolean): Html {
  const rows = all.map(({ userId, name, email, role }, n) => {
    const who = email ?? `User ${userId.slice(0, 8)}`
    const isSelf = userId === viewer.userId
    const roleForm = html`<label class="hidden" for="role-${n}">Role of ${who}</label><form class="inline" method="post" action="${PATH}/${userId}/role">${workspaceField(workspace)}${roleField(`role-${n}`, role, `Role of ${who}`)}<button class="plain" aria-label="Save the role of ${who}">Save</button></form>`
    const leave = action(`${PATH}/${userId}/remove`, workspace, 'Leave', 'this workspace', {
      question: `Leave the workspace ${workspace.name}? Only an owner can invite you again.`,
    })
    const remove = action(`${PATH}/${userId}/remove`, workspace, 'Remove', who, {
      question: `Remove ${who} from the workspace ${workspace.name}? Their sign-in no longer opens it. Keys and browsers stay.`,
    })
    return html`<tr role="row">
<th role="rowheader" scope="row" class="words">${name ?? who}${isSelf ? html` <span class="quiet">(you)</span>` : null}</th>
<td role="cell" data-label="Email" class="words">${email ?? html`<span class="quiet">no account here</span>`}</td>
<td role="cell" data-label="Role">${mayManage ? roleForm : role}</td>
<td role="cell">${isSelf ? leave : mayManage ? remove : null}</td>
</tr>
`
  })
  return html`<div class="table cards" role="region" aria-label="Members" tabindex="0"><table role="table">
<caption>The members of this workspace</caption>
${heads(['Name', 'Email', 'Role', 'Action'])}
<tbody role="rowgroup">
${rows}</tbody>
</table></div>`
}

const invitationPart = (invitations: readonly Invitation[], workspace: WorkspaceRecord): Html => html`<h2>Invite</h2>
<form class="start row" method="post" action="${PATH}">
${workspaceField(workspace)}
<label for="email">Email<input id="email" name="email" type="email" maxlength="254" required></label>
<label for="role">Role${roleField('role', 'member', 'Role')}</label>
<button class="main">Invite</button>
</form>
${
  invitations.length === 0
    ? null
    : html`<h2>Open invitations</h2>
<div class="table cards" role="region" aria-label="Invitations" tabindex="0"><table role="table">
<caption>Invitations that nobody has accepted yet, oldest first</caption>
${heads(['Email', 'Role', 'Invited by', 'Until', 'Action'])}
<tbody role="rowgroup">
${invitations.map(
  ({ id, email, role, invitedBy, expiresAt }) => html`<tr role="row">
<th role="rowheader" scope="row" class="words">${email}</th>
<td role="cell" data-label="Role">${role}</td>
<td role="cell" data-label="Invited by" class="words">${invitedBy}</td>
<td role="cell" data-label="Until">${time(expiresAt)}</td>
<td role="cell">${action(`${PATH}/invitations/${id}/remove`, workspace, 'Revoke', `the invitation of ${email}`, { question: `Revoke the invitation of ${email}? Its link stops working.` })}</td>
</tr>
`,
)}</tbody>
</table></div>`
}`

/** Why a form on this page did nothing. */
export const FAILED = {
  email_invalid: 'Enter a valid e-mail address and a role.',
  already_member: 'They are a member of this workspace already.',
  too_many: `A workspace has at most ${MEMBERS_MAX} members and invitations, and one person sends at most 30 invitations an hour.`,
  not_a_member: 'They are not a member of this workspace any more.',
  last_owner: 'A workspace needs an owner: make somebody else an owner first.',
} as const
