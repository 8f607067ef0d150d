import type { Invitation, InvitationCreated, Member } from '../../../wire/members.ts'
import { openApi } from '../api.ts'
import { FormButton } from '../form.tsx'
import { capitalized } from '../format.ts'
import { LongTable } from '../long-table.tsx'
import { Table } from '../table.tsx'
import { Ago, Loading, Made, Menu, PageHead, useNow } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'

export interface MembersPageProps {
  readonly workspaceId: string
  readonly workspaceName: string
  readonly mayManage: boolean
}

const ROLES = [
  ['member', 'Member', 'Starts tasks and pairs browsers.'],
  ['owner', 'Owner', 'Manages keys, webhooks and members, too.'],
  ['viewer', 'Viewer', 'Only reads.'],
] as const

/** [A34] Who belongs to a workspace, as what; and for its owners, who is invited. */
export function MembersPage({ workspaceId, workspaceName, mayManage }: MembersPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, failed, attempt } = useAnswer(() => api.members.list(), [api])
  const invitations = useAnswer(async () => (mayManage ? api.members.invitations() : []), [api])
  const [made, setMade] = useState<InvitationCreated | null>(null)
  const invite = async (given: Readonly<Record<string, string>>) => {
    setMade(await api.members.invite(given as { email: string; role: Member['role'] }))
    await invitations.read()
  }
  if (answer === null) return <Loading failed={failed} />
  const leave = async (id: string) => {
    await api.members.remove(id)
    location.assign('/dashboard')
  }
  return (
    <>
      <PageHead
        failed={failed ?? invitations.failed}
        docs={['/docs/security#roles', 'What each role may do']}
        action={
          mayManage ? (
            <FormButton
              opens="Invite"
              title="Invite to this workspace"
              button="Invite"
              send={invite}
              at={{ already_member: 'email' }}
              fields={[
                { name: 'email', label: 'Email', type: 'email', required: true, maxLength: 254 },
                { name: 'role', label: 'Role', type: 'radio', options: ROLES },
              ]}
            />
          ) : null
        }
      >
        Who signs in to this workspace with an account. Viewers only read, members also start tasks and pair browsers,
        owners also manage keys, webhooks and members.
      </PageHead>
      {made === null ? null : (
        <Made label="The invitation link" text={made.invitation_url}>
          <strong>{made.email} is invited.</strong>{' '}
          {made.sent ? 'The link was sent by e-mail.' : 'Give them this link:'} It works once, within a week, and is not
          shown again.
        </Made>
      )}
      <LongTable
        what="member"
        textOf={({ name, email }) => `${name ?? ''} ${email ?? ''}`}
        label="Members"
        caption="The members of this workspace"
        rows={answer}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Name',
            cell: (member) => (
              <>
                {member.name ?? nameOf(member)} {member.is_self ? <span class="quiet">(you)</span> : null}
              </>
            ),
          },
          {
            head: 'Email',
            words: true,
            cell: ({ email }) => email ?? <span class="quiet">no account here</span>,
          },
          {
            head: 'Role',
            cell: (member) =>
              mayManage ? (
                <RoleSelect
                  of={member}
                  save={(role, saved) => attempt(() => api.members.setRole(member.id, role).then(saved))()}
                />
              ) : (
                capitalized(member.role)
              ),
          },
          {
            head: 'Actions',
            cell: (member) =>
              !member.is_self && !mayManage ? null : (
                <Menu
                  of={nameOf(member)}
                  items={[
                    member.is_self
                      ? {
                          words: 'Leave',
                          ends: true,
                          question: `Leave the workspace ${workspaceName}? Only an owner can invite you again.`,
                          act: attempt(() => leave(member.id)),
                        }
                      : {
                          words: 'Remove',
                          ends: true,
                          question: `Remove ${nameOf(member)} from the workspace ${workspaceName}? Their sign-in no longer opens it. Keys and browsers stay.`,
                          act: attempt(() => api.members.remove(member.id)),
                        },
                  ]}
                />
              ),
          },
        ]}
      />
      {invitations.answer === null || invitations.answer.length === 0 ? null : (
        <OpenInvitations
          all={invitations.answer}
          revoke={({ id }) => invitations.attempt(() => api.members.revokeInvitation(id))()}
        />
      )}
    </>
  )
}

const nameOf = ({ id, email }: Member): string => email ?? `User ${id.slice(0, 8)}`

interface RoleSelectProps {
  readonly of: Member
  /** Calls `saved` once it is. */
  save(role: Member['role'], saved: () => void): Promise<void>
}

/** The role of a member; another one is saved as soon as it is chosen. */
function RoleSelect({ of: member, save }: RoleSelectProps) {
  const [isSaved, setSaved] = useState(false)
  const choose = (role: string) => {
    setSaved(false)
    return save(role as Member['role'], () => setSaved(true))
  }
  return (
    <div class="inline">
      <select
        aria-label={`Role of ${nameOf(member)}`}
        value={member.role}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {ROLES.map(([role, words]) => (
          <option key={role} value={role}>
            {words}
          </option>
        ))}
      </select>
      <span class="quiet" role="status">
        {isSaved ? 'Saved' : null}
      </span>
    </div>
  )
}

interface OpenInvitationsProps {
  readonly all: readonly Invitation[]
  revoke(invitation: Invitation): Promise<void>
}

function OpenInvitations({ all, revoke }: OpenInvitationsProps) {
  const now = useNow(true)
  return (
    <>
      <h2>Open invitations</h2>
      <Table
        label="Invitations"
        caption="Invitations that nobody has accepted yet, oldest first"
        rows={all}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Email', bare: true, cell: ({ email }) => email },
          { head: 'Role', cell: ({ role }) => capitalized(role) },
          { head: 'Invited by', words: true, cell: ({ invited_by: by }) => by },
          { head: 'Expires', cell: ({ expires_at: until }) => <Ago at={until} now={now} /> },
          {
            head: 'Actions',
            cell: (invitation) => (
              <Menu
                of={invitation.email}
                items={[
                  {
                    words: 'Revoke',
                    ends: true,
                    question: `Revoke the invitation of ${invitation.email}? Its link stops working.`,
                    act: () => revoke(invitation),
                  },
                ]}
              />
            ),
          },
        ]}
      />
    </>
  )
}
