import type { Invitation, InvitationCreated, Member } from '../../../wire/members.ts'
import { type Api, openApi } from '../api.ts'
import { Form } from '../form.tsx'
import { Table } from '../table.tsx'
import { Ago, Button, ConfirmButton, Failure, Loading, Made, PageHead, useNow } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'

export interface MembersPageProps {
  readonly workspaceId: string
  readonly workspaceName: string
  readonly mayManage: boolean
}

const ROLES = ['member', 'owner', 'viewer'] as const

/** [A34] Who belongs to a workspace, as what; and for its owners, who is invited. */
export function MembersPage({ workspaceId, workspaceName, mayManage }: MembersPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, failed, attempt } = useAnswer(() => api.members.list(), [api])
  if (answer === null) return <Loading failed={failed} />
  const leave = async (id: string) => {
    await api.members.remove(id)
    location.assign('/dashboard')
  }
  return (
    <>
      <PageHead failed={failed} docs={['/docs/security#roles', 'What each role may do']}>
        Who signs in to this workspace with an account.
      </PageHead>
      <Table
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
          { head: 'Email', words: true, cell: ({ email }) => email ?? <span class="quiet">no account here</span> },
          {
            head: 'Role',
            cell: (member) =>
              mayManage ? (
                <RoleForm of={member} save={(role) => attempt(() => api.members.setRole(member.id, role))()} />
              ) : (
                member.role
              ),
          },
          {
            head: 'Action',
            cell: (member) =>
              member.is_self ? (
                <ConfirmButton
                  kind="danger"
                  label="Leave this workspace"
                  question={`Leave the workspace ${workspaceName}? Only an owner can invite you again.`}
                  act={attempt(() => leave(member.id))}
                >
                  Leave
                </ConfirmButton>
              ) : !mayManage ? null : (
                <ConfirmButton
                  kind="danger"
                  label={`Remove ${nameOf(member)}`}
                  question={`Remove ${nameOf(member)} from the workspace ${workspaceName}? Their sign-in no longer opens it. Keys and browsers stay.`}
                  act={attempt(() => api.members.remove(member.id))}
                >
                  Remove
                </ConfirmButton>
              ),
          },
        ]}
      />
      <p class="quiet">
        Owners can do everything. Members can start tasks and pair browsers, but not manage keys, webhooks or members.
        Viewers can only read. <a href="/docs/security#roles">Roles</a>
      </p>
      {mayManage ? <Invitations api={api} /> : null}
    </>
  )
}

const nameOf = ({ id, email }: Member): string => email ?? `User ${id.slice(0, 8)}`

function RoleForm({ of: member, save }: { readonly of: Member; save(role: Member['role']): Promise<void> }) {
  const [role, setRole] = useState(member.role)
  const label = `Role of ${nameOf(member)}`
  return (
    <div class="inline">
      <select
        aria-label={label}
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value as Member['role'])}
      >
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <Button label={`Save the role of ${nameOf(member)}`} act={() => save(role)}>
        Save
      </Button>
    </div>
  )
}

function Invitations({ api }: { readonly api: Api }) {
  const { answer, failed, read, attempt } = useAnswer(() => api.members.invitations(), [api])
  const [made, setMade] = useState<InvitationCreated | null>(null)
  const invite = async (given: Readonly<Record<string, string>>) => {
    setMade(await api.members.invite(given as { email: string; role: Member['role'] }))
    await read()
  }
  return (
    <>
      <Failure message={failed} />
      <h2>Invite</h2>
      {made === null ? null : (
        <Made label="The invitation link" text={made.invitation_url}>
          <strong>{made.email} is invited.</strong>{' '}
          {made.sent ? 'The link was sent by e-mail.' : 'Give them this link:'} It works once, within a week, and is not
          shown again.
        </Made>
      )}
      <Form
        button="Invite"
        send={invite}
        at={{ already_member: 'email' }}
        fields={[
          { name: 'email', label: 'Email', type: 'email', required: true, maxLength: 254 },
          { name: 'role', label: 'Role', options: ROLES.map((role) => [role, role]) },
        ]}
      />
      {answer === null || answer.length === 0 ? null : (
        <OpenInvitations all={answer} revoke={({ id }) => attempt(() => api.members.revokeInvitation(id))()} />
      )}
    </>
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
          { head: 'Email', cell: ({ email }) => email },
          { head: 'Role', cell: ({ role }) => role },
          { head: 'Invited by', words: true, cell: ({ invited_by: by }) => by },
          { head: 'Until', cell: ({ expires_at: until }) => <Ago at={until} now={now} /> },
          {
            head: 'Action',
            cell: (invitation) => (
              <ConfirmButton
                kind="danger"
                label={`Revoke the invitation of ${invitation.email}`}
                question={`Revoke the invitation of ${invitation.email}? Its link stops working.`}
                act={() => revoke(invitation)}
              >
                Revoke
              </ConfirmButton>
            ),
          },
        ]}
      />
    </>
  )
}
