import { URL_CHARS_MAX } from '../../../wire/limits.ts'
import { openApi } from '../api.ts'
import { FormButton } from '../form.tsx'
import { LongTable } from '../long-table.tsx'
import { Ago, Badge, CodeBox, Empty, Loading, Menu, PageHead, useNow } from '../ui.tsx'
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
  const signIn = async (profile: string, url: string) => {
    const { id } = await api.profiles.signIn(profile, { url })
    location.assign(`/dashboard/tasks/${id}?workspace=${workspaceId}`)
  }
  const newProfile = mayAct ? (
    <FormButton
      opens="New profile"
      button="Create profile"
      send={create}
      at={{ profile_exists: 'name' }}
      fields={[{ name: 'name', label: 'Name (a–z, 0–9, _ and -)', required: true, maxLength: 40, placeholder: 'acme' }]}
    />
  ) : null
  return (
    <>
      <PageHead
        failed={failed}
        docs={['/docs/browsers#profiles', 'How profiles work']}
        action={answer.length === 0 ? null : newProfile}
      >
        A profile keeps tasks signed in to sites. You sign in once, in a browser of a pool; tasks then name the profile.
      </PageHead>
      {answer.length === 0 ? (
        <Empty title="No profiles yet" icon="person">
          <ol>
            <li>
              <p>Create a profile for a site, such as “acme”.</p>
              {newProfile}
            </li>
            <li>Open the sign-in page of the site and sign in by hand: cookies and storage are saved, encrypted.</li>
            <li>Start tasks with the profile: they are signed in.</li>
          </ol>
          <CodeBox
            label="A task’s browser"
            text={'{\n  "browser": {\n    "pool": "default",\n    "profile": "acme"\n  }\n}'}
          />
        </Empty>
      ) : (
        <LongTable
          what="profile"
          textOf={({ name }) => name}
          label="Profiles"
          caption="The profiles of this workspace, newest first"
          rows={answer}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Name', cell: ({ name }) => name },
            {
              head: 'Status',
              bare: true,
              cell: ({ saved_at: at }) =>
                at === null ? (
                  <Badge tone="wait" icon="warning">
                    Not signed in yet
                  </Badge>
                ) : (
                  <>
                    <Badge tone="good" icon="check">
                      Signed in
                    </Badge>
                    <small class="quiet">
                      Saved <Ago at={at} now={now} />
                    </small>
                  </>
                ),
            },
            { head: 'Created', cell: ({ created_at: at }) => <Ago at={at} now={now} /> },
            {
              head: 'Actions',
              cell: ({ id, name }) =>
                !mayAct ? null : (
                  <>
                    <FormButton
                      opens="Sign in"
                      look="plain"
                      title={`Sign in for ${name}`}
                      button="Open the page"
                      send={({ url = '' }) => signIn(name, url)}
                      fields={[
                        {
                          ...{ name: 'url', label: 'Sign-in page', type: 'url', required: true },
                          ...{ maxLength: URL_CHARS_MAX, placeholder: 'https://acme.example/login' },
                        },
                      ]}
                    />
                    <Menu
                      of={name}
                      items={[
                        {
                          words: 'Delete',
                          ends: true,
                          question: `Delete the profile ${name}? Its sign-ins are lost.`,
                          act: attempt(() => api.profiles.delete(id)),
                        },
                      ]}
                    />
                  </>
                ),
            },
          ]}
        />
      )}
    </>
  )
}
