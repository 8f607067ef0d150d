import { URL_CHARS_MAX } from '../../../wire/limits.ts'
import { openApi } from '../api.ts'
import { Form } from '../form.tsx'
import { Table } from '../table.tsx'
import { Ago, ConfirmButton, Empty, Loading, PageHead, useNow } from '../ui.tsx'
import { useAnswer } from '../use-answer.ts'
import { useMemo } from '../view.ts'

interface ProfilesPageProps {
  readonly workspaceId: string
  /** Whether the reader may do more than look on. */
  readonly mayAct: boolean
}

/** [Z10, Z13] The profiles of a workspace; a sign-in leads to the page of its task, where a person clicks and types. */
export function ProfilesPage({ workspaceId, mayAct }: ProfilesPageProps) {
  const api = useMemo(() => openApi(workspaceId), [workspaceId])
  const { answer, failed, read, attempt } = useAnswer(() => api.profiles.list(), [api])
  const now = useNow(true)
  if (answer === null) return <Loading failed={failed} />
  const create = async ({ name = '' }: Readonly<Record<string, string>>) => {
    await api.profiles.create(name)
    await read()
  }
  const signIn = async ({ profile = '', url = '' }: Readonly<Record<string, string>>) => {
    const { id } = await api.profiles.signIn(profile, { url })
    location.assign(`/dashboard/tasks/${id}?workspace=${workspaceId}`)
  }
  return (
    <>
      <PageHead failed={failed} docs={['/docs/browsers#profiles', 'How profiles work']}>
        A profile keeps tasks signed in to sites. You sign in once, in a browser of a pool; tasks then name the profile.
      </PageHead>
      {answer.length === 0 ? (
        <Empty title="No profiles yet" icon="browser">
          <ol>
            <li>Create a profile for a site, such as “acme”.</li>
            <li>Open the sign-in page of the site and sign in by hand: cookies and storage are saved, encrypted.</li>
            <li>
              Start tasks in <code>{'{"pool": "default", "profile": "acme"}'}</code>: they are signed in.
            </li>
          </ol>
        </Empty>
      ) : (
        <Table
          label="Profiles"
          caption="The profiles of this workspace, newest first"
          rows={answer}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Name', cell: ({ name }) => name },
            { head: 'Created', cell: ({ created_at: at }) => <Ago at={at} now={now} /> },
            {
              head: 'Saved',
              cell: ({ saved_at: at }) => (at === null ? <span class="quiet">never</span> : <Ago at={at} now={now} />),
            },
            {
              head: 'Action',
              cell: ({ id, name }) =>
                !mayAct ? null : (
                  <ConfirmButton
                    kind="danger"
                    label={`Delete the profile ${name}`}
                    question={`Delete the profile ${name}? Its sign-ins are lost.`}
                    act={attempt(() => api.profiles.delete(id))}
                  >
                    Delete
                  </ConfirmButton>
                ),
            },
          ]}
        />
      )}
      {!mayAct || answer.length === 0 ? null : (
        <>
          <h2>Sign in</h2>
          <Form
            button="Open the page"
            send={signIn}
            fields={[
              { name: 'profile', label: 'Profile', options: answer.map(({ name }) => [name, name] as const) },
              {
                ...{ name: 'url', label: 'Sign-in page', type: 'url', required: true, maxLength: URL_CHARS_MAX },
                placeholder: 'https://acme.example/login',
              },
            ]}
          />
        </>
      )}
      {!mayAct ? null : (
        <>
          <h2>New profile</h2>
          <Form
            button="Create profile"
            send={create}
            at={{ profile_exists: 'name' }}
            fields={[{ name: 'name', label: 'Name (a–z, 0–9, _ and -)', required: true, maxLength: 40 }]}
          />
        </>
      )}
    </>
  )
}
