import { PASSWORD_CHARS_MIN } from '../../../../machines/limits.ts'
import { messageOf, openApi } from '../api.ts'
import { Form } from '../form.tsx'
import { capitalized, nameAndAddress } from '../format.ts'
import { Table } from '../table.tsx'
import { Ago, Button, Fact, Failure, Loading, Menu, useNow } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { type ComponentChildren, useMemo, useState } from '../view.ts'

export interface PasswordFormProps {
  readonly workspaceId: string
}

export interface AccountPageProps extends PasswordFormProps {
  readonly hasPassword: boolean
  /** Who is signed in: `Ann (ann@example.com)`. */
  readonly name: string
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly role: string }[]
}

/** The account of the reader. */
export function AccountPage({ workspaceId, hasPassword, name: whole, workspaces }: AccountPageProps) {
  const [name, address] = nameAndAddress(whole)
  return (
    <div class="account">
      <Section title="Profile">
        <dl>
          <Fact name="Name">{name}</Fact>
          {address === null ? null : <Fact name="Email">{address}</Fact>}
        </dl>
      </Section>
      <Section title="Password" about="A new one signs out all your other devices.">
        {hasPassword ? (
          <PasswordForm workspaceId={workspaceId} />
        ) : (
          <p>
            You have no password here: you sign in elsewhere. To get one, ask for a{' '}
            <a href="/forgot">link to set a password</a>.
          </p>
        )}
      </Section>
      <Section
        title="When a task needs you"
        about="One e-mail for each question or approval that has waited for a minute."
      >
        <NotificationsForm workspaceId={workspaceId} />
      </Section>
      <Section title="Workspaces" about="To work in another workspace, ask one of its owners to invite you.">
        <dl>
          {workspaces.map(({ id, name: of, role }) => (
            <Fact key={id} name={<a href={`/dashboard?workspace=${id}`}>{of}</a>}>
              {capitalized(role)}
            </Fact>
          ))}
        </dl>
        <p>
          <a href="/dashboard/claim">Take over a workspace by its secret key</a>
        </p>
      </Section>
      <Section id="apps" title="Connected applications" about="Assistants that use your workspaces as you.">
        <ConnectedApps workspaceId={workspaceId} />
      </Section>
    </div>
  )
}

interface SectionProps {
  readonly id?: string
  readonly title: string
  /** Stands below the title. */
  readonly about?: string
  readonly children: ComponentChildren
}

const Section = ({ id, title, about, children }: SectionProps) => (
  <section class="card" id={id}>
    <div>
      <h2>{title}</h2>
      {about === undefined ? null : <p class="quiet">{about}</p>}
    </div>
    <div>{children}</div>
  </section>
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
      <Form
        layout=""
        button="Change password"
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
        <span>E-mail me when a task needs me</span>
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
          None yet. An assistant connects by the address <code>{location.origin}/mcp</code>. <a href="/docs/mcp">How</a>
        </p>
      ) : (
        <Table
          label="Connected applications"
          caption="The applications that may use this workspace as you"
          rows={answer}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
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
