import { PASSWORD_CHARS_MIN } from '../../../../machines/limits.ts'
import { messageOf, openApi } from '../api.ts'
import { Form } from '../form.tsx'
import { Table } from '../table.tsx'
import { Ago, Button, Failure, Loading, Menu, useNow } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo, useState } from '../view.ts'

export interface PasswordFormProps {
  readonly workspaceId: string
}

/** The account of the reader. */
export const AccountPage = ({ workspaceId, hasPassword }: PasswordFormProps & { readonly hasPassword: boolean }) => (
  <div class="account">
    <section class="card">
      <h2>Password</h2>
      {hasPassword ? (
        <PasswordForm workspaceId={workspaceId} />
      ) : (
        <p>
          You have no password here: you sign in elsewhere. To get one, ask for a{' '}
          <a href="/forgot">link to set a password</a>.
        </p>
      )}
    </section>
    <section class="card">
      <h2>When a task needs you</h2>
      <NotificationsForm workspaceId={workspaceId} />
    </section>
    <section class="card">
      <h2>Workspaces</h2>
      <p>
        To work in a workspace of others, ask one of its owners to invite you.{' '}
        <a href="/dashboard/claim">Take over a workspace by its secret key</a>
      </p>
    </section>
    <section class="card" id="apps">
      <h2>Connected applications</h2>
      <ConnectedApps workspaceId={workspaceId} />
    </section>
  </div>
)

/** [A32] Another password. All other devices of the user are signed out. */
function PasswordForm({ workspaceId }: PasswordFormProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const [isChanged, setChanged] = useState(false)
  return (
    <>
      {isChanged ? (
        <p class="said" role="status">
          Your password is changed. All other devices are signed out.
        </p>
      ) : null}
      <p class="quiet">Changing it signs out all your other devices.</p>
      <Form
        layout=""
        button="Change password"
        kind="plain"
        send={async (given) => {
          setChanged(false)
          await api.account.changePassword(given as { current_password: string; new_password: string })
          setChanged(true)
        }}
        at={{ too_many_passwords: 'current_password' }}
        fields={[
          {
            name: 'current_password',
            label: 'Current password',
            type: 'password',
            autoComplete: 'current-password',
            required: true,
          },
          {
            name: 'new_password',
            label: `New password (at least ${PASSWORD_CHARS_MIN} characters)`,
            type: 'password',
            autoComplete: 'new-password',
            minLength: PASSWORD_CHARS_MIN,
            required: true,
          },
        ]}
      />
    </>
  )
}

/** [P43] Whether a person gets e-mail when a task needs them. */
function NotificationsForm({ workspaceId }: PasswordFormProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, failed, attempt } = useAnswer(() => api.account.notifications(), [api])
  if (answer === null) return <Loading failed={failed} />
  if (!answer.can_send) return <p class="quiet">This service sends no e-mail. Its operator can set SMTP_URL.</p>
  return (
    <>
      <Failure message={failed} />
      <div class="setting">
        <span>E-mail me once for each question or approval that has waited for a minute</span>
        <Button
          label="E-mail me when a task needs me"
          isOn={answer.email}
          act={attempt(() => api.account.setNotifications({ email: !answer.email }))}
        />
      </div>
    </>
  )
}

/** [A43] The applications that may use MCP on behalf of the reader. */
function ConnectedApps({ workspaceId }: PasswordFormProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, failed, attempt } = useAnswer(() => api.account.apps(), [api])
  const now = useNow(true)
  if (answer === null) return <Loading failed={failed} />
  return (
    <>
      <Failure message={failed} />
      {answer.length === 0 ? (
        <p class="quiet words">
          None. An assistant connects by the address <code>{location.origin}/mcp</code>. <a href="/docs/mcp">How</a>
        </p>
      ) : (
        <Table
          label="Connected applications"
          caption="The applications that may use this workspace as you"
          rows={answer}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Name', cell: ({ name }) => name },
            { head: 'Connected', cell: ({ created_at: at }) => <Ago at={at} now={now} /> },
            {
              head: 'Actions',
              cell: ({ id, name }) => (
                <Menu
                  of={name}
                  items={[
                    {
                      words: 'Disconnect',
                      ends: true,
                      question: `Disconnect ${name}? It can do nothing here until you allow it again.`,
                      act: attempt(() => api.account.disconnectApp(id)),
                    },
                  ]}
                />
              ),
            },
          ]}
        />
      )}
    </>
  )
}

export interface ClaimFormProps {
  readonly workspaceId: string
  /** The workspace of the key that this browser is signed in with, if nobody owns it. */
  readonly free: string | null
}

/** [A38] Takes over a workspace that was used by its keys alone. */
export function ClaimForm({ workspaceId, free }: ClaimFormProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const key = { name: 'key', label: 'A secret key of the workspace', placeholder: 'svc_live_…' } as const
  return (
    <>
      {free === null ? null : (
        <p>
          Workspace <strong>{free}</strong>
        </p>
      )}
      <div class="forms">
        <Form
          layout="card"
          button="Take over"
          send={async (given) => goTo(await api.account.claim(given))}
          at={{ has_owner: 'key' }}
          fields={free === null ? [{ ...key, type: 'password', autoComplete: 'off', required: true }] : []}
        >
          <p>
            <a href="/dashboard">Not now</a>
          </p>
        </Form>
      </div>
    </>
  )
}

export interface JoinFormProps {
  readonly workspaceId: string
  /** The token of the invitation. */
  readonly token: string
}

/** [A35] Joins the workspace of an invitation. */
export function JoinForm({ workspaceId, token }: JoinFormProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const [failed, setFailed] = useState<string | null>(null)
  const join = async () => goTo(await api.account.join(token))
  return (
    <>
      <Failure message={failed} />
      <Button kind="main" act={() => join().catch((error) => setFailed(messageOf(error)))}>
        Join the workspace
      </Button>
    </>
  )
}

const goTo = ({ workspace_id: id }: { readonly workspace_id: string }) => location.assign(`/dashboard?workspace=${id}`)
